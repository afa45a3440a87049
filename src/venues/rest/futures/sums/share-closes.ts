import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { type SideChange, shareOut } from '../picture/side-change.ts';
import { wholeValue } from './whole-price.ts';

/** How far prices of one moment may lie apart, as a share. */
const NEAR = 0.1;

/**
 * Splits what positions that are gone brought in one by what they had cost. Where the liquidation fees of all are just what
 * one of several pays that is forced as a whole, at a whole price near what its cost lets expect, that one brought so much.
 * @param value of all closes, in quote. @param liquidationFee of all, in quote.
 */
export function shareCloses(
  value: Decimal,
  closers: readonly SideChange[],
  liquidationFee: Decimal,
  instruments: ReadonlyMap<string, Instrument>,
): void {
  const forced = closers.flatMap((one) => {
    const instrument = instruments.get(one.symbol);
    const rate = instrument?.contract?.liquidationFee ?? ZERO;
    if (instrument === undefined || rate.isZero()) return [];
    const whole = liquidationFee.div(rate);
    const cost = closers.reduce((sum, { cost: each }) => sum.plus(each), ZERO);
    const isNear = !cost.isZero() && whole.div(value.times(one.cost).div(cost)).minus(1).abs().lessThan(NEAR);
    const exact = wholeValue(whole, one.closed.steps, instrument);
    return isNear && exact !== undefined ? [{ one, whole: exact }] : [];
  });
  const [only] = closers.length > 1 && forced.length === 1 ? forced : [];
  if (only !== undefined) only.one.closed.value = only.whole;
  shareOut(
    only === undefined ? value : value.minus(only.whole),
    closers.filter((closer) => closer !== only?.one),
    ({ cost }) => cost,
    (unit, part) => {
      unit.closed.value = part;
    },
  );
}
