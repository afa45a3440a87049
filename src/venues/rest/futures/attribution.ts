import { wireSymbol } from '../../../exchange/symbols.ts';
import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { closes } from '../../../model/order.ts';
import type { OrderLife } from '../order-life.ts';
import type { Outlets } from '../outlets.ts';
import type { RestSettings } from '../settings.ts';
import type { TrackedOrder } from '../tracked-order.ts';
import type { TrackedOrders } from '../tracked-orders.ts';
import { allot, type Candidate, subset } from './allotment.ts';
import { fillOfPool, forcedFill } from './fill-of-pool.ts';
import type { ForcedOrders } from './forced-orders.ts';
import type { FuturesWallet } from './futures-wallet.ts';
import type { Pool, Pools, Taken } from './pools.ts';
import type { Sights } from './sights.ts';
import type { Triggers } from './triggers.ts';

export interface AttributionParts {
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  readonly sights: Sights;
  readonly triggers: Triggers;
  readonly wallet: FuturesWallet;
  readonly forced: ForcedOrders;
  /** By wire symbol. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  /** Orders that ended lately with something left to fill. */
  readonly lately: () => readonly TrackedOrder[];
  readonly remains: (symbol: string, positionSide: 'long' | 'short') => boolean;
  readonly foreign: (instrument: Instrument) => void;
}

/** Gives what was traded to the orders that traded it, to the liquidator, or to nobody, and tells it. */
export class Attribution {
  constructor(private readonly parts: AttributionParts) {}

  run(pools: Pools): void {
    for (const pool of pools.all) this.#settle(pools, pool);
  }

  #settle(pools: Pools, pool: Pool): void {
    const { settings, orders } = this.parts;
    const instrument = this.parts.instruments.get(pool.symbol);
    if (instrument === undefined) return;
    if (pool.action === 'open' && pool.orderId !== '') {
      this.#settleNamed(pools, pool, instrument);
      return;
    }
    const mine = orders.alive.filter((order) => concerns(order, pool));
    const candidates = mine.map((order) => this.#candidate(order));
    const now = this.#now;
    const sure = now - pool.newest >= settings.visibilityLagMs && !mine.some((order) => this.#mayStillShow(order));
    const late = now - pool.first >= settings.visibilityLagMs;
    if (isForced(pool, instrument)) {
      this.#settleForced(pools, pool, instrument, candidates, sure);
      return;
    }
    for (const { order, steps } of allot(pool.steps, candidates, { sure, late })) this.#fill(pools, pool, order, steps);
    if (pool.steps === 0 || !sure) return;
    // A fill that came before the cancel may show after it.
    for (const order of this.parts.lately()) {
      const left = concerns(order, pool) ? leftOf(order) : 0;
      if (left > 0 && pool.steps > 0) this.#fill(pools, pool, order, Math.min(left, pool.steps));
    }
    if (pool.steps > 0) this.#nobodys(pools, pool, instrument);
  }

  /** A separated position names the order that opened it. */
  #settleNamed(pools: Pools, pool: Pool, instrument: Instrument): void {
    const { orders, life, settings } = this.parts;
    const known = orders.byOrderId(pool.orderId);
    if (known !== undefined) {
      if (known.phase === 'sending') return;
      const left = leftOf(known);
      if (left > 0) this.#fill(pools, pool, known, Math.min(left, pool.steps));
    } else {
      const nameless = orders.alive.filter((order) => concerns(order, pool) && order.orderId === '');
      const fitting = nameless.filter((order) => order.phase === 'unknown' && leftOf(order) >= pool.steps);
      const [only] = fitting;
      if (only !== undefined && fitting.length === 1 && nameless.length === 1) {
        life.accepted(only, pool.orderId);
        this.#fill(pools, pool, only, pool.steps);
      }
      if (nameless.some(({ phase }) => phase === 'sending')) return;
    }
    if (pool.steps > 0 && this.#now - pool.newest >= settings.visibilityLagMs) this.#nobodys(pools, pool, instrument);
  }

  /** Our own closes pay a trading fee, forced ones do not: it tells how much was ours. */
  #settleForced(pools: Pools, pool: Pool, instrument: Instrument, candidates: readonly Candidate[], sure: boolean): void {
    if (!pool.fee.isZero()) {
      if (!sure) return;
      const price = pool.value.div(pool.steps);
      const wanted = pool.fee
        .div(instrument.takerFee.isZero() ? 1 : instrument.takerFee)
        .div(price)
        .toNumber();
      const able = candidates.filter(({ left, grown, absent }) => (absent ? left : grown) > 0);
      const sizeOf = ({ left, grown, absent }: Candidate) => (absent ? left : grown);
      const chosen = subset(able, (some) => Math.abs(some.reduce((sum, one) => sum + sizeOf(one), 0) - wanted), pool.steps) ?? [];
      const forcedFee = pool.liquidationFee;
      pool.liquidationFee = ZERO;
      for (const one of chosen)
        if (pool.steps > 0) this.#fill(pools, pool, one.order, Math.min(sizeOf(one), pool.steps), pool.fee, chosen.length === 1);
      pool.liquidationFee = forcedFee;
      if (pool.steps === 0) {
        if (!forcedFee.isZero()) this.parts.wallet.post(instrument.quote, forcedFee.negated(), 'liquidationFee');
        return;
      }
    }
    const { outlets, wallet, forced } = this.parts;
    const { symbol, positionSide, orderId: positionId } = pool;
    const taken = pools.take(pool, pool.steps);
    const order = forced.match(symbol, positionSide, taken.steps, this.parts.remains(symbol, positionSide));
    const fill = forcedFill(taken, instrument, positionSide, order.orderId, this.#now);
    this.#profit(fill.fillId, instrument, positionSide, taken);
    wallet.post(instrument.quote, taken.fee.negated(), 'fee', fill.fillId);
    wallet.post(instrument.quote, taken.liquidationFee.negated(), 'liquidationFee', fill.fillId);
    forced.happened(instrument.quote, this.#now);
    const positionName = positionId === '' ? {} : { positionId };
    outlets.tell({ kind: 'positionLiquidated', time: this.#now, orderId: order.orderId, type: order.type, ...positionName, fill });
  }

  /** @param allFee of all in the pool, where the one order bears it. */
  #fill(pools: Pools, pool: Pool, order: TrackedOrder, steps: number, allFee?: Decimal, alone = false): void {
    const { life, triggers, wallet } = this.parts;
    if (order.phase === 'unknown') life.accepted(order, order.orderId);
    triggers.fired(order);
    const fee = alone && allFee !== undefined ? allFee : undefined;
    if (fee !== undefined) pool.fee = ZERO;
    const shared = pools.take(pool, steps);
    const taken = fee === undefined ? shared : { ...shared, fee };
    const { request } = order;
    const fill = fillOfPool(taken, request, order.orderId, order.toldSteps, this.#now);
    const { quote } = request.instrument;
    if (pool.action === 'close') this.#profit(fill.fillId, request.instrument, pool.positionSide, taken);
    wallet.post(quote, taken.fee.negated(), 'fee', fill.fillId);
    wallet.post(quote, taken.liquidationFee.negated(), 'liquidationFee', fill.fillId);
    life.filled(order, fill, leftOf(order) <= steps);
  }

  /** Somebody else's: it moves the account, and no strategy. */
  #nobodys(pools: Pools, pool: Pool, instrument: Instrument): void {
    const { outlets, wallet, foreign } = this.parts;
    const { positionSide, action, orderId } = pool;
    const taken = pools.take(pool, pool.steps);
    if (action === 'close') this.#profit('', instrument, positionSide, taken);
    wallet.post(instrument.quote, taken.fee.negated(), 'fee');
    outlets.log.warn(
      `${instrument.step.toText(taken.steps)} ${instrument.symbol} ${positionSide} ${action} that no order of ours explains`,
    );
    foreign(instrument);
    outlets.tell({
      kind: 'positionFound',
      time: this.#now,
      instrument,
      positionSide,
      action: action === 'open' ? 'opened' : 'closed',
      steps: taken.steps,
      notional: taken.value,
      orderId,
    });
  }

  #profit(fillId: string, { quote }: Instrument, positionSide: 'long' | 'short', { value, cost }: Taken): void {
    this.parts.wallet.post(quote, positionSide === 'long' ? value.minus(cost) : cost.minus(value), 'profit', fillId);
  }

  #candidate(order: TrackedOrder): Candidate {
    const left = leftOf(order);
    const { absentSince, filledSteps, askedAt } = this.parts.sights.of(order);
    const absent = !Number.isNaN(absentSince) && order.phase !== 'sending' && !this.#mayStillShow(order);
    const grown = absent || Number.isNaN(askedAt) ? 0 : Math.max(0, Math.min(left, filledSteps - order.toldSteps));
    return { order, left, grown, absent };
  }

  /** Its request is on its way, or so lately unanswered that lists need not show it. */
  #mayStillShow({ phase, doubt }: TrackedOrder): boolean {
    if (phase === 'sending') return true;
    return phase === 'unknown' && doubt !== undefined && this.#now - doubt.since < this.parts.settings.visibilityLagMs;
  }

  get #now(): number {
    return this.parts.outlets.clock.now();
  }
}

export function leftOf({ request, toldSteps }: TrackedOrder): number {
  return Math.max(0, (request.steps ?? 0) - toldSteps);
}

function concerns({ request }: TrackedOrder, { symbol, positionSide, action }: Pool): boolean {
  return (
    request.positionSide === positionSide && closes(request) === (action === 'close') && wireSymbol(request.instrument.symbol) === symbol
  );
}

/** Closed by the exchange, in part at least: it took its fee, or no trading fee was paid where there is one. */
function isForced({ action, fee, liquidationFee }: Pool, { makerFee, takerFee }: Instrument): boolean {
  if (action === 'open') return false;
  return !liquidationFee.isZero() || (fee.isZero() && !makerFee.isZero() && !takerFee.isZero());
}
