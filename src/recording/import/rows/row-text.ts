import { isoTime } from '../../../model/time-text.ts';
import { decimalText } from '../../columns/decimal-units.ts';
import { plainText } from '../../columns/plain-text.ts';
import type { RowBuffer } from '../../columns/row-buffer.ts';
import { type ColumnUnit, isDecimal, SERIES_COLUMNS } from '../../columns/series-columns.ts';
import type { DecimalScales } from '../decimal-scales.ts';

/** A row at hand as the line of CSV that an export makes of it. */
export function rowText(buffer: RowBuffer, row: number, scales: Pick<DecimalScales, 'price' | 'quantity'>): string {
  const cells = SERIES_COLUMNS[buffer.kind].map(({ unit }, index) => cellText(buffer.columns[index]![row]!, unit, scales));
  return [isoTime(buffer.time[row]! / 1_000, buffer.nanos[row]), ...cells].join(',');
}

function cellText(units: number, unit: ColumnUnit, scales: Pick<DecimalScales, 'price' | 'quantity'>): string {
  return isDecimal(unit) ? decimalText(units, scales[unit]) : plainText(units, unit);
}
