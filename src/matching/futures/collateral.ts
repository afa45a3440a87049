import { type Decimal, ZERO } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import { COLLATERAL_SUMS, type CollateralRecord, type CollateralSum } from './records.ts';

/** The collateral of positions, with the sums of all its movements. */
export class Collateral {
  /** Deposits, realised profit, fees, funding, moved margin: without unrealised profit. */
  wallet: Decimal = ZERO;
  /** The same as the nearest double. */
  walletNumber = 0;
  /** Its positions are being liquidated. */
  liquidating = false;
  createdTime = Number.NaN;
  updatedTime = Number.NaN;
  readonly #sums = Object.fromEntries(COLLATERAL_SUMS.map((sum) => [sum, ZERO])) as Record<CollateralSum, Decimal>;

  /** Money is added (or, if negative, removed). */
  move(sum: CollateralSum, amount: Decimal, time: number): void {
    if (amount.isZero()) return;
    this.#add(sum, amount, time);
    this.#setWallet(this.wallet.plus(amount));
  }

  /** A position grows: cash becomes a position, the wallet is unchanged. */
  open(side: 'long' | 'short', notional: Decimal, time: number): void {
    if (side === 'long') this.#add('openLong', notional.negated(), time);
    else this.#add('openShort', notional, time);
  }

  /** A position shrinks: its value becomes cash again, and its profit is added to the wallet. */
  close(side: 'long' | 'short', notional: Decimal, profit: Decimal, time: number): void {
    if (side === 'long') this.#add('closeLong', notional, time);
    else this.#add('closeShort', notional.negated(), time);
    this.#setWallet(this.wallet.plus(profit));
  }

  /** Adds the sums of an emptied collateral to this one: the sums of an account never shrink. */
  absorb(other: Collateral, time: number): void {
    invariant(other.wallet.isZero(), 'a collateral is given up when nothing is left on it');
    for (const sum of COLLATERAL_SUMS) if (!other.#sums[sum].isZero()) this.#add(sum, other.#sums[sum], time);
  }

  /**
   * @param longs open value of its longs.
   * @param shorts open value of its shorts.
   */
  record(currency: string, positionId: string | undefined, longs: Decimal, shorts: Decimal): CollateralRecord {
    const { liquidating, createdTime, updatedTime } = this;
    const amount = COLLATERAL_SUMS.reduce((sum, name) => sum.plus(this.#sums[name]), ZERO);
    return {
      currency,
      mode: positionId === undefined ? 'shared' : 'isolated',
      positionId,
      amount,
      legacyAmount: amount.plus(longs).minus(shorts),
      liquidating,
      cumulative: { ...this.#sums },
      createdTime,
      updatedTime,
    };
  }

  #add(sum: CollateralSum, amount: Decimal, time: number): void {
    if (Number.isNaN(this.createdTime)) this.createdTime = time;
    this.updatedTime = time;
    this.#sums[sum] = this.#sums[sum].plus(amount);
  }

  #setWallet(wallet: Decimal): void {
    this.wallet = wallet;
    this.walletNumber = wallet.toNumber();
  }
}
