import { intervalText } from '../../model/interval.ts';
import { ClockOffsets } from '../columns/clock-offsets.ts';
import { RowBuffer } from '../columns/row-buffer.ts';
import { DecimalScales } from './decimal-scales.ts';
import type { InputFile } from './input-file.ts';
import { OneSymbol } from './rows/one-symbol.ts';
import { openRows } from './rows/open-rows.ts';
import { type RefuseRow, RowError } from './rows/row-error.ts';

const ROWS = 1_000;

/**
 * The length of a file's bars in ms: the smallest distance between two of its first thousand stamps.
 * @param only the symbol that is meant, where the file has several.
 * @throws TidegateError DATA_INVALID when there is no second bar or the distance is no whole number of seconds.
 */
export function inferInterval(file: InputFile, only: string | undefined, refuse: RefuseRow): number {
  const buffer = new RowBuffer('bar');
  const rows = openRows(file, { scales: new DecimalScales(), symbol: new OneSymbol(only), clock: new ClockOffsets(), buffer, refuse });
  try {
    rows.fill();
  } finally {
    rows.close();
  }
  let smallest = Number.POSITIVE_INFINITY;
  for (let row = 1; row < Math.min(ROWS, buffer.rows); row++) {
    const distance = buffer.time[row]! - buffer.time[row - 1]!;
    if (distance > 0 && distance < smallest) smallest = distance;
  }
  const ms = smallest / 1_000;
  if (Number.isFinite(ms) && ms % 1_000 === 0) return ms;
  const found = Number.isFinite(ms)
    ? `the bars lie ${ms} ms apart, which is no whole number of seconds (${intervalText(1_000)})`
    : buffer.rows > 1
      ? 'no bar bears a later time than the one before it: rows are doubled, or out of order'
      : 'there is only one bar';
  throw new RowError(file.path, 1, undefined, `cannot tell the length of the bars: ${found}; --interval 1m gives it`);
}
