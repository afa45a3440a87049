import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { shareOf } from '../../../../model/margin.ts';
import type { CollateralFigures } from '../picture/account-picture.ts';
import { moneyOf, type SideChange, shareOut } from '../picture/side-change.ts';
import { solveCloses, solveFees, unforcedValue } from './close-splits.ts';
import { forcedSizes, wholeValue } from './sizes.ts';

/** What happened on one collateral. */
export interface CollateralChange {
  /** All changes on it. */
  readonly sides: readonly SideChange[];
  /** Of these, what is not listed, and what nobody saw. */
  readonly units: readonly SideChange[];
  /** What its sums moved by. */
  readonly moved: (name: keyof CollateralFigures) => Decimal;
}

/**
 * Fees, liquidation fees and funding that no listed position accounts for go to what is not listed on their collateral: fees
 * as the rates of the contracts fit, else by the value that no liquidation fee is for; all else by value.
 * @param parted positions whose collateral is gone.
 * @param relisted positions that are listed again: their own sums correct what was shared out to them while they were not.
 */
export function shareFees(
  changes: readonly CollateralChange[],
  parted: readonly SideChange[],
  relisted: readonly SideChange[],
  instruments: ReadonlyMap<string, Instrument>,
): void {
  let funding = ZERO;
  // Of several on one side of a collateral the values are guesses, and what rates make of them says nothing.
  const alike = (one: SideChange) => (other: SideChange) => other !== one && other.positionSide === one.positionSide;
  const guesses = new Set(changes.flatMap((change) => closersOf(change).filter((one, _, all) => all.some(alike(one)))));
  // Where fees are taken from another collateral than that of the position, only all of them together say something.
  const apart = changes.every((change) => closersOf(change).length > 0 || (feeOf(change).isZero() && liquidationFeeOf(change).isZero()));
  for (const change of apart ? changes : [together(changes)]) {
    const { sides, units, moved } = change;
    const closers = closersOf(change);
    const [fee, liquidationFee] = [feeOf(change), liquidationFeeOf(change)];
    const insured = closers.some((one) => one.insured);
    const mixed = closers.length > 1 && (insured || !liquidationFee.isZero());
    const solved = mixed && solveCloses(closers, { fee, liquidationFee, insured }, instruments);
    if (mixed && !solved) for (const one of closers) one.guessed = one.forcedSteps === undefined;
    if (!solved) shareLiquidationFee(liquidationFee, closers, instruments);
    if (!solved && (closers.some((one) => guesses.has(one)) || !solveFees(closers, fee, instruments))) {
      shareOut(
        fee,
        closers.flatMap((one) => [
          { traded: one.opened, value: one.opened.value },
          { traded: one.closed, value: unforcedValue(one, instruments.get(one.symbol)) },
        ]),
        ({ value }) => value,
        ({ traded }, share) => {
          traded.fee = traded.fee.plus(share);
        },
      );
    }
    const rest = sides.reduce((sum, side) => sum.minus(side.funding), moved('funding'));
    if (units.length === 0) funding = funding.plus(rest);
    else shareFunding(rest, units);
  }
  const unseen = [...changes.flatMap(({ units }) => units), ...parted];
  shareFunding(funding, unseen.length > 0 ? unseen : relisted);
}

/** What was closed, of what is not listed. */
export function closersOf({ units }: CollateralChange): SideChange[] {
  return units.filter(({ closed }) => closed.steps > 0);
}

/** Trading fees that no side accounts for yet. */
export function feeOf({ sides, moved }: CollateralChange): Decimal {
  const paid = moved('fee').plus(moved('feeIncome')).negated();
  return sides.reduce((sum, { opened, closed }) => sum.minus(opened.fee).minus(closed.fee), paid);
}

/** Liquidation fees that no side accounts for yet. */
export function liquidationFeeOf({ sides, moved }: CollateralChange): Decimal {
  const paid = moved('liquidationFee').plus(moved('liquidationFeeIncome')).negated();
  return sides.reduce((sum, side) => sum.minus(side.liquidationFee), paid);
}

/** All collaterals as one. */
export function together(changes: readonly CollateralChange[]): CollateralChange {
  return {
    sides: changes.flatMap(({ sides }) => sides),
    units: changes.flatMap(({ units }) => units),
    moved: (name) => changes.reduce((sum, { moved }) => sum.plus(moved(name)), ZERO),
  };
}

/** To the one that it is the whole fee for, if there is one. */
function shareLiquidationFee(amount: Decimal, closers: readonly SideChange[], instruments: ReadonlyMap<string, Instrument>): void {
  const isFor = ({ symbol, closed }: SideChange) =>
    closed.value.times(instruments.get(symbol)?.contract?.liquidationFee ?? ZERO).equals(amount);
  const whole = closers.filter(isFor);
  shareOut(
    amount,
    whole.length === 1 ? whole : closers,
    ({ closed }) => closed.value,
    (unit, share) => {
      unit.liquidationFee = share;
    },
  );
}

function shareFunding(amount: Decimal, among: readonly SideChange[]): void {
  shareOut(
    amount,
    among,
    ({ cost, opened }) => cost.plus(opened.value),
    (unit, share) => {
      unit.funding = unit.funding.plus(share);
    },
  );
}

/** How far prices of one moment may lie apart, as a share. */
const NEAR = 0.1;

/** A close of an isolated position that is gone. */
interface SunkCandidate {
  readonly side: SideChange;
  /** What it stood on, in quote. */
  readonly margin: Decimal;
}

/** What all closes of a collateral paid and were paid, in quote. */
interface SunkSums {
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
