import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { moneyOf, type SideChange, shareOut } from '../picture/side-change.ts';
import { wholeValue } from './whole-price.ts';

/** How far prices of one moment may lie apart, as a share. */
const NEAR = 0.1;

/** A close of an isolated position that is gone. */
export interface SunkCandidate {
  readonly side: SideChange;
  /** What it stood on, in quote. */
  readonly margin: Decimal;
}

/** What all closes of a collateral paid and were paid, in quote. */
export interface SunkSums {
  /** For trading. */
  readonly fee: Decimal;
  /** Came into the wallet without a trade. */
  readonly transferIn: Decimal;
  readonly funding: Decimal;
}

/**
 * Several positions are gone at once, and only what all of them brought is known. One that lost more than it stood on paid no fee at
 * all, and the insurance fund brought what it lacked: where all the others paid for trading at one rate, what is left of the value
 * is a whole price times its size, and what it lacks is what came in (but for the funding that is not told apart). Then it
 * brought that, all of it was forced, and the others of its side share the rest by what they had cost.
 * @returns whether there is one: else nothing is changed.
 */
export function settleSunk(
  closers: readonly SideChange[],
  candidates: readonly SunkCandidate[],
  { fee, transferIn, funding }: SunkSums,
  instruments: ReadonlyMap<string, Instrument>,
): boolean {
  const total = closers.reduce((sum, { closed }) => sum.plus(closed.value), ZERO);
  for (const { side, margin } of candidates) {
    const instrument = instruments.get(side.symbol);
    if (instrument === undefined) continue;
    for (const rate of [instrument.takerFee, instrument.makerFee]) {
      if (rate.isZero()) continue;
      const value = wholeValue(total.minus(fee.div(rate)), side.closed.steps, instrument);
      if (value === undefined || value.div(side.closed.value).minus(1).abs().greaterThan(NEAR)) continue;
      const lacks = moneyOf({ ...side, closed: { ...side.closed, value } })
        .plus(margin)
        .negated();
      if (!lacks.isPositive() || lacks.minus(transferIn).abs().greaterThan(funding.abs())) continue;
      const others = closers.filter((one) => one !== side && one.positionSide === side.positionSide);
      const rest = others.reduce((sum, { closed }) => sum.plus(closed.value), side.closed.value).minus(value);
      side.closed.value = value;
      side.forcedSteps = side.closed.steps;
      shareOut(
        rest,
        others,
        ({ cost }) => cost,
        (one, part) => {
          one.closed.value = part;
        },
      );
      return true;
    }
  }
  return false;
}
