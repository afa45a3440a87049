import { lstatSync, readFileSync } from 'node:fs';
import type { Log } from '../../../ports/log.ts';

const LOOK_MS = 1_000;
/** How the text begins that a watchdog writes. */
const BY_WATCHDOG = 'watchdog';
const FLATTEN = '; flatten';

/** The text that a watchdog writes into the kill file. @param flatten the bot has to close its positions, because the watchdog cannot. */
export function watchdogText(why: string, flatten: boolean): string {
  return `${BY_WATCHDOG}: ${why}${flatten ? FLATTEN : ''}\n`;
}

interface KillFileOutlets {
  /** Called once for as long as the file is there, and again where its text asks for more. */
  kill(flatten: boolean, reason: string): void;
  /** A watchdog has written it since the bot began: it took the bot for dead, and acts in its place. */
  overtaken(text: string): void;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

/** How the file is read. */
interface Files {
  /** Its text. @throws where it is not there, or cannot be read. */
  read(path: string): string;
  /** @throws ENOENT where it is not there; something else where nobody can say. */
  look(path: string): void;
  /** A steady time in ms. */
  now(): number;
}

const FILES: Files = {
  read: (path) => readFileSync(path, 'utf8'),
  look: (path) => {
    lstatSync(path);
  },
  now: () => performance.now(),
};

/** For so long, in ms, a file that is there and cannot be read is read again, before it counts as one that kills. */
const SURE_MS = 2_000;

/** One reading: the text, `undefined` without a file, or why it could not be read and whether it is known to be there. */
type Reading = { readonly text: string | undefined } | { readonly why: string; readonly there: boolean };

/**
 * Watches for a file that kills the bot: the last resort, which needs only a shell. `flatten` in its text also closes positions.
 * A file that a watchdog writes while the bot runs has another meaning: the watchdog has acted for the bot, which must end.
 *
 * A reading that fails says nothing yet: the file is read again, and everything stays as it was. Only a file that is there and
 * stays unreadable kills. Where nobody can say whether it is there, nothing is killed, and the log says why.
 */
export class KillFile {
  readonly #timer: NodeJS.Timeout;
  #there = false;
  #last: string | undefined;
  /** Nothing more is asked for by its text. */
  #flattens = false;
  /** Since when reading fails, and why. */
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

  /** Whether it is there. */
  look(): boolean {
    const reading = this.#read();
    if ('text' in reading) {
      this.#readable(reading.text);
      this.#take(reading.text, '');
    } else if (this.#failsForLong(reading)) this.#take('', `, which is there and cannot be read (${reading.why})`);
    return this.#there;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** @param note behind the path, where the kill is logged. */
  #take(text: string | undefined, note: string): void {
    const isNew = text !== undefined && !this.#there;
    this.#there = text !== undefined;
    if (!this.#there) this.#flattens = false;
    const isOvertaken = text !== undefined && text !== this.#last && text.startsWith(BY_WATCHDOG);
    this.#last = text;
    if (isOvertaken) {
      this.#flattens = true;
      this.outlets.overtaken(text.trim());
    } else if (text !== undefined) this.#kill(isNew, asksToFlatten(text), note);
  }

  /** Whoever writes the file may be half through: it kills at once, and flattens as soon as it says so. */
  #kill(isNew: boolean, flatten: boolean, note: string): void {
    if (!isNew && (this.#flattens || !flatten)) return;
    this.#flattens = flatten;
    this.outlets.kill(flatten, `the file ${this.path}${note}`);
  }

  #readable(text: string | undefined): void {
    if (this.#failing === undefined) return;
    this.#failing = undefined;
    this.outlets.log.info(`the kill file can be read again: it is ${text === undefined ? 'not there' : 'there'}`, { path: this.path });
  }

  /** @returns whether the file has been there, and unreadable, for so long that it counts. */
  #failsForLong({ why, there }: { readonly why: string; readonly there: boolean }): boolean {
    const now = this.files.now();
    if (this.#failing?.why !== why) {
      const then = there
        ? 'It is there, and kills the bot if it stays unreadable'
        : 'Whether it exists is not known: the bot is not killed for that';
      this.outlets.log.warn(`the kill file could not be read, and is read again. ${then}`, { path: this.path, error: why });
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

/** In a watchdog's text it has its place: the name of the bot, which stands there, too, may be anything. */
function asksToFlatten(text: string): boolean {
  return text.startsWith(BY_WATCHDOG) ? text.trimEnd().endsWith(FLATTEN) : /flatten/i.test(text);
}
