import type { Priority } from '../operations/operation.ts';

/** Limits of the exchange as one process keeps to them. All are settings: the document gives none of them. */
export interface BudgetSettings {
  /** Weight within `windowMs`, counted per IP and per account, apart from one another. */
  readonly ipWeight: number;
  readonly uidWeight: number;
  readonly windowMs: number;
  /** How far each class may fill a budget, as a share of it: what is above is kept for those before it. */
  readonly shares: Readonly<Record<Priority, number>>;
  /** Requests that place or cancel, in any second. */
  readonly actionsPerSecond: number;
  /** How long nothing is sent after a 429, in ms, where the exchange names no time. */
  readonly pauseMs: number;
  /** How long a request may wait for its turn, in ms. */
  readonly maxWaitMs: number;
}

/** 500 in 10 s is the older of the two published figures; a later one says 1000. */
export const BUDGET_DEFAULTS: BudgetSettings = {
  ipWeight: 500,
  uidWeight: 500,
  windowMs: 10_000,
  shares: { cancel: 1, orderQuery: 0.95, place: 0.9, account: 0.8, market: 0.7 },
  actionsPerSecond: 10,
  pauseMs: 10_000,
  maxWaitMs: 30_000,
};
