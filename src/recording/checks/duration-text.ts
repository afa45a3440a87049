const PARTS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** A length of time for people, in its two largest parts: `2d 3h`, `15m`, `1.250s` below a minute; given in ms. */
export function durationText(ms: number): string {
  if (ms < 60_000) return Number.isInteger(ms / 1_000) ? `${ms / 1_000}s` : `${(ms / 1_000).toFixed(3)}s`;
  const largest = PARTS.findIndex(([, size]) => ms >= size);
  let rest = ms;
  const words: string[] = [];
  for (const [letter, size] of PARTS.slice(largest, largest + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) words.push(`${count}${letter}`);
  }
  return words.join(' ');
}
