import { Decimal, ZERO } from '../../../model/decimal.ts';
import { shareOf } from '../../../model/margin.ts';
import type { SideChange } from './picture-change.ts';

export type Action = 'open' | 'close';

const MONEY = ['value', 'fee', 'cost', 'liquidationFee'] as const;
type Money = Record<(typeof MONEY)[number], Decimal>;

/** What was traded on one side of one contract and has not been told as anybody's fill yet. */
export interface Pool extends Money {
  readonly symbol: string;
  readonly positionSide: 'long' | 'short';
  readonly action: Action;
  /** Of an opening in separated mode: the order. Of a liquidation there: the position it closed. */
  readonly orderId: string;
  steps: number;
  /** Epoch ms of the first and of the newest thing in it. */
  readonly first: number;
  newest: number;
}

/** A part of a pool; its money is what is left where it is the last. */
export interface Taken extends Readonly<Money> {
  readonly steps: number;
}

/** Trades that the picture shows, on their way to the orders that made them. */
export class Pools {
  readonly #pools = new Map<string, Pool>();

  /** In the order in which they are to be told: what opens before what closes, unless it was the other way round. */
  get all(): readonly Pool[] {
    return [...this.#pools.values()];
  }

  get size(): number {
    return this.#pools.size;
  }

  /** Whether anything of this side is not told yet. */
  waits(symbol: string, positionSide: string, action: Action): boolean {
    return this.all.some((pool) => pool.symbol === symbol && pool.positionSide === positionSide && pool.action === action);
  }

  add(change: SideChange, now: number): void {
    const { opened, closed, cost, liquidationFee, heldBefore, valueBefore } = change;
    const closeFirst = closed.steps > 0 && closed.steps <= heldBefore && shareOf(valueBefore, closed.steps, heldBefore).equals(cost);
    const open = () => this.#add(change, 'open', { ...opened, cost: ZERO, liquidationFee: ZERO }, now);
    if (!closeFirst) open();
    this.#add(change, 'close', { ...closed, cost, liquidationFee }, now);
    if (closeFirst) open();
  }

  take(pool: Pool, steps: number): Taken {
    const taken = { steps, ...money((name) => shareOf(pool[name], steps, pool.steps)) };
    for (const name of MONEY) pool[name] = pool[name].minus(taken[name]);
    pool.steps -= steps;
    if (pool.steps === 0) this.#pools.delete(keyOf(pool));
    return taken;
  }

  toJson(): unknown {
    return JSON.parse(JSON.stringify(this.all));
  }

  static from(plain: unknown): Pools {
    const pools = new Pools();
    for (const record of (plain ?? []) as (Record<string, string> & Pool)[]) {
      const pool = { ...record, ...money((name) => new Decimal(record[name])) };
      pools.#pools.set(keyOf(pool), pool);
    }
    return pools;
  }

  #add(change: SideChange, action: Action, part: Omit<Taken, 'orderId'>, now: number): void {
    if (part.steps === 0) return;
    // Closes of separated positions take the oldest first: whose they are does not hang on the position.
    const orderId = action === 'open' || part.liquidationFee.greaterThan(ZERO) ? change.orderId : '';
    const { symbol, positionSide } = change;
    const key = keyOf({ symbol, positionSide, action, orderId });
    const pool = this.#pools.get(key);
    if (pool === undefined) {
      this.#pools.set(key, { symbol, positionSide, action, orderId, first: now, newest: now, ...part });
      return;
    }
    pool.steps += part.steps;
    pool.newest = now;
    for (const name of MONEY) pool[name] = pool[name].plus(part[name]);
  }
}

function money(of: (name: keyof Money) => Decimal): Money {
  return { value: of('value'), fee: of('fee'), cost: of('cost'), liquidationFee: of('liquidationFee') };
}

function keyOf({ symbol, positionSide, action, orderId }: Pick<Pool, 'symbol' | 'positionSide' | 'action' | 'orderId'>): string {
  return `${symbol} ${positionSide} ${action} ${orderId}`;
}
