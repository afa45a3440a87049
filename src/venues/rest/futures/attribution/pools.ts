import { Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { shareOf } from '../../../../model/margin.ts';
import type { SideChange } from '../picture/side-change.ts';

export type Action = 'open' | 'close';

const MONEY = ['value', 'fee', 'cost', 'liquidationFee'] as const;
/** Sums of money that lie nearer are one. */
const EQUAL = '1e-9';
type Money = Record<(typeof MONEY)[number], Decimal>;

/** What came to be known with one picture. */
interface Arrival extends Money {
  steps: number;
  /** Of them, closed by the exchange, where that is known. */
  readonly forcedSteps?: number | undefined;
  /** How much of it the exchange closed, or that it did, is one of several ways that its sums fit. */
  readonly guessed?: boolean | undefined;
  /** Epoch ms at which the picture before was asked for: it was traded after that. */
  readonly from: number;
  /** Epoch ms at which its own picture was taken in: it was traded before. */
  readonly at: number;
}

/** When an order may have traded, in epoch ms. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

/** What was traded on one side of one contract and has not been told as anybody's fill yet. */
export interface Pool {
  readonly symbol: string;
  readonly positionSide: 'long' | 'short';
  readonly action: Action;
  /** Of an opening in separated mode: the order. Of a liquidation there: the position it closed. */
  readonly orderId: string;
  /** Closed by the exchange, in part at least. */
  readonly forced: boolean;
  /** Epoch ms since when, at the earliest, all that it has ever held was traded. */
  readonly since: number;
  /** Everything that it has ever held: when it came, how much, and after when it was traded; times in epoch ms. */
  readonly came: (readonly [at: number, steps: number, from: number])[];
  /** Steps that were taken from it: of which arrivals is a guess, how many is not. */
  taken: number;
  /** Oldest first. */
  readonly arrivals: Arrival[];
}

/** A part of a pool. */
export interface Taken extends Money {
  readonly steps: number;
}

/** Trades that the picture shows, on their way to the orders that made them. */
export class Pools {
  readonly #pools = new Map<string, Pool>();

  /**
   * In the order in which they are to be told: what opens before what closes, unless it was the other way round; and what names
   * its order before what is to be shared out on its side, as that order has the less to show for the latter.
   */
  get all(): readonly Pool[] {
    const all = [...this.#pools.values()];
    const first = all.filter((pool) => isNamed(pool) && all.some((other) => isNamelessBeside(other, pool)));
    return first.length === 0 ? all : [...first, ...all.filter((one) => !first.includes(one))];
  }

  get size(): number {
    return this.#pools.size;
  }

  /** Steps of this side that are not told yet. @param counts of what names the order that opened it, only what is of such a one. */
  waiting(symbol: string, positionSide: string, action: Action, counts: (orderId: string) => boolean = () => true): number {
    return this.all
      .filter((pool) => pool.symbol === symbol && pool.positionSide === positionSide && pool.action === action)
      .filter(({ orderId }) => action === 'close' || orderId === '' || counts(orderId))
      .reduce((sum, pool) => sum + stepsOf(pool), 0);
  }

  /** @param from when the picture before was asked for. @param at when this one was taken in; both in epoch ms. */
  add(change: SideChange, from: number, at: number, { makerFee, takerFee }: Pick<Instrument, 'makerFee' | 'takerFee'>): void {
    const { opened, closed, cost, liquidationFee, heldBefore, valueBefore, insured, forcedSteps, guessed } = change;
    const closeFirst = closed.steps > 0 && closed.steps <= heldBefore && shareOf(valueBefore, closed.steps, heldBefore).equals(cost);
    // The exchange took its fee for closing it; or no trading fee was paid where there is one, or not for all of it where
    // the insurance fund had to pay: then there was nothing to take a fee from.
    const isAt = (rate: Decimal) => closed.value.times(rate).minus(closed.fee).abs().lessThan(EQUAL);
    const unpaid = !makerFee.isZero() && !takerFee.isZero() && (closed.fee.isZero() || (insured && !isAt(makerFee) && !isAt(takerFee)));
    const forced = forcedSteps === undefined ? !liquidationFee.isZero() || unpaid : forcedSteps > 0;
    const open = () => this.#add(change, 'open', { ...opened, cost: ZERO, liquidationFee: ZERO, from, at }, false);
    if (!closeFirst) open();
    this.#add(change, 'close', { ...closed, cost, liquidationFee, forcedSteps, guessed, from, at }, forced);
    if (closeFirst) open();
  }

  /**
   * Takes what came in the span first, and of that what the fewest others can have traded, then the oldest: what is left
   * must go on fitting those that it may be of.
   */
  take(pool: Pool, steps: number, span: Span, others: readonly Span[] = []): Taken {
    const claims = (arrival: Arrival) =>
      (isWithin(arrival, span) ? 0 : others.length + 1) + others.filter((one) => isWithin(arrival, one)).length;
    const ranked = pool.arrivals.map((arrival) => ({ arrival, rank: claims(arrival) })).sort((a, b) => a.rank - b.rank);
    const taken: Taken = { steps, value: ZERO, fee: ZERO, cost: ZERO, liquidationFee: ZERO };
    let left = steps;
    pool.taken += steps;
    for (const { arrival } of ranked) {
      const part = Math.min(left, arrival.steps);
      if (part === 0) continue;
      for (const name of MONEY) {
        const share = shareOf(arrival[name], part, arrival.steps);
        arrival[name] = arrival[name].minus(share);
        taken[name] = taken[name].plus(share);
      }
      arrival.steps -= part;
      left -= part;
    }
    pool.arrivals.splice(0, Number.POSITIVE_INFINITY, ...pool.arrivals.filter((arrival) => arrival.steps > 0));
    if (pool.arrivals.length === 0) this.#pools.delete(keyOf(pool));
    return taken;
  }

  takeAll(pool: Pool): Taken {
    return this.take(pool, stepsOf(pool), { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY });
  }

  toJson(): unknown {
    return JSON.parse(JSON.stringify(this.all));
  }

  static from(plain: unknown): Pools {
    const pools = new Pools();
    for (const record of (plain ?? []) as Pool[]) {
      const arrivals = record.arrivals.map((arrival) => ({ ...arrival, ...money((name) => new Decimal(arrival[name])) }));
      pools.#pools.set(keyOf(record), { ...record, arrivals });
    }
    return pools;
  }

  #add(change: SideChange, action: Action, arrival: Arrival, forced: boolean): void {
    if (arrival.steps === 0) return;
    // Closes of separated positions take the oldest first: whose they are does not hang on the position.
    const orderId = action === 'open' || forced ? change.orderId : '';
    const { symbol, positionSide } = change;
    const { steps, from, at, forcedSteps, guessed } = arrival;
    const came = [at, steps, from] as const;
    const own = { steps, forcedSteps, guessed, from, at, ...money((name) => arrival[name]) };
    const key = keyOf({ symbol, positionSide, action, orderId, forced });
    const pool = this.#pools.get(key);
    if (pool === undefined)
      this.#pools.set(key, { symbol, positionSide, action, orderId, forced, since: from, came: [came], taken: 0, arrivals: [own] });
    else {
      pool.came.push(came);
      pool.arrivals.push(own);
    }
  }
}

/** A separated position names the order that opened it. */
export function isNamed({ action, orderId }: Pool): boolean {
  return action === 'open' && orderId !== '';
}

/** An opening on the same side that names no order. */
function isNamelessBeside({ action, orderId, symbol, positionSide }: Pool, other: Pool): boolean {
  return action === 'open' && orderId === '' && symbol === other.symbol && positionSide === other.positionSide;
}

export function stepsOf({ arrivals }: Pool): number {
  return arrivals.reduce((sum, { steps }) => sum + steps, 0);
}

/** Of a pool that the exchange closed in part, how much it closed, as far as sums say so. */
export function forcedStepsOf({ arrivals }: Pool): number | undefined {
  return arrivals.reduce<number | undefined>(
    (sum, { forcedSteps }) => (sum === undefined || forcedSteps === undefined ? undefined : sum + forcedSteps),
    0,
  );
}

/** What is in a pool, or who closed it, is one of several ways that sums fit. */
export function isGuessed({ arrivals }: Pool): boolean {
  return arrivals.some(({ guessed }) => guessed === true);
}

/** All of one kind of money in a pool. */
export function moneyIn({ arrivals }: Pool, name: (typeof MONEY)[number]): Decimal {
  return arrivals.reduce((sum, arrival) => sum.plus(arrival[name]), ZERO);
}

/** Steps of a pool that were certainly traded before that time. */
export function tradedBefore({ came, taken }: Pool, time: number): number {
  return Math.max(0, came.reduce((sum, [at, steps]) => (at <= time ? sum + steps : sum), 0) - taken);
}

/** Steps of a pool that were or may have been traded in that span, if what was taken from it before was what it was guessed to be. */
export function tradedIn({ arrivals }: Pool, span: Span): number {
  return arrivals.reduce((sum, arrival) => (isWithin(arrival, span) ? sum + arrival.steps : sum), 0);
}

/** Steps of a pool that may have been traded in that span, whichever of all that it has held was taken from it before. */
export function mostTradedIn(pool: Pool, span: Span): number {
  const held = pool.came.reduce((sum, [at, steps, from]) => (isWithin({ from, at }, span) ? sum + steps : sum), 0);
  return Math.min(stepsOf(pool), held);
}

function isWithin({ from, at }: Pick<Arrival, 'from' | 'at'>, { since, until }: Span): boolean {
  return at >= since && from <= until;
}

function money(of: (name: keyof Money) => Decimal): Money {
  return { value: of('value'), fee: of('fee'), cost: of('cost'), liquidationFee: of('liquidationFee') };
}

function keyOf({
  symbol,
  positionSide,
  action,
  orderId,
  forced,
}: Pick<Pool, 'symbol' | 'positionSide' | 'action' | 'orderId' | 'forced'>): string {
  return `${symbol} ${positionSide} ${action} ${orderId} ${forced ? 'forced' : ''}`;
}
