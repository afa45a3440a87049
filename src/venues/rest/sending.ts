import type { Permit } from '../../exchange/client/weight-budget.ts';
import type { OperationName } from '../../exchange/operations/operation-table.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { OrderLife } from '../reconcile/order-life.ts';
import type { TrackedOrder } from '../reconcile/order-record.ts';
import { RECONCILE_DEFAULTS, type VenueContext } from '../reconcile/settings.ts';
import type { ListedGrids } from './listed-grids.ts';
import {
  cancelUrgency,
  exchangeError,
  JournaledRequest,
  type QueuedRequest,
  type RequestQueue,
  rejectionOf,
  tooLate,
  urgencyOf,
} from './request-queue.ts';
import type { SendingSettings } from './trading.ts';

/** Wait before a cancel is sent again that was not sent for lack of weight or connection. */
const AGAIN_MS = 1_000;

/** A request as one half of the exchange takes it, and what its reply says. */
export interface WireRequest<R> {
  readonly body: unknown;
  /** @param leaves called at the moment of sending. @throws ExchangeError. */
  send(leaves: () => void, permit: Permit | undefined): Promise<{ readonly reply: unknown; readonly says: R }>;
}

/** The part of a reply about one of the orders that it places: its id, or why it was refused. `undefined`: nothing. */
export type Placed = { readonly orderId: string } | { readonly refused: Rejection } | undefined;

/** The content of the reply to a cancel. */
export interface CancelReply {
  readonly isTaken: boolean;
  /** Set if the reply proves that the exchange has the order. */
  readonly orderId?: string | undefined;
}

/** How one half of the exchange places and cancels orders. */
export interface OrderWire {
  /** The request that places the order. @param together the orders of its submission, all of one symbol. */
  placing(order: OrderRequest, together: readonly OrderRequest[]): { readonly operation: OperationName; readonly most: number };
  /** @param orders of one symbol, at most `most` of the operation. */
  place(operation: OperationName, orders: readonly OrderRequest[]): WireRequest<(clientOrderId: string) => Placed>;
  readonly cancelOperation: OperationName;
  /** @param orderId empty: not known. */
  cancel(order: OrderRequest, orderId: string): WireRequest<CancelReply>;
  /** A better reason for a refusal, by what else the exchange shows. */
  explain?(order: OrderRequest, reason: Rejection): Promise<Rejection>;
}

interface SendingOutlets extends Pick<ListedGrids, 'explain'> {
  /** A cancel has been answered. */
  canceled?(order: TrackedOrder): void;
}

/**
 * Sends the requests that change orders. Each is journaled before it is sent, is sent once, and its reply changes the orders that it
 * names.
 */
export class Sending {
  constructor(
    private readonly wire: OrderWire,
    private readonly queue: RequestQueue,
    private readonly life: OrderLife,
    private readonly context: VenueContext,
    private readonly outlets: SendingOutlets,
    private readonly settings: SendingSettings = RECONCILE_DEFAULTS,
  ) {}

  /** Places the orders of one submission, of one symbol. */
  place(orders: readonly TrackedOrder[]): void {
    const requests = orders.map(({ request }) => request);
    for (const order of orders) {
      const { request } = order;
      const urgency = (this.settings.urgencyOf ?? urgencyOf)(request);
      const { operation, most } = this.wire.placing(request, requests);
      this.queue.add({
        operation,
        urgency,
        order,
        places: true,
        ...(most > 1 && { batch: { submission: orders, key: request.instrument.symbol, most } }),
        send: (together, permit) => this.#place(operation, together, permit),
        late: (_, waitedMs) => {
          this.life.rejected(order, tooLate(waitedMs, urgency === 'opens', this.settings));
          this.context.settled();
        },
      });
    }
  }

  cancel(order: TrackedOrder): void {
    this.#add(
      order,
      () => order.alive && order.pendingCancel !== undefined,
      (permit) => this.#cancel(order, permit),
    );
  }

  /** Cancels an order that the engine has as ended and the exchange has as open. */
  takeBack(order: TrackedOrder): void {
    const { clientOrderId } = order;
    this.context.log.warn(`order ${clientOrderId} counted as ended and is open at the exchange: it is canceled`, { clientOrderId });
    this.#add(order, undefined, async (permit) => {
      try {
        const { isTaken } = await this.#ask(order, permit);
        if (!isTaken) order.isIdDoubted = true;
      } catch (error) {
        // The journal has it. Rethrows an error that is no failure of the exchange.
        exchangeError(error);
      }
    });
  }

  #add(order: TrackedOrder, isNeeded: QueuedRequest['isNeeded'], send: (permit: Permit | undefined) => Promise<void>): void {
    const item = { operation: this.wire.cancelOperation, urgency: cancelUrgency(order), order, places: false };
    this.queue.add({ ...item, ...(isNeeded && { isNeeded }), send: (_, permit) => send(permit) });
  }

  async #place(operation: OperationName, orders: readonly TrackedOrder[], permit: Permit | undefined): Promise<void> {
    const requests = orders.map(({ request }) => request);
    const { body, send } = this.wire.place(operation, requests);
    const ids = orders.map(({ clientOrderId }) => clientOrderId);
    const request = new JournaledRequest(this.context, operation, ids, body);
    try {
      const { reply, says } = await send(request.leaves, permit);
      request.replied('answered', reply);
      for (const order of orders) {
        const placed = says(order.clientOrderId);
        if (placed === undefined) this.life.outcomeUnknown(order, true);
        else if ('orderId' in placed) this.life.accepted(order, placed.orderId);
        else await this.#refused([order], placed.refused, false);
      }
    } catch (error) {
      const failure = exchangeError(error);
      request.replied(failure.outcome, failure.message);
      if (failure.outcome === 'unknown') for (const order of orders) this.life.outcomeUnknown(order, false);
      else await this.#refused(orders, rejectionOf(failure), failure.outcome === 'rejected');
    } finally {
      this.context.settled();
    }
  }

  /** @param isWhole the whole request was refused, perhaps by something in front of the exchange. */
  async #refused(orders: readonly TrackedOrder[], rejection: Rejection, isWhole: boolean): Promise<void> {
    const reason = await this.outlets.explain(
      orders.map(({ request }) => request),
      rejection,
    );
    for (const order of orders) {
      const explained = (await this.wire.explain?.(order.request, reason)) ?? reason;
      if (order.phase !== 'sending') continue;
      if (isWhole) this.life.refused(order, explained);
      else this.life.rejected(order, explained);
    }
  }

  async #cancel(order: TrackedOrder, permit: Permit | undefined): Promise<void> {
    if (!order.alive || order.pendingCancel === undefined) return;
    try {
      const { isTaken } = await this.#ask(order, permit);
      this.life.cancelAnswered(order, isTaken ? 'taken' : 'refused');
      this.life.lookIn(order, 0);
      this.outlets.canceled?.(order);
    } catch (error) {
      const failure = exchangeError(error);
      if (failure.outcome === 'unknown') this.life.cancelAnswered(order, 'unclear');
      else if (failure.retryable) this.#again(order);
      else this.life.cancelAnswered(order, 'refused');
      this.life.lookIn(order, AGAIN_MS);
    } finally {
      this.context.settled();
    }
  }

  /** @throws ExchangeError, which has been journaled. */
  async #ask(order: TrackedOrder, permit: Permit | undefined): Promise<CancelReply> {
    const { orderId, clientOrderId, isIdDoubted } = order;
    const { body, send } = this.wire.cancel(order.request, isIdDoubted ? '' : orderId);
    const request = new JournaledRequest(this.context, this.wire.cancelOperation, [clientOrderId], body);
    const { reply, says } = await send(request.leaves, permit).catch((error: unknown) => {
      const failure = exchangeError(error);
      request.replied(failure.outcome, failure.message);
      throw failure;
    });
    request.replied('answered', reply);
    // The exchange has the order, whether or not it canceled it.
    if (says.orderId !== undefined) this.life.accepted(order, says.orderId);
    return says;
  }

  /** The cancel was not sent. It is still needed. */
  #again(order: TrackedOrder): void {
    const { clock } = this.context;
    clock.schedule(clock.now() + AGAIN_MS, () => this.cancel(order));
  }
}
