import { type Decimal, ZERO } from '../../model/decimal.ts';
import { maintenanceMargin, unrealizedProfit } from '../../model/margin.ts';
import { Collateral } from './collateral.ts';
import type { MarginHolder } from './contract-book.ts';
import type { FuturesPosition, PositionMargin } from './futures-position.ts';
import type { CollateralRecord, MarginRecord } from './records.ts';

/** How close to its limit a margin must be, as a share of the summed amounts, before it is computed exactly. */
const DOUBT = 1e-9;

/** Positions that share one collateral: all shared ones of a currency, or one isolated one. */
export class MarginPool implements MarginHolder, PositionMargin {
  readonly collateral = new Collateral();
  /** The open ones. */
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

  /** Collateral plus unrealised profit of the positions, at their present values. */
  get balance(): Decimal {
    return this.positions.reduce(
      (sum, position) => sum.plus(unrealizedProfit(position, position.book.prices.exact)),
      this.collateral.wallet,
    );
  }

  get maintenance(): Decimal {
    return this.positions.reduce((sum, position) => sum.plus(maintenanceMargin(position, position.book.prices.exact)), ZERO);
  }

  /** Initial margin of the positions, from their open values and leverage. */
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

/** An account's money in one currency: its shared collateral and the margins of isolated positions. */
export class Purse {
  readonly shared = new MarginPool(false);
  /** By the id of their position. Combined positions keep theirs when they are flat. */
  readonly isolated = new Map<string, MarginPool>();
  /** Margin bound by opening orders, on shared or isolated margin. */
  bound: Decimal = ZERO;

  constructor(readonly currency: string) {}

  /** The margin that a new order may bind. It includes unrealised profit and loss of shared positions. */
  get free(): Decimal {
    return this.shared.balance.minus(this.shared.initial).minus(this.bound);
  }

  /** Bound by orders and positions. */
  get frozen(): Decimal {
    let frozen = this.bound.plus(this.shared.initial);
    for (const { collateral } of this.isolated.values()) if (!collateral.wallet.isNegative()) frozen = frozen.plus(collateral.wallet);
    return frozen;
  }

  /** The position is removed and its margin was returned: the margin's sums are added to those of the shared collateral. */
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
