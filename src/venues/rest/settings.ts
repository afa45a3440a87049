/** How the REST venue looks after orders; all in ms of its clock. */
export interface RestSettings {
  /** How long after its timestamp the exchange may still take a request: its own window. */
  readonly windowMs: number;
  /** Most that our idea of the exchange's clock may be wrong by. */
  readonly clockErrorMs: number;
  /** How late orders and fills may appear in what the exchange lists. */
  readonly visibilityLagMs: number;
  /** How often a resting order is looked up without a hint. */
  readonly lookupMs: number;
  /** First pause between two look-ups of an order that is about to end; it doubles, up to `lookupMaxMs`. */
  readonly lookupMinMs: number;
  readonly lookupMaxMs: number;
  /** Fills and balances are read no more often than this, however often look-ups are due. */
  readonly detectMs: number;
  /** An order whose outcome stays unknown for longer halts its instrument. */
  readonly unknownLimitMs: number;
  /** Fills that an order reports and no record shows for longer halt its instrument. */
  readonly fillGapMs: number;
  /** A request waits for the one before it, at most so long. */
  readonly laneWaitMs: number;
  /** How long after the last activity balances are compared with the exchange's. */
  readonly calmMs: number;
  /** Orders that are not ours: `block` halts, `ignore` reports them, `adopt` makes them ours where their id is known. */
  readonly foreign: 'ignore' | 'block' | 'adopt';
  /** A balance that no record explains: `accept` moves the baseline, `halt` stops trading. */
  readonly unexplained: 'accept' | 'halt';
  /** Most orders in one batch. */
  readonly batchLimit: number;
}

export const REST_DEFAULTS: RestSettings = {
  windowMs: 30_000,
  clockErrorMs: 1_000,
  visibilityLagMs: 5_000,
  lookupMs: 30_000,
  lookupMinMs: 250,
  lookupMaxMs: 5_000,
  detectMs: 900,
  unknownLimitMs: 180_000,
  fillGapMs: 30_000,
  laneWaitMs: 1_000,
  calmMs: 6_000,
  foreign: 'ignore',
  unexplained: 'accept',
  batchLimit: 10,
};
