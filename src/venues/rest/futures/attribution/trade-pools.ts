import { Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { shareOf } from '../../../../model/margin.ts';
import type { SideChange } from '../snapshot/side-change.ts';

export type Action = 'open' | 'close';

const MONEY = ['value', 'fee', 'cost', 'liquidationFee'] as const;
/** Sums of money that differ by less than this are equal. */
const EQUAL = '1e-9';
type Money = Record<(typeof MONEY)[number], Decimal>;

/** The trades that one snapshot added. */
interface Arrival extends Money {
  steps: number;
  /** Steps of them that the exchange closed, if known. */
  readonly forcedSteps?: number | undefined;
  /** Its sums allow other splits between own and forced closes. */
  readonly guessed?: boolean | undefined;
  /** Epoch ms at which the previous snapshot was requested: the trades are later. */
  readonly from: number;
  /** Epoch ms at which this snapshot was handled: the trades are earlier. */
  readonly at: number;
}

/** When an order may have traded, in epoch ms. */
export interface Span {
  readonly since: number;
  readonly until: number;
}

/** The trades on one side of one contract that have not been attributed yet. */
export interface TradePool {
  readonly symbol: string;
  readonly positionSide: 'long' | 'short';
  readonly action: Action;
  /** For an opening in separated mode: the order. For a liquidation there: the position that it closed. */
  readonly orderId: string;
  /** Closed by the exchange, at least partly. */
  readonly forced: boolean;
  /** Epoch ms: all trades in the pool are later. */
  readonly since: number;
  /** Everything that was ever added: when, how many steps, and after which time they were traded; times in epoch ms. */
  readonly came: (readonly [at: number, steps: number, from: number])[];
  /** Steps that were taken from it. Their number is certain, their arrivals are an assumption. */
  taken: number;
  /** Oldest first. */
  readonly arrivals: Arrival[];
}

/** A part of a pool. */
export interface Taken extends Money {
  readonly steps: number;
}

/** Trades in snapshots that have not been attributed to orders yet. */
export class TradePools {
  readonly #pools = new Map<string, TradePool>();

  /**
   * The pools in the order in which they must be reported: as they came. A pool that names its order comes before the nameless pools of
   * its side, so that this order has fewer steps left for them.
   */
  get all(): readonly TradePool[] {
    const all = [...this.#pools.values()];
    const first = all.filter((pool) => isNamed(pool) && all.some((other) => isNamelessNextTo(other, pool)));
    return first.length === 0 ? all : [...first, ...all.filter((one) => !first.includes(one))];
  }

  get size(): number {
    return this.#pools.size;
  }

  /** Steps of this side that are not reported yet. @param counts decides whether a pool that names this order counts. */
  waiting(symbol: string, positionSide: string, action: Action, counts: (orderId: string) => boolean = () => true): number {
    return this.all
      .filter((pool) => pool.symbol === symbol && pool.positionSide === positionSide && pool.action === action)
      .filter(({ orderId }) => action === 'close' || orderId === '' || counts(orderId))
      .reduce((sum, pool) => sum + stepsOf(pool), 0);
  }

  /** @param from when the previous snapshot was requested. @param at when this one was handled; both in epoch ms. */
  add(change: SideChange, from: number, at: number, { makerFee, takerFee }: Pick<Instrument, 'makerFee' | 'takerFee'>): void {
    const { opened, closed, cost, liquidationFee, heldBefore, valueBefore, insured, forcedSteps, guessed } = change;
    const closeFirst = closed.steps > 0 && closed.steps <= heldBefore && shareOf(valueBefore, closed.steps, heldBefore).equals(cost);
    // The exchange took its liquidation fee. Or no trading fee was paid although there is one, or only a part of it where
    // the insurance fund had to pay: then there was nothing left for a fee.
    const isAt = (rate: Decimal) => closed.value.times(rate).minus(closed.fee).abs().lessThan(EQUAL);
    const unpaid = !makerFee.isZero() && !takerFee.isZero() && (closed.fee.isZero() || (insured && !isAt(makerFee) && !isAt(takerFee)));
    const forced = forcedSteps === undefined ? !liquidationFee.isZero() || unpaid : forcedSteps > 0;
    const open = () => this.#add(change, 'open', { ...opened, cost: ZERO, liquidationFee: ZERO, from, at }, false);
    if (!closeFirst) open();
    this.#add(change, 'close', { ...closed, cost, liquidationFee, forcedSteps, guessed, from, at }, forced);
    if (closeFirst) open();
  }

  /**
   * Takes steps from the pool: first the trades within the span, and among them first those that the fewest other orders can have made,
   * then the oldest. So the rest still fits the other orders.
   */
  take(pool: TradePool, steps: number, span: Span, others: readonly Span[] = []): Taken {
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

  takeAll(pool: TradePool): Taken {
    return this.take(pool, stepsOf(pool), { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY });
  }

  toJson(): unknown {
    return JSON.parse(JSON.stringify(this.all));
  }

  static from(plain: unknown): TradePools {
    const pools = new TradePools();
    for (const record of (plain ?? []) as TradePool[]) {
      const arrivals = record.arrivals.map((arrival) => ({ ...arrival, ...money((name) => new Decimal(arrival[name])) }));
      pools.#pools.set(keyOf(record), { ...record, arrivals });
    }
    return pools;
  }

  #add(change: SideChange, action: Action, arrival: Arrival, forced: boolean): void {
    if (arrival.steps === 0) return;
    // Closes of separated positions take the oldest first: the position does not decide their order.
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
export function isNamed({ action, orderId }: TradePool): boolean {
  return action === 'open' && orderId !== '';
}

/** An opening on the same side that names no order. */
function isNamelessNextTo({ action, orderId, symbol, positionSide }: TradePool, other: TradePool): boolean {
  return action === 'open' && orderId === '' && symbol === other.symbol && positionSide === other.positionSide;
}

export function stepsOf({ arrivals }: TradePool): number {
  return arrivals.reduce((sum, { steps }) => sum + steps, 0);
}

/** How many steps of a partly forced pool the exchange closed; `undefined` if the sums do not show it. */
export function forcedStepsOf({ arrivals }: TradePool): number | undefined {
  return arrivals.reduce<number | undefined>(
    (sum, { forcedSteps }) => (sum === undefined || forcedSteps === undefined ? undefined : sum + forcedSteps),
    0,
  );
}

/** Whether the sums also allow other trades in the pool, or another split between own and forced closes. */
export function isGuessed({ arrivals }: TradePool): boolean {
  return arrivals.some(({ guessed }) => guessed === true);
}

/** Total of one kind of money in a pool. */
export function moneyIn({ arrivals }: TradePool, name: (typeof MONEY)[number]): Decimal {
  return arrivals.reduce((sum, arrival) => sum.plus(arrival[name]), ZERO);
}

/** Steps of a pool that were certainly traded before that time. */
export function tradedBefore({ came, taken }: TradePool, time: number): number {
  return Math.max(0, came.reduce((sum, [at, steps]) => (at <= time ? sum + steps : sum), 0) - taken);
}

/** Steps of a pool that may have been traded in that span, if the assumption about steps already taken is right. */
export function tradedIn({ arrivals }: TradePool, span: Span): number {
  return arrivals.reduce((sum, arrival) => (isWithin(arrival, span) ? sum + arrival.steps : sum), 0);
}

/** Steps of a pool that may have been traded in that span, whichever steps were already taken. */
export function mostTradedIn(pool: TradePool, span: Span): number {
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
}: Pick<TradePool, 'symbol' | 'positionSide' | 'action' | 'orderId' | 'forced'>): string {
  return `${symbol} ${positionSide} ${action} ${orderId} ${forced ? 'forced' : ''}`;
}
