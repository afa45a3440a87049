/** How the poller behind a polled backtest asks; all in ms. The names are those of the venue that polls in earnest. */
export interface PollSettings {
  /** Prices and account are asked for at the multiples of this. */
  readonly pollMs: number;
  /** Fills and balances are read no more often than this, however often look-ups are due. */
  readonly detectMs: number;
  /** How often a resting order is looked up without a hint. */
  readonly lookupMs: number;
  /** First pause between two look-ups of an order that is about to end; it doubles, up to `lookupMaxMs`. */
  readonly lookupMinMs: number;
  readonly lookupMaxMs: number;
  /** For so long an order may stay unseen: from then on two look-ups that find nothing prove that it never was. */
  readonly visibilityLagMs: number;
}
