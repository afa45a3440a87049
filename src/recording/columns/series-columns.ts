import type { SeriesKind } from './series-meta.ts';

/** What a column's integers count: price or quantity units of the series' decimals, or a side. Funding rates count as prices. */
export type ColumnUnit = 'price' | 'quantity' | 'side';

export interface SeriesColumn {
  readonly name: string;
  readonly unit: ColumnUnit;
}

/** The columns of each kind after the time, in file order. Sides: 1 buy aggressor, -1 sell aggressor, 0 unknown. */
export const SERIES_COLUMNS: Readonly<Record<SeriesKind, readonly SeriesColumn[]>> = {
  bar: [
    { name: 'open', unit: 'price' },
    { name: 'high', unit: 'price' },
    { name: 'low', unit: 'price' },
    { name: 'close', unit: 'price' },
    { name: 'volume', unit: 'quantity' },
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
