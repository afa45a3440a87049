import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { Permit } from '../../../exchange/client/weight-budget.ts';
import { triggerRequest } from '../../../exchange/mapping.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import type { CancelReason } from '../../../model/reasons.ts';
import type { OrderLife } from '../order-life.ts';
import {
  cancelUrgency,
  exchangeError,
  JournaledRequest,
  type LaneItem,
  rejectionOf,
  type SendLane,
  tooLate,
  urgencyOf,
} from '../send-lane.ts';
import type { TrackedOrder } from '../tracked-orders.ts';
import { type Outlets, REST_DEFAULTS, type SendingSettings } from '../trading.ts';

/** How long a cancel that was not taken for want of weight or connection waits before it is sent. */
const AGAIN_MS = 1_000;
/** The exchange's word for an order that never was; one that is over has another. */
const NEVER_WAS = '43001';

export interface SendingOutlets {
  /** The exchange has answered a request of this order, or will not any more. */
  answered(order: TrackedOrder): void;
  /** The cancel of an order that no list shows found nothing either. */
  provedAbsent(order: TrackedOrder): void;
}

/** The requests that act on futures orders: each leaves once, is in the journal before, and its answer moves what it names. */
export class FuturesSending {
  constructor(
    private readonly client: Pick<ExchangeClient, 'triggerOrder' | 'cancelFuturesOrder'>,
    private readonly lane: SendLane,
    private readonly life: OrderLife,
    private readonly outlets: Outlets,
    private readonly sending: SendingOutlets,
    private readonly settings: SendingSettings = REST_DEFAULTS,
  ) {}

  place(order: TrackedOrder): void {
    const urgency = (this.settings.urgencyOf ?? urgencyOf)(order.request);
    this.lane.add({
      operation: 'triggerOrder',
      urgency,
      order,
      places: true,
      send: (_, permit) => this.#place(order, permit),
      late: (_, waitedMs) => {
        this.life.rejected(order, tooLate(waitedMs, urgency === 'opens', this.settings));
        this.sending.answered(order);
        this.outlets.settled();
      },
    });
  }

  /** Its place was taken back before it left. */
  takenBack(order: TrackedOrder, reason: CancelReason): void {
    this.life.takenBack(order, reason);
    this.sending.answered(order);
    this.outlets.settled();
  }

  cancel(order: TrackedOrder): void {
    this.#add(
      order,
      () => order.alive && order.wish !== undefined,
      (permit) => this.#cancel(order, permit),
    );
  }

  /** A cancel by client id that is expected to find nothing: the last proof that an order never was. */
  probe(order: TrackedOrder, over: () => void): void {
    this.#add(order, undefined, (permit) => this.#probe(order, permit).finally(over));
  }

  /** Cancels one that the engine takes for over, and that stands all the same. */
  takeBack(order: TrackedOrder): void {
    const { clientOrderId } = order;
    this.outlets.log.warn(`order ${clientOrderId} was taken for over, and stands at the exchange: it is taken back`, { clientOrderId });
    this.#add(order, undefined, async (permit) => {
      try {
        await this.#ask(order, permit);
      } catch (error) {
        // The journal knows; what is no failure of the exchange goes on.
        exchangeError(error);
      }
    });
  }

  /** A request to cancel. */
  #add(order: TrackedOrder, wanted: LaneItem['wanted'], send: (permit: Permit | undefined) => Promise<void>): void {
    const urgency = cancelUrgency(order);
    const item = { operation: 'cancelFuturesOrder', urgency, order, places: false } as const;
    this.lane.add({ ...item, ...(wanted && { wanted }), send: (_, permit) => send(permit) });
  }

  async #place(order: TrackedOrder, permit: Permit | undefined): Promise<void> {
    const body = triggerRequest(order.request);
    const request = new JournaledRequest(this.outlets, 'triggerOrder', [order.clientOrderId], body);
    try {
      const reply = await this.client.triggerOrder(body, request.leaves, permit);
      request.replied('answered', reply);
      this.life.accepted(order, reply.order_id);
    } catch (error) {
      const failure = exchangeError(error);
      request.replied(failure.outcome, failure.message);
      if (failure.outcome === 'unknown') this.life.doubted(order, false);
      else if (order.phase === 'sending') this.life.rejected(order, rejectionOf(failure));
    } finally {
      this.sending.answered(order);
      this.outlets.settled();
    }
  }

  async #cancel(order: TrackedOrder, permit: Permit | undefined): Promise<void> {
    if (!order.alive || order.wish === undefined) return;
    try {
      const { result } = await this.#ask(order, permit);
      this.life.cancelHeard(order, result ? 'taken' : 'refused');
      this.sending.answered(order);
      this.life.lookIn(order, 0);
    } catch (error) {
      const failure = exchangeError(error);
      if (failure.outcome === 'unknown') this.life.cancelHeard(order, 'doubtful');
      else if (failure.retryable) this.#again(order);
      else this.life.cancelHeard(order, 'refused');
      this.life.lookIn(order, AGAIN_MS);
    } finally {
      this.outlets.settled();
    }
  }

  async #probe(order: TrackedOrder, permit: Permit | undefined): Promise<void> {
    if (order.phase !== 'unknown') return;
    try {
      const { result, order_id: orderId, err_code: code } = await this.#ask(order, permit);
      if (!result && (code === NEVER_WAS || code === '' || orderId === '')) this.sending.provedAbsent(order);
      else {
        // It was there after all, and is over (or is from here).
        if (result && order.wish === undefined) this.life.wished(order, 'external');
        if (result) this.life.cancelHeard(order, 'taken');
        this.sending.answered(order);
      }
    } catch (error) {
      // The journal knows, and nothing is proved; what is no failure of the exchange goes on.
      exchangeError(error);
    } finally {
      this.life.lookIn(order, AGAIN_MS);
      this.outlets.settled();
    }
  }

  /** @throws ExchangeError, which the journal has been told of. */
  async #ask(order: TrackedOrder, permit: Permit | undefined) {
    const { orderId, clientOrderId } = order;
    const symbol = wireSymbol(order.request.instrument.symbol);
    const body = { symbol, ...(orderId === '' ? { clientOid: clientOrderId } : { orderId }) };
    const request = new JournaledRequest(this.outlets, 'cancelFuturesOrder', [clientOrderId], body);
    const reply = await this.client.cancelFuturesOrder(body, request.leaves, permit).catch((error: unknown) => {
      const failure = exchangeError(error);
      request.replied(failure.outcome, failure.message);
      throw failure;
    });
    request.replied('answered', reply);
    // It knows the order, whether it canceled it or not.
    if (reply.order_id !== '' && reply.err_code !== NEVER_WAS) this.life.accepted(order, reply.order_id);
    return reply;
  }

  /** Nothing was done, and the order has to go. */
  #again(order: TrackedOrder): void {
    const { clock } = this.outlets;
    clock.schedule(clock.now() + AGAIN_MS, () => this.cancel(order));
  }
}
