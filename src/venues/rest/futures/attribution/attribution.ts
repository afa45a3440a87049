import { wireSymbol } from '../../../../exchange/symbols.ts';
import { ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { closes } from '../../../../model/order.ts';
import { leftOf, type TrackedOrder, type TrackedOrders } from '../../../reconcile/order-record.ts';
import { wholeValue } from '../sums/sizes.ts';
import { type Allotment, allot, type Candidate, ownPart } from './candidates.ts';
import type { FillReporter, ForcedOrders } from './fill-reporter.ts';
import type { ListedStates, RecentlyEnded } from './listed-states.ts';
import {
  forcedStepsOf,
  isGuessed,
  isNamed,
  moneyIn,
  mostTradedIn,
  type Span,
  stepsOf,
  type TradePool,
  type TradePools,
  tradedBefore,
  tradedIn,
} from './trade-pools.ts';

export interface AttributionParts {
  readonly orders: TrackedOrders;
  readonly listedStates: ListedStates;
  readonly reporter: FillReporter;
  /** By wire symbol. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly recentlyEnded: RecentlyEnded;
  readonly forced: Pick<ForcedOrders, 'waiting' | 'lists'>;
  /** Steps of the position in the newest snapshot. */
  readonly held: (symbol: string, positionSide: 'long' | 'short') => number;
  /** Whether lists show the order with this id under a foreign client id. */
  readonly isOthers: (orderId: string) => boolean;
}

/** Attributes trades to own orders, to liquidations, or to no one. */
export class Attribution {
  constructor(private readonly parts: AttributionParts) {}

  run(pools: TradePools): void {
    for (const pool of pools.all) this.#settle(pools, pool);
  }

  #settle(pools: TradePools, pool: TradePool): void {
    const { listedStates, instruments, orders, reporter, forced } = this.parts;
    const instrument = instruments.get(pool.symbol);
    // A close waits for its opening: the engine must never receive a negative position.
    if (instrument === undefined || (pool.action === 'close' && this.#reported(pools, pool) < stepsOf(pool))) return;
    if (isNamed(pool)) {
      this.#settleNamed(pools, pool, instrument);
      return;
    }
    const shownTo = listedStates.shownTo(instrument);
    const settled = tradedBefore(pool, shownTo) === stepsOf(pool);
    const able = orders.alive.filter((order) => concerns(order, pool));
    const computed = (within: typeof tradedIn) => able.map((order) => this.#candidate(order, pool, settled, within));
    const candidates = computed(tradedIn).filter(({ shown, more }) => shown + more > 0);
    // The times of trades that were taken from the pool are assumptions. If one is wrong, the times of the rest are wrong too.
    const sure = settled || moreOf(computed(mostTradedIn)) === moreOf(candidates);
    const early = candidates.some(({ order, state }) => order.phase === 'sending' || state === 'unconfirmed');
    if (pool.forced) {
      this.#settleForced(pools, pool, instrument, candidates, settled && !early);
      return;
    }
    const due = early ? 0 : tradedBefore(pool, shownTo);
    this.#give(pools, pool, allot({ steps: stepsOf(pool), due, sure, ticks: priceOf(pool, instrument) }, candidates), candidates);
    if (pool.arrivals.length === 0 || !settled || early) return;
    const steps = stepsOf(pool);
    this.#give(pools, pool, allot({ steps, due: steps, sure: true, ticks: priceOf(pool, instrument) }, this.#atLast(pool)));
    if (pool.arrivals.length === 0) return;
    const { symbol, positionSide, action } = pool;
    // An agreed close (as in ADL) pays no fee, so sums do not distinguish it from a foreign close where trading may be free. Lists do.
    if (action === 'close' && forced.lists(symbol, positionSide, stepsOf(pool))) reporter.forced(pools, pool, instrument, false);
    else reporter.nobodys(pools, pool, instrument);
  }

  /**
   * The last candidates before a trade counts as foreign: own orders that no list shows, whenever they could trade (the times of trades
   * already taken are assumptions), and orders reported as ended while this trade may have happened.
   */
  #atLast(pool: TradePool): Candidate[] {
    const { orders, listedStates, recentlyEnded } = this.parts;
    const gone = [...orders.alive.filter((order) => listedStates.isGone(order)), ...orders.vanished];
    const candidate = (state: Candidate['state']) => (order: TrackedOrder) => {
      const { priceTicks, triggerTicks } = order.request;
      const left = leftOf(order);
      return { order, left, shown: 0, more: Math.min(left, stepsOf(pool)), state, ticks: priceTicks ?? triggerTicks ?? 0 };
    };
    return [...gone.map(candidate('gone')), ...recentlyEnded.endedSince(pool.since).map(candidate('uncertain'))].filter(
      ({ order, left }) => left > 0 && concerns(order, pool),
    );
  }

  /** @param others orders that wait for their part of the pool, too. */
  #give(pools: TradePools, pool: TradePool, allotments: readonly Allotment[], others: readonly Pick<Candidate, 'order'>[] = []): void {
    for (const { order, steps } of allotments) {
      const inferred = isGuessed(pool) && this.parts.listedStates.unreported(order) < steps;
      this.parts.reporter.fill(pools, pool, order, steps, this.#spans(order, others), { inferred });
    }
  }

  /** The span in which an order may have traded, then the spans of other orders that have more to come. */
  #spans(order: TrackedOrder, others: readonly Pick<Candidate, 'order'>[]): [Span, ...Span[]] {
    const { listedStates } = this.parts;
    const waiting = others.filter((one) => one.order !== order && leftOf(one.order) > 0);
    return [listedStates.showing(order), ...waiting.map((one) => listedStates.span(one.order))];
  }

  /** Steps of the pool's side that the engine holds. */
  #reported(pools: TradePools, { symbol, positionSide }: TradePool): number {
    const waiting = pools.waiting(symbol, positionSide, 'close') - pools.waiting(symbol, positionSide, 'open');
    return this.parts.held(symbol, positionSide) + waiting;
  }

  #settleNamed(pools: TradePools, pool: TradePool, instrument: Instrument): void {
    const { orders, listedStates, reporter } = this.parts;
    const known = orders.byOrderId(pool.orderId);
    if (known !== undefined) {
      if (known.phase === 'sending') return;
      const steps = Math.min(leftOf(known), stepsOf(pool));
      if (steps > 0) this.#give(pools, pool, [{ order: known, steps }]);
    } else {
      const nameless = orders.alive.filter((order) => concerns(order, pool) && order.orderId === '');
      const fitting = nameless.filter((order) => leftOf(order) >= stepsOf(pool));
      const [only] = this.parts.isOthers(pool.orderId) ? [] : fitting;
      if (only?.phase === 'unknown' && fitting.length === 1) {
        reporter.arrived(only, pool.orderId);
        this.#give(pools, pool, [{ order: only, steps: stepsOf(pool) }]);
      }
      // An order without an id is soon found at the exchange, or proved never to have arrived.
      if (pool.arrivals.length === 0 || nameless.length > 0) return;
    }
    if (pool.arrivals.length > 0 && tradedBefore(pool, listedStates.shownTo(instrument)) === stepsOf(pool))
      reporter.nobodys(pools, pool, instrument);
  }

  /** Lists prove liquidations first, then sums do. Otherwise our own closes pay a trading fee, and forced ones do not. */
  #settleForced(pools: TradePools, pool: TradePool, instrument: Instrument, candidates: readonly Candidate[], sure: boolean): void {
    const { reporter } = this.parts;
    const fee = moneyIn(pool, 'fee');
    const all = stepsOf(pool);
    const left = this.#ownByLists(pools, pool, candidates);
    const guessed = isGuessed(pool);
    const known = this.#isForcedWhole(pools, pool, instrument) ? all : guessed ? undefined : forcedStepsOf(pool);
    let inferred = false;
    // Without a liquidation fee it may be an agreed close: only a list shows that.
    if (!sure && moneyIn(pool, 'liquidationFee').isZero() && !this.parts.forced.lists(pool.symbol, pool.positionSide, all)) return;
    // If lists show both parts, no fee is needed as proof. The fee may have gone to another closed position.
    if (known !== all && (guessed || !fee.isZero() || (left !== undefined && candidates.some(({ shown }) => shown > 0)))) {
      if (!sure) return;
      const own = this.#ownBySums(pool, candidates, instrument);
      inferred = left === undefined && !own.proved;
      const steps = left ?? own.steps;
      const lots = allot({ steps, due: steps, sure: true, ticks: priceOf(pool, instrument) }, candidates);
      lots.forEach(({ order, steps: part }, index) => {
        const how = { fee: index === lots.length - 1 ? fee : ZERO, inferred };
        reporter.fill(pools, pool, order, part, this.#spans(order, candidates), how);
      });
      if (lots.length > 0) for (const arrival of pool.arrivals) arrival.fee = ZERO;
    }
    if (pool.arrivals.length > 0) reporter.forced(pools, pool, instrument, inferred);
  }

  /**
   * Whether the sums prove that the exchange closed the whole pool: the liquidation fee matches its value, and no trading fee was paid.
   * If several positions were closed, the fee may belong to another one. Such a guess counts only if lists show a liquidation of this
   * size, and if the other forced pools of the side have room for all our own listed closes.
   */
  #isForcedWhole(pools: TradePools, pool: TradePool, instrument: Instrument): boolean {
    const rate = instrument.contract?.liquidationFee ?? ZERO;
    const liquidationFee = moneyIn(pool, 'liquidationFee');
    if (rate.isZero() || liquidationFee.isZero() || !moneyIn(pool, 'fee').isZero()) return false;
    const all = stepsOf(pool);
    const whole = wholeValue(liquidationFee.div(rate), all, instrument);
    if (whole === undefined || !whole.equals(moneyIn(pool, 'value'))) return false;
    const isListed = this.parts.forced.lists(pool.symbol, pool.positionSide, all);
    return (isListed || !isGuessed(pool)) && this.#leftByLists(pools, pool) <= forcedAlike(pools, pool) - all;
  }

  /** Steps of a pool that lists show as ours, or leave for ours after the listed liquidations; `undefined` if they show neither. */
  #ownByLists(pools: TradePools, pool: TradePool, candidates: readonly Candidate[]): number | undefined {
    const listed = this.parts.forced.waiting(pool.symbol, pool.positionSide);
    // Lists do not name the separated position: our orders closed the oldest first.
    const own = this.#leftByLists(pools, pool);
    const shown = candidates.reduce((sum, one) => sum + one.shown, 0);
    const all = stepsOf(pool);
    if (shown >= all) return all;
    return listed > 0 && shown <= own ? Math.min(all, own) : undefined;
  }

  /** Steps closed on its side, at least partly by the exchange, beyond the closes that lists attribute to the exchange. */
  #leftByLists(pools: TradePools, pool: TradePool): number {
    return forcedAlike(pools, pool) - this.parts.forced.waiting(pool.symbol, pool.positionSide);
  }

  #ownBySums(pool: TradePool, candidates: readonly Candidate[], instrument: Instrument): ReturnType<typeof ownPart> {
    const steps = stepsOf(pool);
    const forced = forcedStepsOf(pool);
    if (forced !== undefined) return { steps: steps - forced, proved: !isGuessed(pool) };
    const fee = moneyIn(pool, 'fee');
    if (fee.isZero()) return { steps: 0, proved: !isGuessed(pool) };
    const close = { steps, value: moneyIn(pool, 'value'), fee, liquidationFee: moneyIn(pool, 'liquidationFee') };
    const own = ownPart(close, candidates, instrument);
    return { ...own, proved: own.proved && !isGuessed(pool) };
  }

  /**
   * @param settled the lists show all trades.
   * @param within how many of its steps may have been traded in a span.
   */
  #candidate(order: TrackedOrder, pool: TradePool, settled: boolean, within: typeof tradedIn): Candidate {
    const { listedStates } = this.parts;
    const left = leftOf(order);
    const { status, seen, answeredAt, requestedAt } = listedStates.of(order);
    const shown = listedStates.unreported(order);
    const { priceTicks, triggerTicks } = order.request;
    const about = { order, left, ticks: priceTicks ?? triggerTicks ?? 0 };
    const most = Math.min(left, within(pool, listedStates.span(order)));
    if (order.phase === 'sending') return { ...about, shown: 0, more: most, state: 'open' };
    if (listedStates.isAbsent(order) || !seen) {
      const state = !listedStates.isGone(order) ? 'unconfirmed' : order.phase === 'unknown' ? 'uncertain' : 'gone';
      return { ...about, shown, more: Math.max(0, most - shown), state };
    }
    // A list that was requested before the exchange's last reply about the order does not count. The next list does.
    if (answeredAt > requestedAt) return { ...about, shown, more: Math.max(0, most - shown), state: 'unconfirmed' };
    const over = status === 'filled' || status === 'canceled';
    return { ...about, shown, more: over || settled ? 0 : Math.max(0, most - shown), state: 'open' };
  }
}

/** Whether the order is for the same side and contract as the pool. */
export function concerns({ request }: TrackedOrder, { symbol, positionSide, action }: TradePool): boolean {
  return (
    request.positionSide === positionSide && closes(request) === (action === 'close') && wireSymbol(request.instrument.symbol) === symbol
  );
}

/** Steps that they may have filled beyond what lists show, each for itself. */
function moreOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { more }) => sum + more, 0);
}

/** Steps in all pools of its side that the exchange closed at least partly. */
function forcedAlike({ all }: TradePools, { symbol, positionSide }: TradePool): number {
  const alike = all.filter((one) => one.forced && one.symbol === symbol && one.positionSide === positionSide);
  return alike.reduce((sum, one) => sum + stepsOf(one), 0);
}

/** Average, in ticks. */
function priceOf(pool: TradePool, instrument: Instrument): number {
  return moneyIn(pool, 'value')
    .div(instrument.notional(1, stepsOf(pool)))
    .toNumber();
}
