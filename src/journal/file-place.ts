import { statSync } from 'node:fs';
import { journalError } from './journal-errors.ts';

/** Notices that a file was moved or deleted under its open handle: what is written then is gone with the process. */
export class FilePlace {
  readonly #inode: number;

  constructor(private readonly path: string) {
    this.#inode = inodeOf(path);
  }

  /** @throws TidegateError JOURNAL_FAILED */
  check(): void {
    if (inodeOf(this.path) === this.#inode) return;
    const text = 'was moved or deleted while the bot runs: put it back before the bot is started again';
    throw journalError('JOURNAL_FAILED', this.path, text);
  }
}

function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? -1;
}
