import {
  type AccountEvent,
  type BalanceChanged,
  type ExitDelayed,
  type ExitRefused,
  type ForcedClose,
  type FundingCharged,
  type HealthChanged,
  isForcedClose,
  type LatchReset,
  type OrderAdopted,
  type OrderEvent,
  type OrderFilled,
  type PositionFound,
} from '../model/account-events.ts';
import { ZERO } from '../model/decimal.ts';
import { invariant } from '../model/errors.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import { shareOf } from '../model/margin.ts';
import type { MarketEvent } from '../model/market-events.ts';
import { closes, isLiquidation, isStop } from '../model/order.ts';
import { isTerminal, type OrderStatus, statusAfter } from '../model/order-state.ts';
import { type Execution, type Position, SeparatedPosition } from '../model/position.ts';
import { Order } from './order.ts';
import { holdersOf, latchKey, type State } from './state.ts';
import { guardKey, noteExit } from './unprotected.ts';

/** Applies a market event: prices, equity, drawdown, and the equity curve before the price changes. */
export function applyMarket(state: State, event: MarketEvent, market = state.market(event.instrument)): void {
  const { portfolio } = state;
  const { time } = event;
  const { index } = event.instrument;
  if (time > portfolio.curve.nextTime) writeCurve(state, time);
  if (time > state.time) state.time = time;
  state.sequence = event.sequence;
  market.apply(event);
  portfolio.observe(index, time);
  const { watchers } = state;
  for (let i = 0; i < watchers.length; i++) watchers[i]!.observe(index, time);
}

/** Stores the points of the equity curve that are due before an event at `time`. @param market the event is one of the market. */
export function writeCurve({ portfolio, watchers }: State, time: number, market = true): void {
  portfolio.day?.advance(time);
  for (const watcher of watchers) watcher.advance?.(time);
  portfolio.curve.advance(time, market);
}

/**
 * Applies an account event.
 * @throws TidegateError INVARIANT_BROKEN for an event that its order cannot have.
 */
export function applyAccount(state: State, event: AccountEvent): void {
  const { time } = event;
  const { curve } = state.portfolio;
  state.portfolio.hold(state.time);
  if (time > state.time) state.time = time;
  // Fills are applied before the price of the same time. Samples of the curve before that time must not include them.
  if (time > curve.nextTime && curve.started && movesMoney(event)) writeCurve(state, time, false);
  switch (event.kind) {
    case 'balanceChanged':
      if (state.portfolio.setBalance(event.balance, event.time) && !awaitsFill(event)) state.portfolio.value();
      else if (event.entry !== undefined && awaitsFill(event)) state.portfolio.awaitFill(event.entry);
      return;
    case 'fundingCharged':
      applyFunding(state, event);
      return;
    case 'marginChanged':
      state.margin.apply(event);
      return;
    case 'positionLiquidated':
    case 'positionDeleveraged':
      applyLiquidation(state, event);
      return;
    case 'positionFound':
      applyFound(state, event);
      return;
    case 'riskLatched':
      state.latches.set(latchKey(event), event);
      if (event.rule === 'cooldown') state.results?.restart(event.strategyId);
      return;
    case 'latchReset':
      state.latches.delete(latchKey(event));
      measureAnew(state, event);
      return;
    case 'limitsListed':
      state.listedLimits.set(event.instrument.symbol, event.limits);
      return;
    case 'healthChanged':
      applyHealth(state, event);
      return;
    case 'requestsChanged': {
      const { queued, since, free } = event;
      state.requests = { queued, since, free };
      return;
    }
    case 'closeOvershot':
      state.overshot.set(`${event.strategyId}/${event.instrument.symbol}/${event.positionSide}`, event);
      return;
    case 'exitRefused':
    case 'exitDelayed':
      noteRefusedExit(state, event);
      return;
    case 'signalReceived':
    case 'timerFired':
    case 'tradeStopped':
      return;
    case 'orderDenied':
      if (state.openOrders.has(event.clientOrderId)) applyOrder(state, event);
      return;
    default:
      applyOrder(state, event);
  }
}

function movesMoney(event: AccountEvent): boolean {
  if (event.kind === 'balanceChanged') return event.entry !== undefined;
  return event.kind === 'orderFilled' || isForcedClose(event) || event.kind === 'positionFound';
}

/** The ledger entries of a fill come before the fill. Equity counts both together, when the fill is applied. */
function awaitsFill({ entry }: BalanceChanged): boolean {
  return entry !== undefined && entry.fillId !== '' && entry.reason !== 'foreign';
}

function applyHealth({ health }: State, event: HealthChanged): void {
  const key = `${event.subject}/${event.symbol}`;
  if (event.condition === 'fresh') health.delete(key);
  else health.set(key, event);
}

/** Restarts the measure whose latch was lifted: it counts from now. */
function measureAnew({ measured, ownEquities, results }: State, { rule, strategyId, time }: LatchReset): void {
  const of = strategyId === undefined ? measured : ownEquities.get(strategyId);
  if (rule === 'maxDrawdown') of?.drawdown.restart(time);
  else if (rule === 'dailyLoss') of?.day?.restart();
  else if (rule === 'cooldown') results?.restart(strategyId);
}

/**
 * Applies the stored events of an earlier run to a new state, in their order, so that the state is the same again.
 * @throws TidegateError INVARIANT_BROKEN for events that cannot have happened in this order.
 */
export function resumeState(state: State, events: Iterable<MarketEvent | AccountEvent>): void {
  for (const event of events) {
    switch (event.kind) {
      case 'quote':
      case 'bar':
      case 'depth':
      case 'trade':
      case 'ticker':
      case 'mark':
      case 'funding':
        applyMarket(state, event);
        break;
      default:
        applyAccount(state, event);
    }
  }
}

/** An event of an order that exists already, or `orderSubmitted`. */
type KnownOrderEvent = Exclude<OrderEvent, OrderAdopted>;

function applyOrder(state: State, event: OrderEvent): void {
  if (event.kind === 'orderAdopted') {
    adopt(state, event);
    return;
  }
  if (event.kind === 'orderSubmitted' && !event.again) {
    invariant(state.order(event.clientOrderId) === undefined, `a client order id is used once, not again (${event.clientOrderId})`);
    state.openOrders.set(event.clientOrderId, new Order(event.request, event.type, event.stopTicks, event.time));
    const replaced = event.request.replaces === undefined ? undefined : state.order(event.request.replaces);
    if (replaced !== undefined) replaced.replacedBy = event.clientOrderId;
    return;
  }
  const order = state.order(event.clientOrderId);
  invariant(order !== undefined, `${event.kind} names a known order, not ${event.clientOrderId}`);
  // The journal lost the resize of this held order, but the exchange shows that the order was sent. It is not resized any more.
  if (event.kind === 'orderSubmitted' && order.orderId !== '' && (order.filledSteps > 0 || isTerminal(order.status))) return;
  if (event.kind === 'orderFilled') applyFill(state, order, event);
  const next = statusAfter(order.status, event);
  invariant(next !== undefined, `order ${order.clientOrderId} (${order.status}) cannot take ${event.kind}`);
  order.status = statusKept(order, event, next);
  if (event.kind === 'orderSubmitted') {
    order.request = event.request;
    order.stopTicks = event.stopTicks;
    if (waitsAnew(event)) {
      order.triggered = false;
      order.held = false;
    }
  } else if (event.kind === 'orderAccepted') {
    order.orderId = event.orderId;
    order.held = event.held;
    noteGuard(state, order);
    noteExit(state, order);
    if (state.freeCoins.size > 0 && !event.held && order.side === 'sell') state.freeCoins.delete(order.instrument.base);
  } else if (event.kind === 'orderUnknown') {
    // It was sent.
    order.held = false;
  } else if (event.kind === 'orderTriggered') {
    order.held = false;
    order.triggered = true;
  } else if (event.kind === 'orderRejected' && (event.reason.code === 'coinsReserved' || event.reason.code === 'coinsLacked')) {
    state.freeCoins.set(event.reason.asset, event.reason.available);
  } else if (event.kind === 'cancelSubmitted') {
    order.cancelRequested = true;
  } else if (event.kind === 'cancelRejected') {
    order.cancelRequested = false;
  }
  const isOpen = state.openOrders.has(order.clientOrderId);
  if (isTerminal(next) && isOpen) state.endOrder(order);
  else if (!isTerminal(next) && !isOpen) state.reopenOrder(order);
}

/** @throws TidegateError INVARIANT_BROKEN for an order that already exists. */
function adopt(state: State, { clientOrderId, orderId, request, filledSteps, filledNotional, time }: OrderAdopted): void {
  invariant(state.order(clientOrderId) === undefined, `an order is adopted once, not again (${clientOrderId})`);
  const order = new Order(request, request.type, undefined, time);
  order.adopted = true;
  order.orderId = orderId;
  order.filledSteps = filledSteps;
  order.filledNotional = filledNotional;
  order.status = filledSteps > 0 ? 'partiallyFilled' : 'accepted';
  state.openOrders.set(clientOrderId, order);
  noteExit(state, order);
}

/** The table has no history. When an order is found again or a cancel is refused, its fills, its trigger and its pending cancel remain. */
function statusKept(order: Order, event: KnownOrderEvent, next: OrderStatus): OrderStatus {
  if (waitsAnew(event)) return 'submitted';
  const found =
    (order.status === 'unknown' || order.status === 'vanished') &&
    (next === 'accepted' || next === 'triggered' || next === 'partiallyFilled');
  if (found && order.cancelRequested) return 'cancelPending';
  if (next !== 'accepted') return next;
  if (order.filledSteps > 0) return 'partiallyFilled';
  return order.triggered && event.kind === 'cancelRejected' ? 'triggered' : next;
}

/** True where a held order is sent as a trigger order of the venue: it has not triggered yet. */
function waitsAnew(event: KnownOrderEvent): boolean {
  return event.kind === 'orderSubmitted' && event.again && event.request.triggerTicks !== undefined;
}

/** The order that was sent in place of this one, the order that was sent in place of that, and so on. */
function* replacementsOf(order: Order, state: State): Generator<Order> {
  for (let at = order.replacedBy; at !== ''; ) {
    const next = state.order(at);
    if (next === undefined) return;
    yield next;
    at = next.replacedBy;
  }
}

function applyFill(state: State, order: Order, { fill, time }: OrderFilled): void {
  order.filledSteps += fill.steps;
  for (const late of replacementsOf(order, state)) late.lateSteps += fill.steps;
  order.filledNotional = order.filledSteps === fill.steps ? fill.notional : order.filledNotional.plus(fill.notional);
  const { instrument, positionSide } = fill;
  const book = state.bookOf(fill.strategyId).position(instrument, positionSide);
  const own = order.adopted ? adoptedPart(fill, book) : fill;
  if (own !== undefined) {
    if (state.results === undefined) book.apply(own);
    else state.results.onFill(own, book, { time, stopped: isStop(order.type) || isLiquidation(order.type) }, () => book.apply(own));
  }
  if (own !== undefined) {
    state.ownEquities.get(fill.strategyId)?.onFill(own);
    state.traded?.onFill(own);
  }
  if (book?.steps === 0) noteFlat(state, fill);
  // A strategy's share of a liquidation: the whole liquidation has already closed the account's position.
  if (isLiquidation(order.type)) return;
  const position = state.position(instrument, positionSide);
  // On spot, a quantity that belongs to no strategy is a balance, not a position.
  if (positionSide !== 'net') position.apply(fill);
  else if (own !== undefined) position.apply(own);
  if (state.account.kind === 'netting') state.portfolio.setPosition(instrument, position, time);
  else if (positionSide !== 'net') followSides(state, instrument, time);
  else state.portfolio.follow(instrument, time);
  state.portfolio.onFill(fill);
  state.portfolio.value();
}

/**
 * The part of an adopted order's fill that belongs to the order's strategy. An opening fill belongs to it completely. A closing fill
 * belongs to it up to the quantity that the strategy holds; the rest closes a quantity of no strategy. `undefined` where the strategy has
 * no part.
 */
function adoptedPart(fill: Fill, { steps: held }: Position): Execution | undefined {
  const closing = fill.positionSide === 'net' ? fill.side === 'sell' : closes(fill);
  const steps = Math.min(fill.steps, Math.max(0, fill.side === 'sell' ? held : -held));
  if (!closing || steps === fill.steps) return fill;
  if (steps === 0) return undefined;
  const { orderId, strategyId, instrument, side, priceTicks, feeAsset } = fill;
  const share = (amount: Fill['fee']) => shareOf(amount, steps, fill.steps);
  return { orderId, strategyId, instrument, side, priceTicks, steps, notional: share(fill.notional), fee: share(fill.fee), feeAsset };
}

function applyLiquidation(state: State, { fill, positionId, time }: ForcedClose): void {
  const position = state.position(fill.instrument, fill.positionSide);
  if (positionId !== undefined && position instanceof SeparatedPosition) {
    position.closeNext(positionId);
    for (const book of [...state.books.values(), ...state.formerBooks.values()]) {
      const own = book.position(fill.instrument, fill.positionSide);
      // The strategy's share follows as a separate fill.
      if (own instanceof SeparatedPosition && own.stepsOf(positionId) > 0) own.closeNext(positionId);
    }
  }
  position.apply(fill);
  followSides(state, fill.instrument, time);
  state.portfolio.onFill(fill);
  state.portfolio.value();
}

/** The position belongs to no strategy: no strategy's book changes. */
function applyFound(state: State, { instrument, positionSide, action, steps, notional, orderId, time }: PositionFound): void {
  const side = (positionSide === 'long') === (action === 'opened') ? 'buy' : 'sell';
  const priceTicks = Math.round(notional.div(instrument.notional(1, steps)).toNumber());
  const execution = {
    orderId,
    strategyId: '',
    instrument,
    side,
    priceTicks,
    steps,
    notional,
    fee: ZERO,
    feeAsset: instrument.quote,
  } as const;
  state.position(instrument, positionSide).apply(execution);
  followSides(state, instrument, time);
  state.portfolio.value();
}

function followSides(state: State, instrument: Instrument, time: number): void {
  state.portfolio.setSides(instrument, state.position(instrument, 'long'), state.position(instrument, 'short'), time);
}

/**
 * Books a funding charge on the account's position and on the strategies' positions, in proportion to the steps that each holds of the
 * side. The last strategy gets the rest, so that the shares sum to the charge.
 */
function applyFunding(state: State, { instrument, positionSide, amount }: FundingCharged): void {
  const charged = state.position(instrument, positionSide);
  charged.funding = charged.funding.plus(amount);
  const holders = holdersOf(state, instrument, positionSide);
  const steps = holders.reduce((sum, holder) => sum + holder.steps, 0);
  let rest = amount;
  holders.forEach((holder, index) => {
    const share = index === holders.length - 1 ? rest : shareOf(amount, holder.steps, steps);
    rest = rest.minus(share);
    holder.position.funding = holder.position.funding.plus(share);
    state.ownEquities.get(holder.strategyId)?.onFunding(instrument.quote, share);
    state.traded?.onFunding(instrument.quote, share);
  });
}

/** The position that an exit was to close, and which of its exits it was. */
type Exit = Pick<ExitRefused, 'strategyId' | 'instrument' | 'positionSide' | 'exit'>;

function noteRefusedExit({ refusedExits }: State, event: ExitRefused | ExitDelayed): void {
  refusedExits.set(keyOf(event), event);
}

/** A stop is open: the position is protected again. */
function noteGuard({ refusedExits }: State, { type, strategyId, instrument, positionSide }: Order): void {
  if (refusedExits.size === 0 || !isStop(type)) return;
  refusedExits.delete(keyOf({ strategyId, instrument, positionSide, exit: 'stop' }));
}

/** The position is closed: nothing remains to be protected. */
function noteFlat({ refusedExits, overshot, guarded }: State, { strategyId, instrument, positionSide }: Omit<Exit, 'exit'>): void {
  // Their keys are texts, made only where there is one to find.
  if (guarded.size > 0) guarded.delete(guardKey({ strategyId, instrument, positionSide }));
  if (overshot.size > 0) overshot.delete(`${strategyId}/${instrument.symbol}/${positionSide}`);
  if (refusedExits.size === 0) return;
  for (const exit of ['stop', 'flatten'] as const) refusedExits.delete(keyOf({ strategyId, instrument, positionSide, exit }));
}

function keyOf({ strategyId, instrument, positionSide, exit }: Exit): string {
  return `${exit}/${instrument.symbol}/${positionSide}/${strategyId}`;
}
