import type { CancelOrders, Intent, PlaceOrder, Protect } from '../model/intents.ts';
import type { Instrument } from '../model/instrument.ts';
import { opposite, type OrderRequest, type Side } from '../model/order.ts';
import type { AccountEvent } from '../model/order-events.ts';
import type { Denial } from '../model/reasons.ts';
import type { RiskGate } from '../risk/gate.ts';
import { instrumentKnown } from '../risk/rules/instrument-known.ts';
import { onStep, onTick } from '../risk/rules/tick-and-step.ts';
import type { Order } from '../state/order.ts';
import type { State } from '../state/state.ts';
import type { ExitTicks, HeldDesk } from './held-desk.ts';
import type { HeldOrder } from './held-order.ts';
import type { Author, Draft, OrderDesk } from './order-desk.ts';
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
        this.#place(intent, author, sequence);
        return;
      case 'protect':
        this.#protect(intent, author);
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
    const { clientOrderId, instrument } = held.request;
    if (!state.openOrders.has(clientOrderId)) return;
    const { sequence } = state.market(instrument);
    const request = desk.sendable({ ...held.request, released: true, decidedSequence, seenSequence: sequence });
    const verdict = gate.review(request, this.parts.now(), 'send');
    if ('denied' in verdict) {
      this.#deny(verdict.denied, request.strategyId, instrument.symbol, request.tag, clientOrderId);
      return;
    }
    this.#submitted(request, held.type, held.isStop ? held.triggerTicks : undefined, true);
    outbox.order(verdict.approved);
  }

  /** Cancels an open order wherever it is: not sent yet, held, or at the venue. */
  cancel(order: Order, reason: 'requested' | 'riskLatch'): void {
    const { held, outbox, now, emit } = this.parts;
    const { clientOrderId, instrument } = order;
    const time = now();
    const kept = held.book.find(clientOrderId);
    if (kept !== undefined && !kept.released) held.cancel(kept, reason);
    else if (outbox.withdraw(clientOrderId)) emit({ kind: 'orderCanceled', time, clientOrderId, reason });
    else this.cancelAtVenue(clientOrderId, instrument);
  }

  cancelAtVenue(clientOrderId: string, instrument: Instrument): void {
    this.parts.emit({ kind: 'cancelSubmitted', time: this.parts.now(), clientOrderId });
    this.parts.outbox.cancel({ clientOrderId, instrument });
  }

  #place(intent: PlaceOrder, author: Author, sequence: number): void {
    const { desk, gate, held, outbox } = this.parts;
    const draft = desk.draft(intent, author, sequence);
    const exits = 'code' in draft || intent.exits === undefined ? undefined : exitTicks(draft.request.instrument, opposite(intent.side), intent.exits);
    const broken = 'code' in draft ? draft : exits !== undefined && 'code' in exits ? exits : undefined;
    if (broken !== undefined || 'code' in draft) {
      this.#deny(broken!, author.id, intent.symbol, intent.tag ?? '');
      return;
    }
    const { request } = draft;
    const verdict = gate.review(judged(draft), this.parts.now(), draft.stopTicks === undefined ? 'send' : 'hold');
    if ('denied' in verdict) {
      this.#deny(verdict.denied, author.id, intent.symbol, request.tag);
      return;
    }
    if (exits !== undefined && !('code' in exits)) held.plan(request, exits);
    if (draft.stopTicks !== undefined) {
      held.hold(draft);
      return;
    }
    this.#submitted(request, draft.type, undefined, false);
    outbox.order(verdict.approved);
  }

  #protect(intent: Protect, author: Author): void {
    const { desk, held } = this.parts;
    const instrument = desk.instrument(intent.symbol);
    const refuse = (denial: Denial) => this.#deny(denial, author.id, intent.symbol, intent.tag ?? '');
    const unknown = instrumentKnown(intent.symbol, instrument, author.id, author.symbols);
    if (unknown !== undefined || instrument === undefined) return refuse(unknown!);
    const steps = onStep(instrument, intent.quantity);
    if (typeof steps === 'object') return refuse(steps);
    const exits = exitTicks(instrument, intent.side, intent);
    if ('code' in exits) return refuse(exits);
    held.arm(instrument, author.id, intent.side, steps, exits, intent.tag ?? '');
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

  #deny(reason: Denial, strategyId: string, symbol: string, tag: string, clientOrderId = ''): void {
    this.parts.emit({ kind: 'orderDenied', time: this.parts.now(), clientOrderId, strategyId, symbol, tag, reason });
  }
}

/** A stop is judged at its trigger price, which is where it will trade if it does. */
function judged({ request, stopTicks }: Draft): OrderRequest {
  return stopTicks === undefined || request.priceTicks !== undefined ? request : { ...request, priceTicks: stopTicks };
}

function exitTicks(
  instrument: Instrument,
  side: Side,
  exits: { readonly stopLoss?: number | string | undefined; readonly takeProfit?: number | string | undefined },
): ExitTicks | Denial {
  const { stopLoss, takeProfit } = exits;
  if (stopLoss === undefined && takeProfit === undefined) return { code: 'orderInvalid', rule: 'exits name a stopLoss, a takeProfit or both' };
  const stopTicks = stopLoss === undefined ? undefined : onTick(instrument, side, stopLoss);
  if (typeof stopTicks === 'object') return stopTicks;
  const profitTicks = takeProfit === undefined ? undefined : onTick(instrument, side, takeProfit);
  if (typeof profitTicks === 'object') return profitTicks;
  return { stopTicks, profitTicks };
}
