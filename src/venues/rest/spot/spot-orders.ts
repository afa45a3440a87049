import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { Permit } from '../../../exchange/client/weight-budget.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import { batchEntry, type SpotFillRecord, statusOf } from '../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Rejection } from '../../../model/reasons.ts';
import type { OrderLife } from '../order-life.ts';
import { cancelUrgency, exchangeError, JournaledRequest, rejectionOf, type SendLane, tooLate, urgencyOf } from '../send-lane.ts';
import type { CancelWish, TrackedOrder } from '../tracked-orders.ts';
import { type Outlets, REST_DEFAULTS, type RestSettings, type SendingSettings } from '../trading.ts';
import { unlikeSent } from './lost-spot.ts';

/** How long a cancel waits before it is sent again, when weight or connection was lacking. */
const AGAIN_MS = 1_000;

/** Sends the requests that change spot orders: each is in the journal first, leaves once, and its answer changes the orders that it names. */
export class SpotSending {
  constructor(
    private readonly client: Pick<ExchangeClient, 'batchOrders' | 'cancelOrder' | 'accountAssets'>,
    private readonly lane: SendLane,
    private readonly life: OrderLife,
    private readonly outlets: Outlets,
    private readonly settings: SendingSettings = REST_DEFAULTS,
  ) {}

  /** Orders of one symbol, in one batch. */
  place(orders: readonly TrackedOrder[]): void {
    const { batchLimit: most } = this.settings;
    for (const order of orders) {
      const urgency = (this.settings.urgencyOf ?? urgencyOf)(order.request);
      this.lane.add({
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
    this.lane.add({
      operation: 'cancelOrder',
      urgency: cancelUrgency(order),
      order,
      places: false,
      wanted: () => order.alive && order.wish !== undefined,
      send: (_, permit) => this.#cancel(order, permit),
    });
  }

  #late(order: TrackedOrder, reason: Rejection): void {
    this.life.rejected(order, reason);
    this.outlets.settled();
  }

  async #place(orders: readonly TrackedOrder[], permit: Permit | undefined): Promise<void> {
    const ids = orders.map(({ clientOrderId }) => clientOrderId);
    const symbol = wireSymbol(orders[0]!.request.instrument.symbol);
    const orderList = orders.map(({ request }) => batchEntry(request));
    const request = new JournaledRequest(this.outlets, 'batchOrders', ids, { symbol, orderList });
    try {
      const { resultList } = await this.client.batchOrders({ symbol, orderList }, request.leaves, permit);
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
        else if (order.phase === 'sending') this.life.rejected(order, await this.#reasonOf(order, rejectionOf(failure)));
      }
    } finally {
      this.outlets.settled();
    }
  }

  /** A close that was refused may lack coins that orders of others hold: the balance says so, whatever words the refusal has. */
  async #reasonOf({ request: { reduceOnly, side, steps = 0, instrument } }: TrackedOrder, reason: Rejection): Promise<Rejection> {
    if (reason.code !== 'venueRefused' || !reduceOnly || side !== 'sell') return reason;
    const { base, step } = instrument;
    try {
      const record = (await this.client.accountAssets()).find(({ coinName }) => coinName.toUpperCase() === base);
      const needed = step.toDecimal(steps);
      const available = new Decimal(record?.available ?? 0);
      if (needed.lessThanOrEqualTo(available)) return reason;
      return { code: 'coinsReserved', asset: base, needed: needed.toFixed(), available: available.toFixed() };
    } catch (error) {
      exchangeError(error);
      return reason;
    }
  }

  async #cancel(order: TrackedOrder, permit: Permit | undefined): Promise<void> {
    const { orderId, clientOrderId } = order;
    if (!order.alive || order.wish === undefined) return;
    const symbol = wireSymbol(order.request.instrument.symbol);
    const id = orderId === '' ? { clientOid: clientOrderId } : { orderId };
    const request = new JournaledRequest(this.outlets, 'cancelOrder', [clientOrderId], { symbol, ...id });
    try {
      const { result, err_msg: message } = await this.client.cancelOrder({ symbol, ...id }, request.leaves, permit);
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

type OrderRecord = PayloadOf<'orderInfo'>[number];

/** The exchange's word for an order that is not there. */
const NOT_FOUND = '43001';

interface LookOutlets {
  /** Fetches fills of one order that are news. */
  fillsOf(order: TrackedOrder): Promise<readonly SpotFillRecord[]>;
  /** Tells them, the last as the one that completes the order where `complete`. */
  tellFills(order: TrackedOrder, records: readonly SpotFillRecord[], complete: boolean): void;
  cancelAgain(order: TrackedOrder): void;
  /** The exchange has another order under its client id. */
  notOurs(order: TrackedOrder, why: string): void;
  now(): number;
}

/** Looks a spot order up, and draws what follows from the answer: look-ups move orders, only fill records move money. */
export class SpotLooks {
  constructor(
    private readonly client: Pick<ExchangeClient, 'orderInfo'>,
    private readonly life: OrderLife,
    private readonly settings: RestSettings,
    private readonly outlets: LookOutlets,
  ) {}

  /** @throws ExchangeError where the exchange cannot be asked. */
  async look(order: TrackedOrder): Promise<void> {
    const askedAt = this.outlets.now();
    const record = await this.find(order.orderId === '' ? { clientOrderId: order.clientOrderId } : { orderId: order.orderId });
    if (!order.alive) return;
    const unlike = record === undefined ? undefined : unlikeSent(record, order);
    if (unlike !== undefined) this.outlets.notOurs(order, unlike);
    if (record === undefined || unlike !== undefined) this.life.notFound(order, askedAt);
    else await this.#follow(order, record);
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

  async #follow(order: TrackedOrder, record: OrderRecord): Promise<void> {
    this.life.accepted(order, record.orderId);
    const { step } = order.request.instrument;
    const reported = step.floorUnits(record.fillQuantity === '' ? ZERO : new Decimal(record.fillQuantity));
    const status = statusOf(record.status);
    const over = status === 'filled' || status === 'canceled';
    if (status === 'open' || status === 'partiallyFilled') order.seenOpen = true;
    if (reported > order.toldSteps) {
      const records = await this.outlets.fillsOf(order);
      const shown = records.reduce((sum, { fillQuantity }) => sum + step.floorUnits(new Decimal(fillQuantity)), order.toldSteps);
      const whole = shown >= reported;
      // An order by amount does not say by itself when it is complete: its fills wait for the word.
      if (order.request.steps !== undefined || (over && whole)) this.outlets.tellFills(order, records, status === 'filled' && whole);
      if (!whole) {
        this.life.gapSeen(order);
        this.life.lookLater(order);
        return;
      }
    }
    this.life.gapClosed(order);
    if (over) {
      this.life.ended(order);
      return;
    }
    this.#stands(order);
  }

  /** It is on the book. */
  #stands(order: TrackedOrder): void {
    const { wish } = order;
    // What is shown may be older than what the cancel was told.
    const settled = wish !== undefined && this.outlets.now() >= wish.since + this.settings.visibilityLagMs;
    if (wish?.stage === 'refused' && settled) this.life.cancelRefused(order);
    // Asked for, looked at, and still there: to ask once more is not blind.
    if (wish?.stage === 'doubtful' || (wish?.stage === 'taken' && settled)) this.#cancelAgain(order, wish);
    this.life.lookLater(order);
  }

  #cancelAgain(order: TrackedOrder, wish: CancelWish): void {
    wish.since = this.outlets.now();
    this.outlets.cancelAgain(order);
  }
}
