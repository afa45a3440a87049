import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { shareOf } from '../../../../model/margin.ts';
import { moneyOf, type SideChange, shareOut } from '../picture/side-change.ts';
import { forcedSizes, wholeValue } from './sizes.ts';

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
 * One that lost more than it stood on paid no fee at all, and the insurance fund brought what it lacked: where everything else that was
 * closed paid for trading at one rate, what is left of the value is a whole price times a size, and what such a part of the position
 * lacks of its margin is what came in (but for the funding that is not told apart). Then so much was forced.
 *
 * Several positions may be gone at once, of which only what all of them brought is known: then one was forced as a whole, and the others
 * of its side share the rest by what they had cost. Of one that is gone alone we may have closed a part before.
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
      const forced = total.minus(fee.div(rate));
      const fits = (steps: number) => lackOf(side, margin, steps, forced).minus(transferIn).abs().lessThanOrEqualTo(funding.abs());
      const steps = sizesOf(side, forced, instrument, closers.length === 1).find(fits);
      if (steps === undefined || !lackOf(side, margin, steps, forced).isPositive()) continue;
      side.forcedSteps = steps;
      // A quotient that has no end would leave a rest.
      if (closers.length > 1) shareRest(side, closers, wholeValue(forced, steps, instrument) ?? forced);
      return true;
    }
  }
  return false;
}

/** How many steps may have brought this: all of the position, or where it is gone alone a part of it. */
function sizesOf({ closed }: SideChange, forced: Decimal, instrument: Instrument, isAlone: boolean): number[] {
  if (isAlone) return forcedSizes(closed, forced, instrument);
  const isWhole = wholeValue(forced, closed.steps, instrument) !== undefined;
  return isWhole && forced.div(closed.value).minus(1).abs().lessThanOrEqualTo(NEAR) ? [closed.steps] : [];
}

/** What this part of a position lacks of the margin that it stood on, in quote. @param forced what it brought. */
function lackOf(side: SideChange, margin: Decimal, steps: number, forced: Decimal): Decimal {
  const { cost, closed } = side;
  const part = { steps, value: forced, fee: ZERO };
  return moneyOf({ ...side, closed: part, cost: shareOf(cost, steps, closed.steps) })
    .plus(shareOf(margin, steps, closed.steps))
    .negated();
}

function shareRest(side: SideChange, closers: readonly SideChange[], forced: Decimal): void {
  const others = closers.filter((one) => one !== side && one.positionSide === side.positionSide);
  const rest = others.reduce((sum, { closed }) => sum.plus(closed.value), side.closed.value).minus(forced);
  side.closed.value = forced;
  shareOut(
    rest,
    others,
    ({ cost }) => cost,
    (one, part) => {
      one.closed.value = part;
    },
  );
}
