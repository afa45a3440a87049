import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { Permit } from '../../../exchange/client/weight-budget.ts';
import { triggerRequest } from '../../../exchange/mapping.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import type { OrderLife } from '../../reconcile/order-life.ts';
import type { TrackedOrder } from '../../reconcile/order-record.ts';
import { RECONCILE_DEFAULTS, type VenueContext } from '../../reconcile/settings.ts';
import type { ListedGrids } from '../listed-grids.ts';
import {
  cancelUrgency,
  exchangeError,
  JournaledRequest,
  type QueuedRequest,
  type RequestQueue,
  rejectionOf,
  tooLate,
  urgencyOf,
} from '../request-queue.ts';
import type { SendingSettings } from '../trading.ts';

/** Wait before a cancel is sent again that was not sent for lack of weight or connection. */
const AGAIN_MS = 1_000;
/** The exchange's code for an order that never existed. An ended order has another code. */
const NEVER_WAS = '43001';

/**
 * Sends the requests that change futures orders. Each is journaled before it is sent, is sent once, and its reply changes the orders that
 * it names.
 */
export class FuturesSending {
  constructor(
    private readonly client: Pick<ExchangeClient, 'triggerOrder' | 'cancelFuturesOrder'>,
    private readonly queue: RequestQueue,
    private readonly life: OrderLife,
    private readonly context: VenueContext,
    private readonly grids: Pick<ListedGrids, 'explain'>,
    private readonly settings: SendingSettings = RECONCILE_DEFAULTS,
  ) {}

  place(order: TrackedOrder): void {
    const urgency = (this.settings.urgencyOf ?? urgencyOf)(order.request);
    this.queue.add({
      operation: 'triggerOrder',
      urgency,
      order,
      places: true,
      send: (_, permit) => this.#place(order, permit),
      late: (_, waitedMs) => {
        this.life.rejected(order, tooLate(waitedMs, urgency === 'opens', this.settings));
        this.context.settled();
      },
    });
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
        await this.#ask(order, permit);
      } catch (error) {
        // The journal has it. Rethrows an error that is no failure of the exchange.
        exchangeError(error);
      }
    });
  }

  /** Queues a cancel. */
  #add(order: TrackedOrder, isNeeded: QueuedRequest['isNeeded'], send: (permit: Permit | undefined) => Promise<void>): void {
    const urgency = cancelUrgency(order);
    const item = { operation: 'cancelFuturesOrder', urgency, order, places: false } as const;
    this.queue.add({ ...item, ...(isNeeded && { isNeeded }), send: (_, permit) => send(permit) });
  }

  async #place(order: TrackedOrder, permit: Permit | undefined): Promise<void> {
    const body = triggerRequest(order.request);
    const request = new JournaledRequest(this.context, 'triggerOrder', [order.clientOrderId], body);
    try {
      const reply = await this.client.triggerOrder(body, request.leaves, permit);
      request.replied('answered', reply);
      this.life.accepted(order, reply.order_id);
    } catch (error) {
      const failure = exchangeError(error);
      request.replied(failure.outcome, failure.message);
      if (failure.outcome === 'unknown') this.life.outcomeUnknown(order, false);
      else {
        const reason = await this.grids.explain([order.request], rejectionOf(failure));
        if (order.phase === 'sending') this.life.rejected(order, reason);
      }
    } finally {
      this.context.settled();
    }
  }

  async #cancel(order: TrackedOrder, permit: Permit | undefined): Promise<void> {
    if (!order.alive || order.pendingCancel === undefined) return;
    try {
      const { result } = await this.#ask(order, permit);
      this.life.cancelAnswered(order, result ? 'taken' : 'refused');
      this.life.lookIn(order, 0);
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
  async #ask(order: TrackedOrder, permit: Permit | undefined) {
    const { orderId, clientOrderId } = order;
    const symbol = wireSymbol(order.request.instrument.symbol);
    const body = { symbol, ...(orderId === '' ? { clientOid: clientOrderId } : { orderId }) };
    const request = new JournaledRequest(this.context, 'cancelFuturesOrder', [clientOrderId], body);
    const reply = await this.client.cancelFuturesOrder(body, request.leaves, permit).catch((error: unknown) => {
      const failure = exchangeError(error);
      request.replied(failure.outcome, failure.message);
      throw failure;
    });
    request.replied('answered', reply);
    // The exchange has the order, whether or not it canceled it.
    if (reply.order_id !== '' && reply.err_code !== NEVER_WAS) this.life.accepted(order, reply.order_id);
    return reply;
  }

  /** The cancel was not sent. It is still needed. */
  #again(order: TrackedOrder): void {
    const { clock } = this.context;
    clock.schedule(clock.now() + AGAIN_MS, () => this.cancel(order));
  }
}
