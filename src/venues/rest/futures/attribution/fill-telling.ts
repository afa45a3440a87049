import type { Decimal } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { OrderLife } from '../../order-life.ts';
import type { Outlets } from '../../outlets.ts';
import type { TrackedOrder } from '../../tracked-order.ts';
import type { FuturesWallet } from '../futures-wallet.ts';
import type { Triggers } from '../triggers.ts';
import { fillOfPool, forcedFill } from './fill-of-pool.ts';
import type { ForcedOrders } from './forced-orders.ts';
import { type Pool, type Pools, type Span, stepsOf, type Taken } from './pools.ts';
import type { Sights } from './sights.ts';

export interface TellingParts {
  readonly life: OrderLife;
  readonly outlets: Outlets;
  readonly sights: Sights;
  readonly triggers: Triggers;
  readonly wallet: FuturesWallet;
  readonly forced: ForcedOrders;
  /** Steps of the position in the newest picture. */
  readonly held: (symbol: string, positionSide: 'long' | 'short') => number;
  readonly foreign: (instrument: Instrument) => void;
}

/** How a fill is told. */
interface HowTold {
  /** Where it is not the pool's share. */
  readonly fee?: Decimal | undefined;
  /** It is ours, and not a liquidation's, by a rule: what the exchange shows fits otherwise, too. */
  readonly inferred: boolean;
}

/** Tells parts of pools as what they have turned out to be, each with its money. */
export class FillTelling {
  constructor(private readonly parts: TellingParts) {}

  /** What it traded proves that an order in doubt has arrived: that lists did not show it until now says nothing. */
  arrived(order: TrackedOrder, orderId: string): void {
    if (order.phase !== 'unknown') return;
    this.parts.life.accepted(order, orderId);
    this.parts.sights.answered(order);
  }

  /** An order's. @param spans when it may have traded, then when others that wait for theirs may have. */
  fill(
    pools: Pools,
    pool: Pool,
    order: TrackedOrder,
    steps: number,
    [span, ...others]: readonly [Span, ...Span[]],
    { fee, inferred }: HowTold,
  ): void {
    const { life, triggers, wallet } = this.parts;
    this.arrived(order, order.orderId);
    triggers.fired(order);
    const shared = pools.take(pool, steps, span, others);
    const taken = fee === undefined ? shared : { ...shared, fee };
    const { request } = order;
    const fill = fillOfPool(taken, request, order.orderId, order.toldSteps, this.#now);
    const { quote } = request.instrument;
    if (pool.action === 'close') this.#profit(fill.fillId, request.instrument, pool.positionSide, taken);
    wallet.post(quote, taken.fee.negated(), 'fee', fill.fillId);
    wallet.post(quote, taken.liquidationFee.negated(), 'liquidationFee', fill.fillId);
    life.filled(order, fill, (request.steps ?? 0) <= order.toldSteps + steps, inferred);
  }

  /** The liquidator's: all that is in the pool. @param inferred that it was all of it, and no more. */
  forced(pools: Pools, pool: Pool, instrument: Instrument, inferred: boolean): void {
    const { outlets, wallet, forced, held } = this.parts;
    const { symbol, positionSide, orderId: positionId } = pool;
    const taken = pools.takeAll(pool);
    const order = forced.match(symbol, positionSide, taken.steps, held(symbol, positionSide) > 0);
    const fill = forcedFill(taken, instrument, positionSide, order.orderId, this.#now);
    this.#profit(fill.fillId, instrument, positionSide, taken);
    wallet.post(instrument.quote, taken.fee.negated(), 'fee', fill.fillId);
    wallet.post(instrument.quote, taken.liquidationFee.negated(), 'liquidationFee', fill.fillId);
    forced.happened(instrument.quote, this.#now);
    const positionName = positionId === '' ? {} : { positionId };
    const told = { time: this.#now, orderId: order.orderId, type: order.type, ...positionName, fill };
    outlets.tell({ kind: 'positionLiquidated', ...told, ...(inferred ? { inferred } : {}) });
  }

  /** Somebody else's: it moves the account, and no strategy. */
  nobodys(pools: Pools, pool: Pool, instrument: Instrument): void {
    const { outlets, wallet, foreign } = this.parts;
    const { positionSide, action, orderId } = pool;
    const what = `${instrument.step.toText(stepsOf(pool))} ${instrument.symbol} ${positionSide} ${action}`;
    const { steps, value: notional, ...taken } = pools.takeAll(pool);
    if (action === 'close') this.#profit('', instrument, positionSide, { ...taken, steps, value: notional });
    wallet.post(instrument.quote, taken.fee.negated(), 'fee');
    wallet.post(instrument.quote, taken.liquidationFee.negated(), 'liquidationFee');
    outlets.log.warn(`${what} that no order of ours explains`);
    foreign(instrument);
    const done = action === 'open' ? 'opened' : 'closed';
    outlets.tell({ kind: 'positionFound', time: this.#now, instrument, positionSide, action: done, steps, notional, orderId });
  }

  get #now(): number {
    return this.parts.outlets.clock.now();
  }

  #profit(fillId: string, { quote }: Instrument, positionSide: 'long' | 'short', { value, cost }: Taken): void {
    this.parts.wallet.post(quote, positionSide === 'long' ? value.minus(cost) : cost.minus(value), 'profit', fillId);
  }
}
