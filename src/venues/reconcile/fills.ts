import { type Decimal, ZERO } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import { Fill, type Liquidity } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import { forcedWords, type LiquidationType, type OrderRequest } from '../../model/order.ts';
import type { FiredTriggers } from './fired-triggers.ts';
import { type Adoption, FillAdoption, type ForeignOrders, unlikeSent } from './foreign.ts';
import type { LostOrders } from './lost-orders.ts';
import type { Money } from './money.ts';
import type { OrderLife } from './order-life.ts';
import type { TrackedOrder, TrackedOrders } from './order-record.ts';
import { type Asking, ask, type SeenFill, type SharedFills } from './records.ts';
import type { ReconcileSettings, VenueContext } from './settings.ts';

/** Error of our estimate of the exchange's time: twice the error at which it refuses a request. */
const CLOCK_SLACK_MS = 60_000;

interface FillsParts {
  readonly instruments: readonly Instrument[];
  readonly settings: ReconcileSettings;
  readonly context: VenueContext;
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly money: Money;
  readonly foreignOrders: ForeignOrders;
  readonly adoption: Adoption;
  readonly isOwn: (clientOrderId: string) => boolean;
  readonly lost: LostOrders;
  readonly fired: FiredTriggers;
  /** Epoch ms on the exchange's clock, as estimated. */
  readonly exchangeTime: () => number;
  /** The wallet has changed. */
  moved(): void;
}

/** Takes fill records, finds the order of each, and reports it once. Only fills change balances. */
export class Fills {
  readonly #windows = new Map<Instrument, FillWindow>();
  readonly #adoption: FillAdoption;

  constructor(private readonly parts: FillsParts) {
    this.#adoption = new FillAdoption(parts.adoption, (orderId, instrument) => this.#window(instrument).allOf(orderId));
  }

  /** @param from epoch ms: older fills are no news. */
  begin(from: number, seen: readonly string[]): void {
    const { settings, instruments, exchangeTime } = this.parts;
    const overlapMs = settings.visibilityLagMs + 2 * settings.clockErrorMs;
    const common = { exchangeTime, overlapMs, clockSlackMs: CLOCK_SLACK_MS, from, seen };
    for (const instrument of instruments) this.#windows.set(instrument, new FillWindow({ ...common, instrument }));
  }

  /** Skips the existing fills. @returns the ids of the newest ones: a later start must skip them too. */
  *passOver(): Asking<readonly string[]> {
    const passed: string[] = [];
    for (const window of this.#windows.values()) {
      for (const fill of yield* window.news()) if (window.keep(fill)) passed.push(fill.fillId);
      window.advance();
    }
    return passed;
  }

  /** Handles new fills of all pairs in the order in which they happened. */
  *read(instruments: readonly Instrument[]): Asking {
    const news: [SeenFill, Instrument][] = [];
    const { context, exchangeTime } = this.parts;
    const windows = instruments.map((instrument) => this.#window(instrument));
    // One list of several contracts costs as much as that of one.
    const shared = windows.length > 1 ? { since: context.clock.now(), from: Math.min(...windows.map(({ from }) => from)) } : undefined;
    const askedAt = exchangeTime();
    for (const [index, instrument] of instruments.entries())
      for (const fill of yield* windows[index]!.news(askedAt, shared)) news.push([fill, instrument]);
    news.sort(([a], [b]) => a.time - b.time);
    for (const [fill, instrument] of news) yield* this.#take(fill, instrument);
    for (const instrument of instruments) this.#window(instrument).advance();
    yield* this.#adoption.run();
  }

  /** A fill was read, and it is not known yet whose it is. */
  get waits(): boolean {
    return [...this.#windows.values()].some(({ waits }) => waits);
  }

  /** Epoch ms on the exchange's clock, as estimated, of the newest request whose answer is handled: what was visible then is known. */
  readAt(instrument: Instrument): number {
    return this.#window(instrument).readAt;
  }

  /** A foreign order on it may be adopted at the next poll. */
  adopts(instrument: Instrument): boolean {
    return this.#adoption.waitsFor(instrument);
  }

  /** The new fills of one order. The window forgets old fills, the order does not. */
  *ofOrder({ request, orderId, fillIds }: TrackedOrder): Asking<readonly SeenFill[]> {
    const fills = yield* this.#window(request.instrument).ofOrder(orderId);
    return fills.filter(({ fillId }) => !fillIds.has(fillId));
  }

  *#take(fill: SeenFill, instrument: Instrument): Asking {
    const order = this.parts.orders.byOrderId(fill.orderId) ?? (yield* this.#ownerOf(fill.orderId, instrument));
    // A fill that is not kept is new again at the next poll.
    if (order === 'later') return;
    if (typeof order === 'string') {
      this.#forced(fill, instrument, order);
      return;
    }
    if (order === undefined) this.#foreign(fill, instrument);
    else if (order.request.steps !== undefined || !order.alive) this.report(order, [fill], false);
    else this.parts.life.lookIn(order, 0);
  }

  /** An unknown order id may belong to a request without a reply. */
  *#ownerOf(orderId: string, instrument: Instrument): Asking<TrackedOrder | LiquidationType | 'later' | undefined> {
    const { foreignOrders, orders, life, lost, isOwn } = this.parts;
    if (foreignOrders.isForeign(orderId)) return undefined;
    const seen = yield* ask({ ask: 'order', instrument, id: { orderId } });
    if (seen === undefined) return undefined;
    if (seen.forced !== undefined) return seen.forced;
    const fired = yield* this.parts.fired.orderOf(seen, instrument);
    if (fired !== undefined) return fired;
    const known = orders.find(seen.clientOrderId);
    const isNamesake = known?.phase === 'ended' && known.orderId !== '';
    if (known !== undefined && !isNamesake && unlikeSent(seen, known) === undefined) {
      if (known.orderId !== '' && known.alive && !known.shown) {
        // Its reply named another order, which is perhaps not visible yet: look-ups decide.
        life.lookIn(known, 0);
        return 'later';
      }
      life.shown(known, orderId);
      life.triggered(known);
      return known;
    }
    const order = lost.take(seen, instrument);
    if (order === undefined) foreignOrders.met(orderId, seen.clientOrderId, isOwn(seen.clientOrderId));
    return order;
  }

  /** A close by the exchange: the engine divides it among the strategies that hold the side. */
  #forced(seen: SeenFill, instrument: Instrument, type: LiquidationType): void {
    const { context, money } = this.parts;
    const { orderId, positionSide } = seen;
    if (seen.side === undefined || positionSide === undefined || !this.#window(instrument).keep(seen)) return;
    const { kind, tag } = forcedWords(type);
    const fill = forcedFillOf(seen, instrument, positionSide, tag);
    const positionId = money.positionClosed?.(instrument, positionSide, fill.steps);
    money.settleForced(seen, instrument);
    const position = positionId === undefined ? {} : { positionId };
    context.report({ kind, time: context.clock.now(), orderId, type, ...position, fill });
    this.parts.moved();
  }

  /** An open foreign order is listed: it may be adopted. */
  metForeign(orderId: string, instrument: Instrument): void {
    this.#adoption.met(orderId, instrument);
  }

  /** @param complete these are its last fills. */
  report(order: TrackedOrder, fills: readonly SeenFill[], complete: boolean): void {
    const { request, clientOrderId } = order;
    const { context, money, life } = this.parts;
    const window = this.#window(request.instrument);
    const news = fills.filter((seen) => this.isNews(seen, order, window));
    for (const { fillId } of news) order.fillIds.add(fillId);
    news.forEach((seen, index) => {
      const fill = fillOf(seen, request);
      if (fill === undefined) {
        context.log.warn('a fill record that does not fit its order', { clientOrderId, fillId: seen.fillId });
        return;
      }
      const sum = order.reportedSteps + fill.steps;
      const last = index === news.length - 1;
      money.settle(fill, seen);
      life.filled(order, fill, (complete && last) || (request.steps !== undefined && sum >= request.steps));
    });
    if (news.length === 0) return;
    this.parts.moved();
    // It is partially filled, so the rest may have ended already.
    if (order.alive) life.lookIn(order, 0);
  }

  /** The fill of a foreign order changes the wallet too. */
  #foreign(fill: SeenFill, instrument: Instrument): void {
    const { foreignOrders, money } = this.parts;
    if (!foreignOrders.isForeign(fill.orderId) || !this.#window(instrument).keep(fill)) return;
    if (fill.side !== undefined) {
      foreignOrders.traded(instrument);
      money.settleForeign(fill, instrument);
    }
    this.#adoption.met(fill.orderId, instrument);
    this.parts.moved();
  }

  /** @returns false if it was reported before. */
  isNews(fill: SeenFill, order: TrackedOrder, window: FillWindow): boolean {
    return window.keep(fill) && !order.fillIds.has(fill.fillId);
  }

  #window(instrument: Instrument): FillWindow {
    const window = this.#windows.get(instrument);
    invariant(window !== undefined, 'fills are read once it is known from where');
    return window;
  }
}

interface FillWindowOptions {
  readonly instrument: Instrument;
  /** Epoch ms on the exchange's clock, as estimated. */
  readonly exchangeTime: () => number;
  /** How long a fill may stay invisible, in ms. */
  readonly overlapMs: number;
  /** Error of our estimate of the exchange's time, in ms. */
  readonly clockSlackMs: number;
  /** Epoch ms on the exchange's clock, as estimated: all earlier fills are known. */
  readonly from: number;
  /** Ids of the fills known at the start. */
  readonly seen: Iterable<string>;
}

/**
 * Finds the new fills of one instrument. Windows overlap by the time that a fill may stay invisible, and are read
 * to their last page. Fills that were seen before are skipped.
 *
 * A window begins `overlapMs` before a time up to which every visible fill is known. There are two such
 * times. One is the newest stamp seen, which is the exchange's own. The other, for an instrument without fills, is the time of the
 * last request that was answered completely: a later fill had not happened then, or was still invisible. The
 * second is on our estimate of the exchange's clock, hence `clockSlackMs` earlier: the exchange answers no request whose
 * stamp is off by half of it. Without the second time, the window of a quiet instrument would grow for ever, in the end
 * beyond the period that the exchange allows.
 */
export class FillWindow {
  readonly #seen = new Map<string, number>();
  /** Every fill with an earlier stamp that was visible at the last request is known. */
  #readTo: number;
  /** Fills of the last poll. */
  #found: readonly SeenFill[] = [];
  /** The last poll has found fills that were not kept. */
  waits = false;
  /** When the last poll was requested, if it was answered completely. */
  #askedAt = Number.NEGATIVE_INFINITY;
  /** When the newest poll was requested all of whose fills have been kept. */
  readAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: FillWindowOptions) {
    const { from, clockSlackMs, seen } = options;
    this.#readTo = from - clockSlackMs;
    // The stamps of these fills are unknown: the latest possible one, so that none is forgotten while a window covers it.
    for (const fillId of seen) this.#seen.set(fillId, from + clockSlackMs);
  }

  /**
   * New fills, oldest first. They count as seen after `keep`.
   * @param askedAt epoch ms on the exchange's clock, as estimated: the list is not older.
   * @param shared the list of several instruments that will do.
   */
  *news(askedAt = this.options.exchangeTime(), shared?: SharedFills): Asking<readonly SeenFill[]> {
    const { instrument, overlapMs } = this.options;
    const { from } = this;
    const read = yield* ask({ ask: 'fills', instrument, from, shared });
    // A late reply to an earlier request may hold older fills than requested. They were seen, and are forgotten by now.
    const begin = Math.max(from, read.from);
    const fills = read.records.filter(({ fillId, time }) => time >= begin && !this.#seen.has(fillId));
    this.#readTo = Math.max(this.#readTo, begin + overlapMs);
    this.#found = fills;
    this.#askedAt = read.whole ? askedAt : Number.NEGATIVE_INFINITY;
    this.#forget(begin - overlapMs);
    return fills;
  }

  /** Epoch ms on the exchange's clock from which fills are asked for. */
  get from(): number {
    return Math.max(0, Math.floor(this.#readTo - this.options.overlapMs));
  }

  /** The new fills of one order. */
  *ofOrder(orderId: string): Asking<readonly SeenFill[]> {
    const fills = yield* ask({ ask: 'fillsOf', instrument: this.options.instrument, orderId });
    return fills.filter(({ fillId }) => !this.#seen.has(fillId));
  }

  /** All fills of one order. `reported`: kept before, or older than the window. */
  *allOf(orderId: string): Asking<readonly { readonly fill: SeenFill; readonly reported: boolean }[]> {
    const fills = yield* ask({ ask: 'fillsOf', instrument: this.options.instrument, orderId });
    const from = this.#readTo - this.options.overlapMs;
    return fills.map((fill) => ({ fill, reported: this.#seen.has(fill.fillId) || fill.time < from }));
  }

  /** @returns false if it was seen before. */
  keep({ fillId, time }: SeenFill): boolean {
    if (this.#seen.has(fillId)) return false;
    this.#seen.set(fillId, time);
    return true;
  }

  /** Every fill found has been handled. A fill that was not kept holds the window where it is. */
  advance(): void {
    const isLeft = ({ fillId }: SeenFill) => !this.#seen.has(fillId);
    const read = Math.max(this.#readTo, this.#askedAt - this.options.clockSlackMs);
    const newest = this.#found.reduce((time, fill) => (isLeft(fill) ? time : Math.max(time, fill.time)), read);
    const oldestLeft = this.#found.reduce((time, fill) => (isLeft(fill) ? Math.min(time, fill.time) : time), newest);
    this.#readTo = Math.max(this.#readTo, Math.min(newest, oldestLeft));
    this.waits = this.#found.some(isLeft);
    if (!this.waits) this.readAt = Math.max(this.readAt, this.#askedAt);
    this.#found = [];
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  #forget(before: number): void {
    for (const [fillId, time] of this.#seen) if (time < before) this.#seen.delete(fillId);
  }
}

/**
 * Makes a fill from a record of one of our orders. The exchange sends neither sequence nor liquidity: the sequence is that of the data
 * on which the order was decided; the liquidity follows from the fee rate.
 * @returns undefined if the record cannot be a fill of the order.
 */
export function fillOf(seen: SeenFill, request: OrderRequest): Fill | undefined {
  const { fillId, orderId, side, price, quantity, notional, fee, time, known } = seen;
  const { instrument } = request;
  if (known !== undefined) return known;
  if (side !== request.side) return undefined;
  const steps = instrument.step.floorUnits(quantity);
  const rate = fee.div(side === 'buy' && instrument.contract === undefined ? quantity : notional);
  return new Fill(
    fillId,
    orderId,
    request.clientOrderId,
    request.strategyId,
    instrument,
    side,
    request.positionSide,
    price.div(instrument.tick.toDecimal(1)).round().toNumber(),
    steps,
    notional,
    fee,
    side === 'buy' && instrument.contract === undefined ? instrument.base : instrument.quote,
    liquidityOf(rate, request),
    request.tag,
    time,
    request.decidedSequence,
    request.seenSequence,
    time,
  );
}

/** A fill by which the exchange closed a position: no order and no data of ours led to it. */
function forcedFillOf(seen: SeenFill, instrument: Instrument, positionSide: 'long' | 'short', tag: string): Fill {
  const { fillId, orderId, price, quantity, notional, fee, liquidationFee = ZERO, time } = seen;
  return new Fill(
    fillId,
    orderId,
    '',
    '',
    instrument,
    positionSide === 'long' ? 'sell' : 'buy',
    positionSide,
    price.div(instrument.tick.toDecimal(1)).round().toNumber(),
    instrument.step.floorUnits(quantity),
    notional,
    fee.plus(liquidationFee),
    instrument.quote,
    'taker',
    tag,
    time,
    0,
    0,
    time,
  );
}

function liquidityOf(rate: Decimal, { instrument: { makerFee, takerFee }, type, timeInForce, postOnly }: OrderRequest): Liquidity {
  if (postOnly) return 'maker';
  if (type === 'market' || timeInForce !== 'GTC') return 'taker';
  return rate.minus(makerFee).abs().lessThan(rate.minus(takerFee).abs()) ? 'maker' : 'taker';
}
