import { statSync } from 'node:fs';
import type { RefusedAnswer } from '../../../exchange/client/refused-answers.ts';
import { ZERO } from '../../../model/decimal.ts';
import { type Instrument, tradableOf } from '../../../model/instrument.ts';
import { isoTime } from '../../../model/time.ts';
import type { SettingChange } from '../../../ports/market-feed.ts';
import type { RecorderStatus } from '../../../recording/log/recorder.ts';
import { type BeyondLimit, beyondLimits } from '../../../risk/beyond-limits.ts';
import type { ReadonlyPosition, State } from '../../../state/state.ts';
import type { Difference } from '../../../venues/reconcile/settings.ts';
import type { RequestsQueue } from '../../../venues/rest/rest-venue.ts';
import { columns } from '../../base/text.ts';
import type { BotMode } from '../../planning/bot-folder.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import type { Activity, FillShown, OrderShown } from '../bot/activity.ts';
import { EARLY_MS, type WaitingRows } from '../bot/signal-files.ts';
import type { StartWaits } from '../bot/until-answered.ts';
import { CLOSES_ONLY, type Commanded } from '../bot/waiting-bot.ts';
import { type ClocksRead, clocksApart } from '../clock-checks.ts';
import {
  type ClosedFills,
  type ClosedPart,
  type FlattenReport,
  isClosing,
  type KillReport,
  positionsOf,
  refusedText,
  reportRows,
} from './kill-report.ts';
import { type OpenOrderShown, openOrdersOf, openTexts } from './open-orders.ts';
import type { PostStatus } from './signal-post.ts';
import { unclosableHealth, unprotectedHealth, unprotectedQuantities } from './unguarded.ts';

/** A latch in force: only reducing orders pass (after a kill no order of a strategy). */
interface LatchStatus {
  readonly rule: string;
  readonly time: number;
  readonly reason: string;
  /** Absent: the whole account is latched. */
  readonly strategy?: string;
  /** Absent: all symbols are latched. */
  readonly symbol?: string;
  /** Absent: until a reset. */
  readonly until?: number;
  /** Only for a kill: positions are closed, and later fills, too. */
  readonly flatten?: true;
}

/** One problem of the bot: stale data, a halt, a position without its stop, and so on. */
interface HealthStatus {
  readonly subject: string;
  /** Empty: all instruments. */
  readonly symbol: string;
  readonly condition: string;
  readonly reason: string;
  /** Absent if the time is unknown. */
  readonly since?: number;
}

interface StrategyStatus {
  readonly id: string;
  readonly symbols: readonly string[];
  /** Absent if it has none. */
  readonly references?: readonly string[];
  readonly positions: Record<string, string>;
}

/** The data of `tidegate status`. Long because the text of each line is next to its data. Amounts are decimal text, times epoch ms of the bot's clock unless the name states otherwise. */
export interface BotStatus {
  readonly name: string;
  readonly mode: BotMode;
  readonly pid: number;
  readonly uptimeMs: number;
  /** `starting` until exchange and journal are reconciled. */
  readonly phase: 'starting' | 'running' | 'stopping';
  readonly time: number;
  readonly strategies: readonly StrategyStatus[];
  readonly positions: Record<string, string>;
  readonly balances: Record<string, { readonly total: string; readonly frozen: string }>;
  readonly currency: string;
  readonly equity: string;
  /** The profit of the strategies' own trades, with open positions at their marks: of this UTC day and in total. */
  readonly profit: { readonly today: string; readonly total: string };
  readonly unprotected: Record<string, string>;
  readonly openOrders: Record<string, number>;
  /** Each of them, the oldest first. */
  readonly orders: readonly OpenOrderShown[];
  /** `null` before the first. */
  readonly lastOrder: OrderShown | null;
  /** Newest first. */
  readonly lastFills: readonly FillShown[];
  /** Denied intents of the last hour, by code. */
  readonly denied: Record<string, number>;
  readonly latches: readonly LatchStatus[];
  /** Whether new positions can be opened. `in part`: only of some strategies or instruments. */
  readonly trading: 'yes' | 'in part' | 'no';
  readonly health: readonly HealthStatus[];
  /** The age of the newest price of any instrument, in ms; `null` before the first. */
  readonly lastTickAgeMs: number | null;
  readonly pollMs: { readonly marketMs: number; readonly accountMs: number };
  /** The number of queued orders and cancels, how long the oldest has waited, and the free share of the weight for orders. */
  readonly requests: { readonly queued: number; readonly oldestWaitMs: number; readonly free: number };
  /** The answers of the exchange that were not taken since the start of the process, the most frequent first. */
  readonly refused: readonly RefusedAnswer[];
  readonly journal: { readonly path: string; readonly bytes: number };
  readonly differences: readonly Difference[];
  /** `null` if the bot does not record. */
  readonly recorder: RecorderStatus | null;
  /** The signals that were received over HTTP; `null` if the config has no posted signals. */
  readonly signals: PostStatus | null;
  /** The rows of signals that wait for their time, or for a row before them, by file; files without such a row are left out. */
  readonly waitingSignals: readonly WaitingRows[];
  /** The positions that `kill --flatten` has closed, and those still open; `null` if no such kill is in force. */
  readonly flatten: FlattenReport | null;
  /** The settings that were changed while the bot ran, each with its value in the config as JSON. */
  readonly changes: readonly SettingChange[];
  /** The closes by `tidegate close` that are not finished, and the fills of all such closes in this process. */
  readonly closes: { readonly pending: readonly CloseShown[]; readonly closed: readonly ClosedPart[] };
}

/** A close by command. */
export interface CloseShown {
  readonly symbol: string;
  /** Absent: of all strategies. */
  readonly strategy?: string;
  /** Absent: both. */
  readonly side?: 'long' | 'short';
}

/** A stop in progress. */
export interface StopBegun {
  /** Epoch ms of the bot's clock. */
  readonly since: number;
  /** Whether the start was not complete. */
  readonly isEarly: boolean;
}

interface StatusParts {
  readonly plan: BotPlan;
  readonly mode: BotMode;
  readonly bot: Pick<
    Commanded,
    'state' | 'periods' | 'differences' | 'activity' | 'requests' | 'closesOnly' | 'closes' | 'limits' | 'changes'
  >;
  readonly phase: BotStatus['phase'];
  readonly uptimeMs: number;
  readonly now: number;
  readonly journal: string;
  /** Epoch ms of the newest price. */
  readonly lastTick: number | undefined;
  readonly recorder: RecorderStatus | undefined;
  readonly signals: PostStatus | undefined;
  readonly waitingSignals: readonly WaitingRows[];
  readonly refused: readonly RefusedAnswer[];
  readonly kills: KillReport;
  readonly closed: ClosedFills;
  readonly waits: StartWaits;
  /** Absent unless the phase is `stopping`. */
  readonly stop: StopBegun | undefined;
  /** Absent for a paper bot, and until the exchange's time is known. */
  readonly clocks: ClocksRead | undefined;
}

/** The status of a bot between two turns. */
export function botStatus(parts: StatusParts): BotStatus {
  const {
    plan,
    mode,
    bot,
    phase,
    uptimeMs,
    now,
    journal,
    lastTick,
    recorder,
    signals,
    waitingSignals,
    refused,
    kills,
    closed,
    waits,
    stop,
    clocks,
  } = parts;
  const { state, activity } = bot;
  const { instruments } = plan;
  return {
    name: plan.name,
    mode,
    pid: process.pid,
    uptimeMs: Math.round(uptimeMs),
    phase,
    time: now,
    strategies: plan.strategies.map(({ id, symbols, references }) => ({
      id,
      symbols,
      ...(references !== undefined && { references }),
      positions: quantitiesOf(
        instruments.filter(({ symbol }) => symbols.includes(symbol)),
        (one) => state.books.get(id)?.sides(one) ?? [],
      ),
    })),
    positions: quantitiesOf(instruments, (one) => state.sides(one)),
    balances: Object.fromEntries(
      [...state.portfolio.balances].map(([asset, { total, frozen }]) => [asset, { total: total.toFixed(), frozen: frozen.toFixed() }]),
    ),
    currency: state.portfolio.currency,
    equity: state.portfolio.exactEquity().toFixed(),
    profit: profitOf(state),
    unprotected: unprotectedQuantities(state),
    openOrders: countOrders(state),
    orders: openOrdersOf(state),
    lastOrder: activity.lastOrder ?? null,
    lastFills: activity.lastFills,
    denied: activity.deniedSince(now),
    trading: phase === 'running' ? tradingOf(state, plan) : 'no',
    latches: [...state.latches.values()].map(({ rule, strategyId, symbol, time, until, reason, flatten }) => ({
      rule,
      time,
      reason: reason ?? '',
      ...(strategyId !== undefined && { strategy: strategyId }),
      ...(symbol !== undefined && { symbol }),
      ...(until !== undefined && { until }),
      ...(flatten === true && { flatten }),
    })),
    health: [
      ...(phase === 'starting' ? [{ subject: 'start', symbol: '', condition: 'waiting', reason: waits.text, since: waits.since }] : []),
      ...(bot.closesOnly ? [{ subject: 'start', symbol: '', condition: 'incomplete', reason: CLOSES_ONLY }] : []),
      ...(stop === undefined ? [] : [stopHealth(stop, parts)]),
      ...clocksApart(clocks).map((reason) => ({ subject: 'clock', symbol: '', condition: 'wrong', reason })),
      ...[...state.health.values()].map(({ subject, symbol, condition, reason, time: since }) => ({
        subject,
        symbol,
        condition,
        reason,
        since,
      })),
      ...[...state.refusedExits.values()].map((refused) => {
        const { instrument, strategyId, exit, time: since } = refused;
        const condition = exit === 'stop' ? 'without its stop' : 'not closed';
        return { subject: `position of ${strategyId}`, symbol: instrument.symbol, condition, reason: refusedText(refused), since };
      }),
      ...unprotectedHealth(state),
      ...unclosableHealth(state),
      ...positionsOf(state).flatMap(({ strategyId, instrument: { symbol, step }, own, steps }) => {
        if (own === steps) return [];
        const reason = `the account holds only ${step.toText(steps)} of the strategy's ${step.toText(own)}: a trade or transfer outside this bot removed the rest; check the account at the exchange`;
        return [{ subject: `position of ${strategyId}`, symbol, condition: 'partly missing', reason }];
      }),
      ...[...state.overshot.values()].map(({ instrument: { symbol, step }, strategyId, steps }) => {
        const reason = `a close filled ${step.toText(steps)} more than the strategy held; the bot opens this quantity again`;
        return { subject: `position of ${strategyId}`, symbol, condition: 'closed too much', reason };
      }),
      ...deniedHealth(activity),
      ...requestsHealth(bot.requests, now),
      ...beyondLimits(state, bot.limits).map(beyondHealth),
      ...waitingHealth(waitingSignals, now),
      // Recording is not part of the engine's health: it has no effect on trading.
      ...(recorder?.trouble === undefined ? [] : [{ subject: 'recorder', symbol: '', condition: 'failing', reason: recorder.trouble }]),
    ],
    lastTickAgeMs: lastTick === undefined ? null : Math.max(0, Math.round(now - lastTick)),
    pollMs: bot.periods,
    requests: requestsOf(bot.requests, now),
    refused,
    journal: { path: journal, bytes: sizeOf(journal) + sizeOf(`${journal}-wal`) },
    differences: bot.differences,
    recorder: recorder ?? null,
    signals: signals ?? null,
    waitingSignals,
    flatten: kills.of(state, phase === 'starting'),
    changes: bot.changes.map(({ setting, value, was }) => ({ setting, value, was })),
    closes: {
      pending: bot.closes.map(({ symbol, strategyId, side }) => ({
        symbol,
        ...(strategyId !== undefined && { strategy: strategyId }),
        ...(side !== undefined && { side }),
      })),
      closed: closed.all,
    },
  };
}

/** Digits of a profit. */
const PLACES = 8;

function profitOf({ traded }: State): BotStatus['profit'] {
  if (traded === undefined) return { today: '0', total: '0' };
  const { start } = traded.day;
  const today = Number.isNaN(start) ? ZERO : traded.exactEquity().minus(start);
  return { today: today.toDecimalPlaces(PLACES).toFixed(), total: traded.profit().toDecimalPlaces(PLACES).toFixed() };
}

function deniedHealth({ deniedStreak }: Activity): HealthStatus[] {
  if (deniedStreak === undefined) return [];
  const { count, since, codes } = deniedStreak;
  return [
    {
      subject: 'intents',
      symbol: '',
      condition: 'denied',
      reason: `all of the last ${count} intents were denied: ${countsText(codes)}`,
      since,
    },
  ];
}

/** The thing that a stop waits for, and its end at the latest. */
function stopHealth({ since, isEarly }: StopBegun, { plan, bot, waits }: StatusParts): HealthStatus {
  const open = bot.state.openOrders.size;
  const orders = `${open} open ${open === 1 ? 'order' : 'orders'}`;
  const parts = [
    ...(isEarly ? [`the start ${waits.text}`] : []),
    ...(isClosing(bot.state) ? ['waits for the kill to close positions'] : []),
    ...(open > 0 ? [plan.onStop === 'cancel' ? `waits for the end of ${orders}` : `keeps ${orders}, and waits for replies`] : []),
  ];
  const what = parts.length === 0 ? 'waits for the replies of the exchange' : parts.join('; ');
  const reason = `${what}; it ends at ${isoTime(Math.floor(since + plan.graceMs))} at the latest`;
  return { subject: 'stop', symbol: '', condition: 'waiting', reason, since };
}

/** A row that must wait for long has probably a wrong time, and the rows after it wait with it. */
function waitingHealth(waiting: readonly WaitingRows[], now: number): HealthStatus[] {
  return waiting
    .filter(({ until }) => until - now > EARLY_MS)
    .map((one) => {
      const reason = `${waitingText(one)}: is its time right? Rows after it wait for it`;
      return { subject: `signals ${one.name}`, symbol: '', condition: 'waiting', reason };
    });
}

function waitingText({ rows, until }: WaitingRows): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'}, the first until ${isoTime(Math.floor(until))}`;
}

/** Requests count as waiting for this time after the last wait: the queue of a busy strategy is empty now and then. */
const LATELY_MS = 10_000;

/** Whether requests wait for the exchange's limits, or waited a moment ago. */
export function underPressure({ scarceAt }: RequestsQueue, now: number): boolean {
  return now < scarceAt + LATELY_MS;
}

function requestsOf({ queued, since, free }: RequestsQueue, now: number): BotStatus['requests'] {
  return { queued, oldestWaitMs: since === undefined ? 0 : Math.max(0, Math.round(now - since)), free };
}

function requestsHealth(queue: RequestsQueue, now: number): HealthStatus[] {
  if (!underPressure(queue, now)) return [];
  const what = queue.queued === 0 ? 'some had to wait a moment ago' : "there are more requests than the exchange's limits allow";
  const reason = `${what}: ${requestsText(requestsOf(queue, now))}`;
  return [{ subject: 'requests', symbol: '', condition: 'waiting', reason }];
}

/** The request queue as text: how many orders and cancels wait, and the free share. */
export function requestsText({ queued, oldestWaitMs, free }: BotStatus['requests']): string {
  const wait = queued === 0 ? 'none queued' : `${queued} queued, the oldest for ${oldestWaitMs} ms`;
  return `${wait}; ${Math.round(free * PERCENT)} % of the weight for orders is free`;
}

const PERCENT = 100;

/** A limit that is exceeded already, as an entry of the health. */
export function beyondHealth({ limit, strategyId, symbol, value, most }: BeyondLimit): HealthStatus {
  const whose = strategyId === undefined ? 'account' : `strategy ${strategyId}`;
  return {
    subject: whose,
    symbol: symbol ?? '',
    condition: 'beyond its limit',
    reason: `${value}, but risk.${limit} allows ${most}: only reducing orders pass`,
  };
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return listed(
    Object.entries(counts).map(([code, count]) => `${code} ${count}`),
    'none',
  );
}

/** Whether a bot that runs can open positions: a latch concerns all strategies or one, and all symbols or one. */
export function tradingOf(
  { latches, health }: Pick<State, 'latches' | 'health'>,
  { instruments, strategies }: Pick<BotPlan, 'instruments' | 'strategies'>,
): BotStatus['trading'] {
  const kept = [...health.values()].filter(keepsFromTrading);
  const latched = [...latches.values()];
  const hits = (symbol: string) => kept.some((one) => one.symbol === '' || one.symbol === symbol);
  const isLatched = (id: string, symbol: string) =>
    latched.some(({ strategyId, symbol: of }) => (strategyId === undefined || strategyId === id) && (of === undefined || of === symbol));
  const open = strategies.map(({ id, symbols }) => symbols.filter((symbol) => !hits(symbol) && !isLatched(id, symbol)));
  if (open.every(({ length }) => length === 0)) return 'no';
  const isFree = strategies.every(({ id, symbols }) => symbols.every((symbol) => !isLatched(id, symbol)));
  const isWhole = isFree && tradableOf(instruments).every(({ symbol }) => !hits(symbol));
  return isWhole ? 'yes' : 'in part';
}

/** Whether a condition stops trading. Halted: only closes of a strategy's own position pass. Stale: only reducing orders pass. */
function keepsFromTrading({ condition, subject }: Pick<HealthStatus, 'condition' | 'subject'>): boolean {
  return condition === 'halted' || condition === 'stale' || subject === 'start' || subject === 'stop';
}

function quantitiesOf(instruments: readonly Instrument[], sides: (one: Instrument) => readonly ReadonlyPosition[]): Record<string, string> {
  const found = instruments.flatMap((one) => {
    const held = sides(one);
    return held.map(({ steps }, index): [string, string] => [
      held.length === 1 ? one.symbol : `${one.symbol}:${index === 0 ? 'long' : 'short'}`,
      one.step.toText(steps),
    ]);
  });
  return Object.fromEntries(found.filter(([, quantity]) => quantity !== '0'));
}

function countOrders({ openOrders }: State): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { held, status } of openOrders.values()) {
    const name = held ? 'held' : status;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** A status as text, one line for each subject. */
export function statusText(status: BotStatus): string {
  const { name, mode, pid, phase, uptimeMs, time, strategies, positions, balances, openOrders, health, differences } = status;
  const held = (of: Record<string, unknown>) =>
    listed(
      Object.entries(of).map(([what, quantity]) => `${what} ${quantity}`),
      'none',
    );
  const { lastTickAgeMs, pollMs, journal, recorder, profit, lastOrder, lastFills, denied } = status;
  return columns([
    ['bot', `${name} (${mode}, pid ${pid}), ${phase} for ${Math.round(uptimeMs / 1_000)} s, its time ${isoTime(Math.floor(time))}`],
    ['trading', tradingText(status)],
    ...strategies.map(({ id, symbols, references = [], positions: own }) => {
      const more = references.length === 0 ? '' : ` (references: ${references.join(', ')})`;
      return [`strategy ${id}`, `${symbols.join(', ')}: ${held(own)}${more}`] as const;
    }),
    ['positions', held(positions)],
    [
      'balances',
      listed(
        Object.entries(balances).map(([asset, { total, frozen }]) => `${total} ${asset}${frozen === '0' ? '' : ` (${frozen} frozen)`}`),
        'none',
      ),
    ],
    ['equity', `${status.equity} ${status.currency}`],
    ['profit', `${signed(profit.today)} ${status.currency} today, ${signed(profit.total)} in total, by the strategies' own trades`],
    ...(status.flatten === null ? [] : reportRows(status.flatten)),
    ...status.closes.pending.map((one) => ['closing', `${closeText(one)}, by command`] as const),
    ...status.changes.map(({ setting, value, was }) => ['changed', `${setting} = ${value} (config: ${was})`] as const),
    ['unprotected', held(status.unprotected)],
    ['open orders', listed([held(openOrders), ...openTexts(status.orders)], 'none')],
    ['last order', lastOrder === null ? 'none yet' : orderText(lastOrder)],
    ['last fills', listed(lastFills.map(fillText), 'none yet')],
    ['denied', `${countsText(denied)} in the last hour`],
    [
      'health',
      listed(
        health.map(({ subject, symbol, condition, reason }) => `${subject} ${symbol || 'all'} ${condition}: ${reason}`),
        'no problems',
      ),
    ],
    ['last price', lastTickAgeMs === null ? 'none yet' : `${lastTickAgeMs} ms ago`],
    ['polls every', `${pollMs.marketMs} ms (prices), ${pollMs.accountMs} ms (account)`],
    ['requests', requestsText(status.requests)],
    ['refused answers', listed(status.refused.map(refusedAnswerText), 'none')],
    ['journal', `${journal.path}, ${journal.bytes} bytes`],
    ...(recorder === null
      ? []
      : [['recorder', `${recorder.polls} polls, ${recorder.incomplete} with gaps, ${recorder.lost} lost; ${recorder.kept} logs kept`]]),
    ...(status.signals === null ? [] : [['signals', postText(status.signals)] as const]),
    ...status.waitingSignals.map((one) => ['signals waiting', `${one.name}: ${waitingText(one)}`] as const),
    ...differences.map(({ what, subject, journal: ours, exchange, cause }) => [
      'at the start',
      `${what} ${subject}: journal ${ours}, exchange ${exchange}: ${cause}`,
    ]),
  ]);
}

/** A close by command as text, such as `BTC-USDT long of sma`. */
export function closeText({ symbol, side, strategy }: CloseShown): string {
  return `${symbol}${side === undefined ? '' : ` ${side}`} of ${strategy ?? 'all strategies'}`;
}

/** The answers of one operation that were not taken for one reason, as text. */
export function refusedAnswerText({ operation, reason, count, last, said }: RefusedAnswer): string {
  return `${operation}: ${reason}, ${count} times, the last at ${isoTime(Math.floor(last))} (${said})`;
}

function postText({ url, names, written, duplicates, refused, lastTime }: PostStatus): string {
  const last = lastTime === null ? '' : `, the last at ${isoTime(Math.floor(lastTime))}`;
  return `${names.map((name) => `${url}/${name}`).join(', ')}: rows written ${written}${last}; duplicates ${duplicates}; requests refused ${refused}`;
}

function signed(amount: string): string {
  return amount.startsWith('-') || amount === '0' ? amount : `+${amount}`;
}

function orderText({ time, strategy, side, quantity, symbol, type, price, clientOrderId }: OrderShown): string {
  return `${isoTime(Math.floor(time))} ${side} ${quantity} ${symbol} ${type}${price === undefined ? '' : ` at ${price}`} (${strategy}, ${clientOrderId})`;
}

function fillText({ time, strategy, side, quantity, symbol, price }: FillShown): string {
  return `${isoTime(Math.floor(time))} ${side} ${quantity} ${symbol} at ${price} (${strategy})`;
}

/** The status in one line, for the last line of a terminal. */
export function statusLine({ time, equity, currency, positions, openOrders, latches, health }: BotStatus): string {
  const open = Object.values(openOrders).reduce((sum, count) => sum + count, 0);
  const trouble = [
    ...latches.map(({ rule, strategy }) => `LATCHED ${rule}${strategy === undefined ? '' : ` (${strategy})`}`),
    ...health.map(({ subject, symbol, condition }) => `${symbol === '' ? subject : `${subject} ${symbol}`} ${condition}`),
  ];
  const held = listed(
    Object.entries(positions).map(([symbol, quantity]) => `${quantity} ${symbol}`),
    'flat',
  );
  return [isoTime(Math.floor(time)).slice(0, 19), `${Number(equity).toFixed(2)} ${currency}`, held, `${open} open`, ...trouble].join(' | ');
}

function listed(texts: readonly string[], none: string): string {
  return texts.length === 0 ? none : texts.join(', ');
}

/** Describes latches and halts. If only some strategies or instruments have them, the others go on trading. */
function tradingText({ trading, latches, health }: Pick<BotStatus, 'trading' | 'latches' | 'health'>): string {
  if (trading === 'yes') return 'yes';
  const latched = latches.map(({ rule, reason, strategy, symbol, until, flatten }) => {
    if (rule === 'paused') return `${strategy} paused${reason && ` (${reason})`}`;
    const who = [strategy, symbol, 'latched'].filter((part) => part !== undefined).join(' ');
    return `${who} by ${rule}${flatten === true ? ', which flattens' : ''}${reason && ` (${reason})`}${until === undefined ? '' : ` until ${isoTime(until)}`}`;
  });
  const kept = health.filter(keepsFromTrading).map(({ subject, symbol, condition, reason, since }) => {
    const what = symbol === '' ? subject : symbol;
    return `${what} ${condition}${since === undefined ? '' : ` since ${isoTime(Math.floor(since))}`} (${reason})`;
  });
  return `${trading === 'no' ? 'NO' : 'in part'}: ${[...latched, ...kept].join(', ')}`;
}
