import type { Decimal } from './decimal.ts';
import type { Instrument } from './instrument.ts';
import type { OrderRequest, PositionSide } from './order.ts';
import type { RefusalCode } from './reasons.ts';

/** What was to close a position was refused for good: the position stands without it until somebody acts. */
export interface ExitRefused {
  readonly kind: 'exitRefused';
  readonly time: number;
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** `stop`: nothing guards the position. `flatten`: what a kill or a limit was to close goes on standing. */
  readonly exit: 'stop' | 'flatten';
  /** By what it was refused. */
  readonly code: RefusalCode;
}

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

/**
 * An order on the account that this run did not place is one of its own from here. What was filled of it before belongs to
 * nobody, and counts as filled all the same: the request bears the size of the whole order.
 */
export interface OrderAdopted {
  readonly kind: 'orderAdopted';
  readonly time: number;
  /** Ours, made of the venue's id: the order itself bears another, or none. */
  readonly clientOrderId: string;
  readonly orderId: string;
  /** As far as the venue tells it, in the name of the strategy that adopts it. */
  readonly request: OrderRequest;
  /** Steps that were filled before, and what was paid or received for them. */
  readonly filledSteps: number;
  readonly filledNotional: Decimal;
  /** Fills of before, by the venue's ids, where it tells them: never news. */
  readonly fillIds: readonly string[];
}
