import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { LedgerReason } from '../../model/ledger.ts';
import { initialMargin, shareOf } from '../../model/margin.ts';
import type { AccountLedger } from '../accounts/ledger.ts';
import type { Collateral } from './collateral.ts';
import type { ContractSide } from './contract-side.ts';
import type { FuturesPosition, Part, Stamp } from './futures-position.ts';
import type { MarginPool } from './margin-pool.ts';

/**
 * Moves the money of a futures account.
 *
 * - Shared: profit, fees and funding go to the shared collateral.
 * - Isolated: an opening fill takes its initial margin out of the shared collateral, which pays its fee too. A close returns its share of
 *   the margin plus its profit less its fee; the rest of the margin pays a loss beyond that share. The shared collateral also pays funding,
 *   and where it is empty the margin does.
 * - Only the margin of the position pays for its liquidation.
 * - When the last position on a collateral is closed, by any order, the rest of an isolated margin returns to the shared collateral, and
 *   the insurance fund pays a negative rest. Without liquidation nothing is insured, and the shared collateral pays all losses.
 */
export class Settlement {
  /** The insurance fund pays losses beyond the margin. */
  insured = true;

  constructor(private readonly ledger: AccountLedger) {}

  open(side: ContractSide, fill: Fill, stamp: Stamp): void {
    const { shared } = side.purse;
    const position = side.toOpen(fill.orderId, stamp);
    const { margin } = position;
    position.open(fill, stamp);
    margin.collateral.open(side.positionSide, fill.notional, stamp.time);
    if (margin.isolated) transfer(shared.collateral, margin.collateral, initialMargin(fill.notional, side.leverage), stamp.time);
    payFee(shared.collateral, fill.fee, stamp.time);
    this.#post(fill, 'fee', fill.fee.negated());
  }

  /** Closes the oldest position first. @returns the profit. */
  close(side: ContractSide, fill: Fill, stamp: Stamp): Decimal {
    let profit = ZERO;
    let { steps, fee } = fill;
    const touched: FuturesPosition[] = [];
    for (const position of [...side.positions]) {
      if (steps === 0) break;
      const closed = Math.min(steps, position.steps);
      if (closed === 0) continue;
      const part = {
        steps: closed,
        notional: closed === fill.steps ? fill.notional : fill.instrument.notional(fill.priceTicks, closed),
        fee: shareOf(fee, closed, steps),
      };
      profit = profit.plus(this.#closePart(side, position, part, stamp));
      touched.push(position);
      steps -= closed;
      fee = fee.minus(part.fee);
    }
    this.#post(fill, 'profit', profit);
    this.#post(fill, 'fee', fill.fee.negated());
    for (const position of touched) {
      const { margin } = position;
      if (this.insured && margin.empty) this.#clear(side, margin.collateral, fill, stamp);
      side.drop(position, stamp.time);
    }
    return profit;
  }

  /** @returns the profit. */
  liquidate(side: ContractSide, position: FuturesPosition, fill: Fill, stamp: Stamp): Decimal {
    const { collateral } = position.margin;
    const profit = position.close(fill, true, stamp);
    collateral.close(side.positionSide, fill.notional, profit, stamp.time);
    collateral.move('liquidationFee', fill.fee.negated(), stamp.time);
    this.#post(fill, 'profit', profit);
    this.#post(fill, 'liquidationFee', fill.fee.negated());
    if (position.margin.empty) this.#clear(side, position.margin.collateral, fill, stamp);
    side.drop(position, stamp.time);
    return profit;
  }

  /** @returns the gain of the side. */
  fund(side: ContractSide, rate: Decimal, markPrice: Decimal, stamp: Stamp): Decimal {
    const { book, positionSide, purse } = side;
    const { collateral } = purse.shared;
    let total = ZERO;
    for (const position of side.positions) {
      if (position.steps === 0) continue;
      const paid = book.instrument.step.toDecimal(position.steps).times(markPrice).times(rate);
      const amount = positionSide === 'long' ? ZERO.minus(paid) : paid;
      position.fund(amount, stamp);
      collateral.move('funding', amount, stamp.time);
      const lacking = Decimal.min(ZERO.minus(amount), ZERO.minus(collateral.wallet));
      if (position.margin.isolated && lacking.greaterThan(ZERO)) transfer(position.margin.collateral, collateral, lacking, stamp.time);
      total = total.plus(amount);
    }
    if (!total.isZero()) this.ledger.post(stamp.time, { asset: purse.currency, amount: total, reason: 'funding', fillId: '' });
    return total;
  }

  /**
   * Restores the initial margin of an isolated position, as far as the shared collateral allows.
   * @returns whether it could.
   */
  append(side: ContractSide, pool: MarginPool, time: number): boolean {
    const moved = Decimal.min(pool.initial.minus(pool.balance), side.purse.free);
    const some = moved.greaterThan(ZERO);
    if (some) transfer(side.purse.shared.collateral, pool.collateral, moved, time);
    return some;
  }

  #closePart(side: ContractSide, position: FuturesPosition, part: Part, stamp: Stamp): Decimal {
    const { isolated, collateral } = position.margin;
    const share = isolated ? shareOf(collateral.wallet, part.steps, position.steps) : ZERO;
    const profit = position.close(part, false, stamp);
    collateral.close(side.positionSide, part.notional, profit, stamp.time);
    payFee(collateral, part.fee, stamp.time);
    const back = share.plus(profit).minus(part.fee);
    if (isolated && !(this.insured && back.isNegative())) transfer(collateral, side.purse.shared.collateral, back, stamp.time);
    return profit;
  }

  /** The last position on a collateral is closed. */
  #clear(side: ContractSide, collateral: Collateral, fill: Fill, { time }: Stamp): void {
    const { wallet } = collateral;
    const { shared } = side.purse;
    if (wallet.lessThan(ZERO)) {
      collateral.move('transferIn', wallet.negated(), time);
      this.#post(fill, 'insurance', wallet.negated());
    } else if (collateral !== shared.collateral) {
      transfer(collateral, shared.collateral, wallet, time);
    }
  }

  #post({ time, fillId, feeAsset: asset }: Fill, reason: LedgerReason, amount: Decimal): void {
    if (!amount.isZero()) this.ledger.post(time, { asset, amount, reason, fillId });
  }
}

function payFee(collateral: Collateral, fee: Decimal, time: number): void {
  collateral.move(fee.isNegative() ? 'feeIncome' : 'fee', fee.negated(), time);
}

/** Margin moves inside a wallet; below zero, the other way. */
function transfer(from: Collateral, to: Collateral, amount: Decimal, time: number): void {
  const back = amount.isNegative();
  from.move(back ? 'marginMoveIn' : 'marginMoveOut', amount.negated(), time);
  to.move(back ? 'marginMoveOut' : 'marginMoveIn', amount, time);
}
