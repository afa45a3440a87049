import type { Instrument } from './instrument.ts';

/**
 * What latches the account, or one strategy: a limit of its equity (`maxDrawdown`, `dailyLoss`), too many errors of the
 * venue, losing trades in a row (`cooldown`), or a person's word (`reduce`, `kill`).
 */
export type LatchRule = 'maxDrawdown' | 'dailyLoss' | 'venueErrors' | 'cooldown' | 'reduce' | 'kill';

/** A limit was broken and latched: from here only reducing intents pass, over restarts too, until it is reset. */
export interface RiskLatched {
  readonly kind: 'riskLatched';
  readonly time: number;
  readonly rule: LatchRule;
  /** Latched for this strategy alone; absent: for the account. */
  readonly strategyId?: string | undefined;
  /** The fall of equity as a share, from its peak or from where it began the day; zero of other rules. */
  readonly drawdown: number;
  /** What was passed: a share, or a number of errors or losses; zero of a person's word. */
  readonly limit: number;
  /** Errors in the window, or losing trades in a row. */
  readonly count?: number | undefined;
  /** Epoch ms at which it is taken back by itself; absent: by a reset alone. */
  readonly until?: number | undefined;
  /** Of a person's word: why. */
  readonly reason?: string | undefined;
}

/** A latch was taken back, by a person or by its time; the fall of equity is measured from here. */
export interface LatchReset {
  readonly kind: 'latchReset';
  readonly time: number;
  readonly rule: LatchRule;
  readonly strategyId?: string | undefined;
}

/** The open trade of a strategy has lost more than it may: the engine closes it. */
export interface TradeStopped {
  readonly kind: 'tradeStopped';
  readonly time: number;
  readonly strategyId: string;
  readonly instrument: Instrument;
  /** What it has lost and what it may lose, in the account's currency, as decimal text. */
  readonly loss: string;
  readonly limit: string;
}
