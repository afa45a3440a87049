import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors/exchange-error.ts';
import { batchEntry } from '../../../exchange/mapping/order-requests.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Rejection } from '../../../model/reasons.ts';
import { JournaledRequest } from '../journaled-request.ts';
import type { OrderLife } from '../order-life.ts';
import type { Outlets } from '../outlets.ts';
import type { SendLane } from '../send-lane.ts';
import type { TrackedOrder } from '../tracked-order.ts';

/** How long a cancel that was not taken for want of weight or connection waits before it is sent. */
const AGAIN_MS = 1_000;

/** The requests that act on spot orders: each leaves once, is in the journal before, and its answer moves what it names. */
export class SpotSending {
  constructor(
    private readonly client: Pick<ExchangeClient, 'batchOrders' | 'cancelOrder'>,
    private readonly lane: SendLane,
    private readonly life: OrderLife,
    private readonly outlets: Outlets,
  ) {}

  /** Orders of one symbol, in one batch. */
  place(orders: readonly TrackedOrder[]): void {
    this.lane.add(() => this.#place(orders));
  }

  cancel(order: TrackedOrder): void {
    this.lane.add(() => this.#cancel(order));
  }

  async #place(orders: readonly TrackedOrder[]): Promise<void> {
    const ids = orders.map(({ clientOrderId }) => clientOrderId);
    const symbol = wireSymbol(orders[0]!.request.instrument.symbol);
    const orderList = orders.map(({ request }) => batchEntry(request));
    const request = new JournaledRequest(this.outlets, 'batchOrders', ids, { symbol, orderList });
    try {
      const { resultList } = await this.client.batchOrders({ symbol, orderList }, request.leaves);
      request.replied('answered', resultList);
      for (const order of orders) {
        const result = resultList.find(({ clientOrderId }) => clientOrderId === order.clientOrderId);
        if (result === undefined) this.life.doubted(order, true);
        else this.life.accepted(order, result.orderId);
      }
    } catch (error) {
      const failure = exchangeError(error);
      request.replied(failure.outcome, failure.message);
      for (const order of orders) {
        if (failure.outcome === 'unknown') this.life.doubted(order, false);
        else if (order.phase === 'sending') this.life.rejected(order, rejectionOf(failure));
      }
    } finally {
      this.outlets.settled();
    }
  }

  async #cancel(order: TrackedOrder): Promise<void> {
    const { orderId, clientOrderId } = order;
    if (!order.alive || order.wish === undefined) return;
    const symbol = wireSymbol(order.request.instrument.symbol);
    const id = orderId === '' ? { clientOid: clientOrderId } : { orderId };
    const request = new JournaledRequest(this.outlets, 'cancelOrder', [clientOrderId], { symbol, ...id });
    try {
      const { result, err_msg: message } = await this.client.cancelOrder({ symbol, ...id }, request.leaves);
      request.replied('answered', { result, message });
      this.life.cancelHeard(order, result ? 'taken' : 'refused');
      this.life.lookIn(order, 0);
    } catch (error) {
      const failure = exchangeError(error);
      request.replied(failure.outcome, failure.message);
      if (failure.outcome === 'unknown') this.life.cancelHeard(order, 'doubtful');
      else if (failure.retryable) this.#again(order);
      else this.life.cancelHeard(order, 'refused');
      this.life.lookIn(order, AGAIN_MS);
    } finally {
      this.outlets.settled();
    }
  }

  /** Nothing was done, and the order has to go. */
  #again(order: TrackedOrder): void {
    const { clock } = this.outlets;
    clock.schedule(clock.now() + AGAIN_MS, () => this.cancel(order));
  }
}

/** @throws what is no failure of the exchange: a bug, or keys that cannot sign. */
export function exchangeError(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  throw error instanceof TidegateError
    ? error
    : new TidegateError('INVARIANT_BROKEN', `a call failed in a way of its own: ${String(error)}`);
}

/** The engine goes by the code alone: what may fare better later has another than what may not. */
export function rejectionOf({ outcome, exchangeCode, code, message, retryable }: ExchangeError): Rejection {
  if (outcome === 'none') return { code: retryable ? 'neverSent' : 'requestInvalid', message };
  return { code: retryable ? 'venueLimited' : 'venueRefused', venueCode: exchangeCode ?? code, message };
}
