import { type Decimal, ZERO } from '../../model/decimal.ts';
import { MarginPool } from './margin-pool.ts';
import type { CollateralRecord, MarginRecord } from './records.ts';

/** What an account has in one currency: its shared collateral, and beside it the margins of isolated positions. */
export class Purse {
  readonly shared = new MarginPool(false);
  /** By the id of their position. Combined positions keep theirs when they are flat. */
  readonly isolated = new Map<string, MarginPool>();
  /** Bound by orders that open, on shared margin or isolated. */
  bound: Decimal = ZERO;

  constructor(readonly currency: string) {}

  /** What a new order may bind. Unrealised profit of shared positions counts, and their losses do. */
  get free(): Decimal {
    return this.shared.balance.minus(this.shared.initial).minus(this.bound);
  }

  /** Bound by orders and positions. */
  get frozen(): Decimal {
    let frozen = this.bound.plus(this.shared.initial);
    for (const { collateral } of this.isolated.values()) if (!collateral.wallet.isNegative()) frozen = frozen.plus(collateral.wallet);
    return frozen;
  }

  /** The position is gone, and its margin back: what moved that stays, in the sums of the shared collateral. */
  retire(positionId: string, time: number): void {
    const pool = this.isolated.get(positionId);
    if (pool === undefined) return;
    this.isolated.delete(positionId);
    this.shared.collateral.absorb(pool.collateral, time);
  }

  margin(): MarginRecord {
    const { balance, maintenance, initial } = this.shared;
    return { currency: this.currency, balance, maintenance, initial, orders: this.bound, free: this.free };
  }

  /** The shared collateral first. */
  records(): CollateralRecord[] {
    const isolated = [...this.isolated].map(([positionId, pool]) => recordOf(pool, this.currency, positionId));
    return [recordOf(this.shared, this.currency, undefined), ...isolated];
  }
}

function recordOf(pool: MarginPool, currency: string, positionId: string | undefined): CollateralRecord {
  const openValue = (side: 'long' | 'short') =>
    pool.positions.reduce((sum, position) => (position.positionSide === side ? sum.plus(position.openValue) : sum), ZERO);
  return pool.collateral.record(currency, positionId, openValue('long'), openValue('short'));
}
