import { lstatSync, readFileSync, rmSync } from 'node:fs';
import type { Log } from '../../../ports/log.ts';
import { filedIn, hasFlatten, isByWatchdog, withFlatten } from './filed-command.ts';

const LOOK_MS = 1_000;
interface KillFileOutlets {
  /**
   * Called once while the file exists, and again if its text adds `flatten`.
   * @param id of the command that wrote the file; see `FiledCommand`.
   * @returns whether the kill is stored: then the file of a command is removed.
   */
  kill(flatten: boolean, reason: string, id?: string): boolean;
  /** A watchdog has written the file since the bot's start: it regarded the bot as dead, and acts for it. */
  watchdogActed(text: string): void;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

/** The functions that read the file. */
interface Files {
  /** Its text. @throws if it does not exist or cannot be read. */
  read(path: string): string;
  /** Checks that it exists. @throws ENOENT if it does not; another error if this is unknown. */
  look(path: string): void;
  remove(path: string): void;
  /** A monotonic time in ms. */
  now(): number;
}

const FILES: Files = {
  read: (path) => readFileSync(path, 'utf8'),
  look: (path) => {
    lstatSync(path);
  },
  remove: (path) => rmSync(path, { force: true }),
  now: () => performance.now(),
};

/** How long an existing file that cannot be read is read again before it kills, in ms. */
const SURE_MS = 2_000;

/** One reading: the text, `undefined` without a file, or why it could not be read and whether it exists. */
type Reading = { readonly text: string | undefined } | { readonly why: string; readonly there: boolean };

/**
 * Watches a file that kills the bot while it exists: the last resort, which needs only a shell. With `flatten` in its text the bot also
 * closes its positions. A file that a watchdog writes while the bot runs means that the watchdog has acted for the bot, which must end.
 *
 * A file that `tidegate kill` has written is removed once the kill is stored in the journal: a reset then needs no shell.
 *
 * After a failed reading the file is read again, and nothing changes. Only a file that exists and stays unreadable kills. If it is
 * unknown whether the file exists, the bot is not killed, and the log has the reason.
 */
export class KillFile {
  readonly #timer: NodeJS.Timeout;
  #there = false;
  #last: string | undefined;
  /** True if its text has `flatten`: nothing can be added. */
  #flattens = false;
  /** When reading began to fail, and why. */
  #failing: { readonly since: number; why: string } | undefined;

  constructor(
    private readonly path: string,
    private readonly outlets: KillFileOutlets,
    private readonly files: Files = FILES,
  ) {
    const first = this.#read();
    if ('text' in first) this.#last = first.text;
    this.#timer = setInterval(() => this.look(), LOOK_MS);
  }

  /** Reads the file and acts on it. @returns whether it exists. */
  look(): boolean {
    const reading = this.#read();
    if ('text' in reading) {
      this.#readable(reading.text);
      this.#take(reading.text, '');
    } else if (this.#failsForLong(reading)) this.#take('', `, which exists and cannot be read (${reading.why})`);
    return this.#there;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** @param note text after the path in the reason of the kill. */
  #take(text: string | undefined, note: string): void {
    const isNew = text !== undefined && !this.#there;
    this.#there = text !== undefined;
    if (!this.#there) this.#flattens = false;
    const isWatchdogs = text !== undefined && isByWatchdog(text) && !this.#isKnown(text);
    this.#last = text;
    if (text === undefined) return;
    const filed = filedIn(text);
    if (isWatchdogs) {
      this.#flattens = true;
      this.outlets.watchdogActed(text.trim());
    } else if (filed?.command === 'kill') this.#obey(filed, text);
    else this.#kill(isNew, hasFlatten(text), note);
  }

  /** A known text to which `tidegate kill --flatten` adds `flatten` is not a new takeover. */
  #isKnown(text: string): boolean {
    return this.#last !== undefined && (text === this.#last || text === withFlatten(this.#last));
  }

  #obey({ flatten, reason, id }: { readonly flatten: boolean; readonly reason: string; readonly id: string }, text: string): void {
    const { files, path } = this;
    if (!this.outlets.kill(flatten, reason, id)) return;
    // One that was written meanwhile is the next to be obeyed.
    const now = this.#read();
    if (!('text' in now) || now.text !== text) return;
    files.remove(path);
    this.#there = false;
    this.#last = undefined;
  }

  /** The file may be only half written: it kills at once, and flattens as soon as its text has `flatten`. */
  #kill(isNew: boolean, flatten: boolean, note: string): void {
    if (!isNew && (this.#flattens || !flatten)) return;
    this.#flattens = flatten;
    this.outlets.kill(flatten, `the file ${this.path}${note}`);
  }

  #readable(text: string | undefined): void {
    if (this.#failing === undefined) return;
    this.#failing = undefined;
    this.outlets.log.info(`the kill file can be read again: it ${text === undefined ? 'does not exist' : 'exists'}`, { path: this.path });
  }

  /** @returns whether the file has existed and been unreadable for so long that it kills. */
  #failsForLong({ why, there }: { readonly why: string; readonly there: boolean }): boolean {
    const now = this.files.now();
    if (this.#failing?.why !== why) {
      const then = there
        ? 'It exists, and kills the bot if it stays unreadable'
        : 'It is unknown whether it exists, so the bot is not killed';
      this.outlets.log.warn(`the kill file could not be read, and will be read again. ${then}`, { path: this.path, error: why });
      this.#failing = { since: this.#failing?.since ?? now, why };
    }
    return there && now - this.#failing.since >= SURE_MS;
  }

  #read(): Reading {
    try {
      return { text: this.files.read(this.path) };
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return { text: undefined };
      const why = (error as Error).message;
      try {
        this.files.look(this.path);
        return { why, there: true };
      } catch (second) {
        return codeOf(second) === 'ENOENT' ? { text: undefined } : { why, there: false };
      }
    }
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
