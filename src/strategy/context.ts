import type { Bar } from '../model/market-events.ts';
import type { Log } from '../ports/log.ts';
import type { ReadonlyState } from '../state/state.ts';

/** What the engine hands a strategy when it makes it. */
export interface StrategyContext {
  readonly id: string;
  /** Already checked against the class's `params` schema. */
  readonly params: unknown;
  readonly symbols: readonly string[];
  readonly state: ReadonlyState;
  readonly log: Log;
  now(): number;
  /** Bars before the start, oldest first; empty where the strategy needs none. */
  history(symbol: string, interval?: string): readonly Bar[];
}
