import type { AccountEvent, OrderDenied } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { AmendOrder, CancelOrders, Intent, LockSymbol, PlaceOrder, Protect } from '../../model/intents.ts';
import { type OrderRequest, opposite } from '../../model/order.ts';
import { type CancelReason, type Denial, withDetails } from '../../model/reasons.ts';
import { trails } from '../../model/trail.ts';
import type { ReviewTerms, RiskGate } from '../../risk/gate.ts';
import { closesNow, restingOnSide } from '../../risk/measures.ts';
import { type Author, instrumentKnown } from '../../risk/rules/instrument-known.ts';
import { onStep } from '../../risk/rules/tick-and-step.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import { type ExitTicks, firstStop, type HeldOrder, isRelative } from '../held/held-order.ts';
import type { HeldOrders } from '../held/held-orders.ts';
import { wrongAnswer } from '../strategies/strategy-host.ts';
import type { TimerBook } from '../strategies/timer-book.ts';
import type { Amendments } from './amendments.ts';
import { AtomicGroups } from './atomic-groups.ts';
import { explained, withGiven } from './denial-details.ts';
import { hasMinimum, LeastSize, shrinks } from './least-size.ts';
import { movedTicks, notWaiting } from './moved-stops.ts';
import { brokenSide, type Draft, type OrderBuilder, sideOfOrder } from './order-builder.ts';
import type { Outbox } from './outbox.ts';
import { type PositionIntent, positionOrders } from './position-orders.ts';
import { expectedTicks, legsOf, wrongStop } from './stop-side.ts';

interface ReviewerParts {
  readonly state: State;
  readonly gate: RiskGate;
  readonly builder: OrderBuilder;
  readonly held: HeldOrders;
  readonly outbox: Outbox;
  readonly timers: TimerBook;
  readonly amendments: Amendments;
  emit(event: AccountEvent): void;
  now(): number;
  /** See `RULES_VERSION`; the newest by default. */
  readonly rules?: number | undefined;
  /** Whether a kill ends the order: all except those by which the engine closes positions. */
  ended(request: OrderRequest): boolean;
  /** Locks symbols of a strategy. */
  lock(strategyId: string, which: LockSymbol): void;
  /** Submits an intent in the name of a strategy. */
  submit(strategyId: string, intent: Intent): void;
  /** Writes to the log of a strategy. */
  warn(strategyId: string, message: string): void;
}

/** A side of a position, by the order that closes it. */
type Closing = Pick<OrderRequest, 'instrument' | 'strategyId' | 'positionSide' | 'side'>;

/**
 * Takes one intent at a time through drafting and risk to its destination: venue, engine, or refusal. Long because every kind of intent
 * takes the same steps.
 */
export class Reviewer {
  /** The number of `protect` of each strategy that found nothing to protect. */
  readonly idleProtects = new Map<string, number>();

  readonly leastSize: LeastSize;
  readonly groups: AtomicGroups;

  constructor(private readonly parts: ReviewerParts) {
    this.leastSize = new LeastSize(parts);
    this.groups = new AtomicGroups({
      state: parts.state,
      place: (...leg) => this.#place(...leg),
      cancel: (clientOrderId, instrument) => this.#cancelLeg(clientOrderId, instrument),
      submit: (...intent) => parts.submit(...intent),
      warn: (...line) => parts.warn(...line),
    });
  }

  review(intent: Intent, author: Author, sequence: number): void {
    switch (intent.kind) {
      case 'place':
        this.#refuse(this.#placed(intent, author, sequence), intent, author);
        return;
      case 'protect':
        this.#refuse(this.#protect(intent, author), intent, author);
        return;
      case 'closePosition':
      case 'sellAll':
      case 'target':
        this.#changePosition(intent, author, sequence);
        return;
      case 'cancel':
        this.#cancelMatching(intent, author.id);
        return;
      case 'amend':
        if (!this.#moved(intent, author)) this.parts.amendments.amend(intent, author, sequence);
        return;
      case 'setTimer':
        this.parts.timers.set(author.id, intent);
        return;
      case 'cancelTimer':
        this.parts.timers.cancel(author.id, intent.name);
        return;
      case 'lock':
        this.#lock(intent, author);
        return;
      default:
        intent satisfies never;
        throw new TypeError(`an intent has a kind, as place(), cancel() and the others make it, not ${JSON.stringify(intent)}`);
    }
  }

  /** Sends a triggered order, or one that will wait at the venue, if risk approves it. */
  release(held: HeldOrder, decidedSequence: number): void {
    if (this.parts.ended(held.request)) {
      this.parts.held.cancel(held, 'killed');
      return;
    }
    // It may have been canceled between the trigger and this review.
    if (held.stage === 'triggered') this.#releaseTriggered(held, decidedSequence);
    else if (held.stage === 'planned') this.#denyHeld(this.#sendTrigger(held, decidedSequence), held);
  }

  /** Sends the replacement of an amended order, if risk approves it. */
  sendReplacement(request: OrderRequest, type: Order['type'], stopLossTicks: number | undefined): Denial | undefined {
    return this.#send(request, type, undefined, { stopLossTicks });
  }

  /** Cancels an open order wherever it is: not sent yet, held, or at the venue. */
  cancel(order: Order, reason: CancelReason): void {
    const { held, amendments } = this.parts;
    const { clientOrderId, instrument } = order;
    amendments.drop(order, reason);
    const kept = held.book.find(clientOrderId);
    // It is not sent again.
    if (kept !== undefined) kept.missed = undefined;
    if (order.cancelRequested) return;
    if (kept !== undefined) held.cancel(kept, reason);
    else this.cancelAtVenue(clientOrderId, instrument, reason);
  }

  /** Cancels an order that was sent or is about to be. */
  cancelAtVenue(clientOrderId: string, instrument: Instrument, reason: CancelReason): void {
    const { outbox, emit, now } = this.parts;
    const time = now();
    if (outbox.withdraw(clientOrderId)) emit({ kind: 'orderCanceled', time, clientOrderId, reason });
    else if (outbox.cancel({ clientOrderId, instrument, reason })) emit({ kind: 'cancelSubmitted', time, clientOrderId });
  }

  #lock(intent: LockSymbol, { id, symbols }: Author): void {
    const { symbol } = intent;
    if (symbol !== undefined && !symbols.includes(symbol)) throw wrongAnswer(`lock: "${symbol}" is not a symbol of this strategy`);
    this.parts.lock(id, intent);
  }

  #cancelLeg(clientOrderId: string, instrument: Instrument): void {
    const { held } = this.parts;
    const kept = held.book.find(clientOrderId);
    if (kept === undefined) this.cancelAtVenue(clientOrderId, instrument, 'linked');
    else held.cancel(kept, 'linked');
  }

  #placed(intent: PlaceOrder, author: Author, sequence: number): Denial | undefined {
    const { atomic = false } = intent;
    return atomic === false ? this.#place(intent, author, sequence) : this.groups.place(intent, author, sequence);
  }

  /** @param made receives the request before it is sent or held. */
  #place(intent: PlaceOrder, author: Author, sequence: number, made?: (request: OrderRequest) => void): Denial | undefined {
    const { builder, gate, held, now } = this.parts;
    const draft = builder.draft(intent, author, sequence);
    if ('code' in draft) return draft;
    const { type, stopTicks, exits } = draft;
    const request = this.#withRest(draft);
    made?.(request);
    const wrong = exits && this.#wrongStop(exits, request, stopTicks);
    if (wrong !== undefined) return wrong;
    const { lastTicks } = this.parts.state.market(request.instrument);
    const stopLossTicks =
      exits === undefined ? undefined : firstStop(exits, opposite(request.side), request.priceTicks ?? stopTicks ?? lastTicks);
    if (stopTicks === undefined && closesNow(request) && (!held.clears(request) || gate.slice(request) < (request.steps ?? 0))) {
      held.holdUntilClear({ ...draft, request });
      return undefined;
    }
    if (stopTicks !== undefined && request.reduceOnly && builder.triggersAtVenue(request.instrument)) {
      const most = gate.slice(request, stopTicks);
      if (most < (request.steps ?? 0)) {
        const rest = { ...intent, quantity: request.instrument.step.toText(request.steps! - most) };
        return (
          this.#place({ ...intent, quantity: request.instrument.step.toText(most) }, author, sequence) ??
          this.#place(rest, author, sequence)
        );
      }
    }
    if (stopTicks === undefined || builder.triggersAtVenue(request.instrument)) {
      const stop = stopTicks === undefined ? undefined : held.hold(draft);
      const denied =
        stop === undefined ? this.#send(request, type, undefined, { stopLossTicks }) : this.#sendTrigger(stop, sequence, stopLossTicks);
      // Its strategy can submit a refused intent again.
      if (denied !== undefined && stop !== undefined) held.drop(stop);
      if (denied === undefined && exits !== undefined) held.plan(request, exits);
      return denied;
    }
    const verdict = gate.review(request, now(), 'hold', { marketTicks: stopTicks, stopLossTicks });
    if ('denied' in verdict) return explained(verdict.denied, request, this.parts.state);
    if (exits !== undefined) held.plan(request, exits);
    held.hold(draft);
    return undefined;
  }

  /** A close of the strategy that would leave too little for an order takes all. */
  #withRest({ request, stopTicks }: Draft): OrderRequest {
    const { state } = this.parts;
    if (stopTicks !== undefined || !hasMinimum(request) || !shrinks(request, state)) return request;
    return this.leastSize.withRest(request, state.market(request.instrument).lastTicks);
  }

  #releaseTriggered(held: HeldOrder, decidedSequence: number): void {
    const { state, builder, gate, outbox } = this.parts;
    const { metTicks } = held;
    const { sequence } = state.market(held.request.instrument);
    const trimmed = builder.sendable({ ...held.request, released: true, decidedSequence, seenSequence: sequence }, metTicks);
    const whole = this.leastSize.exit(held, trimmed, metTicks);
    if (whole === undefined) return;
    const request = closesNow(whole) && whole.steps !== undefined ? { ...whole, steps: gate.slice(whole, metTicks) } : whole;
    const verdict = gate.review(request, this.parts.now(), 'send', {
      marketTicks: metTicks,
      stopLossTicks: this.parts.held.planned.stopOf(request, metTicks),
    });
    if ('denied' in verdict) {
      this.#denyHeld(explained(verdict.denied, request, state), held);
      return;
    }
    held.stage = 'sent';
    this.#makeRoom(request, { marketTicks: metTicks });
    this.#submitted(request, held.type, held.isStop ? held.triggerTicks : undefined, true);
    outbox.order(verdict.approved);
  }

  /** Sends a stop or an exit to wait at the venue. */
  #sendTrigger(held: HeldOrder, decidedSequence: number, stopLossTicks?: number): Denial | undefined {
    const { builder, state } = this.parts;
    const { triggerTicks, rising, sleeping, type, isStop } = held;
    const { sequence } = state.market(held.request.instrument);
    const trimmed = builder.trigger({ ...held.request, decidedSequence, seenSequence: sequence }, triggerTicks, rising, sleeping);
    const request = this.leastSize.exit(held, trimmed, triggerTicks);
    if (request === undefined) return undefined;
    if (request.steps !== trimmed.steps) this.parts.held.grow(held, request.steps!);
    const marketTicks = request.triggerTicks;
    const denied = this.#send(request, type, isStop ? triggerTicks : undefined, { marketTicks, stopLossTicks });
    if (denied !== undefined) return denied;
    held.request = request;
    held.stage = 'sent';
    return undefined;
  }

  #send(request: OrderRequest, type: Order['type'], stopTicks: number | undefined, terms: ReviewTerms = {}): Denial | undefined {
    const { state, gate, outbox, now } = this.parts;
    const verdict = gate.review(request, now(), 'send', terms);
    if ('denied' in verdict) return explained(verdict.denied, request, state);
    this.#makeRoom(request, terms);
    // An order that was held after a refusal is in the state already.
    this.#submitted(request, type, stopTicks, state.openOrders.has(request.clientOrderId));
    outbox.order(verdict.approved);
    return undefined;
  }

  /** A close outranks resting orders of its side: if both could break a limit, the resting ones are canceled. */
  #makeRoom(request: OrderRequest, terms: ReviewTerms): void {
    const { state, gate, now } = this.parts;
    if (!closesNow(request) || state.openOrders.size === 0) return;
    const resting = restingOnSide(request, state);
    if (resting.length === 0 || !gate.crowds(request, now(), terms)) return;
    for (const { clientOrderId } of resting) this.cancel(state.openOrders.get(clientOrderId)!, 'outranked');
  }

  #protect(intent: Protect, author: Author): Denial | undefined {
    const { builder, held, state } = this.parts;
    const instrument = builder.instrument(intent.symbol);
    const unknown = instrumentKnown(intent.symbol, instrument, author);
    if (unknown !== undefined || instrument === undefined) return unknown;
    const rule = brokenSide(intent.side);
    if (rule !== undefined) return { code: 'orderInvalid', rule };
    const steps = onStep(instrument, intent.quantity);
    if (typeof steps === 'object') return steps;
    const { positionSide } = sideOfOrder({ ...intent, reduceOnly: true }, state.books.get(author.id)!.sides(instrument));
    const exits = this.#protection(intent, instrument, { strategyId: author.id, positionSide });
    if ('code' in exits) return exits;
    const fromTicks = state.market(instrument).lastTicks;
    if ((trails(exits) || isRelative(exits)) && Number.isNaN(fromTicks)) return { code: 'noMarketPrice', symbol: intent.symbol };
    this.#reportIdle(intent, { instrument, strategyId: author.id, side: intent.side, positionSide });
    held.protect({
      instrument,
      strategyId: author.id,
      side: intent.side,
      positionSide,
      steps,
      exits,
      fromTicks,
      fromTime: this.parts.now(),
      tag: intent.tag ?? '',
      ref: intent.ref,
      group: intent.group,
    });
    return undefined;
  }

  /** A `protect` of no position waits for one, unless an order that opens it is on its way: counted, and logged once. */
  #reportIdle({ kind, symbol }: Protect, { instrument, strategyId, side, positionSide }: Closing): void {
    const { state, warn } = this.parts;
    const steps = state.books.get(strategyId)?.position(instrument, positionSide).steps ?? 0;
    const opens = ({ strategyId: id, instrument: of, request }: Order) =>
      id === strategyId && of === instrument && request.side !== side && request.positionSide === positionSide && !request.reduceOnly;
    if ((side === 'sell' ? steps : -steps) > 0 || [...state.openOrders.values()].some(opens)) return;
    const before = this.idleProtects.get(strategyId) ?? 0;
    this.idleProtects.set(strategyId, before + 1);
    if (before === 0)
      warn(strategyId, `${kind}: ${symbol} has no position that a ${side} closes, and no order opens one: the exits wait for one`);
  }

  /** The exits of a position. If one of two is wrong, its denial is reported, and the other one remains. */
  #protection(intent: Protect, instrument: Instrument, of: Pick<OrderRequest, 'strategyId' | 'positionSide'>): ExitTicks | Denial {
    const { builder, rules } = this.parts;
    const { side } = intent;
    if (rules !== undefined && rules < 2) return builder.exits(instrument, side, intent);
    const { stop, profit } = legsOf(intent);
    const legs = builder.exits(instrument, side, stop ?? intent);
    const wrong = 'code' in legs ? undefined : wrongStop(legs, { instrument }, side, builder.triggerPrice({ instrument, side }));
    if (wrong !== undefined) this.#reportUnprotected({ instrument, side, ...of }, wrong.code);
    const stops = wrong ?? legs;
    if (stop === undefined || profit === undefined) return stops;
    const profits = builder.exits(instrument, side, profit);
    const [bad, good, kept] = 'code' in stops ? [stops, profits, 'takeProfit'] : [profits, stops, 'stopLoss'];
    if (!('code' in bad)) return builder.exits(instrument, side, intent);
    if ('code' in good) return bad;
    const leg = kept === 'takeProfit' ? 'stopLoss' : 'takeProfit';
    this.#refuse(withDetails(bad, { field: leg, kept }), intent, { id: of.strategyId });
    return good;
  }

  /** The stop of a position was refused: reports that it has none, unless another one is open. */
  #reportUnprotected({ instrument, strategyId, positionSide, side }: Closing, code: Denial['code']): void {
    const { state, emit, now } = this.parts;
    const isItsStop = (order: Order) =>
      order.strategyId === strategyId && order.instrument === instrument && order.positionSide === positionSide && order.side === side;
    const steps = state.books.get(strategyId)?.position(instrument, positionSide).steps ?? 0;
    if (steps === 0 || [...state.openOrders.values()].some((order) => order.stopTicks !== undefined && isItsStop(order))) return;
    emit({ kind: 'exitRefused', time: now(), strategyId, instrument, positionSide, exit: 'stop', code });
  }

  /** Why the stop of an order that opens is wrong. */
  #wrongStop(exits: ExitTicks, request: OrderRequest, stopTicks: number | undefined): Denial | undefined {
    const { rules, builder } = this.parts;
    if (exits.stopTicks === undefined || (rules !== undefined && rules < 2)) return undefined;
    const side = opposite(request.side);
    const { instrument } = request;
    return wrongStop(exits, request, side, expectedTicks(request, stopTicks, builder.triggerPrice({ instrument, side })));
  }

  /** Moves a stop or an exit that waits. @returns false if the intent names another order. */
  #moved(intent: AmendOrder, { id }: Author): boolean {
    const { state, held } = this.parts;
    const { clientOrderId, ref, stopPrice } = intent;
    const isMeant = (order: Order) => (clientOrderId === undefined ? order.request.ref === ref : order.clientOrderId === clientOrderId);
    const found = [...state.openOrders.values()].filter((one) => one.strategyId === id && isMeant(one));
    const going = found.filter((one) => !held.isReplaced(one.clientOrderId));
    const [order, ...others] = going.length > 0 ? going : found;
    if (order === undefined) return false;
    const waiting = others.length === 0 ? held.waiting(order.clientOrderId) : undefined;
    if (waiting === undefined && stopPrice === undefined) return false;
    const denial = waiting === undefined ? notWaiting(others.length + 1) : this.#move(waiting, intent);
    if (denial !== undefined) this.#deny(withDetails(denial, { amends: order.clientOrderId }), order.request);
    return true;
  }

  #move(waiting: HeldOrder, intent: AmendOrder): Denial | undefined {
    const { builder, held } = this.parts;
    const to = movedTicks(waiting, intent, builder.triggerPrice(waiting.request));
    if ('code' in to) return to;
    held.move(waiting, to.ticks, to.priceTicks);
    return undefined;
  }

  #changePosition(intent: PositionIntent, author: Author, sequence: number): void {
    const orders = positionOrders(intent, author, this.parts.state);
    if ('code' in orders) this.#refuse(orders, intent, author);
    else for (const order of orders) this.#refuse(this.#place(order, author, sequence), order, author);
  }

  #cancelMatching(intent: CancelOrders, strategyId: string): void {
    const { clientOrderId, symbol, tag, ref, group } = intent;
    let found = false;
    for (const order of [...this.parts.state.openOrders.values()]) {
      if (order.strategyId !== strategyId) continue;
      if (clientOrderId !== undefined && order.clientOrderId !== clientOrderId) continue;
      if (symbol !== undefined && order.symbol !== symbol) continue;
      if (tag !== undefined && order.tag !== tag) continue;
      if (ref !== undefined && order.request.ref !== ref) continue;
      if (group !== undefined && order.request.group !== group) continue;
      found = true;
      this.cancel(order, 'requested');
    }
    // An order that has just ended is no mistake of the strategy; an order that never existed is.
    if (!found && clientOrderId !== undefined && this.parts.state.order(clientOrderId) === undefined) {
      this.#denied(
        { code: 'orderUnknown', clientOrderId },
        { strategyId, symbol: symbol ?? '', tag: tag ?? '', ref, group, clientOrderId: '' },
      );
    }
  }

  #submitted(request: OrderRequest, type: Order['type'], stopTicks: number | undefined, again: boolean): void {
    const { clientOrderId } = request;
    this.parts.emit({ kind: 'orderSubmitted', time: this.parts.now(), clientOrderId, request, type, stopTicks, again });
  }

  /** An intent that never became an order. */
  #refuse(denial: Denial | undefined, intent: PlaceOrder | Protect | PositionIntent, { id }: Pick<Author, 'id'>): void {
    const { symbol, tag = '', ref, group } = intent;
    const side = 'side' in intent ? intent.side : undefined;
    const known = intent.kind === 'place' || intent.kind === 'protect' ? denial && withGiven(denial, intent) : denial;
    if (known !== undefined) this.#denied(known, { strategyId: id, symbol, side, tag, ref, group, clientOrderId: '' });
  }

  /** An order made by the engine itself; with an id, one that is in the state. */
  #deny(denial: Denial | undefined, { strategyId, instrument, side, tag, ref, group }: OrderRequest, clientOrderId = ''): void {
    if (denial !== undefined) this.#denied(denial, { strategyId, symbol: instrument.symbol, side, tag, ref, group, clientOrderId });
  }

  /** A held order, or one about to be sent: one in the state ends by the denial, and that decides what happens to it. */
  #denyHeld(denial: Denial | undefined, held: HeldOrder): void {
    if (denial === undefined) return;
    const { clientOrderId } = held.request;
    const known = this.parts.state.openOrders.has(clientOrderId);
    if (known) held.stage = 'ended';
    this.#deny(denial, held.request, known ? clientOrderId : '');
    if (!known) this.parts.held.denied(held, denial);
  }

  #denied(reason: Denial, { ref, group, ...of }: Omit<OrderDenied, 'kind' | 'time' | 'reason'>): void {
    const names = { ...of, ...(ref !== undefined && { ref }), ...(group !== undefined && { group }) };
    this.parts.emit({ kind: 'orderDenied', time: this.parts.now(), ...names, reason });
  }
}
