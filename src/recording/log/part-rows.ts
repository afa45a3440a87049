/** One row of a series that a recorder fills. */
export interface PartRow {
  /** When it was received, epoch ms. */
  readonly time: number;
  /** Decimal text above 0, as the exchange told it. */
  readonly price: string;
  /** The exchange's own time of it, epoch ms. */
  readonly exchangeTime: number;
}

/** The rows of one log that belong to one series. */
export interface PartRows {
  readonly symbol: string;
  readonly kind: 'ticker' | 'mark';
  /** In order of time. */
  readonly rows: readonly PartRow[];
}
