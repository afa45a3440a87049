import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { CollateralFigures } from '../picture/account-picture.ts';
import { type SideChange, shareOut } from '../picture/side-change.ts';
import { solveFees, unforcedValue } from './close-splits.ts';
import { solveCloses } from './solve-closes.ts';

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
