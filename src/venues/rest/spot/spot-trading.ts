import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { SpotFillRecord } from '../../../exchange/mapping/spot-fill-figures.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import { isTerminal } from '../../../model/order-state.ts';
import { differencesOf } from '../differences.ts';
import { newDoubt } from '../doubts.ts';
import { Halts, tooLong } from '../halts.ts';
import { OrderLife } from '../order-life.ts';
import type { Outlets } from '../outlets.ts';
import type { SendLane } from '../send-lane.ts';
import type { RestSettings } from '../settings.ts';
import { TrackedOrder } from '../tracked-order.ts';
import { TrackedOrders } from '../tracked-orders.ts';
import type { Difference, Resumed, Trading } from '../trading.ts';
import { BalanceCheck } from './balance-check.ts';
import { fillOfRecord } from './fill-of-record.ts';
import { FillWindow } from './fill-window.ts';
import { SpotLooks } from './spot-looks.ts';
import { SpotSending } from './spot-sending.ts';
import { SpotWallet } from './spot-wallet.ts';
import { Strangers } from './strangers.ts';

export interface SpotParts {
  readonly client: ExchangeClient;
  readonly instruments: readonly Instrument[];
  readonly lane: SendLane;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  /** Whether a client id is one of this bot's. */
  readonly isOwn: (clientOrderId: string) => boolean;
}

/**
 * The spot half of the exchange. Fill records move money, look-ups move orders, and balances are checked against both:
 * what one of the three shows first is a hint to ask the others.
 */
export class SpotTrading implements Trading {
  readonly #parts: SpotParts;
  readonly #orders = new TrackedOrders();
  readonly #life: OrderLife;
  readonly #sending: SpotSending;
  readonly #looks: SpotLooks;
  readonly #wallet: SpotWallet;
  readonly #check: BalanceCheck;
  readonly #strangers: Strangers;
  readonly #halts: Halts;
  readonly #windows = new Map<Instrument, FillWindow>();
  /** Epoch ms of the newest thing that orders did: balances are compared in calm alone. */
  #movedAt = Number.NEGATIVE_INFINITY;
  #resumed: Resumed | undefined;
  /** There is a baseline that balances go on from. */
  #based = false;
  /** Epoch ms of the last look at fills and balances. */
  #detectedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SpotParts) {
    this.#parts = parts;
    const { client, lane, settings, outlets } = parts;
    const now = () => outlets.clock.now();
    this.#wallet = new SpotWallet((event) => outlets.tell(event), now);
    this.#life = new OrderLife(this.#orders, settings, outlets);
    this.#sending = new SpotSending(client, lane, this.#life, outlets);
    this.#looks = new SpotLooks(client, this.#life, settings, {
      fillsOf: (order) => this.#window(order.request.instrument).ofOrder(order.orderId),
      tellFills: (order, records, complete) => this.#tellFills(order, records, complete),
      cancelAgain: (order) => this.#sending.cancel(order),
      now,
    });
    this.#check = new BalanceCheck({ client, settings, outlets, wallet: this.#wallet, instruments: parts.instruments });
    this.#strangers = new Strangers(outlets);
    this.#halts = new Halts(outlets);
  }

  get nextDue(): number {
    return this.#orders.alive.reduce((due, { lookAt }) => Math.min(due, lookAt), Number.POSITIVE_INFINITY);
  }

  get idle(): boolean {
    return this.#parts.lane.idle && this.#orders.alive.every((order) => order.phase === 'open' && !order.immediate && !order.wish);
  }

  place(orders: readonly ApprovedOrder[]): void {
    const tracked = orders.map((request) => new TrackedOrder(request));
    for (const order of tracked) this.#orders.add(order);
    this.#moved();
    this.#sending.place(tracked);
  }

  cancel({ clientOrderId, reason }: CancelRequest): void {
    const order = this.#orders.find(clientOrderId);
    const { outlets } = this.#parts;
    if (order?.alive !== true) {
      outlets.tell({ kind: 'cancelRejected', time: outlets.clock.now(), clientOrderId });
      outlets.settled();
      return;
    }
    this.#life.wished(order, reason);
    this.#moved();
    this.#sending.cancel(order);
  }

  resume(resumed: Resumed): void {
    const { instruments, client, settings, outlets } = this.#parts;
    const now = outlets.clock.now();
    for (const each of resumed.orders) {
      const order = this.#orders.resume(each, isTerminal(each.status));
      for (const fillId of resumed.fillIds.get(order.clientOrderId) ?? []) order.fillIds.add(fillId);
      if (!order.alive) continue;
      // No request of a process that is gone can still leave.
      if (order.phase === 'unknown') {
        order.doubt = newDoubt(settings, now, false);
        if (each.status !== 'unknown') outlets.tell({ kind: 'orderUnknown', time: now, clientOrderId: order.clientOrderId });
      }
      if (each.cancelRequested) order.wish = { reason: 'requested', stage: 'doubtful', since: now };
      this.#life.lookIn(order, 0);
    }
    const readFrom = resumed.again ? resumed.lastTime : client.serverTime();
    for (const instrument of instruments)
      this.#windowOf(
        instrument,
        readFrom,
        [...resumed.fillIds.values()].flatMap((ids) => [...ids]),
      );
    this.#wallet.resume(resumed.balances);
    this.#wallet.freeze(this.#orders.alive);
    this.#resumed = resumed;
    this.#based = resumed.again;
  }

  async open(): Promise<readonly Difference[]> {
    if (!this.#based) this.#check.baseline(await this.#parts.client.accountAssets());
    this.#based = true;
    await this.round(true);
    return differencesOf(this.#resumed?.orders ?? [], this.#orders);
  }

  async round(full: boolean): Promise<void> {
    const { outlets, settings } = this.#parts;
    try {
      const now = outlets.clock.now();
      if (full || now >= this.#detectedAt + settings.detectMs) {
        await this.#detect(full);
        this.#detectedAt = now;
      }
      await this.#lookUp();
      this.#judge();
    } finally {
      this.#wallet.freeze(this.#orders.alive);
      outlets.settled();
    }
  }

  /** What is due. One look-up that fails keeps no other from being made; two in a row, and the exchange is not asked further. */
  async #lookUp(): Promise<void> {
    let failure: { readonly error: unknown } | undefined;
    for (const order of this.#orders.alive) {
      if (!order.alive || order.lookAt > this.#parts.outlets.clock.now()) continue;
      try {
        await this.#look(order);
      } catch (error) {
        if (failure !== undefined) throw error;
        failure = { error };
      }
    }
    if (failure !== undefined) throw failure.error;
  }

  /** Fills, then balances: each shows what an order has done before the order is asked. */
  async #detect(full: boolean): Promise<void> {
    const hot = this.#parts.instruments.filter((instrument) => full || this.#isHot(instrument));
    const news: [SpotFillRecord, Instrument][] = [];
    for (const instrument of hot) for (const record of await this.#window(instrument).news()) news.push([record, instrument]);
    // In the order in which they happened, whatever the pair.
    news.sort(([a], [b]) => a.cTime - b.cTime);
    for (const [record, instrument] of news) await this.#takeFill(record, instrument);
    if (full || this.#orders.size > 0) await this.#readBalances();
  }

  /** Orders work there, or may. */
  #isHot(instrument: Instrument): boolean {
    return this.#orders.alive.some(({ request, phase }) => request.instrument === instrument && phase !== 'sending');
  }

  async #look(order: TrackedOrder): Promise<void> {
    if (order.phase === 'sending') return;
    order.lookAt = Number.POSITIVE_INFINITY;
    try {
      await this.#looks.look(order);
    } catch (error) {
      this.#life.lookLater(order);
      throw error;
    }
  }

  async #takeFill(record: SpotFillRecord, instrument: Instrument): Promise<void> {
    const order = this.#orders.byOrderId(record.orderId) ?? (await this.#ownerOf(record.orderId));
    if (order === undefined) this.#foreign(record, instrument);
    else if (order.request.steps !== undefined || !order.alive) this.#tellFills(order, [record], false);
    else this.#life.lookIn(order, 0);
  }

  /** An order id that we do not know may be that of a request without an answer. */
  async #ownerOf(orderId: string): Promise<TrackedOrder | undefined> {
    if (this.#strangers.isForeign(orderId)) return undefined;
    const record = await this.#looks.find({ orderId });
    const order = record === undefined ? undefined : this.#orders.find(record.clientOrderId);
    if (order !== undefined) this.#life.accepted(order, orderId);
    else if (record !== undefined) this.#strangers.met(orderId, record.clientOrderId, this.#parts.isOwn(record.clientOrderId));
    return order;
  }

  /** @param complete these are the last. */
  #tellFills(order: TrackedOrder, records: readonly SpotFillRecord[], complete: boolean): void {
    const { request } = order;
    const window = this.#window(request.instrument);
    // The window forgets what is long past; the order does not.
    const news = records.filter((record) => window.keep(record) && !order.fillIds.has(record.fillId));
    for (const { fillId } of news) order.fillIds.add(fillId);
    news.forEach((record, index) => {
      const fill = fillOfRecord(record, request);
      if (fill === undefined) {
        this.#parts.outlets.log.warn('a fill record that does not fit its order', {
          clientOrderId: order.clientOrderId,
          fillId: record.fillId,
        });
        return;
      }
      const sum = order.toldSteps + fill.steps;
      const last = index === news.length - 1;
      this.#wallet.settle(fill);
      this.#life.filled(order, fill, (complete && last) || (request.steps !== undefined && sum >= request.steps));
    });
    if (news.length === 0) return;
    this.#moved();
    // Part of it is filled: the rest may be gone already.
    if (order.alive) this.#life.lookIn(order, 0);
  }

  /** A fill of an order that is not ours moves the wallet all the same. */
  #foreign(record: SpotFillRecord, instrument: Instrument): void {
    if (!this.#strangers.isForeign(record.orderId) || !this.#window(instrument).keep(record)) return;
    this.#strangers.settle(record, instrument, this.#wallet);
    this.#moved();
  }

  async #readBalances(): Promise<void> {
    const assets = await this.#parts.client.accountAssets();
    // A reservation of theirs that is not ours, or the reverse: something happened to an order.
    for (const asset of this.#check.gaps(assets)) {
      for (const order of this.#orders.alive) {
        const { base, quote } = order.request.instrument;
        if (order.phase === 'open' && (base === asset || quote === asset)) this.#life.lookIn(order, 0);
      }
    }
    const calm = this.idle && this.#parts.outlets.clock.now() - this.#movedAt >= this.#parts.settings.calmMs;
    await this.#check.compare(assets, calm);
  }

  #judge(): void {
    const { settings, outlets, instruments } = this.#parts;
    const now = outlets.clock.now();
    this.#halts.review(instruments, (instrument) => {
      if (settings.foreign === 'block' && this.#strangers.trade(instrument)) return 'orders that are not ours trade it';
      return this.#check.halted ?? tooLong(this.#orders.alive, instrument, settings, now);
    });
  }

  #moved(): void {
    this.#movedAt = this.#parts.outlets.clock.now();
  }

  #window(instrument: Instrument): FillWindow {
    return this.#windows.get(instrument) ?? this.#windowOf(instrument, this.#parts.client.serverTime(), []);
  }

  #windowOf(instrument: Instrument, readFrom: number, seen: Iterable<string>): FillWindow {
    const { client, settings } = this.#parts;
    const overlap = settings.visibilityLagMs + 2 * settings.clockErrorMs;
    const window = new FillWindow(client, instrument.symbol, overlap, readFrom, seen);
    this.#windows.set(instrument, window);
    return window;
  }
}
