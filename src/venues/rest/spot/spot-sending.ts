import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { Permit } from '../../../exchange/client/weight-budget.ts';
import { isPrecondition } from '../../../exchange/errors.ts';
import { batchEntry } from '../../../exchange/mapping.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal } from '../../../model/decimal.ts';
import type { Rejection } from '../../../model/reasons.ts';
import type { OrderLife } from '../../reconcile/order-life.ts';
import type { TrackedOrder } from '../../reconcile/order-record.ts';
import { RECONCILE_DEFAULTS, type VenueContext } from '../../reconcile/settings.ts';
import type { ListedGrids } from '../listed-grids.ts';
import { cancelUrgency, exchangeError, JournaledRequest, type RequestQueue, rejectionOf, tooLate, urgencyOf } from '../request-queue.ts';
import type { SendingSettings } from '../trading.ts';

/** Wait before a cancel is sent again that was not sent for lack of weight or connection. */
const AGAIN_MS = 1_000;

interface SpotSendingOutlets extends Pick<ListedGrids, 'explain'> {
  /** Looks the order up now: its coins are wanted. */
  lookNow(order: TrackedOrder): void;
}

/**
 * Sends the requests that change spot orders. Each is journaled before it is sent, is sent once, and its reply changes the orders that it
 * names.
 */
export class SpotSending {
  constructor(
    private readonly client: Pick<ExchangeClient, 'batchOrders' | 'cancelOrder' | 'accountAssets'>,
    private readonly queue: RequestQueue,
    private readonly life: OrderLife,
    private readonly context: VenueContext,
    private readonly outlets: SpotSendingOutlets,
    private readonly settings: SendingSettings = RECONCILE_DEFAULTS,
  ) {}

  /** Places orders of one symbol in one batch. */
  place(orders: readonly TrackedOrder[]): void {
    const { batchLimit: most } = this.settings;
    for (const order of orders) {
      const urgency = (this.settings.urgencyOf ?? urgencyOf)(order.request);
      this.queue.add({
        operation: 'batchOrders',
        urgency,
        order,
        places: true,
        batch: { submission: orders, key: order.request.instrument.symbol, most },
        send: (together, permit) => this.#place(together, permit),
        late: (_, waitedMs) => this.#late(order, tooLate(waitedMs, urgency === 'opens', this.settings)),
      });
    }
  }

  cancel(order: TrackedOrder): void {
    this.queue.add({
      operation: 'cancelOrder',
      urgency: cancelUrgency(order),
      order,
      places: false,
      isNeeded: () => order.alive && order.pendingCancel !== undefined,
      send: (_, permit) => this.#cancel(order, permit),
    });
  }

  #late(order: TrackedOrder, reason: Rejection): void {
    this.life.rejected(order, reason);
    this.context.settled();
  }

  async #place(orders: readonly TrackedOrder[], permit: Permit | undefined): Promise<void> {
    const ids = orders.map(({ clientOrderId }) => clientOrderId);
    const symbol = wireSymbol(orders[0]!.request.instrument.symbol);
    const orderList = orders.map(({ request }) => batchEntry(request));
    const request = new JournaledRequest(this.context, 'batchOrders', ids, { symbol, orderList });
    try {
      const { resultList } = await this.client.batchOrders({ symbol, orderList }, request.leaves, permit);
      request.replied('answered', resultList);
      for (const order of orders) {
        const result = resultList.find(({ clientOrderId }) => clientOrderId === order.clientOrderId);
        if (result === undefined) this.life.outcomeUnknown(order, true);
        else this.life.accepted(order, result.orderId);
      }
    } catch (error) {
      const failure = exchangeError(error);
      request.replied(failure.outcome, failure.message);
      const requests = orders.map((order) => order.request);
      const reason = failure.outcome === 'unknown' ? undefined : await this.outlets.explain(requests, rejectionOf(failure));
      for (const order of orders) {
        if (reason === undefined) this.life.outcomeUnknown(order, false);
        else if (order.phase === 'sending') this.life.rejected(order, await this.#reasonOf(order, reason));
      }
    } finally {
      this.context.settled();
    }
  }

  /** A refused close may lack coins that foreign orders freeze. The balance shows that, whatever the text of the refusal. */
  async #reasonOf({ request: { reduceOnly, side, steps = 0, instrument } }: TrackedOrder, reason: Rejection): Promise<Rejection> {
    if (reason.code !== 'venueRefused' || !reduceOnly || side !== 'sell') return reason;
    const { base, step } = instrument;
    try {
      const record = (await this.client.accountAssets()).find(({ coinName }) => coinName.toUpperCase() === base);
      const needed = step.toDecimal(steps);
      const available = new Decimal(record?.available ?? 0);
      const isFree = needed.lessThanOrEqualTo(available);
      if (isFree && !isPrecondition(reason.message)) return reason;
      const code = isFree ? 'coinsLacked' : 'coinsReserved';
      return { code, asset: base, needed: needed.toFixed(), available: available.toFixed() };
    } catch (error) {
      exchangeError(error);
      return reason;
    }
  }

  async #cancel(order: TrackedOrder, permit: Permit | undefined): Promise<void> {
    const { orderId, clientOrderId } = order;
    if (!order.alive || order.pendingCancel === undefined) return;
    const symbol = wireSymbol(order.request.instrument.symbol);
    const id = orderId === '' ? { clientOid: clientOrderId } : { orderId };
    const request = new JournaledRequest(this.context, 'cancelOrder', [clientOrderId], { symbol, ...id });
    try {
      const { result, err_msg: message } = await this.client.cancelOrder({ symbol, ...id }, request.leaves, permit);
      request.replied('answered', { result, message });
      this.life.cancelAnswered(order, result ? 'taken' : 'refused');
      this.life.lookIn(order, 0);
      // The close of a kill may wait for these coins, and a round of all reads would take several answers.
      if (order.request.side === 'sell' && order.pendingCancel?.reason === 'killed') this.outlets.lookNow(order);
    } catch (error) {
      const failure = exchangeError(error);
      request.replied(failure.outcome, failure.message);
      if (failure.outcome === 'unknown') this.life.cancelAnswered(order, 'unclear');
      else if (failure.retryable) this.#again(order);
      else this.life.cancelAnswered(order, 'refused');
      this.life.lookIn(order, AGAIN_MS);
    } finally {
      this.context.settled();
    }
  }

  /** The cancel was not sent. It is still needed. */
  #again(order: TrackedOrder): void {
    const { clock } = this.context;
    clock.schedule(clock.now() + AGAIN_MS, () => this.cancel(order));
  }
}
