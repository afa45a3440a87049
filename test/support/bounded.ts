import { runInNewContext } from 'node:vm';

/** Work over a long text that takes longer than this takes the square of its length: what is linear takes some milliseconds. */
const LIMIT_MS = 300_000;

/** Runs `work`, and throws where it does not end. Node interrupts it, regular expressions included. */
export function ends<T>(work: () => T): T {
  return runInNewContext('work()', { work }, { timeout: LIMIT_MS }) as T;
}

/** A piece again and again, up to about this many characters. */
export function long(piece: string, length: number): string {
  return piece.repeat(Math.ceil(length / piece.length));
}
