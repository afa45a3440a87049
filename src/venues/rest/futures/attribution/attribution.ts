import { wireSymbol } from '../../../../exchange/symbols.ts';
import { ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { closes } from '../../../../model/order.ts';
import { leftOf, type TrackedOrder, type TrackedOrders } from '../../tracked-orders.ts';
import { wholeValue } from '../sums/sizes.ts';
import { type Allotment, allot, type Candidate, ownPart } from './candidates.ts';
import type { FillTelling, ForcedOrders } from './fill-telling.ts';
import {
  forcedStepsOf,
  isGuessed,
  isNamed,
  moneyIn,
  mostTradedIn,
  type Pool,
  type Pools,
  type Span,
  stepsOf,
  tradedBefore,
  tradedIn,
} from './pools.ts';
import type { Lately, Sights } from './sights.ts';

export interface AttributionParts {
  readonly orders: TrackedOrders;
  readonly sights: Sights;
  readonly telling: FillTelling;
  /** By wire symbol. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly lately: Lately;
  readonly forced: Pick<ForcedOrders, 'waiting' | 'lists'>;
  /** Steps of the position in the newest picture. */
  readonly held: (symbol: string, positionSide: 'long' | 'short') => number;
}

/** Gives what was traded to the orders that traded it, to the liquidator, or to nobody. */
export class Attribution {
  constructor(private readonly parts: AttributionParts) {}

  run(pools: Pools): void {
    for (const pool of pools.all) this.#settle(pools, pool);
  }

  #settle(pools: Pools, pool: Pool): void {
    const { sights, instruments, orders, telling, forced } = this.parts;
    const instrument = instruments.get(pool.symbol);
    // What closes waits for what it closes: the engine must never hear of less than nothing.
    if (instrument === undefined || (pool.action === 'close' && this.#told(pools, pool) < stepsOf(pool))) return;
    if (isNamed(pool)) {
      this.#settleNamed(pools, pool, instrument);
      return;
    }
    const shownTo = sights.shownTo(instrument);
    const settled = tradedBefore(pool, shownTo) === stepsOf(pool);
    const able = orders.alive.filter((order) => concerns(order, pool));
    const reckoned = (within: typeof tradedIn) => able.map((order) => this.#candidate(order, pool, settled, within));
    const candidates = reckoned(tradedIn).filter(({ shown, more }) => shown + more > 0);
    // What was taken from the pool before may have been traded at another time than was guessed: then so was what is left.
    const sure = settled || moreOf(reckoned(mostTradedIn)) === moreOf(candidates);
    const early = candidates.some(({ order, state }) => order.phase === 'sending' || state === 'unheard');
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
    // A close by agreement pays no fee, so sums do not tell it from a close by somebody else where trading may be free: lists do.
    if (action === 'close' && forced.lists(symbol, positionSide, stepsOf(pool))) telling.forced(pools, pool, instrument, false);
    else telling.nobodys(pools, pool, instrument);
  }

  /**
   * Before it is nobody's: orders of ours that no list shows, whenever it was that they could trade (of what was taken from
   * the pool before, the times are guesses), and those that were told as over while this may have been traded already.
   */
  #atLast(pool: Pool): Candidate[] {
    const { orders, sights, lately } = this.parts;
    const gone = orders.alive.filter((order) => sights.isGone(order));
    const candidate = (state: Candidate['state']) => (order: TrackedOrder) => {
      const { priceTicks, triggerTicks } = order.request;
      const left = leftOf(order);
      return { order, left, shown: 0, more: Math.min(left, stepsOf(pool)), state, ticks: priceTicks ?? triggerTicks ?? 0 };
    };
    return [...gone.map(candidate('gone')), ...lately.endedSince(pool.since).map(candidate('doubtful'))].filter(
      ({ order, left }) => left > 0 && concerns(order, pool),
    );
  }

  /** @param others orders that wait for their part of the pool, too. */
  #give(pools: Pools, pool: Pool, allotments: readonly Allotment[], others: readonly Pick<Candidate, 'order'>[] = []): void {
    for (const { order, steps } of allotments) {
      const inferred = isGuessed(pool) && this.parts.sights.untold(order) < steps;
      this.parts.telling.fill(pools, pool, order, steps, this.#spans(order, others), { inferred });
    }
  }

  /** When an order may have traded, then when those that have more to come may. */
  #spans(order: TrackedOrder, others: readonly Pick<Candidate, 'order'>[]): [Span, ...Span[]] {
    const { sights } = this.parts;
    const waiting = others.filter((one) => one.order !== order && leftOf(one.order) > 0);
    return [sights.showing(order), ...waiting.map((one) => sights.span(one.order))];
  }

  /** Steps of the pool's side that the engine knows as held. */
  #told(pools: Pools, { symbol, positionSide }: Pool): number {
    const waiting = pools.waiting(symbol, positionSide, 'close') - pools.waiting(symbol, positionSide, 'open');
    return this.parts.held(symbol, positionSide) + waiting;
  }

  #settleNamed(pools: Pools, pool: Pool, instrument: Instrument): void {
    const { orders, sights, telling } = this.parts;
    const known = orders.byOrderId(pool.orderId);
    if (known !== undefined) {
      if (known.phase === 'sending') return;
      const steps = Math.min(leftOf(known), stepsOf(pool));
      if (steps > 0) this.#give(pools, pool, [{ order: known, steps }]);
    } else {
      const nameless = orders.alive.filter((order) => concerns(order, pool) && order.orderId === '');
      const fitting = nameless.filter((order) => leftOf(order) >= stepsOf(pool));
      const [only] = fitting;
      if (only?.phase === 'unknown' && fitting.length === 1) {
        telling.arrived(only, pool.orderId);
        this.#give(pools, pool, [{ order: only, steps: stepsOf(pool) }]);
      }
      // Each of them is named, or proved never to have been, in time.
      if (pool.arrivals.length === 0 || nameless.length > 0) return;
    }
    if (pool.arrivals.length > 0 && tradedBefore(pool, sights.shownTo(instrument)) === stepsOf(pool))
      telling.nobodys(pools, pool, instrument);
  }

  /** What lists show of liquidations is certain, and then what sums prove; else our own closes pay a trading fee, and forced ones do not. */
  #settleForced(pools: Pools, pool: Pool, instrument: Instrument, candidates: readonly Candidate[], sure: boolean): void {
    const { telling } = this.parts;
    const fee = moneyIn(pool, 'fee');
    const all = stepsOf(pool);
    const left = this.#ownByLists(pools, pool, candidates);
    const guessed = isGuessed(pool);
    const known = this.#isForcedWhole(pools, pool, instrument) ? all : guessed ? undefined : forcedStepsOf(pool);
    let inferred = false;
    // Without a liquidation's fee it may be a close by agreement: a list says so.
    if (!sure && moneyIn(pool, 'liquidationFee').isZero() && !this.parts.forced.lists(pool.symbol, pool.positionSide, all)) return;
    // What a list shows of both needs no fee to prove it, which may have gone to another position that was gone as well.
    if (known !== all && (guessed || !fee.isZero() || (left !== undefined && candidates.some(({ shown }) => shown > 0)))) {
      if (!sure) return;
      const own = this.#ownBySums(pool, candidates, instrument);
      inferred = left === undefined && !own.proved;
      const steps = left ?? own.steps;
      const lots = allot({ steps, due: steps, sure: true, ticks: priceOf(pool, instrument) }, candidates);
      lots.forEach(({ order, steps: part }, index) => {
        const how = { fee: index === lots.length - 1 ? fee : ZERO, inferred };
        telling.fill(pools, pool, order, part, this.#spans(order, candidates), how);
      });
      if (lots.length > 0) for (const arrival of pool.arrivals) arrival.fee = ZERO;
    }
    if (pool.arrivals.length > 0) telling.forced(pools, pool, instrument, inferred);
  }

  /**
   * Sums prove that all of it was forced: the liquidation's fee is that of all its value, and nobody paid for trading. Fees may
   * have gone to the wrong one of several: a guess counts where lists show a liquidation of this size, and others of its side
   * must have room for what they leave for us.
   */
  #isForcedWhole(pools: Pools, pool: Pool, instrument: Instrument): boolean {
    const rate = instrument.contract?.liquidationFee ?? ZERO;
    const liquidationFee = moneyIn(pool, 'liquidationFee');
    if (rate.isZero() || liquidationFee.isZero() || !moneyIn(pool, 'fee').isZero()) return false;
    const all = stepsOf(pool);
    const whole = wholeValue(liquidationFee.div(rate), all, instrument);
    if (whole === undefined || !whole.equals(moneyIn(pool, 'value'))) return false;
    const isListed = this.parts.forced.lists(pool.symbol, pool.positionSide, all);
    return (isListed || !isGuessed(pool)) && this.#leftByLists(pools, pool) <= forcedAlike(pools, pool) - all;
  }

  /** Steps of a pool that lists show as ours, or leave for ours by what they show of liquidations; `undefined` where they say neither. */
  #ownByLists(pools: Pools, pool: Pool, candidates: readonly Candidate[]): number | undefined {
    const listed = this.parts.forced.waiting(pool.symbol, pool.positionSide);
    // They do not say of which separated position: those of ours closed the oldest first.
    const own = this.#leftByLists(pools, pool);
    const shown = candidates.reduce((sum, one) => sum + one.shown, 0);
    const all = stepsOf(pool);
    if (shown >= all) return all;
    return listed > 0 && shown <= own ? Math.min(all, own) : undefined;
  }

  /** Steps of all that was closed on its side, in part at least by the exchange, beyond what lists show as closed by it. */
  #leftByLists(pools: Pools, pool: Pool): number {
    return forcedAlike(pools, pool) - this.parts.forced.waiting(pool.symbol, pool.positionSide);
  }

  #ownBySums(pool: Pool, candidates: readonly Candidate[], instrument: Instrument): ReturnType<typeof ownPart> {
    const steps = stepsOf(pool);
    const forced = forcedStepsOf(pool);
    if (forced !== undefined) return { steps: steps - forced, proved: !isGuessed(pool) };
    const fee = moneyIn(pool, 'fee');
    if (fee.isZero()) return { steps: 0, proved: !isGuessed(pool) };
    const close = { steps, value: moneyIn(pool, 'value'), fee, liquidationFee: moneyIn(pool, 'liquidationFee') };
    const own = ownPart(close, candidates, instrument);
    return { ...own, proved: own.proved && !isGuessed(pool) };
  }

  /** @param settled the lists show all that was traded. @param within what of it may have been traded in a span. */
  #candidate(order: TrackedOrder, pool: Pool, settled: boolean, within: typeof tradedIn): Candidate {
    const { sights } = this.parts;
    const left = leftOf(order);
    const { status, seen, answeredAt, askedAt } = sights.of(order);
    const shown = sights.untold(order);
    const { priceTicks, triggerTicks } = order.request;
    const about = { order, left, ticks: priceTicks ?? triggerTicks ?? 0 };
    const most = Math.min(left, within(pool, sights.span(order)));
    if (order.phase === 'sending') return { ...about, shown: 0, more: most, state: 'standing' };
    if (sights.isAbsent(order) || !seen) {
      const state = !sights.isGone(order) ? 'unheard' : order.phase === 'unknown' ? 'doubtful' : 'gone';
      return { ...about, shown, more: Math.max(0, most - shown), state };
    }
    // What was listed before the exchange's last word on it does not count: the next list will tell.
    if (answeredAt > askedAt) return { ...about, shown, more: Math.max(0, most - shown), state: 'unheard' };
    const over = status === 'filled' || status === 'canceled';
    return { ...about, shown, more: over || settled ? 0 : Math.max(0, most - shown), state: 'standing' };
  }
}

function concerns({ request }: TrackedOrder, { symbol, positionSide, action }: Pool): boolean {
  return (
    request.positionSide === positionSide && closes(request) === (action === 'close') && wireSymbol(request.instrument.symbol) === symbol
  );
}

/** Steps that they may have filled beyond what lists show, each for itself. */
function moreOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { more }) => sum + more, 0);
}

/** Steps in all pools of its side of which the exchange closed a part at least. */
function forcedAlike({ all }: Pools, { symbol, positionSide }: Pool): number {
  const alike = all.filter((one) => one.forced && one.symbol === symbol && one.positionSide === positionSide);
  return alike.reduce((sum, one) => sum + stepsOf(one), 0);
}

/** Average, in ticks. */
function priceOf(pool: Pool, instrument: Instrument): number {
  return moneyIn(pool, 'value')
    .div(instrument.notional(1, stepsOf(pool)))
    .toNumber();
}
