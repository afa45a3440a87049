// Long because what an order may still do is one question, and every rule asks a part of it: positions, what works beside them, what is free.
import { Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import { closes, type OrderRequest, type PositionSide, type Side } from '../model/order.ts';
import type { Denial } from '../model/reasons.ts';
import type { Order } from '../state/order.ts';
import type { ReadonlyMarket, ReadonlyPosition, ReadonlyState } from '../state/state.ts';
import type { RiskContext } from './rule.ts';

const NONE: readonly Readonly<Order>[] = [];

/** The price an order is judged at, in ticks: its limit, or where the market stands. `NaN` where there is neither. */
export function judgedTicks(order: OrderRequest, marketTicks: number): number {
  return order.priceTicks ?? marketTicks;
}

/** The order's size in steps; an amount of quote counts at the judged price. */
export function judgedSteps(order: OrderRequest, marketTicks: number): number {
  return order.steps ?? stepsFor(order, order.quoteQuantity ?? ZERO, marketTicks);
}

/** The order's size in quote, exact. */
export function judgedNotional(order: OrderRequest, marketTicks: number): Decimal {
  return order.quoteQuantity ?? order.instrument.notional(judgedTicks(order, marketTicks), order.steps ?? 0);
}

/** True for an exit that waits for its price at the venue, as others wait at the engine. */
export function isExitTrigger({ reduceOnly, triggerTicks, atLast }: OrderRequest): boolean {
  return reduceOnly && triggerTicks !== undefined && !atLast;
}

/** Equity that limits are shares of: the account's, or a strategy's own. */
export function equityOf({ state, of }: Pick<RiskContext, 'state' | 'of'>): Decimal {
  return of === undefined ? state.portfolio.exactEquity() : state.ownEquities.get(of)!.exactEquity();
}

/** What an order works on: one direction of one position. */
type Working = Pick<OrderRequest, 'side' | 'positionSide'>;

/** Whose positions and orders count: a strategy's by its id; `undefined`: the account's, which are all. */
type Of = string | undefined;

/** Held orders, by client order id, that a price has triggered a moment ago: the state does not have it yet. */
type Leaving = ReadonlySet<string>;
const NOTHING: Leaving = new Set();

function waitsHere({ held, clientOrderId }: Readonly<Order>, leaving: Leaving): boolean {
  return held && !leaving.has(clientOrderId);
}

/**
 * Orders that may still add to a side: at the venue, on their way, or held entries. Held exits do not
 * count, as they only ever reduce; nor do those that wait at the venue, which the engine takes back when there is
 * nothing left to exit; nor does the order under review itself, when it was held before.
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

/** Steps that a working order may still fill; what is left of an amount of quote counts at the newest price. */
export function leftSteps({ request, filledSteps, filledNotional }: Readonly<Order>, state: ReadonlyState): number {
  if (request.steps !== undefined) return Math.max(0, request.steps - filledSteps);
  const left = (request.quoteQuantity ?? ZERO).minus(filledNotional);
  return Math.max(0, stepsFor(request, left, state.market(request.instrument).lastTicks));
}

/** Quote that a working buy may still need; without a limit, at its trigger or the newest price. */
export function leftNotional(order: Readonly<Order>, state: ReadonlyState): Decimal {
  const { request, filledNotional } = order;
  if (request.quoteQuantity !== undefined) return request.quoteQuantity.minus(filledNotional);
  const { lastTicks } = state.market(request.instrument);
  const ticks = judgedTicks(request, order.untriggered ? request.triggerTicks! : lastTicks);
  return request.instrument.notional(ticks, leftSteps(order, state));
}

/** An order under review, with its size. */
interface Added {
  readonly order: OrderRequest;
  readonly steps: number;
}

/**
 * The largest absolute position, in steps, that fills in any order could lead to; with `added` more on one side.
 * Long and short side by side are judged each for itself, and what is not `added` to counts as it is.
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

/** The same with both sides of a contract on margin added up. */
function grossWorstSteps(state: ReadonlyState, instrument: Instrument, added?: Added, of?: Of): number {
  if (state.sides(instrument).length === 1) return worstSteps(state, instrument, added, of);
  return worstOf(state, instrument, 'long', added, of) + worstOf(state, instrument, 'short', added, of);
}

/**
 * Gross value of positions, open orders and the order under review, in the account's currency, over the instruments
 * that count: the largest that fills in any order could lead to, at the newest mark (at the order's limit or trigger
 * where that is higher). Long and short side by side add up. For a strategy, its own positions and orders alone count. A
 * denial where something has no price in the currency.
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
 * The same as a double, good to far less than a millionth; `NaN` where something has no price, or another currency than the account's:
 * then only the exact way can tell.
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

/** At the highest of the mark and these, of which some may be unknown. */
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

type Reduced = Pick<RiskContext, 'state' | 'marketTicks' | 'of' | 'besideResting' | 'rules'> & Partial<Pick<RiskContext, 'purpose'>>;

/**
 * True when the order can only bring the position that it works on nearer to zero.
 *
 * It is judged by its strategy's own position alone: what other strategies hold or have ordered does not count, nor what the
 * account holds beside them.
 *
 * - A reduce-only order that closes now counts beside what its strategy has in flight, and outranks what rests. One that is
 *   to rest counts beside all that its strategy has working on that side. One that the engine is to hold counts alone, as it is
 *   cut to what is left of the position when it goes out. One that waits at the venue for its trigger counts alone, as it is
 *   canceled with the position.
 * - Any other order counts beside all that its strategy has working on that side.
 */
export function reduces(order: OrderRequest, context: Reduced): boolean {
  if (context.besideResting === true) return false;
  const { positionSide, reduceOnly } = order;
  if (reduceOnly || closes(order)) return reducesOwn(order, context);
  if (positionSide !== 'net') return false;
  return context.rules === 0 ? reducesNet(order, context) : reducesOwn(order, context);
}

/** As versions judged it whose journals count no rules: by the account's net position, or that of the strategy whose limits are checked. */
function reducesNet(order: OrderRequest, { state, marketTicks, of }: Pick<RiskContext, 'state' | 'marketTicks' | 'of'>): boolean {
  const { instrument, side, clientOrderId } = order;
  const held = netSteps(state, instrument, of);
  if (held === 0 || held > 0 === (side === 'buy')) return false;
  const under = workingOrders(state, instrument, order, clientOrderId, of);
  return stepsOf(under, state) + judgedSteps(order, marketTicks) <= Math.abs(held);
}

/**
 * True when the order can only bring its strategy's own position nearer to zero, beside what that has working on its side, and is
 * no more than the account really holds of it: whatever else is unknown, this opens nothing.
 */
export function reducesOwn(order: OrderRequest, { state, marketTicks, purpose }: Reduced): boolean {
  const own = reducibleSteps(order, state);
  if (purpose === 'hold' && order.reduceOnly) return own > 0;
  return own > 0 && ownClosing(order, state) + judgedSteps(order, marketTicks) <= own;
}

/** Whether the order closes at once: it protects, and so outranks every order that rests. */
export function closesNow({ reduceOnly, type, released, triggerTicks, atLast }: OrderRequest): boolean {
  return reduceOnly && (type === 'market' || released) && (triggerTicks === undefined || atLast === true);
}

/** Steps by which the order could bring its strategy's own position nearer to zero; never negative. */
export function reducibleSteps(order: OrderRequest, state: ReadonlyState): number {
  const { positionSide, side } = order;
  if (positionSide !== 'net' && !closes(order)) return 0;
  const held = heldSteps(order, state);
  return Math.max(0, side === 'sell' ? held : -held);
}

/** What identifies a position of a strategy. */
type Owned = Pick<OrderRequest, 'strategyId' | 'instrument' | 'positionSide'>;

/** Signed steps of the strategy's own book, whether or not the account still has them. */
export function ownSteps({ strategyId, instrument, positionSide }: Owned, state: ReadonlyState): number {
  return state.books.get(strategyId)?.position(instrument, positionSide).steps ?? 0;
}

/**
 * Signed steps of the order's strategy on the side that it works on. On spot at most the account's balance, and on margin at
 * most the account's side: what is gone cannot be closed.
 */
export function heldSteps(order: Owned, state: ReadonlyState): number {
  const own = ownSteps(order, state);
  const { instrument, positionSide } = order;
  // What a strategy has sold on spot beyond its own coins, it may buy back.
  if (positionSide === 'net' && (own < 0 || state.account.kind === 'netting')) return own;
  const account = positionSide === 'net' ? state.heldSteps(instrument) : state.position(instrument, positionSide).steps;
  return own > 0 ? Math.max(0, Math.min(own, account)) : Math.min(0, Math.max(own, account));
}

/** Whether the account holds nothing any more of what the close's strategy holds: others have traded it, or moved it away. */
export function isGone(order: OrderRequest, state: ReadonlyState): boolean {
  return (
    order.reduceOnly &&
    ownSteps(order, state) > 0 === (order.side === 'sell') &&
    ownSteps(order, state) !== 0 &&
    reducibleSteps(order, state) === 0
  );
}

/** What a close that goes out now finds of its strategy's position: what that has in flight already is spoken for. */
export function uncoveredSteps(order: OrderRequest, state: ReadonlyState): number {
  return Math.max(0, reducibleSteps(order, state) - ownClosing(order, state));
}

/**
 * Spot: the most that a sell which goes out now could sell: the account's coins, less those that other sells in flight may
 * still take. Somebody else may have sold some of them. No bound anywhere else.
 */
export function sellableSteps({ side, instrument, positionSide, clientOrderId }: OrderRequest, state: ReadonlyState): number {
  if (side !== 'sell' || positionSide !== 'net' || state.account.kind === 'netting') return Number.POSITIVE_INFINITY;
  let free = state.portfolio.balance(instrument.base, 'spot').total;
  for (const one of sellingOrders(state, instrument.base, clientOrderId, NOTHING)) {
    if (inFlight(one) && !inReview(one)) free = free.minus(leftBase(one, state));
  }
  const told = state.freeCoins.get(instrument.base);
  // Nothing at all may be free again by now: then the whole is tried.
  if (told !== undefined && free.greaterThan(told) && Number(told) > 0) free = new Decimal(told);
  return Math.max(0, instrument.step.floorUnits(free));
}

/** Steps that orders of unknown fate may have closed already of a position of the strategy, by orders of this side. */
export function doubtfulSteps({ strategyId, instrument, side }: Owned & Pick<OrderRequest, 'side'>, state: ReadonlyState): number {
  let sum = 0;
  for (const order of state.openOrders.values()) {
    const { status, request } = order;
    if (status !== 'unknown' || request.instrument !== instrument || order.strategyId !== strategyId || request.side !== side) continue;
    if (request.positionSide === 'net' || closes(request)) sum += leftSteps(order, state);
  }
  return sum;
}

/** Whether what its strategy has in flight, or is about to send, closes all that this order could close. */
export function covered(order: OrderRequest, state: ReadonlyState, leaving: Leaving = NOTHING): boolean {
  if (!order.reduceOnly || state.openOrders.size === 0) return false;
  return reducibleSteps(order, state) > 0 && leftToClose(order, state, leaving) <= 0;
}

/** Steps of its strategy's position that are left for this order beside what closes before it. */
function leftToClose(order: OrderRequest, state: ReadonlyState, leaving: Leaving): number {
  const closing = ownWorking(order, state, leaving).filter((one) => closesBefore(one, order, leaving));
  return reducibleSteps(order, state) - stepsOf(closing, state);
}

/** Steps that the strategy's other orders on that side count beside a closing one. */
function ownClosing(order: OrderRequest, state: ReadonlyState): number {
  if (isExitTrigger(order)) return 0;
  const own = ownWorking(order, state);
  return stepsOf(closesNow(order) ? own.filter((one) => closesBefore(one, order) && !inReview(one)) : own, state);
}

/** Whether another close of the same strategy comes before this one: what is in flight, and for a take profit one that has been released. */
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

/** A held order that a price has triggered and that is still to be reviewed: those reviewed before it do not count it. */
export function inReview({ triggered, request }: Readonly<Order>): boolean {
  return triggered && !request.released && request.triggerTicks === undefined;
}

/**
 * Whether the order takes at once wherever it is: it neither rests nor waits for a trigger. One of unknown fate may have filled
 * already, and no cancel of it can be waited for.
 */
function inFlight(order: Readonly<Order>, leaving: Leaving = NOTHING): boolean {
  const { request, untriggered, status } = order;
  const takes = request.type === 'market' || request.timeInForce !== 'GTC' || status === 'unknown';
  return takes && !waitsHere(order, leaving) && !untriggered;
}

/** Orders that rest on the side of a close, or wait for their price, and do not close themselves: what it outranks. */
export function restingBeside(order: OrderRequest, state: ReadonlyState): readonly Readonly<Order>[] {
  return workingOrders(state, order.instrument, order, order.clientOrderId).filter((one) => !one.request.reduceOnly && !inFlight(one));
}

/**
 * Spot: orders that hold the coins which this close is to sell, in the order in which they give way: those that are being
 * canceled already, then the strategy's own before those of others, the newest first. Coins that other strategies hold and do
 * not sell are not free for it, so its own orders give way before it takes those. Empty where enough is free.
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

/** Spot: what the other strategies hold of an asset beyond what they sell. */
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

/** Spot: what a strategy holds of an asset, over all its instruments. */
export function heldBase(strategyId: string, state: ReadonlyState, asset: string): Decimal {
  let sum = ZERO;
  for (const { instrument } of state.markets) {
    if (instrument.base !== asset || state.margin.settings(instrument) !== undefined) continue;
    sum = sum.plus(instrument.step.toDecimal(Math.max(0, state.books.get(strategyId)!.position(instrument, 'net').steps)));
  }
  return sum;
}

/** Spot: orders that have left, or are about to, and sell this asset; the oldest first. */
function sellingOrders(state: ReadonlyState, asset: string, but: string, leaving: Leaving): Readonly<Order>[] {
  return state.markets.flatMap(({ instrument }) =>
    instrument.base === asset && state.margin.settings(instrument) === undefined
      ? workingOrders(state, instrument, { side: 'sell', positionSide: 'net' }, but, undefined, leaving).filter(
          (one) => !waitsHere(one, leaving),
        )
      : [],
  );
}

/** What sells take of the coins; those of a strategy that are still to be reviewed are then cut to what its others leave of the position. */
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

/** What a sell takes of the coins; one that is still to be reviewed is cut to its strategy's position then. */
function leftBase(order: Readonly<Order>, state: ReadonlyState): Decimal {
  const { request, held, instrument } = order;
  const uncut = request.reduceOnly && (held || inReview(order));
  const steps = leftSteps(order, state);
  return instrument.step.toDecimal(uncut ? Math.min(steps, reducibleSteps(request, state)) : steps);
}

function sizeOf(side: PositionSide, steps: number): number {
  return Math.max(0, side === 'short' ? -steps : steps);
}

/** Steps of a net position; of a strategy, its own. */
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

function stepsFor(order: OrderRequest, quote: Decimal, marketTicks: number): number {
  const { tick, step } = order.instrument;
  return step.floorUnits(quote.div(tick.toDecimal(judgedTicks(order, marketTicks))));
}
