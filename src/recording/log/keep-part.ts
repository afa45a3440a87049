import { TidegateError } from '../../model/errors.ts';
import { keepSeries } from '../catalogue/keep-series.ts';
import { ClockOffsets } from '../columns/clock-offsets.ts';
import { RowBuffer } from '../columns/row-buffer.ts';
import { SeriesWriter } from '../columns/series-writer.ts';
import { parseExactDecimal } from '../import/exact-decimal.ts';
import type { PartRows } from './part-rows.ts';

/** Offsets in ms beyond which a stamp is none of a live price, or of another unit. */
const OLDEST_MS = 60_000;
const MOST_EARLY_MS = 86_400_000;

/** The recording that the series belongs to. */
export interface PartTarget {
  readonly dataDir: string;
  readonly name: string;
}

/**
 * Makes the rows durable as a file of their own in their series, in place of what an earlier try left of them.
 * @param part the file's name, without its ending.
 * @throws TidegateError DATA_INVALID where prices do not fit, or the disk takes nothing.
 */
export async function keepPart({ dataDir, name }: PartTarget, part: string, { symbol, kind, rows }: PartRows): Promise<void> {
  const exact = rows.map(({ price }) => parseExactDecimal(price)!);
  const decimals = Math.max(...exact.map((one) => one.decimals));
  await keepSeries({ dataDir, name, part }, (staging) => {
    const writer = new SeriesWriter({ ...staging, symbol, kind });
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
    return [writer.finish({ priceDecimals: decimals, quantityDecimals: 0, source: [`${part}.log`], clock: clock.offset })];
  });
}
