import type { AccountEvent, OrderDenied } from '../../model/account-events.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { CancelOrders, Intent, PlaceOrder, Protect } from '../../model/intents.ts';
import { type OrderRequest, opposite } from '../../model/order.ts';
import type { CancelReason, Denial } from '../../model/reasons.ts';
import { trails } from '../../model/trail.ts';
import type { ReviewTerms, RiskGate } from '../../risk/gate.ts';
import { closesNow, restingBeside } from '../../risk/measures.ts';
import { instrumentKnown } from '../../risk/rules/instrument-known.ts';
import { onStep } from '../../risk/rules/tick-and-step.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import type { HeldDesk } from '../held/held-desk.ts';
import { firstStop, type HeldOrder, isRelative } from '../held/held-order.ts';
import type { TriggerTimeouts } from '../held/trigger-timeouts.ts';
import type { TimerBook } from '../strategies/timer-book.ts';
import { type Author, brokenSide, type OrderDesk, sideOfOrder } from './order-desk.ts';
import type { Outbox } from './outbox.ts';

interface ReviewerParts {
  readonly state: State;
  readonly gate: RiskGate;
  readonly desk: OrderDesk;
  readonly held: HeldDesk;
  readonly outbox: Outbox;
  readonly timers: TimerBook;
  readonly timeouts: TriggerTimeouts;
  emit(event: AccountEvent): void;
  now(): number;
  /** Whether a kill ends the order: all but those by which the engine closes positions. */
  ended(request: OrderRequest): boolean;
}

/** Takes one intent at a time through drafting and risk to where it belongs: venue, engine, or refusal. */
export class Reviewer {
  constructor(private readonly parts: ReviewerParts) {}

  review(intent: Intent, author: Author, sequence: number): void {
    switch (intent.kind) {
      case 'place':
        this.#refuse(this.#place(intent, author, sequence), intent, author);
        return;
      case 'protect':
        this.#refuse(this.#protect(intent, author), intent, author);
        return;
      case 'cancel':
        this.#cancelMatching(intent, author.id);
        return;
      case 'setTimer':
        this.parts.timers.set(author.id, intent);
        return;
      case 'cancelTimer':
        this.parts.timers.cancel(author.id, intent.name);
        return;
      default:
        intent satisfies never;
        throw new TypeError(`an intent has a kind, as place(), cancel() and the others make it, not ${JSON.stringify(intent)}`);
    }
  }

  /** An order that waited here, or is to wait at the venue, goes out if risk agrees. */
  release(held: HeldOrder, decidedSequence: number): void {
    if (this.parts.ended(held.request)) {
      this.parts.held.cancel(held, 'killed');
      return;
    }
    // It may have been taken back between the trigger and this review.
    if (held.stage === 'triggered' || held.stage === 'renewed') this.#releaseTriggered(held, decidedSequence);
    else if (held.stage === 'planned') this.#denyHeld(this.#sendTrigger(held, decidedSequence), held);
  }

  /** What is left of a plain order that went out as a trigger and did not fire, at the last price of now. */
  replace({ request, type, stopTicks }: Order, steps: number, decidedSequence: number): void {
    const { desk, held, state } = this.parts;
    const seenSequence = state.market(request.instrument).sequence;
    const renewed = desk.atLast({ ...desk.renewed(request, steps), decidedSequence, seenSequence });
    held.replan(request.clientOrderId, renewed.clientOrderId);
    const stopLossTicks = held.planned.stopOf(renewed, state.market(renewed.instrument).lastTicks);
    this.#deny(this.#send(renewed, type, stopTicks, { stopLossTicks }), renewed);
  }

  /** Cancels an open order wherever it is: not sent yet, held, or at the venue. */
  cancel(order: Order, reason: CancelReason): void {
    const { held, timeouts } = this.parts;
    const { clientOrderId, instrument } = order;
    timeouts.forget(clientOrderId);
    if (order.cancelRequested) return;
    const kept = held.book.find(clientOrderId);
    if (kept !== undefined) held.cancel(kept, reason);
    else this.cancelAtVenue(clientOrderId, instrument, reason);
  }

  /** Takes back what was sent, or is about to be. */
  cancelAtVenue(clientOrderId: string, instrument: Instrument, reason: CancelReason): void {
    const { outbox, emit, now } = this.parts;
    const time = now();
    if (outbox.withdraw(clientOrderId)) emit({ kind: 'orderCanceled', time, clientOrderId, reason });
    else if (outbox.cancel({ clientOrderId, instrument, reason })) emit({ kind: 'cancelSubmitted', time, clientOrderId });
  }

  #place(intent: PlaceOrder, author: Author, sequence: number): Denial | undefined {
    const { desk, gate, held, now } = this.parts;
    const draft = desk.draft(intent, author, sequence);
    if ('code' in draft) return draft;
    const { request, type, stopTicks, exits } = draft;
    const { lastTicks } = this.parts.state.market(request.instrument);
    const stopLossTicks =
      exits === undefined ? undefined : firstStop(exits, opposite(request.side), request.priceTicks ?? stopTicks ?? lastTicks);
    if (stopTicks === undefined && closesNow(request) && (!held.clears(request) || gate.slice(request) < (request.steps ?? 0))) {
      held.holdUntilClear(draft);
      return undefined;
    }
    if (stopTicks !== undefined && request.reduceOnly && desk.triggersAtVenue(request.instrument)) {
      const most = gate.slice(request, stopTicks);
      if (most < (request.steps ?? 0)) {
        const rest = { ...intent, quantity: request.instrument.step.toText(request.steps! - most) };
        return (
          this.#place({ ...intent, quantity: request.instrument.step.toText(most) }, author, sequence) ??
          this.#place(rest, author, sequence)
        );
      }
    }
    if (stopTicks === undefined || desk.triggersAtVenue(request.instrument)) {
      const stop = stopTicks === undefined ? undefined : held.hold(draft);
      const denied =
        stop === undefined ? this.#send(request, type, undefined, { stopLossTicks }) : this.#sendTrigger(stop, sequence, stopLossTicks);
      // Refused as an intent, it is its strategy's to ask for again.
      if (denied !== undefined && stop !== undefined) held.drop(stop);
      if (denied === undefined && exits !== undefined) held.plan(request, exits);
      return denied;
    }
    const verdict = gate.review(request, now(), 'hold', { marketTicks: stopTicks, stopLossTicks });
    if ('denied' in verdict) return verdict.denied;
    if (exits !== undefined) held.plan(request, exits);
    held.hold(draft);
    return undefined;
  }

  #releaseTriggered(held: HeldOrder, decidedSequence: number): void {
    const { state, desk, gate, outbox, timeouts } = this.parts;
    const { metTicks } = held;
    const { clientOrderId } = held.request;
    // Not known: it went out under another id, and did not fire.
    const again = state.openOrders.has(clientOrderId);
    const { sequence } = state.market(held.request.instrument);
    const whole = desk.sendable({ ...held.request, released: true, decidedSequence, seenSequence: sequence }, metTicks);
    const request = closesNow(whole) && whole.steps !== undefined ? { ...whole, steps: gate.slice(whole, metTicks) } : whole;
    const verdict = gate.review(request, this.parts.now(), 'send', {
      marketTicks: metTicks,
      stopLossTicks: this.parts.held.planned.stopOf(request, metTicks),
    });
    if ('denied' in verdict) {
      this.#denyHeld(verdict.denied, held);
      return;
    }
    held.stage = 'sent';
    this.#makeRoom(request, { marketTicks: metTicks });
    this.#submitted(request, held.type, held.isStop ? held.triggerTicks : undefined, again);
    outbox.order(verdict.approved);
    if (request.atLast) timeouts.watch(clientOrderId);
  }

  /** Sends a stop or an exit to wait at the venue. */
  #sendTrigger(held: HeldOrder, decidedSequence: number, stopLossTicks?: number): Denial | undefined {
    const { desk, state } = this.parts;
    const { triggerTicks, rising, sleeping, type, isStop } = held;
    const { sequence } = state.market(held.request.instrument);
    const request = desk.trigger({ ...held.request, decidedSequence, seenSequence: sequence }, triggerTicks, rising, sleeping);
    const marketTicks = request.atLast ? undefined : triggerTicks;
    const denied = this.#send(request, type, isStop ? triggerTicks : undefined, { marketTicks, stopLossTicks });
    if (denied !== undefined) return denied;
    held.request = request;
    held.stage = 'sent';
    return undefined;
  }

  #send(request: OrderRequest, type: Order['type'], stopTicks: number | undefined, terms: ReviewTerms = {}): Denial | undefined {
    const { state, gate, outbox, timeouts, now } = this.parts;
    const verdict = gate.review(request, now(), 'send', terms);
    if ('denied' in verdict) return verdict.denied;
    this.#makeRoom(request, terms);
    // One that waited here after a refusal is known already.
    this.#submitted(request, type, stopTicks, state.openOrders.has(request.clientOrderId));
    outbox.order(verdict.approved);
    if (request.atLast && !request.fromNextBar) timeouts.watch(request.clientOrderId);
    return undefined;
  }

  /** A close outranks what rests on its side: where both could break a limit, what rests is canceled. */
  #makeRoom(request: OrderRequest, terms: ReviewTerms): void {
    const { state, gate, now } = this.parts;
    if (!closesNow(request) || state.openOrders.size === 0) return;
    const resting = restingBeside(request, state);
    if (resting.length === 0 || !gate.crowds(request, now(), terms)) return;
    for (const { clientOrderId } of resting) this.cancel(state.openOrders.get(clientOrderId)!, 'outranked');
  }

  #protect(intent: Protect, author: Author): Denial | undefined {
    const { desk, held, state } = this.parts;
    const instrument = desk.instrument(intent.symbol);
    const unknown = instrumentKnown(intent.symbol, instrument, author.id, author.symbols);
    if (unknown !== undefined || instrument === undefined) return unknown;
    const rule = brokenSide(intent.side);
    if (rule !== undefined) return { code: 'orderInvalid', rule };
    const steps = onStep(instrument, intent.quantity);
    if (typeof steps === 'object') return steps;
    const exits = desk.exits(instrument, intent.side, intent);
    if ('code' in exits) return exits;
    const { positionSide } = sideOfOrder({ ...intent, reduceOnly: true }, state.books.get(author.id)!.sides(instrument));
    const fromTicks = state.market(instrument).lastTicks;
    if ((trails(exits) || isRelative(exits)) && Number.isNaN(fromTicks)) return { code: 'noMarketPrice', symbol: intent.symbol };
    held.protect({ instrument, strategyId: author.id, side: intent.side, positionSide, steps, exits, fromTicks, tag: intent.tag ?? '' });
    return undefined;
  }

  #cancelMatching(intent: CancelOrders, strategyId: string): void {
    const { clientOrderId, symbol, tag } = intent;
    let found = false;
    for (const order of [...this.parts.state.openOrders.values()]) {
      if (order.strategyId !== strategyId) continue;
      if (clientOrderId !== undefined && order.clientOrderId !== clientOrderId) continue;
      if (symbol !== undefined && order.symbol !== symbol) continue;
      if (tag !== undefined && order.tag !== tag) continue;
      found = true;
      this.cancel(order, 'requested');
    }
    // An order that has just ended is no mistake of the strategy; one that never was is.
    if (!found && clientOrderId !== undefined && this.parts.state.order(clientOrderId) === undefined) {
      this.#denied({ code: 'orderUnknown', clientOrderId }, { strategyId, symbol: symbol ?? '', tag: tag ?? '', clientOrderId: '' });
    }
  }

  #submitted(request: OrderRequest, type: Order['type'], stopTicks: number | undefined, again: boolean): void {
    const { clientOrderId } = request;
    this.parts.emit({ kind: 'orderSubmitted', time: this.parts.now(), clientOrderId, request, type, stopTicks, again });
  }

  /** An intent that never became an order. */
  #refuse(denial: Denial | undefined, { symbol, side, tag = '' }: PlaceOrder | Protect, { id }: Author): void {
    if (denial !== undefined) this.#denied(denial, { strategyId: id, symbol, side, tag, clientOrderId: '' });
  }

  /** An order that the engine made itself; with an id, one that is known. */
  #deny(denial: Denial | undefined, { strategyId, instrument, side, tag }: OrderRequest, clientOrderId = ''): void {
    if (denial !== undefined) this.#denied(denial, { strategyId, symbol: instrument.symbol, side, tag, clientOrderId });
  }

  /** What the engine held, or was to send: one that is known ends by the denial, and what becomes of it follows that. */
  #denyHeld(denial: Denial | undefined, held: HeldOrder): void {
    if (denial === undefined) return;
    const { clientOrderId } = held.request;
    const known = this.parts.state.openOrders.has(clientOrderId);
    if (known) held.stage = 'ended';
    this.#deny(denial, held.request, known ? clientOrderId : '');
    if (!known) this.parts.held.denied(held, denial);
  }

  #denied(reason: Denial, of: Pick<OrderDenied, 'clientOrderId' | 'strategyId' | 'symbol' | 'side' | 'tag'>): void {
    this.parts.emit({ kind: 'orderDenied', time: this.parts.now(), ...of, reason });
  }
}
