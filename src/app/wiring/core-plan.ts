import type { z } from 'zod';
import type { BarPlan } from '../../engine/bar-maker.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Bar } from '../../model/market-events.ts';
import type { Log } from '../../ports/log.ts';
import type { RiskLimits } from '../../risk/limits.ts';
import type { PortfolioOptions } from '../../state/portfolio.ts';
import type { Strategy, StrategyContext } from '../../strategy/strategy.ts';

export interface PlannedStrategy {
  readonly id: string;
  readonly symbols: readonly string[];
  /** Checked parameters. */
  readonly params: unknown;
  /** What they were checked by; absent where the strategy takes none. */
  readonly schema?: z.ZodType | undefined;
  readonly create: (context: StrategyContext) => Strategy;
  /** SHA-256 of its sources, where it comes from a file. */
  readonly source?: string | undefined;
  /** Absolute paths of these sources. */
  readonly files?: readonly string[] | undefined;
}

/** What the core of a run is made from, whatever it runs against. */
export interface CorePlan {
  readonly name: string;
  readonly instruments: readonly Instrument[];
  readonly account: PortfolioOptions;
  readonly strategies: readonly PlannedStrategy[];
  readonly limits: RiskLimits;
  readonly marketBuyCollar: Decimal;
  /** How long a futures order that goes out as a trigger may wait; left out: the engine's default. */
  readonly triggerTimeoutMs?: number | undefined;
  readonly bars: BarPlan;
  readonly exitsWaitForNextBar: boolean;
  readonly closeAtEnd: boolean;
  readonly history: (strategyId: string, symbol: string, intervalMs: number | undefined) => readonly Bar[];
  readonly log: Log;
}
