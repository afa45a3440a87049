// Long because one class keeps the life of a held order together, from its arming to its end.
import type { OrderAccepted, OrderEvent } from '../../model/account-events.ts';
import type { Fill } from '../../model/fill.ts';
import { type OrderRequest, opposite } from '../../model/order.ts';
import type { CancelReason, Denial } from '../../model/reasons.ts';
import { refusalOf } from '../../model/refusals.ts';
import { nowhere } from '../../model/trail.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PriceInstant } from '../../ports/market-feed.ts';
import { covered, inTheWay, isGone, reducibleSteps, uncoveredSteps, unknownSteps } from '../../risk/measures.ts';
import type { State } from '../../state/state.ts';
import type { Draft, OrderBuilder } from '../orders/order-builder.ts';
import { AgeClock } from './exit-times.ts';
import { ExitLegs, excessCloses, PlannedExits, VenueLegs } from './exits.ts';
import { BarOpens, HeldBook, HeldJudge } from './held-book.ts';
import {
  type Arming,
  type ExitTicks,
  type HeldOrder,
  type HeldOrdersContext,
  type Link,
  mayGrow,
  part,
  reportHeld,
  submittedHeld,
  waitingOrder,
} from './held-order.ts';
import { Rearming } from './rearming.ts';

/** Entries with a target for a part that are remembered; late fills come soon. */
const TARGETED_KEPT = 1_000;

/**
 * Manages stops and linked exits: arms them, holds them if the venue has no triggers, and keeps linked legs
 * consistent, wherever they wait.
 */
export class HeldOrders {
  readonly book: HeldBook;
  readonly judge: HeldJudge;
  readonly planned: PlannedExits;
  readonly #rearming: Rearming;
  readonly #ages: AgeClock<HeldOrder>;
  readonly #opens: BarOpens;
  readonly #legs: ExitLegs;
  readonly #venue: VenueLegs;
  #isOver = false;
  /** Entries whose target is for a part: their steps so far, and those with the target. */
  readonly #targeted = new Map<string, { readonly steps: number; readonly withTarget: number }>();

  constructor(
    private readonly state: State,
    private readonly builder: OrderBuilder,
    clock: Clock,
    private readonly context: HeldOrdersContext,
    exitsWaitForNextBar: boolean,
  ) {
    this.#opens = new BarOpens(state.markets, exitsWaitForNextBar);
    this.book = new HeldBook(state.instruments, this.#opens, (held) => this.#venue.closable(held));
    builder.bars = this.#opens;
    this.judge = new HeldJudge(
      this.book,
      this.#opens,
      context,
      state.markets,
      (held, reason) => this.cancel(held, reason),
      // A position that its strategy is already closing is not closed twice. If that close fails, this order is sent after it.
      ({ request }) => !isGone(request, this.state) && !covered(request, this.state, this.book.leaving) && this.clears(request),
      (held) => this.#refresh(held),
    );
    this.planned = new PlannedExits(state);
    this.#legs = new ExitLegs(state, builder);
    this.#venue = new VenueLegs(state, builder, this.book, context, (held, steps) => this.#part(held, steps));
    const { book, judge, planned } = this;
    this.#ages = new AgeClock<HeldOrder>(
      clock,
      (instrument) => this.#opens.has(instrument),
      (held) => {
        judge.byClock(held);
        context.wake();
      },
    );
    this.#rearming = new Rearming({ state, builder, clock, book, judge, planned, context, opens: this.#opens, venue: this.#venue });
  }

  /** The engine runs. */
  start(): void {
    this.#rearming.start();
    // The venue has accepted it since the snapshot.
    for (const held of this.book.all()) {
      const { stage, recalled, request } = held;
      const isKnown = (this.state.openOrders.get(request.clientOrderId)?.orderId ?? '') !== '';
      if (stage === 'sent' && recalled === undefined && request.triggerTicks !== undefined && isKnown) this.#venue.takesOver(held);
    }
    this.#ages.start(this.book.all());
  }

  /**
   * Holds a stop or stop-limit order. In the engine it is compared with prices from the next one on, on bars from the next open;
   * if the venue has triggers, it is planned to wait there.
   */
  hold({ request, type, stopTicks }: Draft): HeldOrder {
    const atVenue = this.builder.triggersAtVenue(request.instrument);
    // At the venue its size is trimmed to the position: its link keeps the requested size.
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
      sleeping: this.#opens.waits(request, this.context.now()),
    });
    link?.legs.push(held);
    this.#keep(held);
    this.judge.atOpen(request.instrument, [held]);
    return held;
  }

  /**
   * Whether no order freezes the coins that a close on spot sells. Orders that do are canceled: a protective close
   * outranks every resting order.
   */
  clears(request: OrderRequest): boolean {
    const inWay = inTheWay(request, this.state, this.book.leaving);
    for (const { clientOrderId } of inWay) this.context.cancel(this.state.openOrders.get(clientOrderId)!, 'outranked');
    return inWay.length === 0;
  }

  /** Holds a close that is sent as soon as no order freezes its coins, in several orders if one may not have its size. */
  holdUntilClear({ request, type }: Draft): void {
    const held = waitingOrder({
      request,
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

  /** Whether another order takes the place of this one: an intent means that one. */
  isReplaced(clientOrderId: string): boolean {
    const held = this.book.find(clientOrderId);
    return held?.incoming !== undefined || held?.recalled === 'amended' || held?.recalled === 'linked';
  }

  /** The order, or the one that replaces it, if it waits for its price, in the engine or at the venue, and not for its cancel. */
  waiting(clientOrderId: string): HeldOrder | undefined {
    const found = this.book.find(clientOrderId);
    const held = found?.incoming ?? found;
    return held !== undefined && this.#venue.waits(held) && held.waitsForLink === false && held.rests !== true ? held : undefined;
  }

  /** Moves the trigger of a waiting order, and the limit of one that has both. A trailing stop goes on from there. */
  move(held: HeldOrder, ticks: number, priceTicks = held.isStop ? held.request.priceTicks : ticks): void {
    if (held.stage !== 'held') {
      this.#venue.move(held, ticks);
      return;
    }
    held.triggerTicks = ticks;
    held.request = { ...held.request, priceTicks };
    this.context.emit(submittedHeld(held, this.context.now(), true));
    this.judge.now(held);
  }

  /** Keeps the exits of an entry order until it fills. */
  plan(request: OrderRequest, exits: ExitTicks): void {
    this.planned.add(request, exits);
  }

  /** An order is sent again under another id, with the same exits. */
  replan(from: string, to: string): void {
    this.planned.copy(from, to);
  }

  /** Links exits for an existing position. */
  protect(arming: Arming): void {
    this.#arm(arming, '', this.#opens.waits({ ...arming, reduceOnly: true }, this.context.now()));
  }

  /** Matching has reached this price inside a bar; with a feed delay, it had. */
  atInstant({ instrument, priceTicks, sequence }: PriceInstant): void {
    this.#opens.noteInside(instrument, priceTicks);
    this.judge.at(instrument, priceTicks, priceTicks, sequence);
  }

  onFill(fill: Fill): void {
    this.#opens.filled(fill);
    this.#armByFill(fill);
    const leg = this.book.find(fill.clientOrderId);
    if (leg !== undefined) {
      leg.tries = 0;
      this.#venue.takesOver(leg);
    }
    if (leg?.link !== undefined) this.#shrink(leg.link, leg, fill.steps);
    this.#fitExits(fill);
    for (const { clientOrderId, instrument } of excessCloses(this.state, fill)) {
      if (this.book.find(clientOrderId) === undefined) this.context.cancelAtVenue(clientOrderId, instrument, 'linked');
    }
  }

  onAccepted(event: OrderAccepted): void {
    const held = this.book.find(event.clientOrderId);
    if (held?.stage === 'held' && !event.held) {
      // A run that the journal lost has sent it.
      this.book.release(held);
      held.stage = 'sent';
    }
    if (held?.atVenue !== true || held.stage !== 'sent') return;
    held.tries = 0;
    this.#venue.onAccepted(held);
  }

  /** A trigger that was to be canceled because the price had passed it has fired meanwhile. */
  onCancelRejected({ clientOrderId }: OrderEvent): void {
    const held = this.book.find(clientOrderId);
    if (held?.missed !== true) return;
    held.missed = undefined;
    if (held.recalled === 'untriggered') held.recalled = undefined;
  }

  /** An own order has ended. */
  onEnded(event: OrderEvent): void {
    this.#follow(event);
    // At the end of the run the venue ends all its orders: none is sent in their place.
    this.#isOver ||= refusalOf(event)?.code === 'endOfRun';
    if (!this.#isOver) this.judge.unblock();
  }

  #follow(event: OrderEvent): void {
    const leg = this.book.find(event.clientOrderId);
    if (leg === undefined) return;
    this.#rearming.forget(event.clientOrderId);
    const { incoming, outgoing } = leg;
    const refusal = refusalOf(event);
    // One that is being replaced is not placed again.
    if (incoming === undefined) {
      if (this.#refits(leg, event) || this.#comesLate(leg, event) || this.#rearming.lost(leg, event)) return;
      if (refusal !== undefined && this.#rearming.refused(leg, refusal.code)) return;
    }
    if (this.#goesOn(leg, event)) return;
    this.book.forget(leg);
    const { link } = leg;
    if (link === undefined || refusal?.code === 'endOfRun') return;
    // It was refused another trigger. Fills may have come meanwhile; one that was refused another size is not tried again before the next.
    if (outgoing !== undefined && outgoing.triggerTicks !== leg.triggerTicks) this.#venue.fit(outgoing);
    for (const other of [...link.legs]) {
      if (link.steps <= 0 || (refusal !== undefined && this.#venue.closable(other) === 0)) this.cancel(other, 'linked');
      else if (other.waitsForLink && other.stage === 'held') this.judge.trigger(other, other.triggerTicks);
    }
  }

  /** A resting order that was canceled is sent again, with the size that its position allows. @returns true if it is. */
  #refits(leg: HeldOrder, event: OrderEvent): boolean {
    const steps = Math.min(leg.link?.steps ?? 0, this.#venue.closable(leg));
    if (event.kind !== 'orderCanceled' || !leg.refits || steps <= 0) return false;
    this.#rearming.again(leg, steps);
    this.judge.now(leg);
    return true;
  }

  /** A trigger that the price had passed was canceled: the rest is reviewed again, and sent at once. @returns true if it is. */
  #comesLate(leg: HeldOrder, { kind, clientOrderId }: OrderEvent): boolean {
    const steps = this.state.order(clientOrderId)?.wantedSteps ?? 0;
    if (kind !== 'orderCanceled' || !leg.missed || leg.recalled !== 'untriggered' || steps <= 0) return false;
    this.#venue.renew(leg, steps);
    this.replan(clientOrderId, leg.request.clientOrderId);
    return true;
  }

  /**
   * One order could close only a part. That part has filled, and the position is not flat: the rest is sent
   * at once, at any price. @returns true if it is.
   */
  #goesOn(leg: HeldOrder, { kind, clientOrderId }: OrderEvent): boolean {
    const { request, link, stage, atVenue, rests, recalled } = leg;
    if (kind !== 'orderFilled' || stage !== 'sent' || atVenue || rests === true || recalled !== undefined) return false;
    if (!request.reduceOnly || request.steps === undefined) return false;
    const wanted = link?.steps ?? request.steps - (this.state.order(clientOrderId)?.filledSteps ?? 0);
    // An order with an unknown outcome may have closed steps: it is awaited.
    const hasUnknownSteps = unknownSteps(request, this.state) > 0;
    const steps = Math.min(wanted, hasUnknownSteps ? reducibleSteps(request, this.state) : uncoveredSteps(request, this.state));
    if (steps <= 0) return false;
    this.#rearming.again(leg, steps);
    this.judge.go(leg);
    return true;
  }

  /** An order that the engine was about to send was denied. */
  denied(held: HeldOrder, { code }: Denial): void {
    if (!this.#rearming.refused(held, code)) this.drop(held);
  }

  /** An exit that may not be sent alone joins another one of its position, and ends with its own linked legs. @returns false if there is none. */
  join({ link, request }: HeldOrder): boolean {
    if (link === undefined) return false;
    const { strategyId, instrument, side, positionSide } = request;
    const other = this.book.known(instrument).find(({ link: of, request: its, recalled, stage }) => {
      if (of === undefined || of === link || of.steps <= 0 || recalled !== undefined || stage === 'ended') return false;
      return its.strategyId === strategyId && its.side === side && its.positionSide === positionSide && its.reduceOnly;
    })?.link;
    if (other === undefined) return false;
    for (const leg of [...link.legs]) this.cancel(leg, 'linked');
    this.#resize(other, other.steps + link.steps);
    return true;
  }

  /** An exit that waits at the venue closes more than its own part of the position. */
  grow({ link }: HeldOrder, steps: number): void {
    if (link !== undefined) link.steps = steps;
  }

  /** An order that should wait at the venue may not: its linked legs alone protect the position, if there is one. */
  drop(held: HeldOrder): void {
    held.stage = 'ended';
    this.book.forget(held);
    for (const other of [...(held.link?.legs ?? [])]) if (this.#venue.closable(other) === 0) this.cancel(other, 'linked');
  }

  /** Cancels an order, wherever it waits, with the one that it replaces or that replaces it. What flattens ends or keeps each by itself. */
  cancel(held: HeldOrder, reason: CancelReason): void {
    if (held.stage === 'ended') return;
    const other = reason === 'killed' || reason === 'closing' || reason === 'riskLatch' ? undefined : (held.outgoing ?? held.incoming);
    if (other !== undefined) part(held);
    this.#cancelOne(held, reason);
    if (other !== undefined) this.cancel(other, reason);
  }

  #cancelOne(held: HeldOrder, reason: CancelReason): void {
    const { clientOrderId } = held.request;
    if (held.stage === 'sent') {
      this.#venue.recall(held, reason);
      return;
    }
    // One that waited in the engine before is known by its id.
    const isUnsent = held.stage === 'planned' && !this.state.openOrders.has(clientOrderId);
    held.stage = 'ended';
    if (isUnsent) this.book.forget(held);
    else this.book.release(held);
    if (!isUnsent) this.context.emit({ kind: 'orderCanceled', time: this.context.now(), clientOrderId, reason });
  }

  /** The run is over: held orders end, like orders at the venue. */
  expire(): void {
    for (const held of this.book.all()) {
      if (held.stage !== 'held') continue;
      const { clientOrderId } = held.request;
      held.stage = 'ended';
      this.book.release(held);
      this.context.emit({ kind: 'orderExpired', time: this.context.now(), clientOrderId, reason: 'endOfRun' });
    }
  }

  #arm(arming: Arming, entryId: string, sleeping: boolean): void {
    const legs = this.#parts(arming, entryId).flatMap((part) =>
      this.#venue.portions(part).flatMap((steps) => [...this.#legs.link({ ...part, steps }, entryId, sleeping).legs]),
    );
    this.#begin(legs);
    this.judge.atOpen(arming.instrument, legs);
  }

  /** A position whose target is for a part of it is two: one with the target and a stop, the other with the stop alone. */
  #parts(arming: Arming, entryId: string): Arming[] {
    const { exits, steps } = arming;
    const { profitShare, profitOffset: _, ...others } = exits;
    if (profitShare === undefined || profitShare >= 1) return [arming];
    const before = this.#targeted.get(entryId) ?? { steps: 0, withTarget: 0 };
    const all = before.steps + steps;
    // Over all fills of an entry, the part is rounded down once. A share such as 0.3 of 10 is 3, though doubles make less of it.
    const withTarget = Math.max(0, Math.floor(all * profitShare * (1 + Number.EPSILON)) - before.withTarget);
    if (this.#targeted.size >= TARGETED_KEPT)
      for (const oldest of [...this.#targeted.keys()].slice(0, TARGETED_KEPT / 2)) this.#targeted.delete(oldest);
    if (entryId !== '') this.#targeted.set(entryId, { steps: all, withTarget: before.withTarget + withTarget });
    const rest = { ...arming, steps: steps - withTarget, exits: { ...others, profitTicks: undefined } };
    return [{ ...arming, steps: withTarget }, rest].filter((part) => part.steps > 0);
  }

  #begin(legs: readonly HeldOrder[]): void {
    for (const held of legs) {
      this.#keep(held);
      if (held.atVenue) this.context.release(held);
      else if (held.rests) this.judge.now(held);
    }
  }

  /**
   * The limit of the size of one order is lower than when these legs were sent to wait at the venue: they are sent again in several
   * orders, each linked with its own part of the other legs. A triggered one is not changed.
   * @returns false if one order may have this size.
   */
  #part(held: HeldOrder, steps: number): boolean {
    const { link, request } = held;
    if (!held.atVenue || link === undefined) return false;
    const legs = link.legs.filter((leg) => leg === held || this.#venue.waits(leg));
    // A trailing one may have no trigger yet.
    const triggers = legs.map(({ triggerTicks }) => triggerTicks).filter((ticks) => ticks !== nowhere(request.side));
    const ticks = Math.max(0, ...triggers);
    if (ticks === 0) return false;
    const portions = this.#venue.slices({ ...request, priceTicks: undefined, steps }, ticks);
    if (portions.length < 2) return false;
    const parts = portions.flatMap((portion) => {
      const part: Link = { ...link, legs: [], steps: portion };
      part.legs.push(...legs.map((leg) => waitingOrder({ ...leg, request: this.builder.renewed(leg.request, portion), link: part })));
      return part.legs;
    });
    link.legs.splice(0, link.legs.length, ...link.legs.filter((leg) => !legs.includes(leg)));
    for (const leg of legs) this.cancel(leg, 'linked');
    this.#begin(parts);
    return true;
  }

  /**
   * A futures stop keeps its client id while it is held. A run that the journal has lost may have sent it: in a new era of ids it is
   * sent under another one. On spot the id is looked up at the exchange, and an order under it is that stop.
   */
  #refresh(held: HeldOrder): void {
    const { request } = held;
    const { clientOrderId, instrument, steps } = request;
    if (instrument.contract === undefined || steps === undefined || !this.builder.isOutdated(request)) return;
    this.book.rename(held, this.builder.renewed(request, steps));
    this.replan(clientOrderId, held.request.clientOrderId);
    this.context.emit({ kind: 'orderCanceled', time: this.context.now(), clientOrderId, reason: 'linked' });
    reportHeld(held, this.context);
  }

  #keep(held: HeldOrder): void {
    if (held.atVenue) {
      this.book.know(held);
      return;
    }
    this.book.add(held);
    reportHeld(held, this.context);
    this.#ages.watch(held);
  }

  /** A fill of an entry joins the exits of its earlier fills if they are compared with prices from the same moment; else it has its own. */
  #armByFill(fill: Fill): void {
    const planned = this.planned.onFill(fill);
    if (planned === undefined) return;
    const { instrument, strategyId, clientOrderId, positionSide, tag } = fill;
    const sleeping = this.#opens.exitsOf(fill, this.context.now());
    const entry = this.state.order(clientOrderId)?.request;
    const arming = {
      instrument,
      strategyId,
      side: opposite(fill.side),
      positionSide,
      tag,
      ref: entry?.ref,
      group: entry?.group,
      fromTicks: fill.priceTicks,
      since: fill.pricedSequence,
      ...planned,
    };
    const armed = this.book.known(instrument).find(({ link }) => {
      if (link?.entryId !== clientOrderId || !mayGrow(link, sleeping)) return false;
      if (this.#venue.portions({ ...arming, steps: link.steps + planned.steps }).length > 1) return false;
      return link.fromTicks === undefined || link.fromTicks === fill.priceTicks;
    })?.link;
    if (armed !== undefined && planned.exits.profitShare === undefined) this.#resize(armed, armed.steps + planned.steps);
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
      if (leg.stage === 'held') this.context.emit(submittedHeld(leg, this.context.now(), true));
      if (leg.stage === 'sent' && (leg.atVenue || leg.rests)) this.#venue.fit(leg);
    }
  }

  /** A strategy's exits may close only its present position: nothing if that is flat or has changed sides. */
  #fitExits({ instrument, strategyId, clientOrderId }: Fill): void {
    for (const held of this.book.known(instrument)) {
      const { request } = held;
      if (!request.reduceOnly || request.strategyId !== strategyId || request.clientOrderId === clientOrderId) continue;
      if (this.#venue.closable(held) === 0) this.cancel(held, 'linked');
      else if (held.stage === 'sent' && (held.atVenue || held.rests)) this.#venue.fit(held);
    }
  }
}
