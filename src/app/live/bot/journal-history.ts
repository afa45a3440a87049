import type { BarPlan, PricesBefore } from '../../../engine/bar-maker.ts';
import type { RecentEvents } from '../../../engine/guards/risk-guards.ts';
import type { HeldSnapshot } from '../../../engine/held/held-memory.ts';
import type { JournalRecord, JournalValues } from '../../../journal/journal-record.ts';
import type { AccountEvent } from '../../../model/account-events.ts';
import { BarBuilder } from '../../../model/bar-builder.ts';
import type { Decimal } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Wallet } from '../../../model/ledger.ts';
import type { Bar, MarketEvent, Ticker } from '../../../model/market-events.ts';
import type { ResumedOrder } from '../../../ports/execution-venue.ts';
import { resumeState } from '../../../state/apply.ts';
import type { Order } from '../../../state/order.ts';
import type { State } from '../../../state/state.ts';
import type { Resumed } from '../../../venues/rest/trading.ts';
import type { BotPlan } from '../../planning/run-plans.ts';
import { stateOf } from '../../wiring/container.ts';
import { Activity } from './activity.ts';
import { RecentCollector } from './recent-events.ts';

/** What a bot's journal says of its earlier runs. */
export interface Past {
  /** False at the very first start. */
  readonly again: boolean;
  readonly held: HeldSnapshot | undefined;
  readonly saves: ReadonlyMap<string, unknown>;
  /** The bars to build, with those that were under way. */
  readonly bars: BarPlan;
  /** Epoch ms of the newest record. */
  readonly lastTime: number;
  /** When orders were last told to be unknown, by client id: a doubt goes on over restarts. */
  readonly unknownSince: ReadonlyMap<string, number>;
  /** The first running number of client ids that was never given. */
  readonly nextNumber: number;
  /** Fills that are told, by client id of orders that may still fill; those of nobody's order under an empty one. */
  readonly fillIds: ReadonlyMap<string, ReadonlySet<string>>;
  /** Client ids of orders that the engine holds, and that a request has named before: the exchange may know them. */
  readonly sent?: ReadonlySet<string> | undefined;
  /** What limits with a window count. */
  readonly recent: RecentEvents;
  /** What it did lately. */
  readonly activity: Activity;
}

/** What a bot resumes from: the state at the end of its journal, and what is not in the state. */
export interface Known {
  readonly state: State;
  readonly past: Past;
}

/** @throws TidegateError JOURNAL_DAMAGED. */
export function readKnown(plan: BotPlan, journal: { records(): Iterable<JournalRecord> }): Known {
  const state = stateOf(plan, true);
  return { state, past: readPast(journal, state, plan) };
}

/** Folds the journal into a fresh state, and collects what is not in the state. @throws TidegateError JOURNAL_DAMAGED. */
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
  const fillIds = new Map<string, Set<string>>();
  const sent = new Set<string>();
  const told = (clientOrderId: string, fillId: string) => {
    const ids = fillIds.get(clientOrderId);
    if (ids === undefined) fillIds.set(clientOrderId, new Set([fillId]));
    else ids.add(fillId);
  };
  function* events(): Generator<MarketEvent | AccountEvent> {
    for (const { kind, time, value } of journal.records()) {
      again = true;
      // Of a price, its own time: an exchange's clock may be behind ours.
      lastTime = Math.max(lastTime, kind === 'market' ? (value as MarketEvent).time : time);
      if (kind === 'run') bars.begin();
      // A replay reads no requests: it sends nothing.
      if (kind === 'request') for (const id of (value as JournalValues['request'] | undefined)?.clientOrderIds ?? []) sent.add(id);
      if (kind === 'market') {
        bars.take(value as MarketEvent);
        yield value as MarketEvent;
      } else if (kind === 'held') held = value as HeldSnapshot;
      else if (kind === 'save') for (const [id, saved] of value as ReadonlyMap<string, unknown>) saves.set(id, saved);
      if (kind !== 'event') continue;
      const { event } = value as { readonly event: AccountEvent };
      if (event.kind === 'orderSubmitted') nextNumber = Math.max(nextNumber, numberOf(event.clientOrderId) + 1);
      if (event.kind === 'orderUnknown') unknownSince.set(event.clientOrderId, event.time);
      if (event.kind === 'orderFilled') told(event.clientOrderId, event.fill.fillId);
      if (event.kind === 'orderAdopted') for (const fillId of event.fillIds) told(event.clientOrderId, fillId);
      if (event.kind === 'balanceChanged' && event.entry?.reason === 'foreign') told('', event.entry.fillId);
      yield event;
      // The state has it by now.
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

/** Client ids end with a running number. */
function numberOf(clientOrderId: string): number {
  return Number(/(\d+)$/.exec(clientOrderId)?.[1] ?? 0);
}

/** What the spot or the futures half of the venue resumes from. */
export function resumedHalf(
  past: Pick<Past, 'again' | 'fillIds' | 'lastTime'> & Partial<Pick<Past, 'unknownSince'>>,
  state: State,
  wallet: Wallet,
): Resumed {
  const isFutures = wallet === 'futures';
  const own = (order: Order) => (order.instrument.contract !== undefined) === isFutures && !order.held;
  const orders = [...state.endedOrders.values(), ...state.openOrders.values()]
    .filter(own)
    .map((order) => ({ ...resumedOrder(order), unknownSince: past.unknownSince?.get(order.clientOrderId) }));
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

/** Steps that all strategies hold, by symbol. */
function spotPositions({ instruments, books, formerBooks }: State): ReadonlyMap<string, number> {
  const all = [...books.values(), ...formerBooks.values()];
  const held = instruments
    .filter(({ contract }) => contract === undefined)
    .map((instrument) => [instrument.symbol, all.reduce((sum, book) => sum + book.sides(instrument)[0]!.steps, 0)] as const);
  return new Map(held.filter(([, steps]) => steps > 0));
}

function resumedOrder({ request, orderId, filledSteps, status, triggered, cancelRequested }: Order): ResumedOrder {
  return { request, orderId, filledSteps, status, triggered, cancelRequested };
}

interface Side {
  readonly builders: readonly BarBuilder[];
  /** The newest bar of each interval that was told. */
  readonly told: Map<number, Bar>;
  /** Epoch ms of the first price since they came without a break. */
  firstTime: number;
  lastTime: number;
  /** A run has begun since. */
  broken: boolean;
}

/** The bars that a bot was building when its journal ends, out of the prices in it, so that a restart within `awayMs` costs none. */
export class BarsUnderWay {
  readonly #sides: readonly Side[];
  readonly #awayMs: number;

  constructor(instruments: readonly Instrument[], { intervals, awayMs = 0 }: BarPlan) {
    this.#awayMs = awayMs;
    this.#sides = instruments.map((instrument) => ({
      builders: (intervals[instrument.index] ?? []).map((intervalMs) => new BarBuilder(instrument, intervalMs)),
      told: new Map(),
      firstTime: Number.NaN,
      lastTime: Number.NaN,
      broken: false,
    }));
  }

  /** A run begins: of the time between its first price and the last one before nobody saw anything. */
  begin(): void {
    for (const side of this.#sides) side.broken = true;
  }

  /** Takes in what strategies were shown. */
  take(event: MarketEvent): void {
    const side = this.#sides[event.instrument.index]!;
    if (event.kind === 'bar') this.#takeBar(side, event);
    else if (event.kind === 'ticker') this.#takeTicker(side, event);
  }

  /** What a run goes on with, by instrument index. To be asked once. */
  before(): BarPlan['before'] {
    return this.#sides.map(({ builders, told, firstTime, lastTime }): PricesBefore | undefined => {
      if (Number.isNaN(firstTime)) return undefined;
      const begun = builders.filter(({ endTime }) => endTime < Number.POSITIVE_INFINITY).map((builder) => builder.closeBar());
      return { firstTime, begun, told: [...told.values()], lastTime };
    });
  }

  #takeBar({ builders, told }: Side, bar: Bar): void {
    told.set(bar.intervalMs, bar);
    const builder = builders.find(({ intervalMs }) => intervalMs === bar.intervalMs);
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
