import { TidegateError } from '../../model/errors.ts';
import { ClockOffsets } from '../columns/clock-offsets.ts';
import { RowBuffer } from '../columns/row-buffer.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { type SeriesTarget, SeriesWriter } from '../columns/series-writer.ts';
import { parseExactDecimal } from '../import/exact-decimal.ts';
import type { PartRows } from './part-rows.ts';

/** Offsets in ms beyond which a stamp is none of a live price, or of another unit. */
const OLDEST_MS = 60_000;
const MOST_EARLY_MS = 86_400_000;

/**
 * Writes rows of a log as columns: the same bytes for the same rows, whoever writes them.
 * @param log that they come from, by its start.
 * @throws TidegateError DATA_INVALID where prices do not fit, or the disk takes nothing.
 */
export function writePart(target: Omit<SeriesTarget, 'symbol' | 'kind'>, log: string, { symbol, kind, rows }: PartRows): SeriesMeta {
  const exact = rows.map(({ price }) => parseExactDecimal(price)!);
  const decimals = Math.max(...exact.map((one) => one.decimals));
  const writer = new SeriesWriter({ ...target, symbol, kind });
  const buffer = new RowBuffer(kind);
  const clock = new ClockOffsets();
  rows.forEach(({ time, exchangeTime }, index) => {
    const offset = time - exchangeTime;
    if (offset <= OLDEST_MS && offset >= -MOST_EARLY_MS) clock.add(Math.round(offset * 1_000));
    const { digits, decimals: own } = exact[index]!;
    const units = Number(digits * 10n ** BigInt(decimals - own));
    if (!Number.isSafeInteger(units))
      throw new TidegateError('DATA_INVALID', `${symbol} ${kind}: prices of ${decimals} decimals do not fit`);
    buffer.time[buffer.rows] = time * 1_000;
    buffer.columns[0]![buffer.rows++] = units;
    if (buffer.rows === buffer.capacity) writer.write(buffer);
  });
  writer.write(buffer);
  return writer.finish({ priceDecimals: decimals, quantityDecimals: 0, source: [`${log}.log`], clock: clock.offset });
}
