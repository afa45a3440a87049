import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../../exchange/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../../model/order.ts';
import { Halts, UnknownOutcomes } from '../halts.ts';
import { ListedGrids } from '../listed-grids.ts';
import { Adoption, OrderLife } from '../order-life.ts';
import type { RequestQueue } from '../request-queue.ts';
import { differencesOf, newUnknownOutcome, TrackedOrder, TrackedOrders } from '../tracked-orders.ts';
import {
  type Difference,
  type LostOrders,
  NOTHING_LOST,
  type RestSettings,
  type Resumed,
  type SendingSettings,
  type Trading,
  type VenueContext,
} from '../trading.ts';
import { BalanceCheck, ForeignOrders } from './balance-check.ts';
import { LostSpot } from './lost-spot.ts';
import { SpotFills } from './spot-fills.ts';
import { SpotLooks, SpotSending } from './spot-orders.ts';
import { SpotWallet } from './spot-wallet.ts';

export interface SpotParts {
  readonly client: ExchangeClient;
  readonly instruments: readonly Instrument[];
  readonly queue: RequestQueue;
  readonly settings: RestSettings;
  readonly context: VenueContext;
  /** Whether a client id is one of this bot's. */
  readonly isOwn: (clientOrderId: string) => boolean;
  /** The strategy that adopts foreign orders on an instrument; `undefined` if none does. */
  readonly adopterOf: (instrument: Instrument) => string | undefined;
  /** If left out, lost orders are not searched for. */
  readonly lost?: LostOrders | undefined;
  /** See `SendingSettings`. */
  readonly urgencyOf?: SendingSettings['urgencyOf'];
}

/** Between two comparisons of balances at the start, in ms. */
const COMPARE_MS = 500;

/**
 * The spot half of the exchange. Fill records change balances, look-ups change orders, and balances are compared with both:
 * a change in one of the three causes a poll of the others.
 */
export class SpotTrading implements Trading {
  readonly #parts: SpotParts;
  readonly #orders = new TrackedOrders();
  readonly #life: OrderLife;
  readonly #sending: SpotSending;
  readonly #looks: SpotLooks;
  readonly #wallet: SpotWallet;
  readonly #check: BalanceCheck;
  readonly #foreignOrders: ForeignOrders;
  readonly #halts: Halts;
  readonly #grids: ListedGrids;
  readonly #unknownOutcomes: UnknownOutcomes;
  readonly #fills: SpotFills;
  readonly #lost: LostSpot;
  /** Epoch ms of the last activity of an order: balances are compared only when calm. */
  #movedAt = Number.NEGATIVE_INFINITY;
  #resumed: Resumed | undefined;
  /** The start is over. */
  #isOpen = false;
  /** Balances have been compared at the start. */
  #isCompared = false;
  readonly #found: Difference[] = [];
  /** There is a baseline for balances. */
  #based = false;
  /** Epoch ms of the last poll of fills and balances. */
  #detectedAt = Number.NEGATIVE_INFINITY;
  /** The present round has polled fills and balances. */
  #hasDetected = false;
  /** Epoch ms of the last poll of all pairs, with or without orders: others may trade. */
  #readAllAt = Number.NEGATIVE_INFINITY;

  constructor(parts: SpotParts) {
    this.#parts = parts;
    const { client, queue, settings, context, lost = NOTHING_LOST } = parts;
    const now = () => context.clock.now();
    this.#wallet = new SpotWallet((event) => context.report(event), now);
    this.#life = new OrderLife(this.#orders, settings, context);
    this.#grids = new ListedGrids({ client, instruments: parts.instruments, context, changed: () => this.#judge() });
    const outlets = {
      lookNow: (order: TrackedOrder) => this.#lookNow(order),
      explain: (...refused: Parameters<ListedGrids['explain']>) => this.#grids.explain(...refused),
    };
    this.#sending = new SpotSending(client, queue, this.#life, context, outlets, { ...settings, urgencyOf: parts.urgencyOf });
    this.#looks = new SpotLooks(client, this.#life, settings, {
      fillsOf: (order) => this.#fills.ofOrder(order),
      reportFills: (order, records, complete) => this.#fills.report(order, records, complete),
      balancesOf: async (order) => this.#check.shows(order, await client.accountAssets()),
      cancelAgain: (order) => this.#sending.cancel(order),
      balancesAgree: (order) => this.#balancesAgree(order),
      notOurs: ({ clientOrderId }, why) => {
        context.log.warn(`the exchange has another order under the client id ${clientOrderId}: ${why}`, { clientOrderId });
        lost.found(clientOrderId);
      },
      now,
    });
    this.#check = new BalanceCheck({ client, settings, context, wallet: this.#wallet, instruments: parts.instruments });
    this.#foreignOrders = new ForeignOrders(context);
    const adoption = new Adoption({ ...parts, orders: this.#orders, life: this.#life });
    this.#lost = new LostSpot({ client, orders: this.#orders, life: this.#life, adoption, lost });
    this.#fills = new SpotFills({
      ...parts,
      orders: this.#orders,
      life: this.#life,
      wallet: this.#wallet,
      foreignOrders: this.#foreignOrders,
      adoption,
      lost: this.#lost,
      find: (orderId) => this.#looks.find({ orderId }),
      moved: () => this.#moved(),
    });
    this.#halts = new Halts(context, 'spot', this.#grids);
    this.#unknownOutcomes = new UnknownOutcomes(settings, context, 'spot');
  }

  get nextDue(): number {
    const { alive, vanished } = this.#orders;
    return [...alive, ...vanished].reduce((due, { lookAt }) => Math.min(due, lookAt), Number.POSITIVE_INFINITY);
  }

  get idle(): boolean {
    return (
      this.#parts.queue.idle && this.#orders.alive.every((order) => order.phase === 'open' && !order.immediate && !order.pendingCancel)
    );
  }

  place(orders: readonly ApprovedOrder[]): void {
    const tracked = orders.map((request) => new TrackedOrder(request));
    const sentAt = this.#parts.client.serverTime();
    for (const order of tracked) {
      order.sentAt = sentAt;
      this.#orders.add(order);
    }
    this.#moved();
    this.#sending.place(tracked);
  }

  cancel({ clientOrderId, reason }: CancelRequest): void {
    const order = this.#orders.find(clientOrderId);
    const { context } = this.#parts;
    if (order?.alive !== true) {
      context.report({ kind: 'cancelRejected', time: context.clock.now(), clientOrderId });
      context.settled();
      return;
    }
    this.#moved();
    if (this.#parts.queue.withdraw(order) !== undefined) {
      this.#life.withdrawn(order, reason);
      context.settled();
      return;
    }
    this.#life.cancelQueued(order, reason);
    this.#sending.cancel(order);
  }

  resume(resumed: Resumed): void {
    const { client, settings, context } = this.#parts;
    const now = context.clock.now();
    for (const each of resumed.orders) {
      const order = this.#orders.resume(each, now);
      for (const fillId of resumed.fillIds.get(order.clientOrderId) ?? []) order.fillIds.add(fillId);
      if (each.cancelRequested && order.phase !== 'ended') order.pendingCancel = { reason: 'requested', stage: 'unclear', since: now };
      if (!order.alive) continue;
      this.#life.resumeGap(order);
      // A request of a process that has ended can no longer be sent.
      if (order.phase === 'unknown') {
        order.unknownOutcome = newUnknownOutcome(settings, each.status === 'unknown' ? (each.unknownSince ?? now) : now, false);
        if (each.status !== 'unknown') context.report({ kind: 'orderUnknown', time: now, clientOrderId: order.clientOrderId });
      }
      this.#life.lookIn(order, 0);
    }
    this.#fills.begin(
      resumed.again ? resumed.lastTime : client.serverTime(),
      [...resumed.fillIds.values()].flatMap((ids) => [...ids]),
    );
    this.#wallet.resume(resumed);
    this.#halts.resume(this.#parts.instruments, resumed.halts);
    this.#moved();
    this.#wallet.freeze(this.#orders.alive);
    this.#resumed = resumed;
    this.#based = resumed.again;
  }

  async open(): Promise<readonly Difference[]> {
    if (!this.#based) {
      await this.#fills.passOver();
      this.#check.baseline(await this.#parts.client.accountAssets());
      this.#based = true;
    }
    const { again = false, orders = [], nextIds = () => [] } = this.#resumed ?? {};
    if (again) await this.#lost.probe(nextIds, this.#parts.instruments);
    await this.round(true);
    if (again) await this.#compared();
    this.#isOpen = true;
    this.#lost.isOpen = true;
    if (!again) return [];
    return [...differencesOf(orders, this.#orders), ...this.#found, ...this.#beyondAccount()];
  }

  /**
   * Compares the balances at the start with those that journal and later records explain. A difference must last as long as a
   * fill may stay invisible before it counts, and the start waits for that. If an order has an unknown outcome, or the exchange does
   * not reply, balances are compared later.
   */
  async #compared(): Promise<void> {
    const { clock } = this.#parts.context;
    const until = clock.now() + 3 * this.#parts.settings.visibilityLagMs + COMPARE_MS;
    while (this.idle && (this.#check.waits || !this.#isCompared) && clock.now() < until) {
      await new Promise<void>((resolve) => void clock.schedule(clock.now() + COMPARE_MS, resolve));
      await this.round(true).catch((error: unknown) => {
        if (!(error instanceof ExchangeError)) throw error;
      });
    }
  }

  /** Coins that strategies hold and the account lacks: it is unknown whose were sold. */
  #beyondAccount(): Difference[] {
    return this.#parts.instruments.flatMap((instrument): Difference[] => {
      const { symbol, base } = instrument;
      const held = this.#fills.held(instrument, this.#resumed?.positions?.get(symbol) ?? 0);
      const there = this.#wallet.total(base);
      if (held.lessThanOrEqualTo(there)) return [];
      const journal = held.toFixed();
      this.#halts.stick(instrument, `strategies hold ${journal} ${base} by the journal, the account has ${there.toFixed()}`);
      return [{ what: 'position', subject: symbol, journal, exchange: there.toFixed(), cause: 'less than strategies hold' }];
    });
  }

  async round(full: boolean): Promise<void> {
    const { context, settings } = this.#parts;
    try {
      const now = context.clock.now();
      this.#hasDetected = full || now >= this.#detectedAt + settings.detectMs;
      if (this.#hasDetected) {
        const isAll = full || now >= this.#readAllAt + settings.idleMs;
        await this.#detect(isAll);
        this.#detectedAt = now;
        if (isAll) this.#readAllAt = now;
      }
      await this.#lookUp();
      await this.#grids.readIfDue();
      this.#judge();
    } finally {
      this.#wallet.freeze(this.#orders.alive);
      context.settled();
    }
  }

  haltUntilReset(reason: string, instrument?: Instrument): void {
    for (const one of instrument === undefined ? this.#parts.instruments : [instrument]) this.#halts.stick(one, reason);
  }

  lift(): void {
    this.#check.lift();
    this.#foreignOrders.lift();
    this.#unknownOutcomes.lift();
    this.#halts.lift();
  }

  /** Makes the due look-ups. One failure does not stop the others; after two in a row the round ends. */
  async #lookUp(): Promise<void> {
    const { queue, settings, context } = this.#parts;
    const { clock } = context;
    let failure: { readonly error: unknown } | undefined;
    for (const order of [...this.#orders.alive, ...this.#orders.vanished]) {
      if (order.phase === 'ended' || order.lookAt > clock.now()) continue;
      try {
        await this.#look(order);
      } catch (error) {
        if (failure !== undefined) throw error;
        failure = { error };
      }
      // While requests wait for weight, fills and balances do not wait for all look-ups.
      if (queue.state.scarce && clock.now() >= this.#detectedAt + settings.detectMs) break;
    }
    if (failure !== undefined) throw failure.error;
  }

  /**
   * Whether the balances show no fill of an order beyond those that are known. Balances tell only if no other order of these coins can have
   * fills that are not known; otherwise the order's record counts alone.
   */
  async #balancesAgree(order: TrackedOrder): Promise<boolean> {
    const { base, quote } = order.request.instrument;
    const others = this.#orders.alive.filter(
      (other) =>
        other !== order && [other.request.instrument.base, other.request.instrument.quote].some((coin) => coin === base || coin === quote),
    );
    const isTold = others.every(({ phase, request }) => this.#hasDetected && phase === 'open' && request.steps !== undefined);
    return !isTold || this.#check.explains(order.request.instrument, await this.#parts.client.accountAssets());
  }

  /** Polls fills, then balances: each shows what an order did before the order is looked up. */
  async #detect(full: boolean): Promise<void> {
    const now = this.#parts.context.clock.now();
    await this.#fills.read(this.#parts.instruments.filter((instrument) => full || this.#isHot(instrument)));
    if (full || this.#orders.size > 0 || this.#check.open) {
      // A trade of others on a pair that was not read would count as money that nothing explains.
      await this.#readBalances(full ? now : this.#readAllAt);
    }
  }

  /** An order is active there, or may be. */
  #isHot(instrument: Instrument): boolean {
    if (this.#fills.adopts(instrument)) return true;
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

  /** Outside the round, which may read other things for long. */
  #lookNow(order: TrackedOrder): void {
    const { context } = this.#parts;
    this.#look(order)
      .catch((error: unknown) => {
        if (!(error instanceof ExchangeError)) context.fail(error);
      })
      .finally(() => {
        this.#wallet.freeze(this.#orders.alive);
        context.settled();
      });
  }

  async #readBalances(fillsReadAt: number): Promise<void> {
    const assets = await this.#parts.client.accountAssets();
    // A frozen amount differs from ours: an order has changed.
    for (const asset of this.#check.gaps(assets)) {
      for (const order of this.#orders.alive) {
        const { base, quote } = order.request.instrument;
        if (order.phase === 'open' && (base === asset || quote === asset)) this.#life.lookIn(order, 0);
      }
    }
    if (this.idle) this.#check.judgeReservations();
    // At the start no request of this run can still change anything.
    const isStarting = !this.#isOpen && this.#resumed?.again === true;
    const calm = this.idle && (isStarting || this.#parts.context.clock.now() - this.#movedAt >= this.#parts.settings.calmMs);
    const found = await this.#check.compare(assets, calm, fillsReadAt);
    if (!isStarting || !calm) return;
    this.#isCompared = true;
    this.#found.push(...found);
  }

  #judge(): void {
    const { settings, instruments } = this.#parts;
    this.#halts.review(instruments, (instrument) => {
      if (settings.foreign === 'block') {
        const asset = this.#check.reserved;
        if (asset === instrument.base || asset === instrument.quote) return `orders that are not ours have reserved ${asset}`;
        if (this.#foreignOrders.trade(instrument)) return 'orders that are not ours trade it';
      }
      return this.#check.halted ?? this.#unknownOutcomes.tooLong([...this.#orders.alive, ...this.#orders.vanished], instrument);
    });
  }

  #moved(): void {
    this.#movedAt = this.#parts.context.clock.now();
  }
}
