// Long because every rule needs a part of one question: what an order may still do with positions, other open orders and free balances.
import { Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import { closes, type OrderRequest, type PositionSide, type Side } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { Order } from '../state/order.ts';
import { inReview, isExitTrigger, judgedSteps, leftSteps } from '../state/order-needs.ts';
import type { ReadonlyMarket, ReadonlyPosition, ReadonlyState } from '../state/state.ts';
import type { RiskContext } from './rule.ts';

const NONE: readonly Readonly<Order>[] = [];

/** The equity of which limits are shares: the account's, or a strategy's own. */
export function equityOf({ state, of }: Pick<RiskContext, 'state' | 'of'>): Decimal {
  return of === undefined ? state.portfolio.exactEquity() : state.ownEquities.get(of)!.exactEquity();
}

/** One direction of one position, on which orders work. */
type Working = Pick<OrderRequest, 'side' | 'positionSide'>;

/** The owner of the positions and orders that count: a strategy's id; `undefined`: the account, with all of them. */
type Of = string | undefined;

/** Held orders, by client order id, that have just been triggered: the state does not show that yet. */
type Leaving = ReadonlySet<string>;
const NOTHING: Leaving = new Set();

function waitsHere({ held, clientOrderId }: Readonly<Order>, leaving: Leaving): boolean {
  return held && !leaving.has(clientOrderId);
}

/**
 * Orders that may still add to a side: at the venue, on their way, or held entries. Held exits do not
 * count, as they only reduce; nor do exits at the venue, which the engine cancels when there is
 * nothing left to close; nor does the order under review itself, if it was held before.
 */
export function workingOrders(
  state: ReadonlyState,
  instrument: Instrument,
  { side, positionSide }: Working,
  but: string,
  of?: Of,
  leaving: Leaving = NOTHING,
): readonly Readonly<Order>[] {
  if (state.openOrders.size === 0) return NONE;
  const found: Readonly<Order>[] = [];
  for (const order of state.openOrders.values()) {
    const { request } = order;
    if (request.instrument !== instrument || request.side !== side || request.clientOrderId === but) continue;
    if (request.positionSide !== positionSide || isExitTrigger(request)) continue;
    if (of !== undefined && order.strategyId !== of) continue;
    if (!(waitsHere(order, leaving) && request.reduceOnly)) found.push(order);
  }
  return found;
}

/** An order under review, with its size. */
interface Added {
  readonly order: OrderRequest;
  readonly steps: number;
}

/**
 * The largest absolute position, in steps, that open orders could lead to if they filled in any order; with `added` more on one side.
 * Long and short side are computed separately. The side without `added` counts as it is.
 */
export function worstSteps(state: ReadonlyState, instrument: Instrument, added?: Added, of?: Of): number {
  if (state.sides(instrument).length > 1) {
    const side = added?.order.positionSide;
    if (side === 'long' || side === 'short') return worstOf(state, instrument, side, added, of);
    return Math.max(worstOf(state, instrument, 'long', added, of), worstOf(state, instrument, 'short', added, of));
  }
  const held = netSteps(state, instrument, of);
  const but = added?.order.clientOrderId ?? '';
  const on = (side: Side) =>
    workingSteps(state, instrument, { side, positionSide: 'net' }, but, of) + (added?.order.side === side ? added.steps : 0);
  return Math.max(Math.abs(held + on('buy')), Math.abs(held - on('sell')));
}

/** The same with both sides of a future added up. */
function grossWorstSteps(state: ReadonlyState, instrument: Instrument, added?: Added, of?: Of): number {
  if (state.sides(instrument).length === 1) return worstSteps(state, instrument, added, of);
  return worstOf(state, instrument, 'long', added, of) + worstOf(state, instrument, 'short', added, of);
}

/**
 * Gross value of positions, open orders and the order under review, in the account's currency, over the given
 * instruments: the largest that fills in any order could lead to, at the newest mark (at the order's limit or trigger
 * if that is higher). Long and short side are added. For a strategy, only its own positions and orders count. A
 * denial if something has no price in the currency.
 */
export function grossExposure(order: OrderRequest, context: RiskContext, counts: (instrument: Instrument) => boolean): Decimal | Denial {
  const { state, marketTicks, of } = context;
  let exposure = ZERO;
  for (const market of state.markets) {
    const { instrument } = market;
    if (!counts(instrument)) continue;
    const own = instrument === order.instrument;
    const steps = grossWorstSteps(state, instrument, own ? { order, steps: judgedSteps(order, marketTicks) } : undefined, of);
    if (steps === 0) continue;
    const value = worthOf(market, steps, own ? marketTicks : 0, own ? (order.priceTicks ?? 0) : 0);
    if (instrument.quote === state.portfolio.currency) {
      exposure = exposure === ZERO ? value : exposure.plus(value);
      continue;
    }
    const rate = state.portfolio.rateOf(instrument.quote);
    if (rate === undefined) return { code: 'noMarketPrice', symbol: instrument.quote };
    exposure = exposure.plus(value.times(rate));
  }
  return exposure;
}

/**
 * The same as a double, with an error far below a millionth; `NaN` if something has no price, or another currency than the account's:
 * then only the exact computation can decide.
 */
export function roughExposure(order: OrderRequest, context: RiskContext): number {
  const { state, marketTicks, of } = context;
  let exposure = 0;
  for (const market of state.markets) {
    const { instrument } = market;
    const own = instrument === order.instrument;
    const steps = grossWorstSteps(state, instrument, own ? { order, steps: judgedSteps(order, marketTicks) } : undefined, of);
    if (steps === 0) continue;
    if (instrument.quote !== state.portfolio.currency) return Number.NaN;
    const ticks = own ? highestTicks(market, marketTicks, order.priceTicks ?? 0) : market.markTicks;
    exposure += instrument.tick.toNumber(ticks) * instrument.step.toNumber(steps);
  }
  return exposure;
}

/** At the highest of the mark and these prices, some of which may be unknown. */
function worthOf(market: ReadonlyMarket, steps: number, marketTicks: number, priceTicks: number): Decimal {
  const { instrument, markTicks } = market;
  const highest = highestTicks(market, marketTicks, priceTicks);
  if (highest !== markTicks || !market.marked) return instrument.notional(highest, steps);
  return instrument.step.toDecimal(steps).times(market.exactMark()!);
}

function highestTicks({ markTicks }: ReadonlyMarket, marketTicks: number, priceTicks: number): number {
  let highest = markTicks > 0 ? markTicks : 0;
  if (marketTicks > highest) highest = marketTicks;
  if (priceTicks > highest) highest = priceTicks;
  return highest;
}

type Reduced = Pick<RiskContext, 'state' | 'marketTicks' | 'of' | 'countResting' | 'rules'> & Partial<Pick<RiskContext, 'purpose'>>;

/**
 * True if the order can only reduce the position on which it works.
 *
 * Only its strategy's own position counts: not the positions and orders of other strategies, and not the rest of
 * the account.
 *
 * - A reduce-only order that closes now counts with its strategy's orders in flight, and outranks resting ones. One that
 *   will rest counts with all working orders of its strategy on that side. One that the engine will hold counts alone, as it is
 *   trimmed to the rest of the position when it is sent. One that waits at the venue for its trigger counts alone, as it is
 *   canceled with the position.
 * - Any other order counts with all working orders of its strategy on that side.
 */
export function reduces(order: OrderRequest, context: Reduced): boolean {
  if (context.countResting === true) return false;
  const { positionSide, reduceOnly } = order;
  if (reduceOnly || closes(order)) return reducesOwn(order, context);
  if (positionSide !== 'net') return false;
  return context.rules === 0 ? reducesNet(order, context) : reducesOwn(order, context);
}

/** The rule of versions whose journals have no `rules`: by the account's net position, or that of the strategy whose limits are checked. */
function reducesNet(order: OrderRequest, { state, marketTicks, of }: Pick<RiskContext, 'state' | 'marketTicks' | 'of'>): boolean {
  const { instrument, side, clientOrderId } = order;
  const held = netSteps(state, instrument, of);
  if (held === 0 || held > 0 === (side === 'buy')) return false;
  const under = workingOrders(state, instrument, order, clientOrderId, of);
  return stepsOf(under, state) + judgedSteps(order, marketTicks) <= Math.abs(held);
}

/**
 * True if the order can only reduce its strategy's own position, together with the strategy's working orders on its side, and is
 * no larger than the account's position: then it opens nothing, whatever else is unknown.
 */
export function reducesOwn(order: OrderRequest, { state, marketTicks, purpose }: Reduced): boolean {
  const own = reducibleSteps(order, state);
  if (purpose === 'hold' && order.reduceOnly) return own > 0;
  return own > 0 && ownClosing(order, state) + judgedSteps(order, marketTicks) <= own;
}

/** Whether the order closes at once: as a protective close it outranks every resting order. */
export function closesNow({ reduceOnly, type, released, triggerTicks }: OrderRequest): boolean {
  return reduceOnly && (type === 'market' || released) && triggerTicks === undefined;
}

/** Steps by which the order could reduce its strategy's own position; never negative. */
export function reducibleSteps(order: OrderRequest, state: ReadonlyState): number {
  const { positionSide, side } = order;
  if (positionSide !== 'net' && !closes(order)) return 0;
  const held = heldSteps(order, state);
  return Math.max(0, side === 'sell' ? held : -held);
}

/** The fields that identify a position of a strategy. */
type Owned = Pick<OrderRequest, 'strategyId' | 'instrument' | 'positionSide'>;

/** Signed steps of the strategy's own book, whether or not the account still has them. */
export function ownSteps({ strategyId, instrument, positionSide }: Owned, state: ReadonlyState): number {
  return state.books.get(strategyId)?.position(instrument, positionSide).steps ?? 0;
}

/**
 * Signed steps of the order's strategy on the side on which it works. On spot at most the account's balance, and on margin at
 * most the account's side: the rest cannot be closed.
 */
export function heldSteps(order: Owned, state: ReadonlyState): number {
  const own = ownSteps(order, state);
  const { instrument, positionSide } = order;
  // Coins that a strategy has sold on spot beyond its own, it may buy back.
  if (positionSide === 'net' && (own < 0 || state.account.kind === 'netting')) return own;
  const account = positionSide === 'net' ? state.heldSteps(instrument) : state.position(instrument, positionSide).steps;
  return own > 0 ? Math.max(0, Math.min(own, account)) : Math.min(0, Math.max(own, account));
}

/** Whether the account has nothing left of the position of the close's strategy: others have traded or moved it away. */
export function isGone(order: OrderRequest, state: ReadonlyState): boolean {
  return (
    order.reduceOnly &&
    ownSteps(order, state) > 0 === (order.side === 'sell') &&
    ownSteps(order, state) !== 0 &&
    reducibleSteps(order, state) === 0
  );
}

/** Steps of its strategy's position that are left for a close sent now, after those in flight. */
export function uncoveredSteps(order: OrderRequest, state: ReadonlyState): number {
  return Math.max(0, reducibleSteps(order, state) - ownClosing(order, state));
}

/**
 * Spot: the most that a sell sent now could sell: the account's coins, less those that other sells in flight may
 * still take. Others may have sold some of them. Unlimited elsewhere.
 */
export function sellableSteps({ side, instrument, positionSide, clientOrderId }: OrderRequest, state: ReadonlyState): number {
  if (side !== 'sell' || positionSide !== 'net' || state.account.kind === 'netting') return Number.POSITIVE_INFINITY;
  let free = state.portfolio.balance(instrument.base, 'spot').total;
  for (const one of sellingOrders(state, instrument.base, clientOrderId, NOTHING)) {
    if (inFlight(one) && !inReview(one)) free = free.minus(leftBase(one, state));
  }
  const reported = state.freeCoins.get(instrument.base);
  // Nothing at all may be free: then the whole amount is tried.
  if (reported !== undefined && free.greaterThan(reported) && Number(reported) > 0) free = new Decimal(reported);
  return Math.max(0, instrument.step.floorUnits(free));
}

/** Steps of the strategy's position that orders of this side with an unknown outcome may have closed already. */
export function unknownSteps({ strategyId, instrument, side }: Owned & Pick<OrderRequest, 'side'>, state: ReadonlyState): number {
  let sum = 0;
  for (const order of state.openOrders.values()) {
    const { status, request } = order;
    if (status !== 'unknown' || request.instrument !== instrument || order.strategyId !== strategyId || request.side !== side) continue;
    if (request.positionSide === 'net' || closes(request)) sum += leftSteps(order, state);
  }
  return sum;
}

/**
 * Steps of the strategy's position that its open orders of this side may still close, or have closed already. A trigger order at the venue
 * that has not triggered does not count: a close comes before it.
 */
export function closingSteps(
  { strategyId, instrument, side, positionSide }: Owned & Pick<OrderRequest, 'side'>,
  state: ReadonlyState,
  counts: (order: Readonly<Order>) => boolean,
): number {
  let sum = 0;
  for (const order of state.openOrders.values()) {
    const { request, held, untriggered } = order;
    if (held || request.instrument !== instrument || order.strategyId !== strategyId || request.side !== side) continue;
    if (untriggered && isExitTrigger(request)) continue;
    if (request.positionSide === positionSide && (positionSide === 'net' || closes(request)) && counts(order))
      sum += leftSteps(order, state);
  }
  return sum;
}

/** Whether its strategy's orders in flight, or about to be sent, close all that this order could close. */
export function covered(order: OrderRequest, state: ReadonlyState, leaving: Leaving = NOTHING): boolean {
  if (!order.reduceOnly || state.openOrders.size === 0) return false;
  return reducibleSteps(order, state) > 0 && leftToClose(order, state, leaving) <= 0;
}

/** Steps of its strategy's position that are left for this order after the closes that come before it. */
function leftToClose(order: OrderRequest, state: ReadonlyState, leaving: Leaving): number {
  const closing = ownWorking(order, state, leaving).filter((one) => closesBefore(one, order, leaving));
  return reducibleSteps(order, state) - stepsOf(closing, state);
}

/** Steps of the strategy's other orders on that side that count with a closing one. */
function ownClosing(order: OrderRequest, state: ReadonlyState): number {
  if (isExitTrigger(order)) return 0;
  const own = ownWorking(order, state);
  return stepsOf(closesNow(order) ? own.filter((one) => closesBefore(one, order) && !inReview(one)) : own, state);
}

/** Whether another close of the same strategy comes before this one: one in flight, and for a take profit one that has been released. */
function closesBefore(one: Readonly<Order>, order: OrderRequest, leaving: Leaving = NOTHING): boolean {
  if (inFlight(one, leaving)) return true;
  if (order.type !== 'limit' || !one.request.reduceOnly) return false;
  return leaving.has(one.clientOrderId) || (one.request.released && !one.held);
}

function ownWorking(order: OrderRequest, state: ReadonlyState, leaving?: Leaving): readonly Readonly<Order>[] {
  return workingOrders(state, order.instrument, order, order.clientOrderId, order.strategyId, leaving);
}

function stepsOf(orders: readonly Readonly<Order>[], state: ReadonlyState): number {
  return orders.reduce((sum, working) => sum + leftSteps(working, state), 0);
}

/**
 * Whether the order takes at once: it neither rests nor waits for a trigger. One with an unknown outcome may have filled
 * already, and its cancel cannot be awaited.
 */
function inFlight(order: Readonly<Order>, leaving: Leaving = NOTHING): boolean {
  const { request, untriggered, status } = order;
  const takes = request.type === 'market' || request.timeInForce !== 'GTC' || status === 'unknown';
  return takes && !waitsHere(order, leaving) && !untriggered;
}

/** Orders that rest on the side of a close, or wait for their price, and do not close at once: the close outranks them. */
export function restingOnSide(order: OrderRequest, state: ReadonlyState): readonly Readonly<Order>[] {
  return workingOrders(state, order.instrument, order, order.clientOrderId).filter((one) => !one.request.reduceOnly && !inFlight(one));
}

/**
 * Spot: orders that freeze the coins of this close, in the order in which they are canceled: those with a cancel on its
 * way, then the strategy's own before those of others, the newest first. Coins that other strategies hold and do
 * not sell are not free for it, so its own orders are canceled before it takes those. Empty if enough is free.
 */
export function inTheWay(order: OrderRequest, state: ReadonlyState, leaving: Leaving = NOTHING): readonly Readonly<Order>[] {
  const { instrument, side, steps, strategyId } = order;
  if (state.openOrders.size === 0 || !order.reduceOnly || side !== 'sell' || order.positionSide !== 'net' || steps === undefined)
    return NONE;
  if (state.account.kind === 'netting') return NONE;
  const left = Math.min(steps, leftToClose(order, state, leaving));
  if (left <= 0) return NONE;
  const needed = instrument.step.toDecimal(left);
  const selling = sellingOrders(state, instrument.base, order.clientOrderId, leaving);
  let free = state.portfolio.balance(instrument.base, 'spot').total;
  const bases = leftBases(selling, state);
  for (const base of bases.values()) free = free.minus(base);
  const ofOthers = unsoldOfOthers(strategyId, bases, instrument.base, state);
  if (needed.lessThanOrEqualTo(free.minus(ofOthers))) return NONE;
  const rank = (one: Readonly<Order>) => (one.cancelRequested ? 0 : one.strategyId === strategyId ? 1 : 2);
  const resting = selling.reverse().filter((one) => !inFlight(one, leaving) && !leaving.has(one.clientOrderId));
  const found: Readonly<Order>[] = [];
  for (const one of resting.sort((a, b) => rank(a) - rank(b))) {
    if (needed.lessThanOrEqualTo(one.strategyId === strategyId ? free.minus(ofOthers) : free)) continue;
    found.push(one);
    free = free.plus(leftBase(one, state));
  }
  return found;
}

/** Spot: the quantity of an asset that the other strategies hold and do not sell. */
function unsoldOfOthers(strategyId: string, bases: ReadonlyMap<Readonly<Order>, Decimal>, asset: string, state: ReadonlyState): Decimal {
  let sum = ZERO;
  for (const id of state.books.keys()) {
    if (id === strategyId) continue;
    let unsold = heldBase(id, state, asset);
    for (const [one, base] of bases) if (one.strategyId === id) unsold = unsold.minus(base);
    if (unsold.greaterThan(ZERO)) sum = sum.plus(unsold);
  }
  return sum;
}

/** Spot: the quantity of an asset that a strategy holds, over all its instruments. */
export function heldBase(strategyId: string, state: ReadonlyState, asset: string): Decimal {
  let sum = ZERO;
  for (const { instrument } of state.markets) {
    if (instrument.base !== asset || state.margin.settings(instrument) !== undefined) continue;
    sum = sum.plus(instrument.step.toDecimal(Math.max(0, state.books.get(strategyId)!.position(instrument, 'net').steps)));
  }
  return sum;
}

/** Spot: orders that were sent, or are about to be, and sell this asset; the oldest first. */
function sellingOrders(state: ReadonlyState, asset: string, but: string, leaving: Leaving): Readonly<Order>[] {
  return state.markets.flatMap(({ instrument }) =>
    instrument.base === asset && state.margin.settings(instrument) === undefined
      ? workingOrders(state, instrument, { side: 'sell', positionSide: 'net' }, but, undefined, leaving).filter(
          (one) => !waitsHere(one, leaving),
        )
      : [],
  );
}

/**
 * Coins that sells take. Those of a strategy that are still to be reviewed are then trimmed to the part of the position that its other
 * sells leave.
 */
function leftBases(selling: readonly Readonly<Order>[], state: ReadonlyState): ReadonlyMap<Readonly<Order>, Decimal> {
  const closing = new Map<string, Decimal>();
  const bases = new Map<Readonly<Order>, Decimal>();
  const isCut = (one: Readonly<Order>) => !one.held && !inReview(one);
  for (const one of [...selling.filter(isCut), ...selling.filter((other) => !isCut(other))]) {
    const { request, instrument, strategyId } = one;
    const key = `${strategyId}/${instrument.symbol}`;
    const before = closing.get(key) ?? ZERO;
    let base = leftBase(one, state);
    if (request.reduceOnly && !isCut(one)) {
      const left = instrument.step.toDecimal(reducibleSteps(request, state)).minus(before);
      if (left.lessThan(base)) base = left.isNegative() ? ZERO : left;
    }
    if (request.reduceOnly) closing.set(key, before.plus(base));
    bases.set(one, base);
  }
  return bases;
}

/** Coins that a sell takes. One that is still to be reviewed is then trimmed to its strategy's position. */
function leftBase(order: Readonly<Order>, state: ReadonlyState): Decimal {
  const { request, held, instrument } = order;
  const uncut = request.reduceOnly && (held || inReview(order));
  const steps = leftSteps(order, state);
  return instrument.step.toDecimal(uncut ? Math.min(steps, reducibleSteps(request, state)) : steps);
}

function sizeOf(side: PositionSide, steps: number): number {
  return Math.max(0, side === 'short' ? -steps : steps);
}

/** Steps of a net position; for a strategy, of its own. */
function netSteps(state: ReadonlyState, instrument: Instrument, of: Of): number {
  return of === undefined ? state.heldSteps(instrument) : positionOf(state, instrument, 'net', of).steps;
}

function positionOf(state: ReadonlyState, instrument: Instrument, side: PositionSide, of: Of): ReadonlyPosition {
  return (of === undefined ? state : state.books.get(of)!).position(instrument, side);
}

function worstOf(state: ReadonlyState, instrument: Instrument, positionSide: 'long' | 'short', added: Added | undefined, of: Of): number {
  const opening: Working = { side: positionSide === 'long' ? 'buy' : 'sell', positionSide };
  const more = added?.order.positionSide === positionSide && added.order.side === opening.side ? added.steps : 0;
  const held = sizeOf(positionSide, positionOf(state, instrument, positionSide, of).steps);
  return held + workingSteps(state, instrument, opening, added?.order.clientOrderId ?? '', of) + more;
}

function workingSteps(state: ReadonlyState, instrument: Instrument, working: Working, but: string, of: Of): number {
  return stepsOf(workingOrders(state, instrument, working, but, of), state);
}
