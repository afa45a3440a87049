import { readFileSync } from 'node:fs';

const LOOK_MS = 1_000;
/** How the text begins that a watchdog writes. */
const BY_WATCHDOG = 'watchdog';
const FLATTEN = '; flatten';

/** The text that a watchdog writes into the kill file. @param flatten the bot has to close its positions, because the watchdog cannot. */
export function watchdogText(why: string, flatten: boolean): string {
  return `${BY_WATCHDOG}: ${why}${flatten ? FLATTEN : ''}\n`;
}

interface KillFileOutlets {
  /** Told once for as long as the file is there. */
  kill(flatten: boolean, reason: string): void;
  /** A watchdog has written it since the bot began: it took the bot for dead, and acts in its place. */
  overtaken(text: string): void;
}

/**
 * Watches for a file that kills the bot: the last resort, which needs only a shell. `flatten` in its text also closes positions.
 * A file that a watchdog writes while the bot runs has another meaning: the watchdog has acted for the bot, which must end.
 */
export class KillFile {
  readonly #timer: NodeJS.Timeout;
  #there = false;
  #last: string | undefined;

  constructor(
    private readonly path: string,
    private readonly outlets: KillFileOutlets,
  ) {
    this.#last = this.#text();
    this.#timer = setInterval(() => this.look(), LOOK_MS);
  }

  /** Whether it is there. */
  look(): boolean {
    const text = this.#text();
    const isNew = text !== undefined && !this.#there;
    this.#there = text !== undefined;
    const isOvertaken = text !== undefined && text !== this.#last && text.startsWith(BY_WATCHDOG);
    this.#last = text;
    if (isOvertaken) this.outlets.overtaken(text.trim());
    else if (isNew) this.outlets.kill(asksToFlatten(text), `the file ${this.path}`);
    return this.#there;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #text(): string | undefined {
    try {
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      // What cannot be read is there all the same.
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
    }
  }
}

/** In a watchdog's text it has its place: the name of the bot, which stands there, too, may be anything. */
function asksToFlatten(text: string): boolean {
  return text.startsWith(BY_WATCHDOG) ? text.trimEnd().endsWith(FLATTEN) : /flatten/i.test(text);
}
