import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { forcedSizes } from '../sums/forced-sizes.ts';
import { wholeValue } from '../sums/whole-price.ts';
import type { Candidate } from './allotment.ts';

/** How far prices of one moment may lie apart, as a share. */
const NEAR = 0.1;
/** Above this many orders choices are not tried out. */
const MOST_TRIED = 12;

/** What was closed on one side, by orders of ours and by the exchange together. */
interface MixedClose {
  readonly steps: number;
  /** In quote. */
  readonly value: Decimal;
  /** Trading fees, in quote; above zero. */
  readonly fee: Decimal;
  /** In quote; zero where nothing was left to take it from. */
  readonly liquidationFee: Decimal;
}

/** How many steps of a close were ours. */
interface OwnPart {
  readonly steps: number;
  /** Nothing else fits the sums. */
  readonly proved: boolean;
}

/**
 * How many steps of what the exchange closed as well were ours: only our own pay a trading fee. At least what lists show; and
 * with that, what some of our orders had left to close, where the fee is that of a whole price for so much and the rest was
 * closed at a whole price as well (of several the one that lies nearest to the average price). Else what is left of it when
 * the size is taken away that gives a whole price to the value that the liquidation's fee is for, or to that which no trading
 * fee was paid for, or what the taker's fee pays for at the average price.
 */
export function ownPart(close: MixedClose, candidates: readonly Candidate[], instrument: Instrument): OwnPart {
  const { steps, value, fee, liquidationFee } = close;
  const { takerFee, makerFee } = instrument;
  const average = value.div(steps);
  const sizes = sizesOf(candidates).filter((size) => size > 0 && size < steps);
  const rates = [takerFee, makerFee].filter((rate) => rate.greaterThan(ZERO));
  const shown = shownOf(candidates);
  const rate = instrument.contract?.liquidationFee ?? ZERO;
  const inFull = rate.isZero() ? [] : forcedSizes(close, liquidationFee.div(rate), instrument);
  const unpaid = rates.flatMap((one) => forcedSizes(close, value.minus(fee.div(one)), instrument));
  const fitting = new Set([...inFull, ...unpaid].map((size) => steps - size).filter((size) => size >= shown));
  const proving = (size: number): OwnPart => ({ steps: size, proved: fitting.size === 1 && fitting.has(size) });
  const choices = rates.flatMap((one) => {
    const own = fee.div(one);
    const fits = (size: number) =>
      wholeValue(own, size, instrument) !== undefined && wholeValue(value.minus(own), steps - size, instrument) !== undefined;
    return sizes.filter(fits).map((size) => ({ size, away: own.div(size).minus(average).abs().toNumber() }));
  });
  const [best] = choices.filter(({ away }) => away < average.toNumber() * NEAR).sort((a, b) => a.away - b.away);
  if (best !== undefined) return proving(best.size);
  const [first] = fitting;
  if (first !== undefined) return proving(first);
  const whole = takerFee.isZero() ? value : value.times(takerFee);
  return proving(Math.min(steps, Math.max(shown, fee.div(whole).times(steps).round().toNumber())));
}

/** What lists show, which is certain. */
function shownOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { shown }) => sum + shown, 0);
}

/** What they may have closed together: what is certain, and beyond it all or nothing of what each had left. */
function sizesOf(candidates: readonly Candidate[]): number[] {
  let sizes = new Set([shownOf(candidates)]);
  for (const { more } of candidates.slice(-MOST_TRIED)) sizes = new Set([...sizes, ...[...sizes].map((size) => size + more)]);
  return [...sizes];
}
