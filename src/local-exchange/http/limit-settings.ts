/** What the exchange puts up with, per IP and per account; 0 is no limit. The figures are public, their scope is not. */
export interface LimitSettings {
  /** Weight within `windowMs`, per IP and per uid, apart from one another. */
  readonly ipWeight: number;
  readonly uidWeight: number;
  readonly windowMs: number;
  /** Requests of one account that place or cancel, in any second. */
  readonly actionsPerSecond: number;
  /** Futures orders of one account in any minute; operation 16 tells it. */
  readonly ordersPerMinute: number;
  /** Least time between two futures orders of one account, in ms; operation 16 tells it. */
  readonly orderDelayMs: number;
  readonly bodyBytes: number;
}

export const LIMITS: LimitSettings = {
  ipWeight: 500,
  uidWeight: 500,
  windowMs: 10_000,
  actionsPerSecond: 10,
  ordersPerMinute: 0,
  orderDelayMs: 0,
  bodyBytes: 65_536,
};
