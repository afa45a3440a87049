import type { Instrument } from '../model/instrument.ts';
import type { CancelOrders, Intent, PlaceOrder, Protect } from '../model/intents.ts';
import type { OrderRequest } from '../model/order.ts';
import type { AccountEvent } from '../model/order-events.ts';
import type { CancelReason, Denial } from '../model/reasons.ts';
import type { RiskGate } from '../risk/gate.ts';
import { instrumentKnown } from '../risk/rules/instrument-known.ts';
import { onStep } from '../risk/rules/tick-and-step.ts';
import type { Order } from '../state/order.ts';
import type { State } from '../state/state.ts';
import type { HeldDesk } from './held-desk.ts';
import type { HeldOrder } from './held-order.ts';
import { type Author, brokenSide, type OrderDesk } from './order-desk.ts';
import type { Outbox } from './outbox.ts';
import type { TimerBook } from './timer-book.ts';

export interface ReviewerParts {
  readonly state: State;
  readonly gate: RiskGate;
  readonly desk: OrderDesk;
  readonly held: HeldDesk;
  readonly outbox: Outbox;
  readonly timers: TimerBook;
  emit(event: AccountEvent): void;
  now(): number;
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

  /** A held order's trigger was reached: it goes out as a plain order, if risk still agrees. */
  release(held: HeldOrder, decidedSequence: number): void {
    const { state, desk, gate, outbox } = this.parts;
    const { metTicks, stage } = held;
    // It may have been taken back between the trigger and this review.
    if (stage !== 'triggered') return;
    const { sequence } = state.market(held.request.instrument);
    const request = desk.sendable({ ...held.request, released: true, decidedSequence, seenSequence: sequence }, metTicks);
    const verdict = gate.review(request, this.parts.now(), 'send', metTicks);
    if ('denied' in verdict) {
      held.stage = 'ended';
      this.#deny(verdict.denied, request.strategyId, request.instrument.symbol, request.tag, request.clientOrderId);
      return;
    }
    held.stage = 'sent';
    this.#submitted(request, held.type, held.isStop ? held.triggerTicks : undefined, true);
    outbox.order(verdict.approved);
  }

  /** Cancels an open order wherever it is: not sent yet, held, or at the venue. */
  cancel(order: Order, reason: 'requested' | 'riskLatch'): void {
    const { held, outbox, now, emit } = this.parts;
    const { clientOrderId, instrument } = order;
    const time = now();
    const kept = held.book.find(clientOrderId);
    if (kept !== undefined && kept.stage !== 'sent') held.cancel(kept, reason);
    else if (outbox.withdraw(clientOrderId)) emit({ kind: 'orderCanceled', time, clientOrderId, reason });
    else this.cancelAtVenue(clientOrderId, instrument, reason);
  }

  cancelAtVenue(clientOrderId: string, instrument: Instrument, reason: CancelReason): void {
    const { outbox, emit, now } = this.parts;
    if (outbox.cancel({ clientOrderId, instrument, reason })) emit({ kind: 'cancelSubmitted', time: now(), clientOrderId });
  }

  #place(intent: PlaceOrder, author: Author, sequence: number): Denial | undefined {
    const { desk, gate, held, outbox, now } = this.parts;
    const draft = desk.draft(intent, author, sequence);
    if ('code' in draft) return draft;
    const { request, type, stopTicks, exits } = draft;
    const verdict = gate.review(request, now(), stopTicks === undefined ? 'send' : 'hold', stopTicks);
    if ('denied' in verdict) return verdict.denied;
    if (exits !== undefined) held.plan(request, exits);
    if (stopTicks !== undefined) {
      held.hold(draft);
    } else {
      this.#submitted(request, type, undefined, false);
      outbox.order(verdict.approved);
    }
    return undefined;
  }

  #protect(intent: Protect, author: Author): Denial | undefined {
    const { desk, held } = this.parts;
    const instrument = desk.instrument(intent.symbol);
    const unknown = instrumentKnown(intent.symbol, instrument, author.id, author.symbols);
    if (unknown !== undefined || instrument === undefined) return unknown;
    const rule = brokenSide(intent.side);
    if (rule !== undefined) return { code: 'orderInvalid', rule };
    const steps = onStep(instrument, intent.quantity);
    if (typeof steps === 'object') return steps;
    const exits = desk.exits(instrument, intent.side, intent);
    if ('code' in exits) return exits;
    held.protect({ instrument, strategyId: author.id, side: intent.side, steps, exits, tag: intent.tag ?? '' });
    return undefined;
  }

  #cancelMatching(intent: CancelOrders, strategyId: string): void {
    const { clientOrderId, symbol, tag } = intent;
    let found = false;
    for (const order of [...this.parts.state.openOrders.values()]) {
      if (order.strategyId !== strategyId || order.cancelRequested) continue;
      if (clientOrderId !== undefined && order.clientOrderId !== clientOrderId) continue;
      if (symbol !== undefined && order.symbol !== symbol) continue;
      if (tag !== undefined && order.tag !== tag) continue;
      found = true;
      this.cancel(order, 'requested');
    }
    // An order that has just ended is no mistake of the strategy; one that never was is.
    if (!found && clientOrderId !== undefined && this.parts.state.order(clientOrderId) === undefined) {
      this.#deny({ code: 'orderUnknown', clientOrderId }, strategyId, symbol ?? '', tag ?? '');
    }
  }

  #submitted(request: OrderRequest, type: Order['type'], stopTicks: number | undefined, again: boolean): void {
    const { clientOrderId } = request;
    this.parts.emit({ kind: 'orderSubmitted', time: this.parts.now(), clientOrderId, request, type, stopTicks, again });
  }

  /** An intent that never became an order. */
  #refuse(denial: Denial | undefined, { symbol, tag }: PlaceOrder | Protect, { id }: Author): void {
    if (denial !== undefined) this.#deny(denial, id, symbol, tag ?? '');
  }

  #deny(reason: Denial, strategyId: string, symbol: string, tag: string, clientOrderId = ''): void {
    this.parts.emit({ kind: 'orderDenied', time: this.parts.now(), clientOrderId, strategyId, symbol, tag, reason });
  }
}
