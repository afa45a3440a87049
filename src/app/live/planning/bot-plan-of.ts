import { Decimal } from '../../../model/decimal.ts';
import type { Log } from '../../../ports/log.ts';
import { plannedAccount } from '../../backtest/planning/account.ts';
import type { FeedNeeds } from '../../backtest/planning/data-use.ts';
import { plannedInstruments } from '../../backtest/planning/instruments.ts';
import { riskLimits } from '../../backtest/planning/risk-limits.ts';
import type { PlannedStrategies } from '../../backtest/planning/strategy-classes.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { withoutKeys } from '../../config/reading/without-keys.ts';
import { ownVersion } from '../../own-version.ts';
import type { CorePlan, PlannedStrategy } from '../../wiring/core-plan.ts';
import { SPOT_BATCH_LIMIT } from '../../wiring/profiles.ts';
import type { BotPlan } from '../bot/bot-plan.ts';
import type { BotMode } from '../process/bot-folder.ts';
import { botSection } from './bot-section.ts';

/** What a plan takes besides the config. */
export interface PlanParts {
  readonly strategies: readonly PlannedStrategy[];
  readonly needs: readonly FeedNeeds[];
  /** Parameters of the strategies as they took effect. */
  readonly params: PlannedStrategies['params'];
  readonly history: CorePlan['history'];
  readonly log: Log;
  /** How much faster than the wall its clock goes. */
  readonly speed: number;
}

/** The plan of a bot whose strategies are at hand. @throws TidegateError CONFIG_INVALID where the config has no section of the mode. */
export function botPlanOf(loaded: LoadedConfig, mode: BotMode, { strategies, needs, params, history, log, speed }: PlanParts): BotPlan {
  const { config } = loaded;
  const { backtest, live } = config;
  const { visibilityLagMs, unknownLimitMs, fillGapMs, foreign, unexplained, onStop, graceMs, poll } = botSection(loaded, mode);
  const instruments = plannedInstruments(config);
  const batchLimit = live?.batchLimit ?? SPOT_BATCH_LIMIT;
  return {
    name: config.name,
    origin: { version: ownVersion(), mode, text: withoutKeys(loaded.textWith(params)), file: loaded.file },
    instruments,
    account: plannedAccount(config),
    strategies,
    limits: riskLimits(config.risk),
    marketBuyCollar: new Decimal(backtest.marketBuyCollar),
    triggerTimeoutMs: backtest.triggerTimeoutMs,
    bars: {
      from: 'ticker',
      intervals: instruments.map(({ symbol }) => intervalsOf(symbol, needs)),
      graceMs: backtest.barGraceMs,
      awayMs: poll.staleMs,
    },
    exitsWaitForNextBar: false,
    closeAtEnd: false,
    history,
    log,
    capabilities: {
      marketData: ['ticker', 'mark'],
      marketBuyByQuantity: !(live?.marketBuyByQuote ?? true),
      plainFutures: false,
      futuresTriggers: true,
      batchLimit,
    },
    poll,
    rest: { visibilityLagMs, unknownLimitMs, fillGapMs, foreign, unexplained, batchLimit },
    onStop,
    // Whoever waits for a stop (a person, a process manager) waits by the wall.
    graceMs: graceMs * speed,
  };
}

/** The bars that strategies need of an instrument, in ms: all are built from tickers. */
function intervalsOf(symbol: string, needs: readonly FeedNeeds[]): number[] {
  return [...new Set(needs.filter(({ symbols }) => symbols.includes(symbol)).flatMap(({ intervals }) => intervals))];
}
