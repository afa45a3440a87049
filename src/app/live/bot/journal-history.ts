import type { BarPlan, PricesBefore } from '../../../engine/bar-maker.ts';
import type { RecentEvents } from '../../../engine/guards/risk-guards.ts';
import type { HeldSnapshot } from '../../../engine/held/held-memory.ts';
import { ClientIds } from '../../../engine/orders/client-ids.ts';
import type { JournalRecord, JournalValues } from '../../../journal/journal-record.ts';
import type { AccountEvent } from '../../../model/account-events.ts';
import { BarBuilder } from '../../../model/bar-builder.ts';
import type { BarInterval } from '../../../model/bar-interval.ts';
import type { Decimal } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Wallet } from '../../../model/ledger.ts';
import type { Bar, MarketEvent, Ticker } from '../../../model/market-events.ts';
import { isTerminal } from '../../../model/order-state.ts';
import { isoTime } from '../../../model/time.ts';
import type { ResumedOrder } from '../../../ports/execution-venue.ts';
import { resumeState } from '../../../state/apply.ts';
import type { Order } from '../../../state/order.ts';
import type { State } from '../../../state/state.ts';
import { contentKey } from '../../../venues/reconcile/fill-checks.ts';
import type { Resumed } from '../../../venues/reconcile/settings.ts';
import type { RestVenueOptions } from '../../../venues/rest/rest-venue.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import { stateOf } from '../../wiring/container.ts';
import { Activity } from './activity.ts';
import { RecentCollector } from './recent-events.ts';

/** Radix in which client ids have the era. */
export const ERA_RADIX = 36;

/** The earlier runs of a bot, from its journal. */
export interface Past {
  /** False at the very first start. */
  readonly again: boolean;
  readonly held: HeldSnapshot | undefined;
  readonly saves: ReadonlyMap<string, unknown>;
  /** The bars to build, with those that were open. */
  readonly bars: BarPlan;
  /** Epoch ms of the newest record. */
  readonly lastTime: number;
  /** When the outcomes of orders became unknown, by client id. They stay unknown over restarts. */
  readonly unknownSince: ReadonlyMap<string, number>;
  /** The first running number of client ids that has not been used. */
  readonly nextNumber: number;
  /** Reported fills, by client id of orders that may still fill; foreign fills have an empty one. */
  readonly fillIds: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Client ids of held orders that were in a request before: the exchange may have them. */
  readonly sent?: ReadonlySet<string> | undefined;
  /** The counts of limits with a window. */
  readonly recent: RecentEvents;
  /** The recent activity. */
  readonly activity: Activity;
}

/** The state at the end of a bot's journal, and the facts that are not in the state. */
export interface Known {
  readonly state: State;
  readonly past: Past;
}

/** Reads a journal. @throws TidegateError JOURNAL_DAMAGED, also if its records contradict each other because two processes wrote it. */
export function readKnown(plan: BotPlan, journal: { readonly path?: string; records(): Iterable<JournalRecord> }): Known {
  const state = stateOf(plan, true);
  let at: JournalRecord | undefined;
  function* records(): Generator<JournalRecord> {
    for (at of journal.records()) yield at;
  }
  try {
    return { state, past: readPast({ records }, state, plan) };
  } catch (cause) {
    if (!(cause instanceof TidegateError) || cause.code !== 'INVARIANT_BROKEN') throw cause;
    const where = at === undefined ? '' : ` at record ${at.id} of ${isoTime(Math.floor(at.time))}`;
    const text = `has records that contradict each other${where} (${cause.message}), as if two processes of the bot had written it`;
    const remedy =
      'check that one process of the bot runs, and the positions and open orders at the exchange. Then start `tidegate live` once with --new-journal: the journal is renamed, a new one begins, and nothing is opened until `tidegate reset`';
    throw new TidegateError('JOURNAL_DAMAGED', `${['journal', journal.path].join(' ').trim()} ${text}: ${remedy}`, { cause });
  }
}

/** Rebuilds the state from the journal, and collects the facts that are not in the state. @throws TidegateError JOURNAL_DAMAGED. */
export function readPast(journal: { records(): Iterable<JournalRecord> }, state: State, plan: Pick<BotPlan, 'bars' | 'limits'>): Past {
  const bars = new BarsUnderWay(state.instruments, plan.bars);
  const activity = new Activity();
  const recent = new RecentCollector(plan.limits, state);
  let held: HeldSnapshot | undefined;
  let lastTime = 0;
  let nextNumber = 1;
  let again = false;
  const saves = new Map<string, unknown>();
  const unknownSince = new Map<string, number>();
  const fillIds = new Map<string, Map<string, string>>();
  const sent = new Set<string>();
  const addFill = (clientOrderId: string, fillId: string, content = '') => {
    const fills = fillIds.get(clientOrderId);
    if (fills === undefined) fillIds.set(clientOrderId, new Map([[fillId, content]]));
    else fills.set(fillId, content);
  };
  function* events(): Generator<MarketEvent | AccountEvent> {
    for (const { kind, time, value } of journal.records()) {
      // Before its first run, a bot stores only commands and where its signals begin.
      if (kind !== 'note' && kind !== 'event') again = true;
      // Uses a price's own time, because the exchange's clock may be behind.
      lastTime = Math.max(lastTime, kind === 'market' ? (value as MarketEvent).time : time);
      if (kind === 'run') bars.begin();
      // A request has no value in a replay, which needs no sent ids because it sends nothing.
      if (kind === 'request') for (const id of (value as JournalValues['request'] | undefined)?.clientOrderIds ?? []) sent.add(id);
      if (kind === 'market') {
        bars.take(value as MarketEvent);
        yield value as MarketEvent;
      } else if (kind === 'held') held = value as HeldSnapshot;
      else if (kind === 'save') for (const [id, saved] of value as ReadonlyMap<string, unknown>) saves.set(id, saved);
      if (kind !== 'event') continue;
      const { event } = value as { readonly event: AccountEvent };
      if (event.kind === 'orderSubmitted') nextNumber = Math.max(nextNumber, numberOf(event.clientOrderId) + 1);
      if (event.kind === 'orderUnknown' || event.kind === 'orderVanished') unknownSince.set(event.clientOrderId, event.time);
      if (event.kind === 'orderFilled') addFill(event.clientOrderId, event.fill.fillId, contentKey(event.fill));
      if (event.kind === 'orderAdopted') for (const fillId of event.fillIds) addFill(event.clientOrderId, fillId);
      if (event.kind === 'balanceChanged' && event.entry?.reason === 'foreign') addFill('', event.entry.fillId);
      yield event;
      // The state has processed the event by now.
      recent.take(event);
      activity.take(event);
    }
  }
  resumeState(state, events());
  for (const clientOrderId of fillIds.keys())
    if (clientOrderId !== '' && state.order(clientOrderId) === undefined) fillIds.delete(clientOrderId);
  for (const clientOrderId of sent) if (state.openOrders.get(clientOrderId)?.held !== true) sent.delete(clientOrderId);
  const barPlan = { ...plan.bars, before: bars.before() };
  return { again, held, saves, bars: barPlan, lastTime, nextNumber, unknownSince, fillIds, sent, recent: recent.recent, activity };
}

/** The running number at the end of client ids. */
function numberOf(clientOrderId: string): number {
  return Number(/(\d+)$/.exec(clientOrderId)?.[1] ?? 0);
}

/**
 * Finds the strategy of an order that is not in the journal but has a client id of this bot, with the era of the journal or a later one.
 * An order with an earlier era belongs to an earlier journal. The journal keeps only some ended orders. So an ended order with a running
 * number that the journal has already used is not a lost one: a new era does not restart these numbers.
 */
export function lostOwner({ strategies }: BotPlan, ids: ClientIds, era: number): RestVenueOptions['lostOwner'] {
  const { prefix } = ids;
  return (clientOrderId, symbol, isOver = false) => {
    if (!clientOrderId.startsWith(prefix)) return undefined;
    const [, slug, word = '', number] = /^([a-zA-Z0-9]*)-([0-9a-z]+)-(\d+)$/.exec(clientOrderId.slice(prefix.length)) ?? [];
    const given = Number.parseInt(word, ERA_RADIX);
    if (!(given >= era) || (isOver && Number(number) < ids.nextNumber)) return undefined;
    const named = strategies.filter(({ id }) => ClientIds.slugOf(id) === slug);
    const [only] = named.length === 1 && named[0]!.symbols.includes(symbol) ? named : [];
    return { strategyId: only?.id };
  };
}

/** The data from which the spot or the futures half of the venue resumes. */
export function resumedHalf(
  past: Pick<Past, 'again' | 'fillIds' | 'lastTime'> & Partial<Pick<Past, 'unknownSince' | 'held'>>,
  state: State,
  wallet: Wallet,
): Resumed {
  const isFutures = wallet === 'futures';
  // An exit that the engine held after a refusal and has sent again counts as held until the reply. Spot orders of that kind are probed.
  const left = new Set(
    isFutures ? past.held?.orders.flatMap(({ stage, request }) => (stage === 'sent' ? [request.clientOrderId] : [])) : [],
  );
  const isLeaving = ({ held, clientOrderId }: Order) => held && left.has(clientOrderId);
  // One that has ended was perhaps sent: an answer may have refused it, and the exchange has it all the same.
  const mayBeThere = (order: Order) => !order.held || isTerminal(order.status) || isLeaving(order);
  const own = (order: Order) =>
    (order.instrument.contract !== undefined) === isFutures && mayBeThere(order) && !order.instrument.isReference;
  const orders = [...state.endedOrders.values(), ...state.openOrders.values()].filter(own).map((order) => ({
    ...resumedOrder(order),
    ...(isLeaving(order) && { status: 'submitted' as const }),
    unknownSince: past.unknownSince?.get(order.clientOrderId),
  }));
  const all = [...state.portfolio.balances.values()].filter((balance) => balance.wallet === wallet);
  const of = (figure: 'total' | 'frozen') => new Map<string, Decimal>(all.map((balance) => [balance.asset, balance[figure]]));
  const { again, fillIds, lastTime } = past;
  const halts = new Map(
    [...state.health.values()]
      .filter(({ subject, condition }) => subject === 'instrument' && condition === 'halted')
      .map(({ symbol, reason }) => [symbol, reason]),
  );
  const positions = isFutures ? undefined : spotPositions(state);
  return { again, orders, balances: of('total'), frozen: of('frozen'), fillIds, lastTime, halts, ...(positions && { positions }) };
}

/** The steps that all strategies hold, by symbol. */
function spotPositions({ instruments, books, formerBooks }: State): ReadonlyMap<string, number> {
  const all = [...books.values(), ...formerBooks.values()];
  const held = instruments
    .filter(({ contract, isReference }) => contract === undefined && !isReference)
    .map((instrument) => [instrument.symbol, all.reduce((sum, book) => sum + book.sides(instrument)[0]!.steps, 0)] as const);
  return new Map(held.filter(([, steps]) => steps > 0));
}

function resumedOrder({ request, orderId, filledSteps, status, triggered, cancelRequested }: Order): ResumedOrder {
  return { request, orderId, filledSteps, status, triggered, cancelRequested };
}

interface Side {
  readonly builders: readonly BarBuilder[];
  /** The newest delivered bar of each interval. */
  readonly published: Map<BarInterval, Bar>;
  /** Epoch ms of the first price since the last break. */
  firstTime: number;
  lastTime: number;
  /** True if a run has begun since. */
  broken: boolean;
}

/** Rebuilds the open bars at the end of a journal from its prices, so that a restart within `awayMs` loses no bar. */
export class BarsUnderWay {
  readonly #sides: readonly Side[];
  readonly #awayMs: number;

  constructor(instruments: readonly Instrument[], { intervals, awayMs = 0 }: BarPlan) {
    this.#awayMs = awayMs;
    this.#sides = instruments.map((instrument) => ({
      builders: (intervals[instrument.index] ?? []).map((interval) => new BarBuilder(instrument, interval)),
      published: new Map(),
      firstTime: Number.NaN,
      lastTime: Number.NaN,
      broken: false,
    }));
  }

  /** A run begins: there are no prices between the last one before and its first one. */
  begin(): void {
    for (const side of this.#sides) side.broken = true;
  }

  /** Processes the market events that strategies received. */
  take(event: MarketEvent): void {
    const side = this.#sides[event.instrument.index]!;
    if (event.kind === 'bar') this.#takeBar(side, event);
    else if (event.kind === 'ticker') this.#takeTicker(side, event);
  }

  /** The open bars with which a run continues, by instrument index. To be called once. */
  before(): BarPlan['before'] {
    return this.#sides.map(({ builders, published, firstTime, lastTime }): PricesBefore | undefined => {
      if (Number.isNaN(firstTime)) return undefined;
      const begun = builders.filter(({ endTime }) => endTime < Number.POSITIVE_INFINITY).map((builder) => builder.closeBar());
      return { firstTime, begun, published: [...published.values()], lastTime };
    });
  }

  #takeBar({ builders, published }: Side, bar: Bar): void {
    published.set(bar.intervalKey, bar);
    const builder = builders.find(({ interval }) => interval === bar.intervalKey);
    if (builder !== undefined && builder.endTime <= bar.time) builder.closeBar();
  }

  #takeTicker(side: Side, { time, lastTicks, sequence }: Ticker): void {
    if (Number.isNaN(side.firstTime) || (side.broken && time > side.lastTime + this.#awayMs)) side.firstTime = time;
    side.broken = false;
    side.lastTime = time;
    for (const builder of side.builders) {
      if (time < builder.closedTime) continue;
      if (time >= builder.endTime) builder.closeBar();
      builder.add(time, lastTicks, 0, sequence);
    }
  }
}

/** The held order with a client id, if there is one. */
export function heldUnder({ openOrders }: State): RestVenueOptions['heldUnder'] {
  return (clientOrderId) => {
    const order = openOrders.get(clientOrderId);
    return order?.held === true ? order.request : undefined;
  };
}
