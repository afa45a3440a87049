import { directionOfRecord } from '../../../../exchange/mapping.ts';
import { Decimal } from '../../../../model/decimal.ts';
import { Fill, type Liquidity } from '../../../../model/fill.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { LiquidationType, OrderRequest } from '../../../../model/order.ts';
import type { OrderLife } from '../../order-life.ts';
import type { TrackedOrder } from '../../tracked-orders.ts';
import type { Outlets } from '../../trading.ts';
import type { FuturesWallet } from '../futures-wallet.ts';
import { type Pool, type Pools, type Span, stepsOf, type Taken } from './pools.ts';
import type { ListedOrder, Sights, Triggers } from './sights.ts';

/**
 * A fill that no record shows. Its id is the order's and how much of it that makes; notional and fee are exact parts of
 * what the position's sums grew by, the price what follows from them. The data that priced it is not told: it counts as
 * what the order was decided on.
 */
function fillOfPool({ steps, value, fee }: Taken, request: OrderRequest, orderId: string, toldSteps: number, time: number): Fill {
  const { instrument, clientOrderId, strategyId, side, positionSide, tag, decidedSequence, seenSequence } = request;
  const id = orderId === '' ? clientOrderId : orderId;
  const fillId = `${id}@${instrument.step.toText(toldSteps + steps)}`;
  const priceTicks = ticksOf(instrument, value, steps);
  const liquidity = liquidityOf(fee, value, request);
  // biome-ignore format: as a fill is told
  return new Fill(
    fillId, id, clientOrderId, strategyId, instrument, side, positionSide, priceTicks, steps, value,
    fee, instrument.quote, liquidity, tag, time, decidedSequence, seenSequence, time,
  );
}

/** A fill by which the exchange closed a position. */
function forcedFill(
  { steps, value, liquidationFee }: Taken,
  instrument: Instrument,
  positionSide: 'long' | 'short',
  orderId: string,
  time: number,
): Fill {
  const side = positionSide === 'long' ? 'sell' : 'buy';
  // biome-ignore format: as a fill is told
  return new Fill(
    `${orderId}@${instrument.step.toText(steps)}`, orderId, '', '', instrument, side, positionSide, ticksOf(instrument, value, steps), steps, value,
    liquidationFee, instrument.quote, 'taker', 'liquidation', time, 0, 0, time,
  );
}

function ticksOf(instrument: Instrument, value: Decimal, steps: number): number {
  return value.div(instrument.notional(1, steps)).round().toNumber();
}

function liquidityOf(fee: Decimal, value: Decimal, { instrument: { makerFee, takerFee }, type }: OrderRequest): Liquidity {
  if (type === 'market' || value.isZero()) return 'taker';
  const rate = fee.div(value);
  return rate.minus(makerFee).abs().lessThan(rate.minus(takerFee).abs()) ? 'maker' : 'taker';
}

interface Forced {
  readonly orderId: string;
  readonly type: LiquidationType;
}

interface Listed extends Forced {
  readonly symbol: string;
  readonly positionSide: 'long' | 'short';
  readonly steps: number;
}

/** How many listed ones stay known as told. */
const KEPT = 500;

/** The orders by which the exchange closes positions, as far as its lists show them. */
export class ForcedOrders {
  readonly #listed = new Map<string, Listed>();
  readonly #told = new Set<string>();
  readonly #happened = new Map<string, number>();
  #count = 0;

  /** Takes in a listed order that is none of ours. @returns whether it is the exchange's own. */
  note({ order_id: orderId, type, symbol, filled_qty: filled }: ListedOrder, { step }: Instrument): boolean {
    const direction = directionOfRecord(type);
    if (direction?.forced === undefined) return false;
    const steps = step.floorUnits(new Decimal(filled));
    const { forced, positionSide } = direction;
    if (!this.#told.has(orderId)) this.#listed.set(orderId, { orderId, type: forced, symbol, positionSide, steps });
    return true;
  }

  /** All that are listed now are old. */
  baseline(): void {
    for (const orderId of this.#listed.keys()) this.#tell(orderId);
  }

  /** The listed order that closed this much; a name of our own where none is listed. @param remains some of the position is open still. */
  match(symbol: string, positionSide: 'long' | 'short', steps: number, remains: boolean): Forced {
    const listed = this.#find(symbol, positionSide, steps);
    if (listed !== undefined) {
      this.#tell(listed.orderId);
      return listed;
    }
    return { orderId: `forced-${symbol}-${positionSide}-${++this.#count}`, type: remains ? 'offsetLiquidation' : 'burstLiquidation' };
  }

  /** One that closed this much is listed, and not told. */
  lists(symbol: string, positionSide: 'long' | 'short', steps: number): boolean {
    return this.#find(symbol, positionSide, steps) !== undefined;
  }

  /** Steps that the exchange's lists show as closed by it, and that are not told. */
  waiting(symbol: string, positionSide: 'long' | 'short'): number {
    return [...this.#listed.values()].reduce(
      (sum, one) => (one.symbol === symbol && one.positionSide === positionSide ? sum + one.steps : sum),
      0,
    );
  }

  happened(coin: string, time: number): void {
    this.#happened.set(coin, time);
  }

  /** Epoch ms of the last liquidation of this coin. */
  last(coin: string): number {
    return this.#happened.get(coin) ?? Number.NEGATIVE_INFINITY;
  }

  toJson(): unknown {
    return { count: this.#count, told: [...this.#told].slice(-KEPT) };
  }

  resume(plain: unknown): void {
    const { count = 0, told = [] } = (plain ?? {}) as { count?: number; told?: string[] };
    this.#count = count;
    for (const orderId of told) this.#told.add(orderId);
  }

  #find(symbol: string, positionSide: 'long' | 'short', steps: number): Listed | undefined {
    return [...this.#listed.values()].find(
      (listed) => listed.symbol === symbol && listed.positionSide === positionSide && listed.steps === steps,
    );
  }

  #tell(orderId: string): void {
    this.#listed.delete(orderId);
    this.#told.add(orderId);
  }
}

interface TellingParts {
  readonly life: OrderLife;
  readonly outlets: Outlets;
  readonly sights: Sights;
  readonly triggers: Triggers;
  readonly wallet: FuturesWallet;
  readonly forced: ForcedOrders;
  /** Steps of the position in the newest picture. */
  readonly held: (symbol: string, positionSide: 'long' | 'short') => number;
  readonly foreign: (instrument: Instrument, what: string) => void;
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
    foreign(instrument, what);
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
