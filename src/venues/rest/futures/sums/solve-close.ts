import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { SideChange } from '../picture/side-change.ts';
import { wholeValue } from './whole-price.ts';

/**
 * What a close brought of which only its gain after fees is known: the value at which one of the contract's rates fits.
 * Trading fees are tried first, then the liquidation's; a value must be a whole price times the size. Where none fits, the
 * gain is all there is to say, and no fee is told.
 */
export function solveClose(unit: SideChange, gain: Decimal, instrument: Instrument | undefined): void {
  const { positionSide, cost, closed } = unit;
  const long = positionSide === 'long';
  const plain = long ? cost.plus(gain) : cost.minus(gain);
  closed.value = plain;
  if (instrument === undefined || closed.steps === 0) return;
  const { takerFee, makerFee, contract } = instrument;
  const rates = [takerFee, makerFee, contract?.liquidationFee ?? ZERO];
  for (const [index, rate] of rates.entries()) {
    const value = plain.div(long ? rate.negated().plus(1) : rate.plus(1));
    const rounded = wholeValue(value, closed.steps, instrument);
    if (rounded === undefined) continue;
    const fee = long ? rounded.minus(plain) : plain.minus(rounded);
    if (fee.isNegative()) continue;
    closed.value = rounded;
    if (index < 2) closed.fee = fee;
    else unit.liquidationFee = fee;
    return;
  }
}
