import type { OrderAccepted, OrderEvent } from '../../model/account-events.ts';
import type { Fill } from '../../model/fill.ts';
import { type OrderRequest, opposite } from '../../model/order.ts';
import type { CancelReason, Denial } from '../../model/reasons.ts';
import { refusalOf } from '../../model/refusals.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PriceInstant } from '../../ports/market-feed.ts';
import { covered, doubtfulSteps, inTheWay, isGone, reducibleSteps, uncoveredSteps } from '../../risk/measures.ts';
import type { State } from '../../state/state.ts';
import type { Draft, OrderDesk } from '../orders/order-desk.ts';
import { ExitLegs, PlannedExits, strayCloses, VenueLegs } from './exits.ts';
import { BarOpens, HeldBook, HeldJudge } from './held-book.ts';
import {
  type Arming,
  type ExitTicks,
  firstStop,
  type HeldDeskOutlets,
  type HeldOrder,
  type Link,
  mayGrow,
  resolved,
  submittedHeld,
  tellHeld,
  waitingOrder,
} from './held-order.ts';
import { Rearming } from './rearming.ts';

/**
 * Looks after stops and linked exits: arms them, holds them where the venue has no triggers, and keeps linked legs in
 * step, wherever they wait.
 */
export class HeldDesk {
  readonly book: HeldBook;
  readonly judge: HeldJudge;
  readonly planned: PlannedExits;
  readonly #rearming: Rearming;
  readonly #opens: BarOpens;
  readonly #legs: ExitLegs;
  readonly #venue: VenueLegs;

  constructor(
    private readonly state: State,
    private readonly desk: OrderDesk,
    clock: Clock,
    private readonly outlets: HeldDeskOutlets,
    exitsWaitForNextBar: boolean,
  ) {
    this.#opens = new BarOpens(state.markets, exitsWaitForNextBar);
    this.book = new HeldBook(
      state.instruments,
      this.#opens,
      ({ request }) => {
        if (request.atLast) outlets.watch(request.clientOrderId);
      },
      (held) => this.#venue.closable(held),
    );
    desk.bars = this.#opens;
    this.judge = new HeldJudge(
      this.book,
      this.#opens,
      outlets,
      state.markets,
      (held, reason) => this.cancel(held, reason),
      // What its strategy is closing anyway need not be closed twice: should that fail, this goes out after it.
      ({ request }) => !isGone(request, this.state) && !covered(request, this.state, this.book.leaving) && this.clears(request),
    );
    this.planned = new PlannedExits(state);
    this.#legs = new ExitLegs(state, desk);
    this.#venue = new VenueLegs(state, desk, this.book, outlets);
    const { book, judge, planned } = this;
    this.#rearming = new Rearming({ state, desk, clock, book, judge, planned, outlets, opens: this.#opens, venue: this.#venue });
  }

  /** The engine runs. */
  start(): void {
    this.#rearming.start();
  }

  /**
   * Takes a stop or stop-limit order. Held, it is judged by the first price after this, on bars from the first open;
   * where the venue has triggers, it is planned to wait there.
   */
  hold({ request, type, stopTicks }: Draft): HeldOrder {
    const atVenue = this.desk.triggersAtVenue(request.instrument);
    // At the venue it is cut to the position: its link remembers the size that it was asked for.
    const link: Link | undefined =
      atVenue && request.reduceOnly && request.steps !== undefined ? { legs: [], steps: request.steps, entryId: '' } : undefined;
    const held = waitingOrder({
      request,
      type,
      triggerTicks: stopTicks!,
      rising: request.side === 'buy',
      isStop: true,
      link,
      atVenue,
      sleeping: this.#opens.waits(request, this.outlets.now()),
    });
    link?.legs.push(held);
    this.#keep(held);
    this.judge.atOpen(request.instrument, [held]);
    return held;
  }

  /**
   * Whether nothing holds the coins that a close on spot is to sell. Orders that do are canceled: a close that protects
   * outranks every order that rests.
   */
  clears(request: OrderRequest): boolean {
    const inWay = inTheWay(request, this.state, this.book.leaving);
    for (const { clientOrderId } of inWay) this.outlets.cancel(this.state.openOrders.get(clientOrderId)!, 'outranked');
    return inWay.length === 0;
  }

  /** Takes a close that goes out as soon as the orders which hold its coins are gone, and in several orders where one may not be so large. */
  holdUntilClear({ request, type }: Draft): void {
    const held = waitingOrder({
      request: request.atLast === true ? { ...request, triggerTicks: undefined, atLast: undefined } : request,
      type,
      triggerTicks: this.state.market(request.instrument).lastTicks || 0,
      rising: false,
      isStop: false,
      link: undefined,
      atVenue: false,
      sleeping: false,
    });
    this.#keep(held);
    this.judge.go(held);
  }

  /** Remembers the exits of an entry order until it fills. */
  plan(request: OrderRequest, exits: ExitTicks): void {
    this.planned.add(request, exits);
  }

  /** An order goes out anew under another id: its exits go with it. */
  replan(from: string, to: string): void {
    this.planned.copy(from, to);
  }

  /** Links exits for a position that stands already. */
  protect(arming: Arming): void {
    this.#arm(arming, '', this.#opens.waits({ ...arming, reduceOnly: true }, this.outlets.now()));
  }

  /** Matching stands at this price inside a bar; with a feed leg, it stood there. */
  atInstant({ instrument, priceTicks, sequence }: PriceInstant): void {
    this.#opens.noteInside(instrument, priceTicks);
    this.judge.at(instrument, priceTicks, priceTicks, sequence);
  }

  onFill(fill: Fill): void {
    this.#opens.filled(fill);
    this.#armByFill(fill);
    const leg = this.book.find(fill.clientOrderId);
    if (leg !== undefined) leg.tries = 0;
    if (leg?.link !== undefined) this.#shrink(leg.link, leg, fill.steps);
    this.#fitExits(fill);
    for (const { clientOrderId, instrument } of strayCloses(this.state, fill)) {
      if (this.book.find(clientOrderId) === undefined) this.outlets.cancelAtVenue(clientOrderId, instrument, 'linked');
    }
  }

  onAccepted(event: OrderAccepted): void {
    const held = this.book.find(event.clientOrderId);
    if (held?.atVenue !== true || held.stage !== 'sent') return;
    held.tries = 0;
    this.#venue.onAccepted(held);
  }

  /** An order of ours has ended, one way or another. */
  onEnded(event: OrderEvent): void {
    this.#follow(event);
    this.judge.unblock();
  }

  #follow(event: OrderEvent): void {
    const leg = this.book.find(event.clientOrderId);
    if (leg === undefined) return;
    this.#rearming.forget(event.clientOrderId);
    if (this.#refits(leg, event)) return;
    const refusal = refusalOf(event);
    if (refusal !== undefined && this.#rearming.refused(leg, refusal.code)) return;
    if (this.#goesOn(leg, event)) return;
    this.book.forget(leg);
    const { link } = leg;
    if (link === undefined || refusal?.code === 'endOfRun') return;
    for (const other of [...link.legs]) {
      if (link.steps <= 0 || (refusal !== undefined && this.#venue.closable(other) === 0)) this.cancel(other, 'linked');
      else if (other.waitsForLink && other.stage === 'held') this.judge.trigger(other, other.triggerTicks);
    }
  }

  /** What rested and was called back goes out again, as large as its position allows. @returns true where it does. */
  #refits(leg: HeldOrder, event: OrderEvent): boolean {
    const steps = Math.min(leg.link?.steps ?? 0, this.#venue.closable(leg));
    if (event.kind !== 'orderCanceled' || !leg.refits || steps <= 0) return false;
    this.#rearming.again(leg, steps);
    this.judge.now(leg);
    return true;
  }

  /**
   * A close of which one order could take a part alone has filled that, and something is left of the position: the rest goes out
   * at once, whatever the price is by now. @returns true where it does.
   */
  #goesOn(leg: HeldOrder, { kind, clientOrderId }: OrderEvent): boolean {
    const { request, link, stage, atVenue, rests, recalled } = leg;
    if (kind !== 'orderFilled' || stage !== 'sent' || atVenue || rests === true || recalled !== undefined) return false;
    if (!request.reduceOnly || request.steps === undefined) return false;
    const wanted = link?.steps ?? request.steps - (this.state.order(clientOrderId)?.filledSteps ?? 0);
    // What an order of unknown fate may have closed is waited for: it may be found that it never was.
    const isDoubtful = doubtfulSteps(request, this.state) > 0;
    const steps = Math.min(wanted, isDoubtful ? reducibleSteps(request, this.state) : uncoveredSteps(request, this.state));
    if (steps <= 0) return false;
    this.#rearming.again(leg, steps);
    this.judge.go(leg);
    return true;
  }

  /** What the engine was about to send, and nobody has heard of yet, was denied. */
  denied(held: HeldOrder, { code }: Denial): void {
    if (!this.#rearming.refused(held, code)) this.drop(held);
  }

  /** What was to wait at the venue may not: its linked legs guard the position alone, if there is one. */
  drop(held: HeldOrder): void {
    held.stage = 'ended';
    this.book.forget(held);
    for (const other of [...(held.link?.legs ?? [])]) if (this.#venue.closable(other) === 0) this.cancel(other, 'linked');
  }

  /**
   * A trigger that did not fire was taken back: a stop or an exit goes to risk again, for what is left of it. One that
   * waited at the venue decides anew where it waits; one that the engine has judged goes out at the price of now.
   * @returns false where it is no longer wanted.
   */
  renew(held: HeldOrder, steps: number, lastTicks: number): boolean {
    if (held.recalled !== undefined) return false;
    const { clientOrderId } = held.request;
    this.#venue.renew(held, steps, lastTicks);
    this.replan(clientOrderId, held.request.clientOrderId);
    return true;
  }

  /** Takes an order back, wherever it waits. */
  cancel(held: HeldOrder, reason: CancelReason): void {
    const { clientOrderId } = held.request;
    if (held.stage === 'ended') return;
    if (held.stage === 'sent') {
      this.#venue.recall(held, reason);
      return;
    }
    const unheard = held.stage === 'planned' || held.stage === 'renewed';
    held.stage = 'ended';
    if (unheard) this.book.forget(held);
    else this.book.release(held);
    if (!unheard) this.outlets.emit({ kind: 'orderCanceled', time: this.outlets.now(), clientOrderId, reason });
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

  #arm(arming: Arming, entryId: string, sleeping: boolean): void {
    const legs = this.#portions(arming).flatMap((steps) => [...this.#legs.link({ ...arming, steps }, entryId, sleeping).legs]);
    for (const held of legs) {
      this.#keep(held);
      if (held.atVenue) this.outlets.release(held);
      else if (held.rests) this.judge.now(held);
    }
    this.judge.atOpen(arming.instrument, legs);
  }

  /** What waits at the venue fires there as it is: no larger than one order may be. What waits here is parted when it goes out. */
  #portions({ instrument, strategyId, side, steps, exits, fromTicks }: Arming): number[] {
    if (!this.desk.triggersAtVenue(instrument)) return [steps];
    const ticks = Math.max(firstStop(exits, side, fromTicks) ?? 0, resolved(exits, side, fromTicks).profitTicks ?? 0);
    const portions: number[] = [];
    for (let left = steps; left > 0; left -= portions.at(-1)!) {
      portions.push(this.outlets.slice({ instrument, strategyId, priceTicks: undefined, steps: left }, ticks));
    }
    return portions;
  }

  #keep(held: HeldOrder): void {
    if (held.atVenue) {
      this.book.know(held);
      return;
    }
    this.book.add(held);
    tellHeld(held, this.outlets);
  }

  /** A fill of an entry joins the exits of its earlier fills where they are judged from the same moment; else it has its own. */
  #armByFill(fill: Fill): void {
    const planned = this.planned.onFill(fill);
    if (planned === undefined) return;
    const { instrument, strategyId, clientOrderId, positionSide, tag } = fill;
    const sleeping = this.#opens.exitsOf(fill, this.outlets.now());
    const arming = {
      instrument,
      strategyId,
      side: opposite(fill.side),
      positionSide,
      tag,
      fromTicks: fill.priceTicks,
      since: fill.pricedSequence,
      ...planned,
    };
    const armed = this.book.known(instrument).find(({ link }) => {
      if (link?.entryId !== clientOrderId || !mayGrow(link, sleeping)) return false;
      if (this.#portions({ ...arming, steps: link.steps + planned.steps }).length > 1) return false;
      return link.fromTicks === undefined || link.fromTicks === fill.priceTicks;
    })?.link;
    if (armed !== undefined) this.#resize(armed, armed.steps + planned.steps);
    else this.#arm(arming, clientOrderId, sleeping);
  }

  #shrink(link: Link, filled: HeldOrder, steps: number): void {
    link.steps -= steps;
    if (link.steps > 0) this.#resize(link, link.steps);
    else for (const other of [...link.legs]) if (other !== filled) this.cancel(other, 'linked');
  }

  #resize(link: Link, steps: number): void {
    link.steps = steps;
    for (const leg of [...link.legs]) {
      if (leg.stage === 'held' || leg.stage === 'planned') leg.request = { ...leg.request, steps };
      if (leg.stage === 'held') this.outlets.emit(submittedHeld(leg, this.outlets.now(), true));
      if (leg.stage === 'sent' && (leg.atVenue || leg.rests)) this.#venue.fit(leg);
    }
  }

  /** What a strategy's exits could reduce is all that they may close: nothing, where its position is gone or turned. */
  #fitExits({ instrument, strategyId, clientOrderId }: Fill): void {
    for (const held of this.book.known(instrument)) {
      const { request } = held;
      if (!request.reduceOnly || request.strategyId !== strategyId || request.clientOrderId === clientOrderId) continue;
      if (this.#venue.closable(held) === 0) this.cancel(held, 'linked');
      else if (held.stage === 'sent' && (held.atVenue || held.rests)) this.#venue.fit(held);
    }
  }
}
