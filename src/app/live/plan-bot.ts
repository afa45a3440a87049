import { Decimal } from '../../model/decimal.ts';
import { type ErrorCode, TidegateError } from '../../model/errors.ts';
import type { Log } from '../../ports/log.ts';
import { ownVersion } from '../base/own-files.ts';
import { type LoadedConfig, withoutKeys } from '../config/load-config.ts';
import { formatAt } from '../config/reading/problems.ts';
import type { ConfigPath } from '../config/reading/tree.ts';
import type { BotConfig } from '../config/schema/live-schema.ts';
import type { BotMode } from '../planning/bot-folder.ts';
import { plannedAccount, plannedInstruments } from '../planning/planned-account.ts';
import { wantedBars } from '../planning/planned-history.ts';
import { type FeedNeeds, type PlannedStrategies, plannedStrategies } from '../planning/planned-strategies.ts';
import { kindText, RecordedData } from '../planning/recorded-data.ts';
import { riskLimits } from '../planning/risk-limits.ts';
import { type BotPlan, type CorePlan, type PlannedStrategy, SPOT_BATCH_LIMIT } from '../planning/run-plans.ts';
import { WarmUp } from './warm-up.ts';

interface PlannedBot {
  /** Its history is empty until `warmUp` has been, which is before strategies are constructed. */
  readonly plan: BotPlan;
  readonly warnings: readonly string[];
  /** Where candles are to fill what recordings lack: what is still to be done, once the exchange can be asked. */
  readonly warmUp: WarmUp | undefined;
}

/** When the run begins, in epoch ms of its clock, and how much faster than the wall that clock goes. */
interface BotTime {
  readonly start: number;
  readonly speed: number;
}

/**
 * From a checked config to a plan of a bot: strategies loaded, history read, what the exchange cannot give refused.
 * @throws TidegateError naming the place and what was expected.
 */
export async function planBot(loaded: LoadedConfig, mode: BotMode, log: Log, { start, speed }: BotTime): Promise<PlannedBot> {
  const { config } = loaded;
  const { backtest } = config;
  const section = botSection(loaded, mode);
  requireProfile(loaded, mode);
  const { strategies, needs, params } = await plannedStrategies(loaded);
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
  const plan = botPlanOf(loaded, mode, { strategies, needs, params, history: warmUp.history, log, speed });
  return { plan, warnings, warmUp: asksExchange ? warmUp : undefined };
}

const HINTS: Readonly<Record<BotMode, string>> = {
  paper: 'give it a section such as `paper: { prices: { recording: sample } }`',
  live: 'give it a section with `spotBaseUrl`, `keys` and `enabled: true` (docs/live.md)',
};

/** The section of the mode, as far as both have it. @throws TidegateError CONFIG_INVALID where the config has none. */
export function botSection({ config, locate }: LoadedConfig, mode: BotMode): BotConfig {
  const section = config[mode];
  if (section !== undefined) return section;
  throw new TidegateError('CONFIG_INVALID', formatAt(locate([]), `${mode}: missing: ${HINTS[mode]}`));
}

/** What the exchange tells prices by. Bars are built from tickers. */
const TOLD = ['bar', 'ticker', 'mark'];

/**
 * Refuses what the exchange cannot give: its API tells last prices, and mark prices of contracts, and no more.
 * @param needs of the strategies, once they are loaded.
 * @throws TidegateError VENUE_CANNOT at its place in the config.
 */
export function requireProfile(loaded: LoadedConfig, mode: BotMode, needs: readonly FeedNeeds[] = []): void {
  const { account, instruments, live } = loaded.config;
  const refuse = (path: ConfigPath, message: string, code: ErrorCode = 'VENUE_CANNOT') => {
    throw new TidegateError(code, formatAt(loaded.locate(path), `${path.join('.')}: ${message}`, path));
  };
  if (account.kind === 'netting') {
    refuse(['account', 'kind'], 'the exchange has no netting accounts: they are for backtests; use spot or futures');
  }
  for (const symbol of Object.keys(instruments).filter((name) => name.endsWith('-PERP'))) {
    if (mode !== 'live' || live?.futuresTicker !== false) continue;
    refuse(['instruments', symbol], 'its price comes from a futures ticker, and live.futuresTicker says that there is none');
  }
  needs.forEach(({ id, symbols, kinds, futuresKinds }, index) => {
    const missing = [...kinds, ...futuresKinds].find((kind) => !TOLD.includes(kind));
    const path = ['strategies', index];
    const wanted = `strategy "${id}" needs ${missing === undefined ? 'marks' : kindText(missing)}`;
    if (missing !== undefined)
      refuse(path, `${wanted}, which the exchange does not tell: only tickers, marks, and bars built from tickers`);
    if (!futuresKinds.includes('mark') || symbols.some((symbol) => symbol.endsWith('-PERP'))) return;
    refuse(path, `${wanted}, but trades no futures instrument (-PERP)`, 'CONFIG_INVALID');
  });
}

/** What a plan takes besides the config. */
interface PlanParts {
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
  const section = botSection(loaded, mode);
  const { visibilityLagMs, unknownLimitMs, fillGapMs, foreign, unexplained, onStop, graceMs, poll, maxSendDelayMs } = section;
  const instruments = plannedInstruments(config);
  const batchLimit = live?.batchLimit ?? SPOT_BATCH_LIMIT;
  return {
    name: config.name,
    origin: { version: ownVersion(), mode, text: withoutKeys(loaded.textWith(params)), file: loaded.file },
    instruments,
    account: plannedAccount(config),
    strategies,
    limits: { ...riskLimits(config.risk), maxQueuedOrders: section.maxQueuedOrders },
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
      marketBuyByQuote: live?.marketBuyByQuote ?? true,
      plainFutures: false,
      futuresTriggers: true,
      batchLimit,
    },
    poll,
    rest: { visibilityLagMs, unknownLimitMs, fillGapMs, foreign, unexplained, batchLimit, maxSendDelayMs },
    onStop,
    // Whoever waits for a stop (a person, a process manager) waits by the wall.
    graceMs: graceMs * speed,
  };
}

/** The bars that strategies need of an instrument, in ms: all are built from tickers. */
function intervalsOf(symbol: string, needs: readonly FeedNeeds[]): number[] {
  return [...new Set(needs.filter(({ symbols }) => symbols.includes(symbol)).flatMap(({ intervals }) => intervals))];
}
