import { TidegateError } from '../../model/errors.ts';
import { keepSeries } from '../catalogue/keep-series.ts';
import { RowBuffer } from '../columns/row-buffer.ts';
import { SeriesWriter } from '../columns/series-writer.ts';
import { parseExactDecimal } from '../import/exact-decimal.ts';
import type { PartRows } from './part-rows.ts';

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
    rows.forEach(({ time }, index) => {
      const { digits, decimals: own } = exact[index]!;
      const units = Number(digits * 10n ** BigInt(decimals - own));
      if (!Number.isSafeInteger(units))
        throw new TidegateError('DATA_INVALID', `${symbol} ${kind}: prices of ${decimals} decimals do not fit`);
      buffer.time[buffer.rows] = time * 1_000;
      buffer.columns[0]![buffer.rows++] = units;
      if (buffer.rows === buffer.capacity) writer.write(buffer);
    });
    writer.write(buffer);
    return [writer.finish({ priceDecimals: decimals, quantityDecimals: 0, source: [`${part}.log`] })];
  });
}
