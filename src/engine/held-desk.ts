import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { OrderRequest, Side } from '../model/order.ts';
import { opposite } from '../model/order.ts';
import type { AccountEvent, OrderEvent } from '../model/order-events.ts';
import type { CancelReason } from '../model/reasons.ts';
import type { State } from '../state/state.ts';
import { HeldBook } from './held-book.ts';
import type { HeldOrder, Link } from './held-order.ts';
import type { Draft, OrderDesk } from './order-desk.ts';

/** Trigger and limit of the exits of one position, in ticks. */
export interface ExitTicks {
  readonly stopTicks: number | undefined;
  readonly profitTicks: number | undefined;
}

/** What held orders ask of the engine. */
export interface HeldDeskOutlets {
  emit(event: AccountEvent): void;
  /** Puts a triggered order before the risk gate. */
  release(held: HeldOrder): void;
  cancelAtVenue(clientOrderId: string, instrument: Instrument): void;
  now(): number;
}

/** Holds stops and linked exits: arms them, judges them by prices, and keeps linked legs in step. */
export class HeldDesk {
  readonly book: HeldBook;
  /** Exits to be armed as the fills of an entry order come in. */
  readonly #planned = new Map<string, { exits: ExitTicks; request: OrderRequest }>();

  constructor(
    private readonly state: State,
    private readonly desk: OrderDesk,
    private readonly outlets: HeldDeskOutlets,
    /** Exits are judged from the bar after their entry's fill. */
    private readonly exitsWaitForNextBar: boolean,
  ) {
    this.book = new HeldBook(state.instruments);
  }

  /** Holds a stop or stop-limit order; it is judged by the first price after this. */
  hold({ request, type, stopTicks }: Draft): void {
    this.#keep({
      request,
      type,
      triggerTicks: stopTicks!,
      rising: request.side === 'buy',
      isStop: true,
      link: undefined,
      sleeping: false,
      released: false,
      waitsForLink: false,
      ending: false,
    });
  }

  /** Remembers the exits of an entry order until it fills. */
  plan(request: OrderRequest, exits: ExitTicks): void {
    this.#planned.set(request.clientOrderId, { exits, request });
  }

  /** Arms linked exits for `steps` that `side` closes. */
  arm(instrument: Instrument, strategyId: string, side: Side, steps: number, exits: ExitTicks, tag: string, entryId = ''): void {
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
      sleeping: this.exitsWaitForNextBar && entryId !== '',
      released: false,
      waitsForLink: false,
      ending: false,
    });
    if (exits.stopTicks !== undefined) link.legs.push(leg('stop', exits.stopTicks, 'stopLoss'));
    if (exits.profitTicks !== undefined) link.legs.push(leg('limit', exits.profitTicks, 'takeProfit'));
    for (const held of link.legs) this.#keep(held);
  }

  onFill(fill: Fill): void {
    const plan = this.#planned.get(fill.clientOrderId);
    if (plan !== undefined) this.#armByFill(fill, plan.exits, plan.request.tag);
    const leg = this.book.find(fill.clientOrderId);
    if (leg?.link !== undefined) this.#shrink(leg.link, leg, fill.steps);
    this.#dropUselessExits(fill);
  }

  /** An order of ours has ended, one way or another. */
  onEnded(event: OrderEvent): void {
    const id = event.clientOrderId;
    this.#planned.delete(id);
    const leg = this.book.find(id);
    if (leg === undefined) return;
    this.book.forget(leg);
    if (leg.link === undefined) return;
    leg.link.legs.splice(leg.link.legs.indexOf(leg), 1);
    for (const other of [...leg.link.legs]) {
      if (leg.link.steps <= 0 || event.kind === 'orderDenied') this.cancel(other, 'linked');
      else if (other.waitsForLink) this.#trigger(other, other.triggerTicks);
    }
  }

  /** Takes a held order back; one already released is canceled at the venue. */
  cancel(held: HeldOrder, reason: CancelReason): void {
    const { clientOrderId, instrument } = held.request;
    if (held.ending) return;
    held.ending = true;
    if (held.released) {
      this.outlets.cancelAtVenue(clientOrderId, instrument);
      return;
    }
    this.book.release(held);
    this.outlets.emit({ kind: 'orderCanceled', time: this.outlets.now(), clientOrderId, reason });
  }

  /** Judges the held orders of an instrument by a price (buyers and sellers may see different ones). */
  judge(instrument: Instrument, buyTicks: number, sellTicks: number): void {
    for (const held of this.book.reached(instrument, buyTicks, sellTicks)) {
      const working = held.link?.legs.find((other) => other.released && other !== held);
      const ticks = held.request.side === 'buy' ? buyTicks : sellTicks;
      if (working === undefined) {
        this.#trigger(held, ticks);
        continue;
      }
      held.waitsForLink = true;
      this.cancel(working, 'linked');
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
    held.released = true;
    held.waitsForLink = false;
    this.outlets.emit({
      kind: 'orderTriggered',
      time: this.outlets.now(),
      clientOrderId: held.request.clientOrderId,
      priceTicks,
    });
    this.outlets.release(held);
  }

  #armByFill(fill: Fill, exits: ExitTicks, tag: string): void {
    const { instrument, strategyId, clientOrderId } = fill;
    const known = this.book.of(instrument).find(({ link }) => link?.entryId === clientOrderId)?.link;
    if (known === undefined || known.legs.some((leg) => leg.released)) {
      this.arm(instrument, strategyId, opposite(fill.side), fill.steps, exits, tag, clientOrderId);
    } else {
      this.#resize(known, known.steps + fill.steps);
    }
  }

  #shrink(link: Link, filled: HeldOrder, steps: number): void {
    link.steps -= steps;
    if (link.steps > 0) this.#resize(link, link.steps);
    else for (const other of [...link.legs]) if (other !== filled) this.cancel(other, 'linked');
  }

  #resize(link: Link, steps: number): void {
    link.steps = steps;
    for (const leg of link.legs) {
      if (leg.released) continue;
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

  /** A strategy whose position is gone or turned has nothing left that its exits could reduce. */
  #dropUselessExits({ instrument, strategyId }: Fill): void {
    if (!this.book.any(instrument)) return;
    const steps = this.state.books.get(strategyId)?.positions[instrument.index]?.steps ?? 0;
    for (const held of [...this.book.of(instrument)]) {
      const { request } = held;
      if (!request.reduceOnly || request.strategyId !== strategyId) continue;
      if (request.side === 'sell' ? steps <= 0 : steps >= 0) this.cancel(held, 'linked');
    }
  }
}
