import { readFileSync } from 'node:fs';

const LOOK_MS = 1_000;

/**
 * Watches for a file that kills the bot: the means of last resort that needs nothing but a shell. Told once for as long
 * as the file is there; `flatten` in its text asks for that.
 */
export class KillFile {
  readonly #timer: NodeJS.Timeout;
  #there = false;

  constructor(
    private readonly path: string,
    private readonly kill: (flatten: boolean, reason: string) => void,
  ) {
    this.#timer = setInterval(() => this.look(), LOOK_MS);
  }

  /** Whether it is there. */
  look(): boolean {
    const text = this.#text();
    const isNew = text !== undefined && !this.#there;
    this.#there = text !== undefined;
    if (isNew) this.kill(/flatten/i.test(text), `the file ${this.path}`);
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
