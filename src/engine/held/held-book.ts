// Long because the book, its judge and the opens of bars decide together which order a price meets.
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { OrderRequest, PositionSide, Side } from '../../model/order.ts';
import type { CancelReason } from '../../model/reasons.ts';
import { activates, type Trailing, trailedTicks, trails } from '../../model/trail.ts';
import type { HeldExit, HeldLevels } from '../../ports/execution-venue.ts';
import type { ReadonlyMarket } from '../../state/state.ts';
import { advance } from './exit-times.ts';
import { type HeldOrder, type HeldOrdersContext, part, passesAsleep, submittedHeld, trail } from './held-order.ts';

/** The held orders of a run by instrument: their triggers, and those that a price reaches. */
export class HeldBook implements HeldLevels {
  readonly #byInstrument: HeldOrder[][];
  readonly #byId = new Map<string, HeldOrder>();
  /** Indexes of instruments whose newest bar has passed a sleeping stop; and where sleeping trailing stops would be. */
  readonly #passed = new Set<number>();
  readonly #shadow = new Map<HeldOrder, Trailing>();
  /** Number of held orders over all instruments: compared with zero at every market event. */
  size = 0;
  /** Those whose limit has just changed with the time. */
  readonly moved: HeldOrder[] = [];
  #timed = 0;

  constructor(
    instruments: readonly Instrument[],
    private readonly barOpens: BarOpens,
    /** Called for each order at the venue that is active from an open on. */
    /** Steps of its strategy's own position that an order could close. */
    private readonly closable: (held: HeldOrder) => number,
  ) {
    this.#byInstrument = instruments.map(() => []);
  }

  find(clientOrderId: string): HeldOrder | undefined {
    return this.#byId.get(clientOrderId);
  }

  /** All that have not ended, those at the venue included. */
  known(instrument: Instrument): HeldOrder[] {
    if (this.#byId.size === 0) return [];
    return [...this.#byId.values()].filter(({ request }) => request.instrument === instrument);
  }

  /** All that have not ended, over all instruments. */
  all(): HeldOrder[] {
    return [...this.#byId.values()];
  }

  /** Orders that a price has triggered and that have not been sent yet. */
  get leaving(): ReadonlySet<string> {
    const ids = new Set<string>();
    for (const [id, { stage }] of this.#byId) if (stage === 'triggered') ids.add(id);
    return ids;
  }

  add(held: HeldOrder): void {
    this.#byInstrument[held.request.instrument.index]!.push(held);
    this.size++;
    if (isTimed(held)) this.#timed++;
    this.know(held);
  }

  /** Tracks an order that waits at the venue: no price is compared with it here. */
  know(held: HeldOrder): void {
    this.#byId.set(held.request.clientOrderId, held);
  }

  /** No longer compared with prices. It is tracked until it ends. */
  release(held: HeldOrder): void {
    const orders = this.#byInstrument[held.request.instrument.index]!;
    const at = orders.indexOf(held);
    if (at < 0) return;
    orders.splice(at, 1);
    this.size--;
    if (isTimed(held)) this.#timed--;
  }

  /** The order has ended. Its link, if it has one, continues without it. */
  forget(held: HeldOrder): void {
    this.release(held);
    part(held);
    this.#shadow.delete(held);
    this.#byId.delete(held.request.clientOrderId);
    const at = held.link?.legs.indexOf(held) ?? -1;
    if (at >= 0) held.link?.legs.splice(at, 1);
  }

  /** The order continues under another id. */
  rename(held: HeldOrder, request: OrderRequest): void {
    this.#byId.delete(held.request.clientOrderId);
    held.request = request;
    this.know(held);
  }

  any(instrument: Instrument): boolean {
    return this.#byInstrument[instrument.index]!.length > 0;
  }

  next(instrument: Instrument, from: number, to: number): number | undefined {
    let found: number | undefined;
    for (const { triggerTicks, rising, sleeping, waitsForLink, retryAt, rests } of this.#byInstrument[instrument.index]!) {
      if (sleeping || waitsForLink || rests || retryAt !== undefined || rising !== to > from) continue;
      const between = rising ? triggerTicks > from && triggerTicks <= to : triggerTicks < from && triggerTicks >= to;
      if (!between) continue;
      if (found === undefined || Math.abs(triggerTicks - from) < Math.abs(found - from)) found = triggerTicks;
    }
    return found;
  }

  follow(instrument: Instrument, ticks: number): boolean {
    for (const held of this.#byInstrument[instrument.index]!) {
      if (!held.sleeping) trail(held, ticks);
      else if (held.isStop && held.request.reduceOnly && passesAsleep(held, ticks, this.#shadow)) this.#passed.add(instrument.index);
    }
    return false;
  }

  passedAsleep({ index }: Instrument): boolean {
    return this.#passed.has(index);
  }

  moves(instrument: Instrument): boolean {
    return this.#byInstrument[instrument.index]!.some((held) => !held.sleeping && trails(held));
  }

  exits(instrument: Instrument): HeldExit[] {
    return this.known(instrument).flatMap((held) => {
      const { request, triggerTicks, isStop, link, sleeping, stage, trailTicks, trailMillionths, activateTicks } = held;
      if (!request.reduceOnly || request.steps === undefined || sleeping || stage === 'ended') return [];
      const { strategyId, positionSide, side, steps } = request;
      const holder = `${strategyId}/${positionSide}`;
      const trail = { trailTicks, trailMillionths, activateTicks };
      return [{ side, triggerTicks, steps, isStop, link, holder, closable: this.closable(held), ...trail }];
    });
  }

  trails(instrument: Instrument, high: number, low: number): boolean {
    return this.#byInstrument[instrument.index]!.some((held) => {
      const { sleeping, request } = held;
      if (sleeping || !trails(held)) return false;
      const [best, worst] = request.side === 'sell' ? [high, low] : [low, high];
      const level = trailedTicks(held, request.side, best);
      return activates(held, request.side, best) && (request.side === 'sell' ? level >= worst : level <= worst);
    });
  }

  hasEntry(instrument: Instrument, side: Side): boolean {
    return this.#byInstrument[instrument.index]!.some(({ request }) => request.side === side && !request.reduceOnly);
  }

  /** From now on compares orders that waited for the open. Called at every bar. */
  opens(instrument: Instrument, time: number, priceTicks: number): boolean {
    this.barOpens.note(instrument, time, priceTicks);
    this.#passed.delete(instrument.index);
    for (const held of this.#byId.values()) {
      if (!held.sleeping || held.request.instrument !== instrument) continue;
      held.sleeping = false;
      this.#shadow.delete(held);
    }
    this.advance(instrument, time);
    return this.any(instrument);
  }

  /** The time of one order has come, without a price. */
  advanceOne(held: HeldOrder, time: number): void {
    if (!advance(held, time)) return;
    held.request = { ...held.request, priceTicks: held.triggerTicks };
    this.moved.push(held);
  }

  /** A price of this time follows: orders that depend on time are due, or have another limit. */
  advance({ index }: Instrument, time: number): void {
    if (this.#timed === 0) return;
    for (const held of this.#byInstrument[index]!) if (isTimed(held)) this.advanceOne(held, time);
  }

  /**
   * Orders that these prices trigger, and triggered ones that wait for their link, stops first. Buys are compared with the
   * price that a buyer pays, sells with the one that a seller receives; if only one price is known, both are the same.
   *
   * @param sequence of these prices, if they may be older than an order.
   */
  reached(instrument: Instrument, buyTicks: number, sellTicks: number, sequence = Number.POSITIVE_INFINITY): HeldOrder[] {
    const orders = this.#byInstrument[instrument.index]!;
    if (orders.length === 0) return [];
    const met = orders.filter(({ since = sequence }) => since <= sequence);
    const found = met.filter((held) => isReached(held, held.request.side === 'buy' ? buyTicks : sellTicks));
    return found.sort((a, b) => Number(b.isStop) - Number(a.isStop));
  }
}

function isTimed({ dueAt, schedule }: HeldOrder): boolean {
  return dueAt !== undefined || schedule !== undefined;
}

/** The tag of a trailing stop loss: of its two parts, the one that was triggered. */
function firedTag({ request: { tag }, triggerTicks, lossTicks }: HeldOrder): string {
  return tag.replace(/(trailingStop|stopLoss)$/, triggerTicks === lossTicks ? 'stopLoss' : 'trailingStop');
}

/** Whether this price triggers the order. A trailing one is moved first. */
function isReached(held: HeldOrder, ticks: number): boolean {
  if (held.sleeping) return false;
  if (held.waitsForLink) return true;
  if (held.rests) return held.retryAt === undefined;
  if (held.isDue) return held.retryAt === undefined;
  trail(held, ticks);
  if (held.retryAt !== undefined) return false;
  return held.rising ? ticks >= held.triggerTicks : ticks <= held.triggerTicks;
}

/** Compares held orders with prices, and sends triggered ones to review by risk. */
export class HeldJudge {
  /** Orders that wait for coins which other orders freeze. */
  readonly #blocked = new Set<HeldOrder>();

  constructor(
    private readonly book: HeldBook,
    private readonly opens: BarOpens,
    private readonly context: Pick<HeldOrdersContext, 'emit' | 'now' | 'release'>,
    private readonly markets: readonly ReadonlyMarket[],
    private readonly cancel: (held: HeldOrder, reason: CancelReason) => void,
    /** Whether no order freezes the coins that this one sells. Orders that do are canceled first. */
    private readonly clears: (held: HeldOrder) => boolean,
    /** Gives the order another client id if its own may have been used. */
    private readonly refresh: (held: HeldOrder) => void,
  ) {}

  /** Compares with a market event. Bars trigger nothing: the path inside them already has, price by price. */
  by(event: MarketEvent): void {
    if (event.kind !== 'bar') this.book.advance(event.instrument, event.time);
    if (event.kind === 'quote') this.at(event.instrument, event.askTicks, event.bidTicks);
    else if (event.kind === 'depth') this.#byBook(event.instrument);
    else if (event.kind === 'ticker') this.at(event.instrument, event.lastTicks, event.lastTicks);
    else if (event.kind === 'trade') this.at(event.instrument, event.priceTicks, event.priceTicks);
  }

  /** An empty side of the book is `NaN`, which reaches no trigger. */
  #byBook(instrument: Instrument): void {
    const { book } = this.markets[instrument.index]!;
    this.at(instrument, book!.asks.bestTicks, book!.bids.bestTicks);
  }

  /**
   * Compares the held orders of an instrument with a price (buyers and sellers may have different ones). For a stop
   * whose take profit was sent, the take profit is canceled first; a take profit whose stop was sent waits. A leg that
   * waits as a trigger order at the venue delays none: the venue trims it to the rest of the position. On spot, an order that
   * freezes the coins of an exit is canceled first.
   */
  at(instrument: Instrument, buyTicks: number, sellTicks: number, sequence?: number): void {
    this.#reportMoved();
    for (const held of this.book.reached(instrument, buyTicks, sellTicks, sequence))
      this.#meet(held, held.request.side === 'buy' ? buyTicks : sellTicks);
  }

  /** The time of an order has come: it is due, or has another limit. */
  byClock(held: HeldOrder): void {
    this.book.advanceOne(held, this.context.now());
    this.#reportMoved();
    this.now(held);
  }

  #reportMoved(): void {
    const { moved } = this.book;
    if (moved.length > 0) for (const held of moved.splice(0)) this.context.emit(submittedHeld(held, this.context.now(), true));
  }

  /** Compares one order with the present price. */
  now(held: HeldOrder): void {
    const { instrument, side } = held.request;
    const ticks = this.markets[instrument.index]!.triggerTicks(side, this.opens.insideTicks(instrument));
    if (isReached(held, ticks)) this.#meet(held, ticks);
  }

  /** The open was compared before these orders, sent at the same instant, arrived here. */
  atOpen(instrument: Instrument, orders: readonly HeldOrder[]): void {
    const ticks = this.opens.ticksAt(instrument, this.context.now());
    if (ticks === undefined) return;
    for (const held of this.book.reached(instrument, ticks, ticks)) if (orders.includes(held)) this.#meet(held, ticks);
  }

  trigger(held: HeldOrder, priceTicks: number): void {
    this.refresh(held);
    const { clientOrderId } = held.request;
    this.book.release(held);
    held.stage = 'triggered';
    held.metTicks = priceTicks;
    if (held.lossTicks !== undefined) held.request = { ...held.request, tag: firedTag(held) };
    held.waitsForLink = false;
    this.context.emit({ kind: 'orderTriggered', time: this.context.now(), clientOrderId, priceTicks });
    this.context.release(held);
  }

  /** Sends one now at any price, or as soon as no order freezes its coins. */
  go(held: HeldOrder): void {
    held.waitsForLink = true;
    this.now(held);
  }

  /** The order waits until no order freezes its coins. */
  block(held: HeldOrder): void {
    held.waitsForLink = true;
    this.#blocked.add(held);
  }

  /** An order has ended: orders that waited for its coins may be sent, stops first. */
  unblock(): void {
    if (this.#blocked.size === 0) return;
    for (const held of [...this.#blocked].sort((a, b) => Number(b.isStop) - Number(a.isStop))) {
      this.#blocked.delete(held);
      if (held.stage === 'held') this.now(held);
    }
  }

  #meet(held: HeldOrder, ticks: number): void {
    const working = held.link?.legs.find((other) => other !== held && !other.atVenue && other.stage !== 'held');
    if (working === undefined) {
      // A resting order outranks none.
      if (held.rests || this.clears(held)) this.trigger(held, ticks);
      else this.block(held);
    } else if (held.isStop) {
      held.waitsForLink = true;
      // Repeated at every price: a cancel that overtook its order found nothing. One close of two is enough.
      if (!working.isStop) this.cancel(working, 'linked');
    }
  }
}

/** The fields of an order that decide from when it is compared with prices. */
type Sent = Pick<OrderRequest, 'instrument' | 'strategyId' | 'positionSide' | 'reduceOnly'>;

/**
 * The last opens of bars, which decide from when a waiting order is compared with prices. On bars the path of the running bar
 * is older than an order sent inside it, so the order waits for the next open. An order sent at the very instant
 * of an open is compared with it, unless it is an exit that must wait for the bar after a fill at that open.
 *
 * It also has the newest price inside a bar: its open, then the point at which matching has paused on its path. Strategies do not
 * receive these prices, but the venue compares triggers with them.
 */
export class BarOpens {
  /** Epoch ms and price of the newest open of each instrument, by its index; `NaN` if there is none. */
  readonly #times: Float64Array;
  readonly #ticks: Float64Array;
  /** Epoch ms of the newest fill of each strategy, by the index of the instrument and the side. */
  readonly #filledAt: Partial<Record<PositionSide, Map<string, number>>>[] = [];

  /** For each instrument: the newest price inside a bar, and the newest datum at that moment. */
  readonly #inside: Float64Array;
  readonly #insideAt: Float64Array;

  constructor(
    private readonly markets: readonly ReadonlyMarket[],
    /** Exits are compared with prices from the bar after their entry's fill. */
    readonly exitsWait: boolean,
  ) {
    this.#times = new Float64Array(markets.length).fill(Number.NaN);
    this.#ticks = new Float64Array(markets.length).fill(Number.NaN);
    this.#inside = new Float64Array(markets.length);
    this.#insideAt = new Float64Array(markets.length).fill(Number.NaN);
  }

  /** Called at every bar. */
  note(instrument: Instrument, time: number, priceTicks: number): void {
    this.#times[instrument.index] = time;
    this.#ticks[instrument.index] = priceTicks;
    this.noteInside(instrument, priceTicks);
  }

  /** Matching has reached this price inside a bar. */
  noteInside({ index }: Instrument, priceTicks: number): void {
    this.#inside[index] = priceTicks;
    this.#insideAt[index] = this.markets[index]!.sequence;
  }

  /** The newest price inside the unfinished bar; `undefined` if the newest datum is newer. */
  insideTicks({ index }: Instrument): number | undefined {
    return this.#insideAt[index] === this.markets[index]!.sequence ? this.#inside[index] : undefined;
  }

  filled({ instrument: { index }, strategyId, time, positionSide }: Fill): void {
    if (this.#times[index] !== time) return;
    this.#filledAt[index] ??= {};
    this.#filledAt[index][positionSide] ??= new Map();
    this.#filledAt[index][positionSide].set(strategyId, time);
  }

  /** Whether prices of the instrument are bars. */
  has({ index }: Instrument): boolean {
    return !Number.isNaN(this.#times[index]!);
  }

  /** The price of an open at this very time; `undefined` at any other. */
  ticksAt({ index }: Instrument, time: number): number | undefined {
    return this.#times[index] === time ? this.#ticks[index] : undefined;
  }

  /** Whether an order sent at `time` waits for the next open. */
  waits({ instrument, strategyId, positionSide, reduceOnly }: Sent, time: number): boolean {
    const open = this.#times[instrument.index]!;
    if (Number.isNaN(open)) return false;
    if (time !== open) return true;
    return this.exitsWait && reduceOnly && this.#filledAt[instrument.index]?.[positionSide]?.get(strategyId) === open;
  }

  /** Whether exits wait for the next bar after a fill at `time`. If not, they work for the rest of the path. */
  exitsOf({ instrument, strategyId, positionSide, time: filled }: Fill, time: number): boolean {
    return this.exitsWait || (filled !== time && this.waits({ instrument, strategyId, positionSide, reduceOnly: true }, time));
  }
}
