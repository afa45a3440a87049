import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { OrderRequest, Side } from '../../model/order.ts';
import type { CancelReason } from '../../model/reasons.ts';
import { activates, type Trailing, trailedTicks, trails } from '../../model/trail.ts';
import type { HeldExit, HeldLevels } from '../../ports/execution-venue.ts';
import type { ReadonlyMarket } from '../../state/state.ts';
import { type HeldDeskOutlets, type HeldOrder, passesAsleep, trail } from './held-order.ts';

/** The held orders of a run by instrument: which are there, where they trigger, which a price reaches. */
export class HeldBook implements HeldLevels {
  readonly #byInstrument: HeldOrder[][];
  readonly #byId = new Map<string, HeldOrder>();
  /** Instruments, by their index, whose newest bar has passed a stop that sleeps; and where sleeping stops that trail would stand. */
  readonly #passed = new Set<number>();
  readonly #shadow = new Map<HeldOrder, Trailing>();
  /** Orders held now, over all instruments: zero is asked at every market event. */
  size = 0;

  constructor(
    instruments: readonly Instrument[],
    private readonly barOpens: BarOpens,
    /** Told of each order at the venue that is judged from an open. */
    private readonly onWoken: (held: HeldOrder) => void,
    /** Steps of its strategy's own position that an order could bring nearer to zero. */
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

  /** Those that a price has triggered and that have not left yet. */
  get leaving(): ReadonlySet<string> {
    const ids = new Set<string>();
    for (const [id, { stage }] of this.#byId) if (stage === 'triggered' || stage === 'renewed') ids.add(id);
    return ids;
  }

  add(held: HeldOrder): void {
    this.#byInstrument[held.request.instrument.index]!.push(held);
    this.size++;
    this.know(held);
  }

  /** Knows an order that waits at the venue: no price is judged against it here. */
  know(held: HeldOrder): void {
    this.#byId.set(held.request.clientOrderId, held);
  }

  /** No more judged by prices; it stays known until it ends. */
  release(held: HeldOrder): void {
    const orders = this.#byInstrument[held.request.instrument.index]!;
    const at = orders.indexOf(held);
    if (at < 0) return;
    orders.splice(at, 1);
    this.size--;
  }

  /** The order has ended; its link, if it has one, goes on without it. */
  forget(held: HeldOrder): void {
    this.release(held);
    this.#shadow.delete(held);
    this.#byId.delete(held.request.clientOrderId);
    const at = held.link?.legs.indexOf(held) ?? -1;
    if (at >= 0) held.link?.legs.splice(at, 1);
  }

  /** The order goes on as this one, under another id. */
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

  /** What waited for the open is judged from here. Called at every bar. */
  opens(instrument: Instrument, time: number, priceTicks: number): boolean {
    this.barOpens.note(instrument, time, priceTicks);
    this.#passed.delete(instrument.index);
    for (const held of this.#byId.values()) {
      if (!held.sleeping || held.request.instrument !== instrument) continue;
      held.sleeping = false;
      this.#shadow.delete(held);
      if (held.atVenue) this.onWoken(held);
    }
    return this.any(instrument);
  }

  /**
   * What these prices trigger and what was triggered but waits for its link, stops first. Buys are judged by
   * what a buyer pays, sells by what a seller receives; where one price is known, both are the same.
   *
   * @param sequence of these prices, where they may be older than an order.
   */
  reached(instrument: Instrument, buyTicks: number, sellTicks: number, sequence = Number.POSITIVE_INFINITY): HeldOrder[] {
    const orders = this.#byInstrument[instrument.index]!;
    if (orders.length === 0) return [];
    const met = orders.filter(({ since = sequence }) => since <= sequence);
    const found = met.filter((held) => isReached(held, held.request.side === 'buy' ? buyTicks : sellTicks));
    return found.sort((a, b) => Number(b.isStop) - Number(a.isStop));
  }
}

/** The tag of a stop loss that trails: the one of the two that fires. */
function firedTag({ request: { tag }, triggerTicks, lossTicks }: HeldOrder): string {
  return tag.replace(/(trailingStop|stopLoss)$/, triggerTicks === lossTicks ? 'stopLoss' : 'trailingStop');
}

/** Whether this price triggers the order; one that trails goes along with it first. */
function isReached(held: HeldOrder, ticks: number): boolean {
  if (held.sleeping) return false;
  if (held.waitsForLink) return true;
  if (held.rests) return held.retryAt === undefined;
  trail(held, ticks);
  if (held.retryAt !== undefined) return false;
  return held.rising ? ticks >= held.triggerTicks : ticks <= held.triggerTicks;
}

/** Compares held orders with prices, and sends those whose trigger is reached to review by risk. */
export class HeldJudge {
  /** Orders that wait for coins which other orders hold. */
  readonly #blocked = new Set<HeldOrder>();

  constructor(
    private readonly book: HeldBook,
    private readonly opens: BarOpens,
    private readonly outlets: Pick<HeldDeskOutlets, 'emit' | 'now' | 'release'>,
    private readonly markets: readonly ReadonlyMarket[],
    private readonly cancel: (held: HeldOrder, reason: CancelReason) => void,
    /** Whether nothing holds the coins that the order is to sell; what does is canceled first. */
    private readonly clears: (held: HeldOrder) => boolean,
  ) {}

  /** Judges by a market event. Bars trigger nothing: the path inside them already has, price by price. */
  by(event: MarketEvent): void {
    if (event.kind === 'quote') this.at(event.instrument, event.askTicks, event.bidTicks);
    else if (event.kind === 'depth') this.#byBook(event.instrument);
    else if (event.kind === 'ticker') this.at(event.instrument, event.lastTicks, event.lastTicks);
    else if (event.kind === 'trade') this.at(event.instrument, event.priceTicks, event.priceTicks);
  }

  /** An empty side meets nobody: `NaN` passes no trigger. */
  #byBook(instrument: Instrument): void {
    const { book } = this.markets[instrument.index]!;
    this.at(instrument, book!.asks.bestTicks, book!.bids.bestTicks);
  }

  /**
   * Judges the held orders of an instrument by a price (buyers and sellers may see different ones). A stop
   * whose take profit is out already has that canceled first; a take profit whose stop is out just waits. One that
   * waits as a trigger of the venue's delays nobody: the venue trims it to the position that is left. On spot, an order that
   * holds the coins which an exit is to sell is canceled first.
   */
  at(instrument: Instrument, buyTicks: number, sellTicks: number, sequence?: number): void {
    for (const held of this.book.reached(instrument, buyTicks, sellTicks, sequence))
      this.#meet(held, held.request.side === 'buy' ? buyTicks : sellTicks);
  }

  /** Judges one order by the price that stands. */
  now(held: HeldOrder): void {
    const { instrument, side } = held.request;
    const ticks = this.markets[instrument.index]!.triggerTicks(side, this.opens.insideTicks(instrument));
    if (isReached(held, ticks)) this.#meet(held, ticks);
  }

  /** The open has been judged before these orders, sent at its instant, came here. */
  atOpen(instrument: Instrument, orders: readonly HeldOrder[]): void {
    const ticks = this.opens.ticksAt(instrument, this.outlets.now());
    if (ticks === undefined) return;
    for (const held of this.book.reached(instrument, ticks, ticks)) if (orders.includes(held)) this.#meet(held, ticks);
  }

  trigger(held: HeldOrder, priceTicks: number): void {
    const { clientOrderId } = held.request;
    this.book.release(held);
    held.stage = 'triggered';
    held.metTicks = priceTicks;
    if (held.lossTicks !== undefined) held.request = { ...held.request, tag: firedTag(held) };
    held.waitsForLink = false;
    this.outlets.emit({ kind: 'orderTriggered', time: this.outlets.now(), clientOrderId, priceTicks });
    this.outlets.release(held);
  }

  /** Sends one now, whatever the price, or as soon as what holds its coins is gone. */
  go(held: HeldOrder): void {
    held.waitsForLink = true;
    this.now(held);
  }

  /** The order waits until what holds its coins is gone. */
  block(held: HeldOrder): void {
    held.waitsForLink = true;
    this.#blocked.add(held);
  }

  /** An order has ended: what waited for its coins may go out, stops first. */
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
      // What rests outranks nothing.
      if (held.rests || this.clears(held)) this.trigger(held, ticks);
      else this.block(held);
    } else if (held.isStop) {
      held.waitsForLink = true;
      // Asked again at every price: a cancel that overtook its order finds nothing the first time.
      this.cancel(working, 'linked');
    }
  }
}

/** The fields of an order that decide from when it is judged. */
type Sent = Pick<OrderRequest, 'instrument' | 'strategyId' | 'positionSide' | 'reduceOnly'>;

/**
 * Where bars opened last, which says from when an order that waits is judged. On bars the path of the running bar
 * is older than an order sent inside it, so that waits for the next open; what is sent at the very instant
 * of an open is judged at it, unless it is an exit that has to wait for the bar after a fill at that open.
 *
 * It knows the newest price inside a bar too: its open, then where matching has paused on its path. Strategies see
 * neither, but the venue judges triggers by them.
 */
export class BarOpens {
  /** Epoch ms and price of the newest open of each instrument, by its index; `NaN` where none has been told. */
  readonly #times: Float64Array;
  readonly #ticks: Float64Array;
  /** Epoch ms of the newest fill of a strategy in an instrument. */
  readonly #filledAt = new Map<string, number>();

  /** Of each instrument: the newest price inside a bar, and the newest datum when it was told. */
  readonly #inside: Float64Array;
  readonly #insideAt: Float64Array;

  constructor(
    private readonly markets: readonly ReadonlyMarket[],
    /** Exits are judged from the bar after their entry's fill. */
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

  /** Matching stands at this price inside a bar. */
  noteInside({ index }: Instrument, priceTicks: number): void {
    this.#inside[index] = priceTicks;
    this.#insideAt[index] = this.markets[index]!.sequence;
  }

  /** The newest price inside the bar under way; `undefined` where the newest datum is newer. */
  insideTicks({ index }: Instrument): number | undefined {
    return this.#insideAt[index] === this.markets[index]!.sequence ? this.#inside[index] : undefined;
  }

  filled({ instrument, strategyId, symbol, time, positionSide }: Fill): void {
    if (this.#times[instrument.index] === time) this.#filledAt.set(`${strategyId}/${symbol}/${positionSide}`, time);
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
    return this.exitsWait && reduceOnly && this.#filledAt.get(`${strategyId}/${instrument.symbol}/${positionSide}`) === open;
  }

  /** Whether the exits of a fill told at `time` wait; where they need not, they work for the rest of the path. */
  exitsOf({ instrument, strategyId, positionSide, time: filled }: Fill, time: number): boolean {
    return this.exitsWait || (filled !== time && this.waits({ instrument, strategyId, positionSide, reduceOnly: true }, time));
  }
}
