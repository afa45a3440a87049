/** The wait before the second try, which doubles with each further one, and the longest, in ms. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** How long to wait after so many tries (from 1) that were refused for something that may pass. */
export function backOffMs(tries: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** (tries - 1));
}
