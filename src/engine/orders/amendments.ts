import type { AccountEvent, OrderDenied, OrderEvent } from '../../model/account-events.ts';
import type { AmendOrder } from '../../model/intents.ts';
import type { OrderRequest } from '../../model/order.ts';
import { type CancelReason, type Denial, withDetails } from '../../model/reasons.ts';
import type { RiskGate } from '../../risk/gate.ts';
import type { Author } from '../../risk/rules/instrument-known.ts';
import { onStep, onTick } from '../../risk/rules/tick-and-step.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import type { HeldOrders } from '../held/held-orders.ts';
import { explained } from './denial-details.ts';
import { named, type OrderBuilder } from './order-builder.ts';

/** A change of an order, in exact units. It waits until the cancel of the order is confirmed. */
export interface Amendment {
  readonly clientOrderId: string;
  /** `undefined`: the price of the order. */
  readonly priceTicks: number | undefined;
  /** The new total, with everything that filled; `undefined`: the rest of the order. */
  readonly totalSteps: number | undefined;
}

interface AmendmentsParts {
  readonly state: State;
  readonly gate: RiskGate;
  readonly builder: OrderBuilder;
  readonly held: HeldOrders;
  emit(event: AccountEvent): void;
  now(): number;
  /** Cancels an open order, with whatever waits for its end. */
  cancel(order: Order, reason: CancelReason): void;
  /** Sends a cancel again. */
  cancelAtVenue(order: Order): void;
  /** Sends an order if risk approves it. */
  send(request: OrderRequest, type: Order['type'], stopLossTicks: number | undefined): Denial | undefined;
  /** The old order has ended: its replacement is reviewed. */
  queue(amended: Order, amendment: Amendment): void;
}

/**
 * Changes of orders at a venue that cannot change them. The order is canceled; its replacement goes through risk when the venue
 * confirms the cancel, with the total less everything that filled before. A fill of the whole order that comes first wins. Every other
 * cancel of the order removes the replacement.
 */
export class Amendments {
  readonly #pending = new Map<string, Amendment>();
  /** Those of an earlier run: their replacements are not sent, because prices have moved meanwhile. */
  #earlier: readonly Amendment[] = [];
  #stopped = false;

  constructor(private readonly parts: AmendmentsParts) {}

  /** The changes that wait, in the form that `restore` reads; `undefined` if there is none. */
  get waiting(): readonly Amendment[] | undefined {
    const all = [...this.#earlier, ...this.#pending.values()];
    return all.length === 0 ? undefined : all;
  }

  restore(earlier: readonly Amendment[]): void {
    this.#earlier = earlier;
  }

  /** The strategies have started: reports the replacements that an earlier run did not send. */
  start(): void {
    const { state } = this.parts;
    for (const { clientOrderId } of this.#earlier) {
      const order = state.order(clientOrderId);
      if (order !== undefined && state.books.has(order.strategyId)) this.#dropped(order, 'restarted');
    }
    this.#earlier = [];
  }

  /** The run stops: no replacement is sent any more. */
  stop(): void {
    this.#stopped = true;
    for (const clientOrderId of [...this.#pending.keys()]) this.drop(this.parts.state.openOrders.get(clientOrderId)!, 'stopping');
  }

  amend(intent: AmendOrder, author: Author, sequence: number): void {
    const order = this.#find(intent, author);
    if (!('request' in order)) {
      const { clientOrderId = '', ref } = intent;
      const ended = this.parts.state.order(clientOrderId);
      if (ended !== undefined && ended.strategyId === author.id) this.#deny(ended, order);
      else this.#denied(order, { strategyId: author.id, symbol: '', tag: '', ref });
      return;
    }
    const denial = this.#change(order, intent, sequence);
    if (denial !== undefined) this.#deny(order, withDetails(denial, { amends: order.clientOrderId }));
  }

  /** Sends the replacement of an order that has ended, if anything is left and risk approves it. */
  replace(order: Order, amendment: Amendment, decidedSequence: number): void {
    const steps = stepsLeft(order, amendment);
    if (this.#stopped || steps <= 0) {
      this.#dropped(order, this.#stopped ? 'stopping' : 'filled');
      return;
    }
    const { builder, held, send } = this.parts;
    const request = builder.replacement(order.request, this.#terms(order, amendment, decidedSequence));
    const denial = send(request, order.type, this.#stopOf(order, request));
    if (denial === undefined) held.replan(order.clientOrderId, request.clientOrderId);
    else this.#deny(order, withDetails(denial, { amends: order.clientOrderId }));
  }

  /** Something else cancels the order: its replacement is not sent. */
  drop(order: Order, reason: CancelReason | 'cancelRejected'): void {
    if (this.#pending.delete(order.clientOrderId)) this.#dropped(order, reason);
  }

  /** Called for every event of an order, after the state has it. */
  onEvent(event: OrderEvent, order: Order, over: boolean): void {
    if (event.kind === 'orderFilled' && order.replacedBy !== '') this.#shrink(order);
    if (this.#pending.size === 0) return;
    const amendment = this.#pending.get(event.clientOrderId);
    if (amendment === undefined) return;
    if (over) {
      this.#pending.delete(event.clientOrderId);
      // The venue reports `requested` if it has forgotten the reason. Any other end of the order says itself that it is over.
      const ours = event.kind === 'orderCanceled' && (event.reason === 'amended' || event.reason === 'requested');
      if (ours) this.parts.queue(order, amendment);
    } else if (event.kind === 'cancelRejected') {
      // Without the venue's id, the cancel overtook the order: it is sent again when the order has arrived.
      if (order.orderId !== '') this.drop(order, 'cancelRejected');
    } else if (event.kind === 'orderAccepted' && !order.cancelRequested) this.parts.cancelAtVenue(order);
  }

  /** A fill of an order came after its replacement was sent: the order at the end of the chain is too large by it. */
  #shrink({ replacedBy }: Order): void {
    const { state, cancel } = this.parts;
    let last = state.order(replacedBy);
    for (let next = last; next !== undefined; next = state.order(next.replacedBy)) last = next;
    if (last === undefined || !state.openOrders.has(last.clientOrderId)) return;
    const { clientOrderId, cancelRequested } = last;
    // A change that waits already counts this fill when it is sent.
    if (this.#stopped || cancelRequested || this.#pending.has(clientOrderId)) return;
    cancel(last, 'amended');
    this.#pending.set(clientOrderId, { clientOrderId, priceTicks: undefined, totalSteps: undefined });
  }

  #change(order: Order, { price, quantity }: AmendOrder, sequence: number): Denial | undefined {
    const { cancel } = this.parts;
    const { clientOrderId, instrument, request } = order;
    const priceTicks = price === undefined ? undefined : named('price', onTick(instrument, order.side, price));
    if (typeof priceTicks === 'object') return priceTicks;
    const totalSteps = quantity === undefined ? undefined : onStep(instrument, quantity);
    if (typeof totalSteps === 'object') return totalSteps;
    const before = this.#pending.get(clientOrderId);
    const amendment: Amendment = {
      clientOrderId,
      priceTicks: priceTicks ?? before?.priceTicks,
      totalSteps: totalSteps ?? before?.totalSteps,
    };
    const steps = stepsLeft(order, amendment);
    const same = (amendment.priceTicks ?? request.priceTicks) === request.priceTicks && steps === order.remainingSteps;
    if (before === undefined && same) return undefined;
    const denial = steps <= 0 ? undefined : this.#estimate(order, amendment, sequence);
    if (denial !== undefined) return denial;
    if (before === undefined) cancel(order, 'amended');
    this.#pending.set(clientOrderId, amendment);
    return undefined;
  }

  /** Whether risk would approve the replacement if it took the place of the order now. */
  #estimate(order: Order, amendment: Amendment, sequence: number): Denial | undefined {
    const { builder, gate, state, now } = this.parts;
    const request = builder.replacement(order.request, this.#terms(order, amendment, sequence), order.clientOrderId);
    const verdict = gate.review(request, now(), 'hold', { stopLossTicks: this.#stopOf(order, request) });
    return 'denied' in verdict ? explained(verdict.denied, request, state) : undefined;
  }

  #terms(order: Order, amendment: Amendment, decidedSequence: number) {
    const { request } = order;
    return {
      priceTicks: amendment.priceTicks ?? request.priceTicks,
      steps: stepsLeft(order, amendment),
      filledBefore: order.filledInAll,
      decidedSequence,
    };
  }

  #stopOf({ clientOrderId }: Order, request: OrderRequest): number | undefined {
    const { held, state } = this.parts;
    return held.planned.stopOf({ ...request, clientOrderId }, state.market(request.instrument).lastTicks);
  }

  /** The order to change, or the reason why there is none. */
  #find({ clientOrderId, ref }: AmendOrder, { id }: Author): Order | Denial {
    const { state, held } = this.parts;
    const own = [...state.openOrders.values()].filter(
      (order) =>
        order.strategyId === id && (clientOrderId === undefined ? order.request.ref === ref : order.clientOrderId === clientOrderId),
    );
    const goesOn = (order: Order) => !order.cancelRequested || this.#pending.has(order.clientOrderId);
    const going = own.filter(goesOn);
    if (going.length > 1)
      return { code: 'orderInvalid', rule: `amend changes one order, and ${going.length} are open with the ref "${ref}"` };
    const order = going[0] ?? own[0] ?? (clientOrderId === undefined ? undefined : state.order(clientOrderId));
    if (order === undefined || order.strategyId !== id) return { code: 'orderUnknown', clientOrderId: clientOrderId ?? '' };
    if (going.length === 0) return { code: 'amendDropped', clientOrderId: order.clientOrderId, reason: order.status };
    const rests = order.type === 'limit' && order.request.steps !== undefined && held.book.find(order.clientOrderId) === undefined;
    return rests ? order : { code: 'orderInvalid', rule: 'amend is for limit orders that rest at the exchange, and not for exits' };
  }

  #dropped(order: Order, reason: string): void {
    this.#deny(order, { code: 'amendDropped', clientOrderId: order.clientOrderId, reason });
  }

  #deny({ strategyId, symbol, side, tag, request: { ref, group } }: Order, denial: Denial): void {
    this.#denied(denial, { strategyId, symbol, side, tag, ref, group });
  }

  /** Never with the id of an order: a denial with an id ends that order. */
  #denied(reason: Denial, { ref, group, ...of }: Omit<OrderDenied, 'kind' | 'time' | 'reason' | 'clientOrderId'>): void {
    const { emit, now } = this.parts;
    emit({
      kind: 'orderDenied',
      time: now(),
      clientOrderId: '',
      ...of,
      ...(ref !== undefined && { ref }),
      ...(group !== undefined && { group }),
      reason,
    });
  }
}

/** Steps of the replacement, as far as fills are known: the total less all that filled of the order and of those that it replaces. */
function stepsLeft(order: Order, { totalSteps }: Amendment): number {
  return totalSteps === undefined ? order.wantedSteps : totalSteps - order.filledInAll;
}
