import type { SeriesKind } from './series-meta.ts';

/**
 * What a column's integers count: price or quantity units of the series' decimals (funding rates count as prices), a side, a
 * yes or no, or a number of the source's own, such as that of an update (0: none).
 */
export type ColumnUnit = 'price' | 'quantity' | 'side' | 'flag' | 'number';

/** True for integers of the series' decimals. */
export function isDecimal(unit: ColumnUnit): unit is 'price' | 'quantity' {
  return unit === 'price' || unit === 'quantity';
}

export interface SeriesColumn {
  readonly name: string;
  readonly unit: ColumnUnit;
}

/**
 * The columns of each kind after the time, in file order. Sides: 1 buy aggressor (of depth: a bid), -1 sell aggressor (an ask), 0
 * unknown. Of depth each row is a level, and rows of one time and one update change the book together: `quantity` stands there now (0: nothing);
 * `snapshot` says that the rows of that time are the whole book; `update` numbers the change, and `previous` names the one before it, as the
 * source does.
 */
export const SERIES_COLUMNS: Readonly<Record<SeriesKind, readonly SeriesColumn[]>> = {
  bar: [
    { name: 'open', unit: 'price' },
    { name: 'high', unit: 'price' },
    { name: 'low', unit: 'price' },
    { name: 'close', unit: 'price' },
    { name: 'volume', unit: 'quantity' },
  ],
  depth: [
    { name: 'side', unit: 'side' },
    { name: 'price', unit: 'price' },
    { name: 'quantity', unit: 'quantity' },
    { name: 'snapshot', unit: 'flag' },
    { name: 'update', unit: 'number' },
    { name: 'previous', unit: 'number' },
  ],
  quote: [
    { name: 'bid', unit: 'price' },
    { name: 'ask', unit: 'price' },
    { name: 'bidQuantity', unit: 'quantity' },
    { name: 'askQuantity', unit: 'quantity' },
  ],
  trade: [
    { name: 'price', unit: 'price' },
    { name: 'quantity', unit: 'quantity' },
    { name: 'side', unit: 'side' },
  ],
  ticker: [{ name: 'last', unit: 'price' }],
  mark: [{ name: 'price', unit: 'price' }],
  funding: [{ name: 'rate', unit: 'price' }],
};
