import { directionOfRecord } from '../../../../exchange/mapping.ts';
import { Decimal } from '../../../../model/decimal.ts';
import { Fill, type Liquidity } from '../../../../model/fill.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { LiquidationType, OrderRequest } from '../../../../model/order.ts';
import type { OrderLife } from '../../../reconcile/order-life.ts';
import type { TrackedOrder } from '../../../reconcile/order-record.ts';
import type { VenueContext } from '../../../reconcile/settings.ts';
import type { FuturesWallet } from '../futures-wallet.ts';
import type { ListedOrder, ListedStates, Triggers } from './listed-states.ts';
import { type Span, stepsOf, type Taken, type TradePool, type TradePools } from './trade-pools.ts';

/**
 * A fill without a record at the exchange. Its id is the order's id with the filled quantity so far. Notional and fee are exact parts
 * of the growth of the position's sums, and the price follows from them. The market data that priced it is unknown: the data
 * on which the order was decided is used.
 */
function fillOfPool({ steps, value, fee }: Taken, request: OrderRequest, orderId: string, reportedSteps: number, time: number): Fill {
  const { instrument, clientOrderId, strategyId, side, positionSide, tag, decidedSequence, seenSequence } = request;
  const id = orderId === '' ? clientOrderId : orderId;
  const fillId = `${id}@${instrument.step.toText(reportedSteps + steps)}`;
  const priceTicks = ticksOf(instrument, value, steps);
  const liquidity = liquidityOf(fee, value, request);
  // biome-ignore format: in the order of the parameters
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
  // biome-ignore format: in the order of the parameters
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

/** How many reported ids are kept. */
const KEPT = 500;

/** The orders by which the exchange closes positions, as its lists show them. */
export class ForcedOrders {
  readonly #listed = new Map<string, Listed>();
  readonly #reported = new Set<string>();
  readonly #happened = new Map<string, number>();
  #count = 0;

  /** Handles a listed order that is not ours. @returns whether it belongs to the exchange. */
  note({ order_id: orderId, type, symbol, filled_qty: filled }: ListedOrder, { step }: Instrument): boolean {
    const direction = directionOfRecord(type);
    if (direction?.forced === undefined) return false;
    const steps = step.floorUnits(new Decimal(filled));
    const { forced, positionSide } = direction;
    if (!this.#reported.has(orderId)) this.#listed.set(orderId, { orderId, type: forced, symbol, positionSide, steps });
    return true;
  }

  /** Marks all listed orders as reported: they are from before the start, and match no later close. */
  baseline(): void {
    for (const orderId of this.#listed.keys()) this.#report(orderId);
  }

  /** The listed order that closed this many steps; a made-up id if none is listed. @param remains a part of the position is still open. */
  match(symbol: string, positionSide: 'long' | 'short', steps: number, remains: boolean): Forced {
    const listed = this.#find(symbol, positionSide, steps);
    if (listed !== undefined) {
      this.#report(listed.orderId);
      return listed;
    }
    return { orderId: `forced-${symbol}-${positionSide}-${++this.#count}`, type: remains ? 'offsetLiquidation' : 'burstLiquidation' };
  }

  /** Whether an unreported order that closed this many steps is listed. */
  lists(symbol: string, positionSide: 'long' | 'short', steps: number): boolean {
    return this.#find(symbol, positionSide, steps) !== undefined;
  }

  /** Unreported steps that the exchange's lists show as closed by it. */
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
    return { count: this.#count, told: [...this.#reported].slice(-KEPT) };
  }

  resume(plain: unknown): void {
    const { count = 0, told = [] } = (plain ?? {}) as { count?: number; told?: string[] };
    this.#count = count;
    for (const orderId of told) this.#reported.add(orderId);
  }

  #find(symbol: string, positionSide: 'long' | 'short', steps: number): Listed | undefined {
    return [...this.#listed.values()].find(
      (listed) => listed.symbol === symbol && listed.positionSide === positionSide && listed.steps === steps,
    );
  }

  #report(orderId: string): void {
    this.#listed.delete(orderId);
    this.#reported.add(orderId);
  }
}

interface FillReporterParts {
  readonly life: OrderLife;
  readonly context: VenueContext;
  readonly listedStates: ListedStates;
  readonly triggers: Triggers;
  readonly wallet: FuturesWallet;
  readonly forced: ForcedOrders;
  /** Steps of the position in the newest snapshot. */
  readonly held: (symbol: string, positionSide: 'long' | 'short') => number;
  /** @param since epoch ms: the trade is later. */
  readonly foreign: (instrument: Instrument, what: string, since: number) => void;
}

/** How to report a fill. */
interface FillDetails {
  /** The fee of the fill, if it is not the share of the pool's fee. */
  readonly fee?: Decimal | undefined;
  /** A rule has attributed the fill. The exchange's data also allows other attributions. */
  readonly inferred: boolean;
}

/** Reports parts of pools as fills or liquidations, each with its money. */
export class FillReporter {
  constructor(private readonly parts: FillReporterParts) {}

  /** A trade proves that an order with an unknown outcome has arrived: that earlier lists lack the order proves nothing. */
  arrived(order: TrackedOrder, orderId: string): void {
    if (order.phase !== 'unknown') return;
    this.parts.life.accepted(order, orderId);
    this.parts.listedStates.answered(order);
  }

  /** Reports a fill of an order. @param spans when it may have traded, then when the other orders of the pool may have. */
  fill(
    pools: TradePools,
    pool: TradePool,
    order: TrackedOrder,
    steps: number,
    [span, ...others]: readonly [Span, ...Span[]],
    { fee, inferred }: FillDetails,
  ): void {
    const { life, triggers, wallet } = this.parts;
    this.arrived(order, order.orderId);
    triggers.fired(order);
    const shared = pools.take(pool, steps, span, others);
    const taken = fee === undefined ? shared : { ...shared, fee };
    const { request } = order;
    const fill = fillOfPool(taken, request, order.orderId, order.reportedSteps, this.#now);
    const { quote } = request.instrument;
    if (pool.action === 'close') this.#profit(fill.fillId, request.instrument, pool.positionSide, taken);
    wallet.post(quote, taken.fee.negated(), 'fee', fill.fillId);
    wallet.post(quote, taken.liquidationFee.negated(), 'liquidationFee', fill.fillId);
    life.filled(order, fill, (request.steps ?? 0) <= order.reportedSteps + steps, inferred);
  }

  /** Reports the whole pool as a liquidation. @param inferred a rule has attributed it. */
  forced(pools: TradePools, pool: TradePool, instrument: Instrument, inferred: boolean): void {
    const { context, wallet, forced, held } = this.parts;
    const { symbol, positionSide, orderId: positionId } = pool;
    const taken = pools.takeAll(pool);
    const order = forced.match(symbol, positionSide, taken.steps, held(symbol, positionSide) > 0);
    const fill = forcedFill(taken, instrument, positionSide, order.orderId, this.#now);
    this.#profit(fill.fillId, instrument, positionSide, taken);
    wallet.post(instrument.quote, taken.fee.negated(), 'fee', fill.fillId);
    wallet.post(instrument.quote, taken.liquidationFee.negated(), 'liquidationFee', fill.fillId);
    forced.happened(instrument.quote, this.#now);
    const positionName = positionId === '' ? {} : { positionId };
    const event = { time: this.#now, orderId: order.orderId, type: order.type, ...positionName, fill };
    context.report({ kind: 'positionLiquidated', ...event, ...(inferred ? { inferred } : {}) });
  }

  /** Reports a foreign trade: it changes the account, and no strategy. */
  nobodys(pools: TradePools, pool: TradePool, instrument: Instrument): void {
    const { context, wallet, foreign } = this.parts;
    const { positionSide, action, orderId, since } = pool;
    const what = `${instrument.step.toText(stepsOf(pool))} ${instrument.symbol} ${positionSide} ${action}`;
    const { steps, value: notional, ...taken } = pools.takeAll(pool);
    if (action === 'close') this.#profit('', instrument, positionSide, { ...taken, steps, value: notional });
    wallet.post(instrument.quote, taken.fee.negated(), 'fee');
    wallet.post(instrument.quote, taken.liquidationFee.negated(), 'liquidationFee');
    context.log.warn(`${what} that no order of ours explains`);
    foreign(instrument, what, since);
    const done = action === 'open' ? 'opened' : 'closed';
    context.report({ kind: 'positionFound', time: this.#now, instrument, positionSide, action: done, steps, notional, orderId });
  }

  get #now(): number {
    return this.parts.context.clock.now();
  }

  #profit(fillId: string, { quote }: Instrument, positionSide: 'long' | 'short', { value, cost }: Taken): void {
    this.parts.wallet.post(quote, positionSide === 'long' ? value.minus(cost) : cost.minus(value), 'profit', fillId);
  }
}
