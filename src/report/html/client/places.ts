import type { BarColumns } from '../page/page-data.ts';

/** Where a time stands on a candle chart, counted in candles: within its own candle, whose middle is a whole number. */
export function placeOf({ t }: BarColumns, intervalSeconds: number, time: number): number {
  const bar = lastAtOrBefore(t, time);
  return bar + Math.min(1, Math.max(0, (time - t[bar]!) / intervalSeconds)) - 0.5;
}

/** The index of the last time at or before the given one; 0 when all are later. */
export function lastAtOrBefore(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle]! <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
