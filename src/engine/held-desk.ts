import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarketEvent } from '../model/market-events.ts';
import { type OrderRequest, opposite } from '../model/order.ts';
import type { AccountEvent, OrderEvent } from '../model/order-events.ts';
import type { CancelReason } from '../model/reasons.ts';
import type { State } from '../state/state.ts';
import { BarOpens } from './bar-opens.ts';
import { HeldBook } from './held-book.ts';
import { type Arming, type HeldOrder, type Link, mayGrow } from './held-order.ts';
import type { Draft, ExitTicks, OrderDesk } from './order-desk.ts';
import { PlannedExits } from './planned-exits.ts';

/** What held orders ask of the engine. */
export interface HeldDeskOutlets {
  emit(event: AccountEvent): void;
  /** Puts a triggered order before the risk gate. */
  release(held: HeldOrder): void;
  cancelAtVenue(clientOrderId: string, instrument: Instrument, reason: CancelReason): void;
  now(): number;
}

/** Holds stops and linked exits: arms them, judges them by prices, and keeps linked legs in step. */
export class HeldDesk {
  readonly book: HeldBook;
  readonly #planned: PlannedExits;
  readonly #opens: BarOpens;

  constructor(
    private readonly state: State,
    private readonly desk: OrderDesk,
    private readonly outlets: HeldDeskOutlets,
    exitsWaitForNextBar: boolean,
  ) {
    this.#opens = new BarOpens(state.instruments.length, exitsWaitForNextBar);
    this.book = new HeldBook(state.instruments, this.#opens);
    this.#planned = new PlannedExits(state);
  }

  /** Holds a stop or stop-limit order; it is judged by the first price after this, on bars from the first open. */
  hold({ request, type, stopTicks }: Draft): void {
    this.#keep({
      request,
      type,
      triggerTicks: stopTicks!,
      rising: request.side === 'buy',
      isStop: true,
      link: undefined,
      sleeping: this.#opens.waits(request.instrument, request.strategyId, request.reduceOnly, this.outlets.now()),
      stage: 'held',
      metTicks: Number.NaN,
      waitsForLink: false,
    });
    this.#judgeAtOpen(request.instrument);
  }

  /** Remembers the exits of an entry order until it fills. */
  plan(request: OrderRequest, exits: ExitTicks): void {
    this.#planned.add(request, exits);
  }

  /** Holds linked exits for a position that stands already. */
  protect(arming: Arming): void {
    this.#arm(arming, '', this.#opens.waits(arming.instrument, arming.strategyId, true, this.outlets.now()));
  }

  #arm({ instrument, strategyId, side, steps, exits, tag }: Arming, entryId: string, sleeping: boolean): void {
    const link: Link = { legs: [], steps, entryId };
    const common = { timeInForce: 'GTC', postOnly: false, reduceOnly: true, steps, quoteQuantity: undefined } as const;
    const leg = (type: 'stop' | 'limit', triggerTicks: number, reason: string): HeldOrder => ({
      request: this.desk.request(instrument, strategyId, side, this.state.sequence, {
        ...common,
        type: type === 'stop' ? 'market' : 'limit',
        priceTicks: type === 'stop' ? undefined : triggerTicks,
        tag: tag === '' ? reason : `${tag}:${reason}`,
      }),
      type,
      triggerTicks,
      rising: (side === 'buy') === (type === 'stop'),
      isStop: type === 'stop',
      link,
      sleeping,
      stage: 'held',
      metTicks: Number.NaN,
      waitsForLink: false,
    });
    if (exits.stopTicks !== undefined) link.legs.push(leg('stop', exits.stopTicks, 'stopLoss'));
    if (exits.profitTicks !== undefined) link.legs.push(leg('limit', exits.profitTicks, 'takeProfit'));
    for (const held of link.legs) this.#keep(held);
    this.#judgeAtOpen(instrument);
  }

  onFill(fill: Fill): void {
    this.#opens.filled(fill);
    this.#armByFill(fill);
    const leg = this.book.find(fill.clientOrderId);
    if (leg?.link !== undefined) this.#shrink(leg.link, leg, fill.steps);
    this.#dropUselessExits(fill);
  }

  /** An order of ours has ended, one way or another. */
  onEnded(event: OrderEvent): void {
    const leg = this.book.find(event.clientOrderId);
    if (leg === undefined) return;
    this.book.forget(leg);
    const { link } = leg;
    if (link === undefined) return;
    link.legs.splice(link.legs.indexOf(leg), 1);
    if (event.kind === 'orderExpired' && event.reason === 'endOfRun') return;
    for (const other of [...link.legs]) {
      const useless = link.steps <= 0 || (event.kind === 'orderDenied' && !this.#reduces(other));
      if (useless) this.cancel(other, 'linked');
      else if (other.waitsForLink && other.stage === 'held') this.#trigger(other, other.triggerTicks);
    }
  }

  /** Takes a held order back; one that was sent is canceled at the venue. */
  cancel(held: HeldOrder, reason: CancelReason): void {
    const { clientOrderId, instrument } = held.request;
    if (held.stage === 'ended') return;
    if (held.stage === 'sent') {
      if (this.state.openOrders.get(clientOrderId)?.cancelRequested === false)
        this.outlets.cancelAtVenue(clientOrderId, instrument, reason);
      return;
    }
    held.stage = 'ended';
    this.book.release(held);
    this.outlets.emit({ kind: 'orderCanceled', time: this.outlets.now(), clientOrderId, reason });
  }

  /** The run is over: what is still held ends with it, as orders at the venue do. */
  expire(): void {
    for (const held of this.book.all()) {
      if (held.stage !== 'held') continue;
      const { clientOrderId } = held.request;
      held.stage = 'ended';
      this.book.release(held);
      this.outlets.emit({ kind: 'orderExpired', time: this.outlets.now(), clientOrderId, reason: 'endOfRun' });
    }
  }

  /** Judges by a market event. Bars trigger nothing: the path inside them already has, price by price. */
  judgeBy(event: MarketEvent): void {
    if (event.kind === 'quote') this.judge(event.instrument, event.askTicks, event.bidTicks);
    else if (event.kind === 'ticker') this.judge(event.instrument, event.lastTicks, event.lastTicks);
    else if (event.kind === 'trade') this.judge(event.instrument, event.priceTicks, event.priceTicks);
  }

  /**
   * Judges the held orders of an instrument by a price (buyers and sellers may see different ones). A stop
   * whose take profit is out already has that canceled first; a take profit whose stop is out just waits.
   */
  judge(instrument: Instrument, buyTicks: number, sellTicks: number): void {
    for (const held of this.book.reached(instrument, buyTicks, sellTicks)) {
      const working = held.link?.legs.find((other) => other !== held && other.stage !== 'held');
      if (working === undefined) {
        this.#trigger(held, held.request.side === 'buy' ? buyTicks : sellTicks);
      } else if (held.isStop) {
        held.waitsForLink = true;
        // Asked again at every price: a cancel that overtook its order finds nothing the first time.
        this.cancel(working, 'linked');
      }
    }
  }

  #keep(held: HeldOrder): void {
    const { request, type, triggerTicks } = held;
    const { clientOrderId } = request;
    const time = this.outlets.now();
    const stopTicks = held.isStop ? triggerTicks : undefined;
    this.book.add(held);
    this.outlets.emit({ kind: 'orderSubmitted', time, clientOrderId, request, type, stopTicks, again: false });
    this.outlets.emit({ kind: 'orderAccepted', time, clientOrderId, orderId: '', held: true });
  }

  #trigger(held: HeldOrder, priceTicks: number): void {
    this.book.release(held);
    held.stage = 'triggered';
    held.metTicks = priceTicks;
    held.waitsForLink = false;
    this.outlets.emit({
      kind: 'orderTriggered',
      time: this.outlets.now(),
      clientOrderId: held.request.clientOrderId,
      priceTicks,
    });
    this.outlets.release(held);
  }

  /** A fill of an entry joins the exits of its earlier fills where they are judged from the same moment; else it has its own. */
  #armByFill(fill: Fill): void {
    const planned = this.#planned.onFill(fill);
    if (planned === undefined) return;
    const { instrument, strategyId, clientOrderId, tag } = fill;
    const sleeping = this.#opens.exitsOf(fill, this.outlets.now());
    const armed = this.book.of(instrument).find(({ link }) => link?.entryId === clientOrderId && mayGrow(link, sleeping))?.link;
    if (armed !== undefined) this.#resize(armed, armed.steps + planned.steps);
    else this.#arm({ instrument, strategyId, side: opposite(fill.side), tag, ...planned }, clientOrderId, sleeping);
  }

  /** The open has been judged before what was sent at its instant came here. */
  #judgeAtOpen(instrument: Instrument): void {
    const ticks = this.#opens.ticksAt(instrument, this.outlets.now());
    if (ticks !== undefined) this.judge(instrument, ticks, ticks);
  }

  #shrink(link: Link, filled: HeldOrder, steps: number): void {
    link.steps -= steps;
    if (link.steps > 0) this.#resize(link, link.steps);
    else for (const other of [...link.legs]) if (other !== filled) this.cancel(other, 'linked');
  }

  #resize(link: Link, steps: number): void {
    link.steps = steps;
    for (const leg of link.legs) {
      if (leg.stage !== 'held') continue;
      leg.request = { ...leg.request, steps };
      this.outlets.emit({
        kind: 'orderSubmitted',
        time: this.outlets.now(),
        clientOrderId: leg.request.clientOrderId,
        request: leg.request,
        type: leg.type,
        stopTicks: leg.isStop ? leg.triggerTicks : undefined,
        again: true,
      });
    }
  }

  /** A strategy whose position is gone or turned has nothing left that its exits could reduce, wherever they are. */
  #dropUselessExits({ instrument, strategyId, clientOrderId }: Fill): void {
    for (const held of this.book.known(instrument)) {
      const { request } = held;
      if (!request.reduceOnly || request.strategyId !== strategyId || request.clientOrderId === clientOrderId) continue;
      if (!this.#reduces(held)) this.cancel(held, 'linked');
    }
  }

  /** Whether the strategy holds anything that this order would bring nearer to zero. */
  #reduces({ request: { strategyId, instrument, side } }: HeldOrder): boolean {
    const steps = this.state.books.get(strategyId)?.positions[instrument.index]?.steps ?? 0;
    return side === 'sell' ? steps > 0 : steps < 0;
  }
}
