import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, CancelRequest } from '../../model/order.ts';
import { Attempts } from './attempts.ts';
import { Fills } from './fills.ts';
import { FiredTriggers } from './fired-triggers.ts';
import { Adoption, ForeignOrders } from './foreign.ts';
import { type GridsThere, Halts, UnknownOutcomes } from './halts.ts';
import { ListedOrders } from './listed-orders.ts';
import { LostOrders } from './lost-orders.ts';
import type { Money } from './money.ts';
import { OrderLife } from './order-life.ts';
import { OrderLooks } from './order-looks.ts';
import { differencesOf, newUnknownOutcome, TrackedOrder, TrackedOrders } from './order-record.ts';
import { PacedLog } from './paced-log.ts';
import type { Asking } from './records.ts';
import { RefusedFills } from './refused-fills.ts';
import { type Difference, type LostIds, NOTHING_LOST, type ReconcileSettings, type Resumed, type VenueContext } from './settings.ts';

export interface AccountParts {
  readonly half: 'spot' | 'futures';
  readonly instruments: readonly Instrument[];
  readonly settings: ReconcileSettings;
  readonly context: VenueContext;
  /** Whether a client id is one of this bot's. */
  readonly isOwn: (clientOrderId: string) => boolean;
  /** The strategy that adopts foreign orders on an instrument; `undefined` if none does. */
  readonly adopterOf: (instrument: Instrument) => string | undefined;
  /** If left out, lost orders are not searched for. */
  readonly lost?: LostIds | undefined;
  /** Grids of the exchange that are not the config's. */
  readonly grids: GridsThere;
  /** Epoch ms on the exchange's clock, as estimated. */
  readonly exchangeTime: () => number;
  readonly requests: AccountRequests;
  readonly money: Money;
}

/** The requests of an account, on their way to the exchange. */
export interface AccountRequests {
  /** None is on its way. */
  readonly idle: boolean;
  /** They wait for the rate limits. */
  readonly scarce: boolean;
  cancel(order: TrackedOrder): void;
  /** Cancels an order that has ended here and is open at the exchange. */
  takeBack?(order: TrackedOrder): void;
}

/**
 * The orders and the money of an account, as far as they are known. Fill records change balances, look-ups change orders, and balances are
 * compared with both: a change in one of the three causes a look at the others.
 */
export class Account {
  readonly orders = new TrackedOrders();
  readonly life: OrderLife;
  readonly #parts: AccountParts;
  readonly #looks: OrderLooks;
  readonly #money: Money;
  readonly #foreignOrders: ForeignOrders;
  readonly #halts: Halts;
  readonly #unknownOutcomes: UnknownOutcomes;
  readonly #fills: Fills;
  readonly #refused: RefusedFills;
  readonly #lost: LostOrders;
  readonly #listed: ListedOrders;
  /** Epoch ms of the last activity of an order: balances are compared only when calm. */
  #movedAt = Number.NEGATIVE_INFINITY;
  #resumed: Resumed | undefined;
  /** There is a baseline for balances. */
  #based = false;
  /** The start is over. */
  #isOpen = false;
  /** Balances have been compared at the start. */
  #isCompared = false;
  readonly #found: Difference[] = [];
  /** Epoch ms of the last poll of fills and balances. */
  #detectedAt = Number.NEGATIVE_INFINITY;
  /** The present round has polled fills and balances. */
  #hasDetected = false;
  /** Epoch ms of the last poll of all pairs, with or without orders: others may trade. */
  #readAllAt = Number.NEGATIVE_INFINITY;

  constructor(parts: AccountParts) {
    this.#parts = parts;
    const { settings, context, requests, half, lost = NOTHING_LOST } = parts;
    const now = () => context.clock.now();
    const warnings = new PacedLog(context.log, now);
    this.#money = parts.money;
    this.life = new OrderLife(this.orders, settings, context);
    this.#looks = new OrderLooks(this.life, settings, {
      fillsOf: (order, filledSteps) => this.#fills.ofOrder(order, filledSteps),
      reportFills: (order, fills, complete) => this.#fills.report(order, fills, complete),
      evidenceOf: (order) => this.#money.evidenceOf(order),
      cancelAgain: (order) => requests.cancel(order),
      balancesAgree: (order) => this.#balancesAgree(order),
      notOurs: ({ clientOrderId }, why) => {
        const said = `the exchange has another order under the client id ${clientOrderId}: ${why}`;
        context.refused?.(half === 'spot' ? 'orderInfo' : 'futuresOrder', 'another order under the client id', said);
        warnings.warn('namesake', said, { clientOrderId });
        lost.found(clientOrderId);
      },
      now,
      exchangeTime: parts.exchangeTime,
      fillsReadAt: (instrument) => this.#fills.readAt(instrument),
      isTaken: (orderId) => this.orders.byOrderId(orderId) !== undefined,
    });
    this.#foreignOrders = new ForeignOrders(context, half);
    const known = { ...parts, orders: this.orders, life: this.life };
    const common = { ...known, fired: new FiredTriggers(known) };
    const adoption = new Adoption(common);
    this.#lost = new LostOrders({ ...common, adoption, lost });
    this.#refused = new RefusedFills(context, half);
    this.#fills = new Fills({
      ...common,
      refused: this.#refused,
      foreignOrders: this.#foreignOrders,
      adoption,
      lost: this.#lost,
      moved: () => this.#moved(),
    });
    this.#listed = new ListedOrders({
      ...common,
      lost,
      foreignOrders: this.#foreignOrders,
      fills: this.#fills,
      takeBack: (order) => requests.takeBack?.(order),
    });
    this.#halts = new Halts(context, half, parts.grids);
    this.#unknownOutcomes = new UnknownOutcomes(settings, context, half);
  }

  /** Epoch ms at which the next look-up is due; `Infinity` if none is. */
  get nextDue(): number {
    return this.orders.nextDue;
  }

  /** No request is on its way, and no order has an unknown outcome or is about to end. */
  get idle(): boolean {
    return this.#isIdle(({ immediate }) => immediate);
  }

  /** Idle, and what binds money has been asked for since the last fill. */
  get settled(): boolean {
    return this.idle && this.#money.outdated !== true;
  }

  /** They are about to be sent. */
  place(requests: readonly ApprovedOrder[]): TrackedOrder[] {
    const placed = requests.map((request) => new TrackedOrder(request));
    const sentAt = this.#parts.exchangeTime();
    for (const order of placed) {
      order.sentAt = sentAt;
      this.orders.add(order);
    }
    this.#moved();
    return placed;
  }

  /** @returns the order that the cancel is for; `undefined` if it has ended: that is reported. */
  findToCancel({ clientOrderId }: CancelRequest): TrackedOrder | undefined {
    const order = this.orders.find(clientOrderId);
    if (order?.alive === true) {
      this.#moved();
      return order;
    }
    const { context } = this.#parts;
    context.report({ kind: 'cancelRejected', time: context.clock.now(), clientOrderId });
    return undefined;
  }

  /** Restores the state from the journal. */
  resume(resumed: Resumed): void {
    const { settings, context, exchangeTime, instruments } = this.#parts;
    const now = context.clock.now();
    for (const each of resumed.orders) {
      const order = this.orders.resume(each, now);
      for (const [fillId, content] of resumed.fillIds.get(order.clientOrderId) ?? []) order.fillIds.set(fillId, content);
      if (each.cancelRequested && order.phase !== 'ended') order.pendingCancel = { reason: 'requested', stage: 'unclear', since: now };
      this.life.resume(order);
      if (!order.alive) continue;
      // A request of a process that has ended can no longer be sent.
      if (order.phase === 'unknown') {
        order.unknownOutcome = newUnknownOutcome(settings, each.status === 'unknown' ? (each.unknownSince ?? now) : now, false);
        if (each.status !== 'unknown') context.report({ kind: 'orderUnknown', time: now, clientOrderId: order.clientOrderId });
      }
      this.life.lookIn(order, 0);
    }
    this.#fills.begin(resumed.again ? resumed.lastTime : exchangeTime(), [
      ...[...resumed.fillIds.values()].flatMap((fills) => [...fills.keys()]),
      ...(this.#money.fillsOfOthers ?? []),
      ...this.#passedOver,
    ]);
    this.#money.resume(resumed);
    this.#halts.resume(instruments, resumed.halts);
    this.#moved();
    this.freeze();
    this.#resumed = resumed;
    this.#based = resumed.again;
  }

  /** Ids of the newest fills of before the first start. */
  get #passedOver(): readonly string[] {
    return (this.#parts.context.memory.recall(this.#passedKey) as readonly string[] | undefined) ?? [];
  }

  /** The first questions of a start: the baseline of a new account, or the orders that the journal has lost. */
  *begin(): Asking {
    if (!this.#based) {
      const passed = yield* this.#fills.passOver();
      // A start that failed before may have skipped others.
      if (passed.length > 0) this.#parts.context.memory.remember(this.#passedKey, [...this.#passedOver, ...passed]);
      yield* this.#money.begin();
      this.#based = true;
    }
    const { again = false, nextIds = () => [] } = this.#resumed ?? {};
    // Lists show the orders of contracts that the journal has lost.
    if (again && this.#parts.half === 'spot') yield* this.#lost.probe(nextIds, this.#parts.instruments);
  }

  /**
   * Balances are still to be compared at the start with those that journal and later records explain. A difference must last as long as a
   * fill may stay invisible before it counts. If an order has an unknown outcome, balances are compared later.
   */
  get waitsForMoney(): boolean {
    return this.#resumed?.again === true && this.idle && (this.#money.waits || !this.#isCompared);
  }

  /** The start is over. @returns the differences between exchange and journal. */
  opened(): readonly Difference[] {
    this.#isOpen = true;
    this.#lost.isOpen = true;
    const { again = false, orders = [] } = this.#resumed ?? {};
    if (!again) return [];
    return [
      ...differencesOf(orders, this.orders),
      ...this.#found,
      ...(this.#money.foundAtStart?.(this.#resumed!, (instrument, reason) => this.#halts.stick(instrument, reason)) ?? []),
    ];
  }

  /**
   * One round: asks for fills, balances and whatever is due; `full`: for everything. One failure does not stop the rest; after two in a row
   * the round ends.
   */
  *round(full: boolean): Asking {
    const { context, settings } = this.#parts;
    const isDue = full || context.clock.now() >= this.#detectedAt + settings.detectMs;
    this.#hasDetected = false;
    const attempts = new Attempts();
    if (isDue) yield* attempts.make(this.#detect(full));
    if (full && this.#parts.half === 'futures') yield* attempts.make(this.#listed.read(this.#parts.instruments));
    const orders = [...this.orders.alive, ...this.orders.vanished, ...this.orders.doubted];
    // Few look-ups fit then: those that have waited longest come first.
    if (this.#parts.requests.scarce) orders.sort((one, other) => one.lookAt - other.lookAt);
    for (const order of orders) {
      if ((order.phase === 'ended' && !order.isDoubted) || order.lookAt > context.clock.now()) continue;
      yield* attempts.make(this.look(order));
      // While requests wait for weight, fills and balances do not wait for all look-ups.
      if (this.#parts.requests.scarce && context.clock.now() >= this.#detectedAt + settings.detectMs) break;
    }
    attempts.end();
  }

  /** Reserves the amounts of the open orders. */
  freeze(): void {
    this.#money.freeze(this.orders.alive);
  }

  haltUntilReset(reason: string, instrument?: Instrument): void {
    for (const one of instrument === undefined ? this.#parts.instruments : [instrument]) this.#halts.stick(one, reason);
  }

  /** A person has allowed trading again. */
  lift(): void {
    this.#money.lift();
    this.#fills.lift();
    this.#foreignOrders.lift();
    this.#unknownOutcomes.lift();
    this.#halts.lift();
  }

  /** Key in the venue's memory of the fills of before the first start. */
  get #passedKey(): string {
    return `${this.#parts.half}.passedOver`;
  }

  /**
   * Whether the balances show no fill of an order beyond those that are known. Balances tell only if no other order of these coins can have
   * fills that are not known; otherwise the order's record counts alone.
   */
  *#balancesAgree(order: TrackedOrder): Asking<boolean> {
    const { base, quote } = order.request.instrument;
    const others = this.orders.alive.filter(
      (other) =>
        other !== order && [other.request.instrument.base, other.request.instrument.quote].some((coin) => coin === base || coin === quote),
    );
    const isTold = others.every(({ phase, request }) => this.#hasDetected && phase === 'open' && request.steps !== undefined);
    return !isTold || (yield* this.#money.explains(order.request.instrument));
  }

  /** Asks for fills, then for balances: each shows what an order did before the order is looked up. */
  *#detect(everything: boolean): Asking {
    const { context, settings } = this.#parts;
    const now = context.clock.now();
    const full = everything || now >= this.#readAllAt + settings.idleMs;
    yield* this.#fills.read(this.#parts.instruments.filter((instrument) => full || this.#isHot(instrument)));
    if (full || this.orders.size > 0 || this.#money.open) {
      // A trade of others on a pair that was not read would count as money that nothing explains.
      yield* this.#readMoney(full ? now : this.#readAllAt);
    }
    this.#hasDetected = true;
    this.#detectedAt = now;
    if (full) this.#readAllAt = now;
  }

  /** An order is active there, or may be, or a record of it did not count. */
  #isHot(instrument: Instrument): boolean {
    if (this.#fills.adopts(instrument) || this.#refused.of(instrument).length > 0) return true;
    return this.orders.alive.some(({ request, phase }) => request.instrument === instrument && phase !== 'sending');
  }

  /** Looks up one order. */
  *look(order: TrackedOrder): Asking {
    if (order.phase === 'sending') return;
    const due = order.lookAt;
    order.lookAt = Number.POSITIVE_INFINITY;
    try {
      yield* this.#looks.look(order, due);
    } catch (error) {
      this.life.lookLater(order);
      throw error;
    }
  }

  *#readMoney(fillsReadAt: number): Asking {
    // At the start no request of this run can still change anything.
    const isStarting = !this.#isOpen && this.#resumed?.again === true;
    const { context, settings } = this.#parts;
    const ends = (order: TrackedOrder) => order.immediate && !order.isLeftOpen(context.clock.now(), settings);
    const isCalm = () => this.#isIdle(ends) && !this.#fills.waits && (isStarting || context.clock.now() - this.#movedAt >= settings.calmMs);
    const found = yield* this.#money.read({
      isStarting,
      orders: this.orders,
      life: this.life,
      isIdle: () => this.idle,
      isCalm,
      fillsReadAt,
      pending: this.#fills.pending,
    });
    if (!isStarting || !isCalm()) return;
    this.#isCompared = true;
    this.#found.push(...found);
  }

  /** Halts instruments that must not be traded now, and releases the others. */
  judge(): void {
    const { settings, instruments } = this.#parts;
    this.#halts.review(instruments, (instrument) => {
      const fills = this.#fills.haltOf(instrument);
      if (fills !== undefined) return fills;
      const money = this.#money.haltOf(instrument);
      if (money !== undefined) return money;
      if (settings.foreign === 'block' && this.#foreignOrders.trade(instrument)) return 'orders that are not ours trade it';
      return this.#unknownOutcomes.tooLong([...this.orders.alive, ...this.orders.vanished], instrument);
    });
  }

  #isIdle(ends: (order: TrackedOrder) => boolean): boolean {
    const isCalm = (order: TrackedOrder) => order.phase === 'open' && !ends(order) && !order.pendingCancel;
    return this.#parts.requests.idle && this.orders.alive.every(isCalm);
  }

  #moved(): void {
    this.#movedAt = this.#parts.context.clock.now();
  }
}
