import type { Quote } from './market-events.ts';

/** Recorded quotes of one instrument by their columns, one element a row. The arrays are used again once the rows are over. */
export interface QuoteRows {
  /** Epoch ms. */
  readonly times: Float64Array;
  readonly bidTicks: Float64Array;
  readonly askTicks: Float64Array;
  /** The quote of a row, a fresh instance at each call. Of the newest row, where several instruments take turns. */
  quoteAt(row: number): Quote;
}
