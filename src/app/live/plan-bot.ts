import { Decimal } from '../../model/decimal.ts';
import type { Log } from '../../ports/log.ts';
import { plannedAccount } from '../backtest/planning/account.ts';
import type { FeedNeeds } from '../backtest/planning/data-use.ts';
import { wantedBars } from '../backtest/planning/history-reader.ts';
import { plannedInstruments } from '../backtest/planning/instruments.ts';
import { RecordedData } from '../backtest/planning/recorded-data.ts';
import { riskLimits } from '../backtest/planning/risk-limits.ts';
import { plannedStrategies } from '../backtest/planning/strategy-classes.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { SPOT_BATCH_LIMIT } from '../wiring/profiles.ts';
import type { BotMode } from './bot-folder.ts';
import type { BotPlan } from './bot-plan.ts';
import { botSection } from './bot-section.ts';
import { requireProfile } from './profile-rules.ts';
import { WarmUp } from './warm-up.ts';

export interface PlannedBot {
  /** Its history is empty until `warmUp` has been, which is before strategies are constructed. */
  readonly plan: BotPlan;
  readonly warnings: readonly string[];
  /** Where candles are to fill what recordings lack: what is still to be done, once the exchange can be asked. */
  readonly warmUp: WarmUp | undefined;
}

/** When the run begins, in epoch ms of its clock, and how much faster than the wall that clock goes. */
export interface BotTime {
  readonly start: number;
  readonly speed: number;
}

/**
 * From a checked config to a plan of a bot: strategies loaded, history read, what the exchange cannot give refused.
 * @throws TidegateError naming the place and what was expected.
 */
export async function planBot(loaded: LoadedConfig, mode: BotMode, log: Log, { start, speed }: BotTime): Promise<PlannedBot> {
  const { config } = loaded;
  const { backtest, live } = config;
  const section = botSection(loaded, mode);
  requireProfile(loaded, mode);
  const { strategies, needs } = await plannedStrategies(loaded);
  requireProfile(loaded, mode, needs);
  const instruments = plannedInstruments(config);
  const wanted = wantedBars(needs, instruments);
  const data =
    wanted.length === 0
      ? undefined
      : await RecordedData.open(
          config.dataDir,
          backtest.data,
          instruments.map(({ symbol }) => symbol),
        );
  const warmUp = new WarmUp({ needs, wanted, data, warmup: section.warmup });
  const asksExchange = section.candles && wanted.length > 0;
  const warnings = asksExchange ? [] : warmUp.fromRecordings(start);
  const { visibilityLagMs, unknownLimitMs, fillGapMs, foreign, unexplained, onStop, graceMs, poll } = section;
  const batchLimit = live?.batchLimit ?? SPOT_BATCH_LIMIT;
  const plan: BotPlan = {
    name: config.name,
    instruments,
    account: plannedAccount(config),
    strategies,
    limits: riskLimits(config.risk),
    marketBuyCollar: new Decimal(backtest.marketBuyCollar),
    triggerTimeoutMs: backtest.triggerTimeoutMs,
    bars: { from: 'ticker', intervals: instruments.map(({ symbol }) => intervalsOf(symbol, needs)), graceMs: backtest.barGraceMs },
    exitsWaitForNextBar: false,
    closeAtEnd: false,
    history: warmUp.history,
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
  return { plan, warnings, warmUp: asksExchange ? warmUp : undefined };
}

/** The bars that strategies need of an instrument, in ms: all are built from tickers. */
function intervalsOf(symbol: string, needs: readonly FeedNeeds[]): number[] {
  return [...new Set(needs.filter(({ symbols }) => symbols.includes(symbol)).flatMap(({ intervals }) => intervals))];
}
