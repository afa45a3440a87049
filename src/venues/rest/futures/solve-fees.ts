import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { SideChange } from './side-change.ts';

/** Sums of money that lie nearer are one. */
const EQUAL = '1e-9';

/**
 * Splits what was paid for opening and closing in one: the rates of the contract that make exactly this. A forced close
 * pays no trading fee, which is how it is known; where the liquidation's fee says how much was forced, the rest may have paid.
 * @returns false where no rates fit.
 */
export function solveFees(
  { opened, closed, liquidationFee }: SideChange,
  fee: Decimal,
  { takerFee, makerFee, contract }: Instrument,
): boolean {
  const rate = contract?.liquidationFee ?? ZERO;
  const forced = rate.isZero() ? ZERO : liquidationFee.div(rate);
  for (const opening of [takerFee, makerFee]) {
    for (const closing of [ZERO, takerFee, makerFee]) {
      const [open, close] = [opened.value.times(opening), closed.value.minus(forced).times(closing)];
      const rest = fee.minus(open).minus(close);
      if (rest.abs().greaterThan(EQUAL)) continue;
      const exact = closing.isZero() || closed.value.isZero();
      opened.fee = opened.fee.plus(exact ? fee : open);
      closed.fee = closed.fee.plus(exact ? ZERO : fee.minus(open));
      return true;
    }
  }
  return false;
}
