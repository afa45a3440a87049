import { isoTime } from '../model/time-text.ts';
import type { CheckedRows } from './checks/checked-rows.ts';
import { decimalText } from './columns/decimal-units.ts';
import { plainText } from './columns/plain-text.ts';
import { isDecimal, SERIES_COLUMNS } from './columns/series-columns.ts';
import type { SeriesMeta } from './columns/series-meta.ts';

/** What makes the texts of one row of a series, time first: the time in ISO 8601 with all its digits, decimals without trailing zeros. */
export function rowTexts(rows: CheckedRows, { kind, priceDecimals, quantityDecimals }: SeriesMeta): (row: number) => string[] {
  const texts = SERIES_COLUMNS[kind].map(({ unit }, index) => {
    const values = rows.columns[index]!;
    if (!isDecimal(unit)) return (row: number) => plainText(values[row]!, unit);
    const decimals = unit === 'price' ? priceDecimals : quantityDecimals;
    return (row: number) => decimalText(values[row]!, decimals);
  });
  return (row) => [isoTime(rows.time[row]!, rows.nanos?.[row]), ...texts.map((text) => text(row))];
}
