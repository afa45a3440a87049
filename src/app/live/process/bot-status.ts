import { statSync } from 'node:fs';
import { ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { isoTime } from '../../../model/time.ts';
import type { RecorderStatus } from '../../../recording/log/recorder.ts';
import { type BeyondLimit, beyondLimits } from '../../../risk/beyond-limits.ts';
import type { ReadonlyPosition, State } from '../../../state/state.ts';
import type { RequestsQueue } from '../../../venues/rest/rest-venue.ts';
import type { Difference } from '../../../venues/rest/trading.ts';
import { columns } from '../../base/text.ts';
import type { BotMode } from '../../planning/bot-folder.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import type { Activity, FillShown, OrderShown } from '../bot/activity.ts';
import type { Commanded } from '../bot/waiting-bot.ts';
import { type FlattenReport, type KillReport, positionsOf, refusedText, reportRows } from './kill-report.ts';

/** Since when only what reduces passes (after a kill nothing of a strategy), and why. */
interface LatchStatus {
  readonly rule: string;
  readonly time: number;
  readonly reason: string;
  /** Absent: the account is latched. */
  readonly strategy?: string;
  /** Absent: until a reset. */
  readonly until?: number;
  /** Of a kill: positions are closed, and what fills later, too. */
  readonly flatten?: true;
}

/** What cannot be relied on now, or is not as it should be. */
interface HealthStatus {
  readonly subject: string;
  /** Empty: all instruments. */
  readonly symbol: string;
  readonly condition: string;
  readonly reason: string;
  /** Absent where nobody noted it. */
  readonly since?: number;
}

/** What `tidegate status` shows. Amounts are decimal text, times epoch ms of the bot's clock unless the name says otherwise. */
export interface BotStatus {
  readonly name: string;
  readonly mode: BotMode;
  readonly pid: number;
  readonly uptimeMs: number;
  /** `starting` until exchange and journal have been laid side by side. */
  readonly phase: 'starting' | 'running' | 'stopping';
  readonly time: number;
  readonly strategies: readonly { readonly id: string; readonly symbols: readonly string[]; readonly positions: Record<string, string> }[];
  readonly positions: Record<string, string>;
  readonly balances: Record<string, { readonly total: string; readonly frozen: string }>;
  readonly currency: string;
  readonly equity: string;
  /** What the strategies' own trades have gained, open positions at their marks, since the UTC day began and in all. */
  readonly profit: { readonly today: string; readonly total: string };
  readonly openOrders: Record<string, number>;
  /** `null` before the first. */
  readonly lastOrder: OrderShown | null;
  /** Newest first. */
  readonly lastFills: readonly FillShown[];
  /** Of the last hour: how often intents were denied, by code. */
  readonly denied: Record<string, number>;
  readonly latches: readonly LatchStatus[];
  /** `yes`: nothing keeps new positions from being opened; `in part`: of some strategies or instruments; `no`: of all. */
  readonly trading: 'yes' | 'in part' | 'no';
  readonly health: readonly HealthStatus[];
  /** Of the newest price of any instrument, in ms; `null` before the first. */
  readonly lastTickAgeMs: number | null;
  readonly pollMs: { readonly marketMs: number; readonly accountMs: number };
  /** Orders and cancels that wait for the exchange's limits, how long the oldest has, and the share of them that is free for orders. */
  readonly requests: { readonly queued: number; readonly oldestWaitMs: number; readonly free: number };
  readonly journal: { readonly path: string; readonly bytes: number };
  readonly differences: readonly Difference[];
  /** `null` where nothing is recorded. */
  readonly recorder: RecorderStatus | null;
  /** What a kill that flattens has closed, and what still stands; `null` where none is in force. */
  readonly flatten: FlattenReport | null;
}

interface StatusParts {
  readonly plan: BotPlan;
  readonly mode: BotMode;
  readonly bot: Pick<Commanded, 'state' | 'periods' | 'differences' | 'activity' | 'requests'>;
  readonly phase: BotStatus['phase'];
  readonly uptimeMs: number;
  readonly now: number;
  readonly journal: string;
  /** Epoch ms of the newest price. */
  readonly lastTick: number | undefined;
  readonly recorder: RecorderStatus | undefined;
  readonly kills: KillReport;
}

/** A picture of a bot, taken between two turns. */
export function botStatus({ plan, mode, bot, phase, uptimeMs, now, journal, lastTick, recorder, kills }: StatusParts): BotStatus {
  const { state, activity } = bot;
  const { instruments } = plan;
  return {
    name: plan.name,
    mode,
    pid: process.pid,
    uptimeMs: Math.round(uptimeMs),
    phase,
    time: now,
    strategies: plan.strategies.map(({ id, symbols }) => ({
      id,
      symbols,
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
    openOrders: countOrders(state),
    lastOrder: activity.lastOrder ?? null,
    lastFills: activity.lastFills,
    denied: activity.deniedSince(now),
    trading: tradingOf(state, plan),
    latches: [...state.latches.values()].map(({ rule, strategyId, time, until, reason, flatten }) => ({
      rule,
      time,
      reason: reason ?? '',
      ...(strategyId !== undefined && { strategy: strategyId }),
      ...(until !== undefined && { until }),
      ...(flatten === true && { flatten }),
    })),
    health: [
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
      ...positionsOf(state).flatMap(({ strategyId, instrument: { symbol, step }, own, steps }) => {
        if (own === steps) return [];
        const reason = `the account holds ${step.toText(steps)} of ${step.toText(own)}: the rest was traded or moved by others`;
        return [{ subject: `position of ${strategyId}`, symbol, condition: 'partly gone', reason }];
      }),
      ...[...state.overshot.values()].map(({ instrument: { symbol, step }, strategyId, steps }) => {
        const reason = `a close filled ${step.toText(steps)} more than the strategy held; as much is to be opened anew`;
        return { subject: `position of ${strategyId}`, symbol, condition: 'closed too far', reason };
      }),
      ...deniedHealth(activity),
      ...requestsHealth(bot.requests, now),
      ...beyondLimits(state, plan.limits).map(beyondHealth),
      // It is none of the engine's: whether anything is recorded says nothing of what can be traded.
      ...(recorder?.trouble === undefined ? [] : [{ subject: 'recorder', symbol: '', condition: 'failing', reason: recorder.trouble }]),
    ],
    lastTickAgeMs: lastTick === undefined ? null : Math.max(0, Math.round(now - lastTick)),
    pollMs: bot.periods,
    requests: requestsOf(bot.requests, now),
    journal: { path: journal, bytes: sizeOf(journal) + sizeOf(`${journal}-wal`) },
    differences: bot.differences,
    recorder: recorder ?? null,
    flatten: kills.of(state, phase === 'starting'),
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
    { subject: 'intents', symbol: '', condition: 'denied', reason: `every one of the last ${count} was: ${countsText(codes)}`, since },
  ];
}

/** Requests that had to wait so lately count as waiting: the queue of a busy strategy is empty now and then. */
const LATELY_MS = 10_000;

/** Whether requests wait for the exchange's limits, or did a moment ago. */
export function underPressure({ scarceAt }: RequestsQueue, now: number): boolean {
  return now < scarceAt + LATELY_MS;
}

function requestsOf({ queued, since, free }: RequestsQueue, now: number): BotStatus['requests'] {
  return { queued, oldestWaitMs: since === undefined ? 0 : Math.max(0, Math.round(now - since)), free };
}

function requestsHealth(queue: RequestsQueue, now: number): HealthStatus[] {
  if (!underPressure(queue, now)) return [];
  const what = queue.queued === 0 ? 'some had to wait a moment ago' : "more is asked for than the exchange's limits allow";
  const reason = `${what}: ${requestsText(requestsOf(queue, now))}`;
  return [{ subject: 'requests', symbol: '', condition: 'waiting', reason }];
}

/** In words: how many orders and cancels wait, and what is free. */
export function requestsText({ queued, oldestWaitMs, free }: BotStatus['requests']): string {
  const wait = queued === 0 ? 'none waits' : `${queued} ${queued === 1 ? 'waits' : 'wait'}, the oldest for ${oldestWaitMs} ms`;
  return `${wait}; ${Math.round(free * PERCENT)} % of the weight for orders is free`;
}

const PERCENT = 100;

/** A limit that is passed already, in words. */
export function beyondHealth({ limit, strategyId, symbol, stands, most }: BeyondLimit): HealthStatus {
  const whose = strategyId === undefined ? 'account' : `strategy ${strategyId}`;
  return {
    subject: whose,
    symbol: symbol ?? '',
    condition: 'beyond its limit',
    reason: `${stands}, risk.${limit} allows ${most}: only what reduces passes`,
  };
}

function countsText(counts: Readonly<Record<string, number>>): string {
  return listed(
    Object.entries(counts).map(([code, count]) => `${code} ${count}`),
    'none',
  );
}

function tradingOf({ latches, health }: State, { instruments, strategies }: BotPlan): BotStatus['trading'] {
  const kept = [...health.values()].filter(keepsFromTrading);
  const latched = [...latches.values()];
  const hits = (symbol: string) => kept.some((one) => one.symbol === '' || one.symbol === symbol);
  const isLatched = (id: string) => latched.some(({ strategyId }) => strategyId === undefined || strategyId === id);
  const open = strategies.map(({ id, symbols }) => (isLatched(id) ? [] : symbols.filter((symbol) => !hits(symbol))));
  if (open.every(({ length }) => length === 0)) return 'no';
  const isWhole = instruments.every(({ symbol }) => !hits(symbol)) && strategies.every(({ id }) => !isLatched(id));
  return isWhole ? 'yes' : 'in part';
}

/** Halted: only what closes a strategy's own position passes. Stale: only what reduces. */
function keepsFromTrading({ condition }: { readonly condition: string }): boolean {
  return condition === 'halted' || condition === 'stale';
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

/** A status for a person, a line a subject. */
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
    ...strategies.map(({ id, symbols, positions: own }) => [`strategy ${id}`, `${symbols.join(', ')}: ${held(own)}`]),
    ['positions', held(positions)],
    [
      'balances',
      listed(
        Object.entries(balances).map(([asset, { total, frozen }]) => `${total} ${asset}${frozen === '0' ? '' : ` (${frozen} frozen)`}`),
        'none',
      ),
    ],
    ['equity', `${status.equity} ${status.currency}`],
    ['profit', `${signed(profit.today)} ${status.currency} today, ${signed(profit.total)} in all, of the strategies' own trades`],
    ...(status.flatten === null ? [] : reportRows(status.flatten)),
    ['open orders', held(openOrders)],
    ['last order', lastOrder === null ? 'none yet' : orderText(lastOrder)],
    ['last fills', listed(lastFills.map(fillText), 'none yet')],
    ['denied', `${countsText(denied)} in the last hour`],
    [
      'health',
      listed(
        health.map(({ subject, symbol, condition, reason }) => `${subject} ${symbol || 'all'} ${condition}: ${reason}`),
        'all is fresh',
      ),
    ],
    ['last price', lastTickAgeMs === null ? 'none yet' : `${lastTickAgeMs} ms ago`],
    ['asks every', `${pollMs.marketMs} ms (prices), ${pollMs.accountMs} ms (account)`],
    ['requests', requestsText(status.requests)],
    ['journal', `${journal.path}, ${journal.bytes} bytes`],
    ...(recorder === null
      ? []
      : [['recorder', `${recorder.polls} polls, ${recorder.incomplete} with gaps, ${recorder.lost} lost; ${recorder.kept} logs kept`]]),
    ...differences.map(({ what, subject, journal: ours, exchange, cause }) => [
      'at the start',
      `${what} ${subject}: journal ${ours}, exchange ${exchange}: ${cause}`,
    ]),
  ]);
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

/** The same in one line, for the foot of a terminal. */
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

/** Where strategies alone are latched, or some instruments are halted, the others trade on. */
function tradingText({ trading, latches, health }: Pick<BotStatus, 'trading' | 'latches' | 'health'>): string {
  if (trading === 'yes') return 'yes';
  const latched = latches.map(({ rule, reason, strategy, until, flatten }) => {
    const who = strategy === undefined ? 'latched' : `${strategy} latched`;
    return `${who} by ${rule}${flatten === true ? ', which flattens' : ''}${reason && ` (${reason})`}${until === undefined ? '' : ` until ${isoTime(until)}`}`;
  });
  const kept = health.filter(keepsFromTrading).map(({ subject, symbol, condition, reason, since }) => {
    const what = symbol === '' ? subject : symbol;
    return `${what} ${condition}${since === undefined ? '' : ` since ${isoTime(Math.floor(since))}`} (${reason})`;
  });
  return `${trading === 'no' ? 'NO' : 'in part'}: ${[...latched, ...kept].join(', ')}`;
}
