import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { SideChange } from '../picture/side-change.ts';
import { unforcedValue } from './unforced-value.ts';

/** Sums of money that lie nearer are one. */
const EQUAL = '1e-9';
/** Above this many changes rates are not tried out. */
const MOST_TRIED = 4;

/** What one change may have paid. */
interface Paid {
  readonly open: Decimal;
  readonly close: Decimal;
}

/**
 * Splits what was paid for opening and closing in one: the rates of the contracts that make exactly this. A forced close
 * pays no trading fee, which is how it is known; where the liquidation's fee says how much was forced, the rest may have paid.
 * @returns false where no rates fit.
 */
export function solveFees(changes: readonly SideChange[], fee: Decimal, instruments: ReadonlyMap<string, Instrument>): boolean {
  if (changes.length === 0 || changes.length > MOST_TRIED) return false;
  const choices = changes.map((change) => choicesOf(change, instruments.get(change.symbol)));
  const chosen = fitting(choices, fee);
  if (chosen === undefined) return false;
  let left = fee;
  const last = chosen.findLastIndex(({ close }) => !close.isZero());
  for (const [index, { open, close }] of chosen.entries()) {
    const { opened, closed } = changes[index]!;
    opened.fee = opened.fee.plus(open);
    closed.fee = closed.fee.plus(close);
    left = left.minus(open).minus(close);
  }
  // What rounding leaves: no forced close is to look as if it had paid.
  const { opened, closed } = changes[last < 0 ? changes.length - 1 : last]!;
  const of = last < 0 ? opened : closed;
  of.fee = of.fee.plus(left);
  return true;
}

function choicesOf(change: SideChange, instrument: Instrument | undefined): Paid[] {
  if (instrument === undefined) return [];
  const { opened } = change;
  const { takerFee, makerFee } = instrument;
  const own = unforcedValue(change, instrument);
  const openings = opened.value.isZero() ? [ZERO] : [takerFee, makerFee];
  const closings = own.isZero() ? [ZERO] : [ZERO, takerFee, makerFee];
  return openings.flatMap((opening) => closings.map((closing) => ({ open: opened.value.times(opening), close: own.times(closing) })));
}

/** One choice of each that together make the fee. */
function fitting(choices: readonly (readonly Paid[])[], fee: Decimal): readonly Paid[] | undefined {
  const [first, ...others] = choices;
  if (first === undefined) return fee.abs().greaterThan(EQUAL) ? undefined : [];
  for (const paid of first) {
    const rest = fitting(others, fee.minus(paid.open).minus(paid.close));
    if (rest !== undefined) return [paid, ...rest];
  }
  return undefined;
}
