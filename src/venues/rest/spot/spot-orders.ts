import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { Permit } from '../../../exchange/client/weight-budget.ts';
import { ExchangeError, isPrecondition } from '../../../exchange/errors.ts';
import { batchEntry, type SpotFillRecord, statusOf } from '../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Disappearance, Rejection } from '../../../model/reasons.ts';
import type { ListedGrids } from '../listed-grids.ts';
import type { OrderLife } from '../order-life.ts';
import { cancelUrgency, exchangeError, JournaledRequest, type RequestQueue, rejectionOf, tooLate, urgencyOf } from '../request-queue.ts';
import type { PendingCancel, TrackedOrder } from '../tracked-orders.ts';
import { REST_DEFAULTS, type RestSettings, type SendingSettings, type VenueContext } from '../trading.ts';
import { unlikeSent } from './lost-spot.ts';

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
    private readonly settings: SendingSettings = REST_DEFAULTS,
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
      // Refused for what it lacked, and free again by now: it is tried again as well.
      if (needed.lessThanOrEqualTo(available) && !isPrecondition(reason.message)) return reason;
      return { code: 'coinsReserved', asset: base, needed: needed.toFixed(), available: available.toFixed() };
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

type OrderRecord = PayloadOf<'orderInfo'>[number];

/** The exchange's code for an order that does not exist. */
const NOT_FOUND = '43001';

interface LookOutlets {
  /** Reads new fills of one order. */
  fillsOf(order: TrackedOrder): Promise<readonly SpotFillRecord[]>;
  /** Reports them; with `complete`, the last one completes the order. */
  reportFills(order: TrackedOrder, records: readonly SpotFillRecord[], complete: boolean): void;
  cancelAgain(order: TrackedOrder): void;
  /** The evidence of the balances about an order that no look-up finds. @throws ExchangeError. */
  balancesOf(order: TrackedOrder): Promise<{ readonly mayHaveFilled: boolean; readonly reserved: Disappearance['reserved'] }>;
  /** Whether the balances show no fill of the order beyond those that are known. @throws ExchangeError. */
  balancesAgree(order: TrackedOrder): Promise<boolean>;
  /** The exchange has another order under its client id. */
  notOurs(order: TrackedOrder, why: string): void;
  now(): number;
}

/** Looks up spot orders and acts on the answer. Look-ups change the state of orders; only fill records change balances. */
export class SpotLooks {
  constructor(
    private readonly client: Pick<ExchangeClient, 'orderInfo'>,
    private readonly life: OrderLife,
    private readonly settings: RestSettings,
    private readonly context: LookOutlets,
  ) {}

  /** @throws ExchangeError if the exchange does not reply. */
  async look(order: TrackedOrder): Promise<void> {
    const requestedAt = this.context.now();
    const record = await this.find(order.orderId === '' ? { clientOrderId: order.clientOrderId } : { orderId: order.orderId });
    if (order.phase === 'ended') return;
    const unlike = record === undefined ? undefined : unlikeSent(record, order);
    if (unlike !== undefined) this.context.notOurs(order, unlike);
    if (record !== undefined && unlike === undefined) await this.#follow(order, record, requestedAt);
    else if (this.life.notFound(order, requestedAt)) await this.#vanish(order, requestedAt);
  }

  /** No look-up by its id finds a confirmed order. Its client id, its fills and the balances decide whether it has vanished. */
  async #vanish(order: TrackedOrder, requestedAt: number): Promise<void> {
    const { absence, clientOrderId } = order;
    const byClientId = await this.find({ clientOrderId });
    if (byClientId !== undefined && unlikeSent(byClientId, order) === undefined) {
      await this.#follow(order, byClientId, requestedAt);
      return;
    }
    const fills = await this.context.fillsOf(order);
    if (fills.length > 0) this.context.reportFills(order, fills, false);
    const { mayHaveFilled, reserved } = await this.context.balancesOf(order);
    // Something may have confirmed it meanwhile.
    const isSame = order.phase === 'open' && order.absence === absence;
    // A fill is listed long before that.
    const isTooLong = this.context.now() - (absence?.since ?? Number.NaN) > this.settings.unknownLimitMs;
    if (isSame && fills.length === 0 && (!mayHaveFilled || isTooLong)) this.life.vanished(order, reserved);
    else this.life.lookLater(order);
  }

  async find(id: { clientOrderId: string } | { orderId: string }): Promise<OrderRecord | undefined> {
    try {
      const [record] = await this.client.orderInfo(id);
      return record;
    } catch (error) {
      if (error instanceof ExchangeError && error.exchangeCode === NOT_FOUND) return undefined;
      throw error;
    }
  }

  async #follow(order: TrackedOrder, record: OrderRecord, requestedAt: number): Promise<void> {
    this.#name(order, record.orderId);
    const { step } = order.request.instrument;
    const reported = step.floorUnits(record.fillQuantity === '' ? ZERO : new Decimal(record.fillQuantity));
    const status = statusOf(record.status);
    const over = status === 'filled' || status === 'canceled';
    if (status === 'open' || status === 'partiallyFilled') order.seenOpen = true;
    if (reported > order.reportedSteps) {
      const records = await this.context.fillsOf(order);
      const shown = records.reduce((sum, { fillQuantity }) => sum + step.floorUnits(new Decimal(fillQuantity)), order.reportedSteps);
      const whole = shown >= reported;
      // An order by amount does not show when it is complete: its fills wait for its end.
      if (order.request.steps !== undefined || (over && whole)) this.context.reportFills(order, records, status === 'filled' && whole);
      if (!whole) {
        this.life.gapSeen(order);
        this.life.lookLater(order);
        return;
      }
    }
    this.life.gapClosed(order);
    if (!over) this.#isOpen(order);
    else if (await this.#isEndProved(order, requestedAt)) this.life.ended(order);
    else this.life.lookLater(order);
  }

  #name(order: TrackedOrder, orderId: string): void {
    if (order.orderId === '' || order.orderId === orderId) this.life.accepted(order, orderId);
    else this.life.renamed(order, orderId);
    order.shown = true;
  }

  /**
   * The replacement of an amended order needs more proof than a record, which may show the end before the last fill: balances that agree
   * with all known fills, or a record that still says the same when that fill would be visible.
   */
  async #isEndProved(order: TrackedOrder, requestedAt: number): Promise<boolean> {
    if (order.pendingCancel?.reason !== 'amended') return true;
    if (Number.isNaN(order.endSeenAt)) order.endSeenAt = this.context.now();
    return requestedAt >= order.endSeenAt + this.settings.visibilityLagMs || (await this.context.balancesAgree(order));
  }

  /** It is in the order book. */
  #isOpen(order: TrackedOrder): void {
    order.endSeenAt = Number.NaN;
    const { pendingCancel } = order;
    // The answer may be older than the reply to the cancel.
    const settled = pendingCancel !== undefined && this.context.now() >= pendingCancel.since + this.settings.visibilityLagMs;
    if (pendingCancel?.stage === 'refused' && settled) this.life.cancelRefused(order);
    // The cancel was sent, a look-up followed, and the order is still there: a second cancel is justified.
    if (pendingCancel?.stage === 'unclear' || (pendingCancel?.stage === 'taken' && settled)) this.#cancelAgain(order, pendingCancel);
    this.life.lookLater(order);
  }

  #cancelAgain(order: TrackedOrder, pendingCancel: PendingCancel): void {
    pendingCancel.since = this.context.now();
    this.context.cancelAgain(order);
  }
}
