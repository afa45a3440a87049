import { type Decimal, ZERO } from '../../model/decimal.ts';
import { maintenanceMargin, unrealizedProfit } from '../../model/margin.ts';
import { Collateral } from './collateral.ts';
import type { MarginHolder } from './contract-book.ts';
import type { FuturesPosition, PositionMargin } from './futures-position.ts';
import type { CollateralRecord, MarginRecord } from './records.ts';

/** How near to its limit a margin must be, as a share of the amounts added up, before it is worked out exactly. */
const DOUBT = 1e-9;

/** Positions that stand on one collateral: all shared ones of a currency, or one isolated one. */
export class MarginPool implements MarginHolder, PositionMargin {
  readonly collateral = new Collateral();
  /** Those that are open. */
  readonly positions: FuturesPosition[] = [];

  constructor(readonly isolated: boolean) {}

  follow(position: FuturesPosition): void {
    const at = this.positions.indexOf(position);
    if (at < 0 === position.steps > 0) {
      if (at < 0) this.positions.push(position);
      else this.positions.splice(at, 1);
    }
    const { book } = position;
    if (this.positions.some((other) => other.book === book)) book.join(this);
    else book.leave(this);
  }

  get empty(): boolean {
    return this.positions.length === 0;
  }

  /** Collateral plus what the positions have gained and not realised, at their present values. */
  get balance(): Decimal {
    return this.positions.reduce(
      (sum, position) => sum.plus(unrealizedProfit(position, position.book.prices.exact)),
      this.collateral.wallet,
    );
  }

  get maintenance(): Decimal {
    return this.positions.reduce((sum, position) => sum.plus(maintenanceMargin(position, position.book.prices.exact)), ZERO);
  }

  /** Margin of the positions at what they were opened at and their leverage. */
  get initial(): Decimal {
    return this.positions.reduce((sum, position) => sum.plus(position.initialMargin), ZERO);
  }

  get due(): boolean {
    return this.positions.length > 0 && this.balance.lessThanOrEqualTo(this.maintenance);
  }

  mayLack(): boolean {
    const { positions } = this;
    let left = this.collateral.walletNumber;
    let scale = Math.abs(left);
    for (let i = 0; i < positions.length; i++) {
      const { quantityNumber, openValueNumber, positionSide, book } = positions[i]!;
      const value = quantityNumber * book.prices.value;
      left += positionSide === 'long' ? value - openValueNumber : openValueNumber - value;
      left -= book.maintenance(value);
      scale += value + openValueNumber;
    }
    return left <= scale * DOUBT && positions.length > 0;
  }
}

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
