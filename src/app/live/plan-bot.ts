import { type BarInterval, isCalendar } from '../../model/bar-interval.ts';
import { Decimal } from '../../model/decimal.ts';
import { type ErrorCode, TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Log } from '../../ports/log.ts';
import { ownVersion } from '../base/own-files.ts';
import { type LoadedConfig, withoutKeys } from '../config/load-config.ts';
import { formatAt } from '../config/reading/problems.ts';
import type { ConfigPath } from '../config/reading/tree.ts';
import type { BotConfig } from '../config/schema/live-schema.ts';
import type { BotMode } from '../planning/bot-folder.ts';
import { plannedAccount, plannedInstruments } from '../planning/planned-account.ts';
import { wantedBars } from '../planning/planned-history.ts';
import { requireSignals, signalFiles } from '../planning/planned-signals.ts';
import {
  BOT_KINDS,
  choiceText,
  type FeedNeeds,
  joining,
  type PlannedStrategies,
  plannedStrategies,
  receivedSymbols,
  referenceTexts,
} from '../planning/planned-strategies.ts';
import { implausible } from '../planning/plausible.ts';
import { kindText, RecordedData } from '../planning/recorded-data.ts';
import { riskLimits } from '../planning/risk-limits.ts';
import { type BotPlan, type CorePlan, type PlannedStrategy, SPOT_BATCH_LIMIT } from '../planning/run-plans.ts';
import { type CalendarBars, WarmUp } from './warm-up.ts';

interface PlannedBot {
  /** Its history is empty until `warmUp` has run, which happens before strategies are constructed. */
  readonly plan: BotPlan;
  readonly warnings: readonly string[];
  /** The step that completes the history with candles, once the exchange replies; undefined if no candles are needed. */
  readonly warmUp: WarmUp | undefined;
}

/** The start of the run, in epoch ms of its clock, and the speed of this clock against the wall clock. */
interface BotTime {
  readonly start: number;
  readonly speed: number;
}

/**
 * Makes a bot's plan from a checked config: loads the strategies, reads the history, and refuses what the exchange does not have.
 * @throws TidegateError with the place and the expected value.
 */
export async function planBot(loaded: LoadedConfig, mode: BotMode, log: Log, { start, speed }: BotTime): Promise<PlannedBot> {
  const { config } = loaded;
  const { backtest } = config;
  const section = botSection(loaded, mode);
  requireProfile(loaded, mode);
  const { strategies, needs, params, warnings: doubts } = await plannedStrategies(loaded, mode);
  requireSignals(loaded, needs);
  for (const text of needs.map(choiceText)) if (text !== '') log.info(text);
  const references = referenceTexts(needs, (symbol, kind) => kind !== 'mark' || symbol.endsWith('-PERP'));
  for (const text of references.lines) log.info(text);
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
  const open = calendarBars(instruments, needs);
  const source = backtest.data.length === 0 ? 'name a recording of bars in backtest.data' : 'record or import newer bars';
  const remedy = `${source}, or set ${mode}.warmup to cold`;
  const warmUp = new WarmUp({ needs, wanted, data, warmup: section.warmup, start: section.start, open, remedy });
  const asksExchange = section.candles && wanted.length + open.length > 0;
  const missing = asksExchange ? [] : [...warmUp.fromRecordings(start), ...unseenBeginnings(open, mode)];
  const metas = data?.series.map(({ meta }) => meta) ?? [];
  const warnings = [...doubts, ...implausible(config, mode, metas), ...references.warnings, ...missing];
  const plan = botPlanOf(loaded, mode, {
    strategies: joining({ strategies, needs }, section),
    needs,
    params,
    history: warmUp.history,
    log,
    speed,
  });
  return { plan, warnings, warmUp: asksExchange ? warmUp : undefined };
}

/** The weeks and months that strategies need. */
function calendarBars(instruments: readonly Instrument[], needs: readonly FeedNeeds[]): CalendarBars[] {
  return instruments.flatMap((instrument) =>
    intervalsOf(instrument.symbol, needs)
      .filter(isCalendar)
      .map((interval) => ({ instrument, interval })),
  );
}

/** A warning that weeks and months which are open at the start have no prices from before it. */
function unseenBeginnings(open: readonly CalendarBars[], mode: BotMode): string[] {
  const intervals = [...new Set(open.map(({ interval }) => interval))];
  if (intervals.length === 0) return [];
  return [
    `bars of ${intervals.join(' and ')} are delivered only if the bot has seen their beginning (${mode}.candles: true reads it from the exchange)`,
  ];
}

const HINTS: Readonly<Record<BotMode, string>> = {
  paper: 'add a section such as `paper: { prices: { recording: sample } }`',
  live: 'add a section with `spotBaseUrl`, `keys` and `enabled: true` (docs/tutorials/from-paper-to-live.md)',
};

/** The settings that the sections `paper` and `live` share. @throws TidegateError CONFIG_INVALID if the config has no section for the mode. */
export function botSection({ config, locate }: LoadedConfig, mode: BotMode): BotConfig {
  const section = config[mode];
  if (section !== undefined) return section;
  throw new TidegateError('CONFIG_INVALID', formatAt(locate([]), `${mode}: missing: ${HINTS[mode]}`));
}

/**
 * Refuses what the exchange does not have: its API has only last prices, and mark prices of contracts.
 * @param needs the strategies' needs, once they are loaded.
 * @throws TidegateError VENUE_CANNOT with the place in the config.
 */
export function requireProfile(loaded: LoadedConfig, mode: BotMode, needs: readonly FeedNeeds[] = []): void {
  const { account, instruments, live } = loaded.config;
  const refuse = (path: ConfigPath, message: string, code: ErrorCode = 'VENUE_CANNOT') => {
    throw new TidegateError(code, formatAt(loaded.locate(path), `${path.join('.')}: ${message}`, path));
  };
  if (account.kind === 'netting') {
    refuse(['account', 'kind'], 'the exchange has no netting accounts, which are for backtests only: use spot or futures');
  }
  for (const symbol of Object.keys(instruments).filter((name) => name.endsWith('-PERP'))) {
    if (mode !== 'live' || live?.futuresTicker !== false) continue;
    refuse(['instruments', symbol], 'its price needs the futures ticker, but live.futuresTicker is false');
  }
  needs.forEach((need, index) => {
    const { id, kinds, futuresKinds } = need;
    const missing = [...kinds, ...futuresKinds].find((kind) => !BOT_KINDS.includes(kind));
    const path = ['strategies', index];
    const wanted = `strategy "${id}" needs ${missing === undefined ? 'marks' : kindText(missing)}`;
    if (missing !== undefined)
      refuse(path, `${wanted}, which the exchange does not have: it has only tickers, marks, and bars built from tickers`);
    if (!futuresKinds.includes('mark') || receivedSymbols(need).some((symbol) => symbol.endsWith('-PERP'))) return;
    refuse(path, `${wanted}, but trades no futures instrument (-PERP)`, 'CONFIG_INVALID');
  });
}

/** The parts of a plan that do not come from the config. */
interface PlanParts {
  readonly strategies: readonly PlannedStrategy[];
  readonly needs: readonly FeedNeeds[];
  /** The effective parameters of the strategies. */
  readonly params: PlannedStrategies['params'];
  readonly history: CorePlan['history'];
  readonly log: Log;
  /** The speed of its clock against the wall clock. */
  readonly speed: number;
}

/** The plan of a bot with loaded strategies. @throws TidegateError CONFIG_INVALID if the config has no section for the mode. */
export function botPlanOf(loaded: LoadedConfig, mode: BotMode, { strategies, needs, params, history, log, speed }: PlanParts): BotPlan {
  const { config } = loaded;
  const { backtest, live } = config;
  const section = botSection(loaded, mode);
  const { visibilityLagMs, unknownLimitMs, fillGapMs, foreign, unexplained, onStop, graceMs, poll, maxSendDelayMs, lostExit, leverage } =
    section;
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
    lostExit,
    setsLeverage: leverage === 'set',
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
      futuresTriggers: true,
      triggerTerms: false,
      batchLimit,
    },
    poll,
    rest: { visibilityLagMs, unknownLimitMs, fillGapMs, foreign, unexplained, batchLimit, maxSendDelayMs },
    onStop,
    signalFiles: signalFiles(loaded, mode),
    // A person or a process manager that waits for a stop uses the wall clock.
    graceMs: graceMs * speed,
  };
}

/** The bar intervals that strategies need of an instrument. All are built from tickers. */
function intervalsOf(symbol: string, needs: readonly FeedNeeds[]): BarInterval[] {
  return [...new Set(needs.filter((need) => receivedSymbols(need).includes(symbol)).flatMap(({ intervals }) => intervals))];
}
