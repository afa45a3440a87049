import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { shareOf } from '../../../../model/margin.ts';
import type { CollateralFigures } from '../snapshot/account-snapshot.ts';
import { moneyOf, type SideChange, shareOut } from '../snapshot/side-change.ts';
import { solveCloses, solveFees, unforcedValue } from './close-splits.ts';
import { forcedSizes, wholeValue } from './sizes.ts';

/** The changes on one collateral. */
export interface CollateralChange {
  /** All changes on it. */
  readonly sides: readonly SideChange[];
  /** Those of unlisted positions, and unseen ones. */
  readonly units: readonly SideChange[];
  /** The change of one of its sums. */
  readonly moved: (name: keyof CollateralFigures) => Decimal;
}

/**
 * Attributes fees, liquidation fees and funding that no listed position accounts for to the unlisted positions of the collateral:
 * trading fees as the rates of the contracts fit, otherwise by the value without a liquidation fee; everything else by value.
 * @param parted positions whose collateral is gone.
 * @param relisted positions that are listed again: their own sums correct the shares that were attributed meanwhile.
 */
export function shareFees(
  changes: readonly CollateralChange[],
  parted: readonly SideChange[],
  relisted: readonly SideChange[],
  instruments: ReadonlyMap<string, Instrument>,
): void {
  let funding = ZERO;
  // With several on one side of a collateral the values are guesses, and rates prove nothing.
  const alike = (one: SideChange) => (other: SideChange) => other !== one && other.positionSide === one.positionSide;
  const guesses = new Set(changes.flatMap((change) => closersOf(change).filter((one, _, all) => all.some(alike(one)))));
  // If fees are taken from another collateral than that of the position, only the total of all of them proves something.
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

/** Closes of unlisted positions. */
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

/** Attributes a liquidation fee to the close of which it is the complete fee, if there is one. */
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

/** How far prices of one moment may differ, as a share. */
const NEAR = 0.1;

/** A close of an isolated position that is gone. */
interface SunkCandidate {
  readonly side: SideChange;
  /** Its margin, in quote. */
  readonly margin: Decimal;
}

/** Totals of all closes of a collateral, in quote. */
interface SunkSums {
  /** Trading fees. */
  readonly fee: Decimal;
  /** Money that entered the wallet without a trade. */
  readonly transferIn: Decimal;
  readonly funding: Decimal;
}

/**
 * A position that lost more than its margin paid no fee, and the insurance fund paid the shortfall. If all other closes
 * paid trading fees at one rate, the remaining value is a whole price times a size, and the shortfall of such a part of the
 * position equals the payment (apart from funding, which is not separate). Then this size was forced.
 *
 * If several positions are gone at once, only their common total is known: then one was forced completely, and the others
 * of its side share the rest in proportion to their cost. If one is gone alone, own orders may have closed a part before.
 * @returns whether there is one; if not, nothing is changed.
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
      // A quotient that does not end would leave a remainder.
      if (closers.length > 1) shareRest(side, closers, wholeValue(forced, steps, instrument) ?? forced);
      return true;
    }
  }
  return false;
}

/** Sizes that may have this value: the whole position, or a part of it if it is gone alone. */
function sizesOf({ closed }: SideChange, forced: Decimal, instrument: Instrument, isAlone: boolean): number[] {
  if (isAlone) return forcedSizes(closed, forced, instrument);
  const isWhole = wholeValue(forced, closed.steps, instrument) !== undefined;
  return isWhole && forced.div(closed.value).minus(1).abs().lessThanOrEqualTo(NEAR) ? [closed.steps] : [];
}

/** The shortfall of this part of a position below its margin, in quote. @param forced value of its close. */
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
