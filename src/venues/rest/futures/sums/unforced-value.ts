import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { SideChange } from '../picture/side-change.ts';

/** Sums of money that lie nearer are one. */
const EQUAL = '1e-9';

/** What of a close its liquidation fee is not for, in quote: only that can have paid a trading fee. */
export function unforcedValue({ closed, liquidationFee, forcedSteps }: SideChange, instrument: Instrument | undefined): Decimal {
  if (forcedSteps === closed.steps) return ZERO;
  const rate = instrument?.contract?.liquidationFee ?? ZERO;
  const own = rate.isZero() ? closed.value : closed.value.minus(liquidationFee.div(rate));
  return own.lessThan(EQUAL) ? ZERO : own;
}
