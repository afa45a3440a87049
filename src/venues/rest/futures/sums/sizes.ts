import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { type HiddenOpening, type SideChange, shareOut } from '../snapshot/side-change.ts';

/** The value of a trade at one price is a whole number of ticks times its size; within this, as quotients end after 64 digits. */
const EQUAL = '1e-6';

/** The nearest value that is a whole price times the steps; `undefined` if that differs from this value. */
export function wholeValue(value: Decimal, steps: number, instrument: Instrument): Decimal | undefined {
  if (steps <= 0) return undefined;
  const tick = instrument.notional(1, steps);
  const rounded = value.div(tick).round().times(tick);
  return value.minus(rounded).abs().greaterThan(tick.times(EQUAL)) ? undefined : rounded;
}

/** How far prices of orders may differ from traded prices, as a share. */
const NEAR = 0.02;
/** The same for an opening at one price, and so at one moment: among more sizes one has a whole price by chance. */
const AT_ONCE = 0.003;
/** The same if the complete rest of the orders is tried: a price may move far before a liquidation. */
const FAR = 0.1;

interface HiddenTrade {
  /** Value of the opening, in quote. */
  readonly opened: Decimal;
  /** Value of all closes, in quote: of the unseen opening, and of steps held before; `undefined` if unknown. */
  readonly closed: Decimal | undefined;
  readonly heldBefore: number;
}

/**
 * Finds the size of an unseen opening. Its possible orders give the maximum, and the size itself if the maximum
 * has exactly this value; lists may give a minimum. Otherwise, if it was closed at one price, as in a liquidation,
 * the closing value is a whole price times the size, which few sizes near the expected one are. If
 * none is, its own value may be, as it was opened at one price. If not, only the value counts.
 */
export function fitOpening(opening: HiddenOpening, { opened, closed, heldBefore }: HiddenTrade, instrument: Instrument): HiddenOpening {
  const { steps: most, shown: least = 0, estimate } = opening;
  if (opened.equals(estimate)) return opening;
  const share = opened.div(estimate).toNumber();
  const likely = Math.max(least, Math.min(most, Math.round(most * share)));
  const closes = (steps: number) => closed !== undefined && wholeValue(closed, heldBefore + steps, instrument) !== undefined;
  const opens = (steps: number) => wholeValue(opened, steps, instrument) !== undefined;
  const nearest = (fits: (steps: number) => boolean, near = NEAR): HiddenOpening | undefined => {
    for (let away = 0; away <= likely * near; away++) {
      for (const steps of [likely - away, likely + away])
        if (steps > 0 && steps >= least && steps <= most && fits(steps)) return sized(opening, steps);
    }
    return undefined;
  };
  if (Math.abs(share - 1) < FAR && closes(most)) return opening;
  const whole = Math.abs(share - 1) < NEAR;
  const found = nearest(closes);
  if (found !== undefined || whole) return found ?? opening;
  return nearest(opens, AT_ONCE) ?? sized(opening, Math.max(1, likely));
}

/** This many steps of an opening. */
export function sized(opening: HiddenOpening, steps: number): HiddenOpening {
  return { ...opening, steps, estimate: opening.estimate.times(steps).div(opening.steps) };
}

/**
 * Sizes of the orders that may have opened something unseen, with the given value. Orders of one contract are tried
 * with the traded value, and with the closing value if no other contract is involved. For several, the steps that lists have
 * shown are kept, and the rest is limited to the remaining value.
 * @param here positions that are not listed, or whose sums were unknown, on the side of the opening.
 * @param closed value of all closes of these, in quote.
 */
export function fitOpenings(
  openers: readonly HiddenOpening[],
  here: readonly SideChange[],
  opened: Decimal,
  closed: Decimal,
  instruments: ReadonlyMap<string, Instrument>,
): readonly HiddenOpening[] {
  const [only] = openers;
  const instrument = only === undefined ? undefined : instruments.get(only.symbol);
  if (only === undefined || instrument === undefined || openers.length > 1) return cutToValue(openers, opened);
  const closers = here.filter((side) => side.closed.steps > 0);
  const heldBefore = closers.reduce((sum, side) => sum + side.closed.steps, 0);
  const alone = closers.every(({ symbol }) => symbol === only.symbol);
  return [fitOpening(only, { opened, closed: alone ? closed : undefined, heldBefore }, instrument)];
}

function cutToValue(openers: readonly HiddenOpening[], value: Decimal): readonly HiddenOpening[] {
  const shownOf = ({ shown = 0 }: HiddenOpening) => shown;
  const all = openers.reduce((sum, { estimate }) => sum.plus(estimate), ZERO);
  const certain = openers.reduce((sum, one) => sum.plus(one.estimate.times(shownOf(one)).div(one.steps)), ZERO);
  if (value.greaterThan(all.times(1 - NEAR)) || all.equals(certain)) return openers;
  const part = Math.max(0, value.minus(certain).div(all.minus(certain)).toNumber());
  return openers.map((one) => sized(one, shownOf(one) + Math.round((one.steps - shownOf(one)) * part))).filter(({ steps }) => steps > 0);
}

/** How far prices of one moment may differ, as a share. */
const FORCED_SIZES_NEAR = 0.1;

/**
 * Possible sizes of the forced part of a close, for this value: sizes with a whole price, as a
 * liquidation closes at one price. The ones nearest to the average price come first.
 * @param close the complete close. @param forced in quote.
 */
export function forcedSizes(
  { steps, value }: { readonly steps: number; readonly value: Decimal },
  forced: Decimal,
  instrument: Instrument,
): number[] {
  if (!forced.isPositive() || forced.isZero() || value.isZero()) return [];
  // A whole price of any size is a whole number of ticks of one step.
  const whole = wholeValue(forced, 1, instrument);
  if (whole === undefined) return [];
  const units = whole.div(instrument.notional(1, 1)).toNumber();
  const exact = forced.div(value).times(steps).toNumber();
  const likely = Math.round(exact);
  const isNear = (size: number) => Math.abs(exact / size - 1) < FORCED_SIZES_NEAR;
  const sizes: number[] = [];
  for (let away = 0; away <= likely * FORCED_SIZES_NEAR + 1; away++) {
    for (const size of away === 0 ? [likely] : [likely - away, likely + away]) {
      if (size > 0 && size < steps && isNear(size) && units % size === 0) sizes.push(size);
    }
  }
  return sizes;
}

/** How far prices of one moment may differ, as a share. */
const SHARE_CLOSES_NEAR = 0.1;

/**
 * Splits the common closing value of positions that are gone, in proportion to their cost. If the liquidation fees of all are exactly
 * the fee of one that was forced completely, at a whole price near the one that its cost suggests, that one gets this value.
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
    const isNear = !cost.isZero() && whole.div(value.times(one.cost).div(cost)).minus(1).abs().lessThan(SHARE_CLOSES_NEAR);
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

/**
 * The value of a close of which only the gain after fees is known: the value at which one of the contract's rates fits.
 * Trading fees are tried first, then the liquidation fee. A value must be a whole price times the size. If none fits, only the
 * gain is known, and no fee is reported.
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
