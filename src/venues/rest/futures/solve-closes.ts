import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { forcedSize } from './forced-size.ts';
import { type SideChange, unchanged } from './side-change.ts';
import { solveFees } from './solve-fees.ts';

/** Above this many closes it is not tried out which were forced. */
const MOST_TRIED = 4;

/** All that was closed of one contract on one side, of however many separated positions. */
interface Close {
  readonly members: readonly SideChange[];
  /** Of all of them. */
  readonly sum: SideChange;
  readonly instrument: Instrument;
  readonly rate: Decimal;
}

/**
 * Which of several closes were forced, and what each of them paid, where values, fees and liquidation fees say so in sums
 * alone: all of some was forced, nothing of others, and a part of one at most that is a whole price times a size; the rest paid
 * fees at the rates of its contract. Separated positions are closed the oldest first, and forced together.
 * @param fee paid for trading by all of them. @param liquidationFee paid by all of them, in full.
 * @returns false where that does not fit: then nothing is changed.
 */
export function solveCloses(
  closers: readonly SideChange[],
  fee: Decimal,
  liquidationFee: Decimal,
  instruments: ReadonlyMap<string, Instrument>,
): boolean {
  const closes = closesOf(closers, instruments);
  const sides = new Set(closes.map(({ sum }) => sum.positionSide));
  const several = closes.filter(({ members }) => members.length > 1);
  if (closers.length > MOST_TRIED || closes.some(({ rate }) => rate.isZero())) return false;
  // Of several contracts on one side the values are guesses, and so is on which of several positions something was opened unseen.
  if (closes.length > sides.size || several.some(({ sum }) => !sum.opened.value.isZero())) return false;
  for (const forced of forcedOf(closes, liquidationFee)) {
    const sizes = closes.map(({ sum, instrument }, index) => {
      const value = forced[index]!;
      if (value.isZero()) return 0;
      return value.equals(sum.closed.value) ? sum.closed.steps : forcedSize(sum.closed, value, instrument);
    });
    if (sizes.includes(undefined)) continue;
    const paid = closes.map(({ sum, rate }, index) => ({
      ...sum,
      opened: { ...sum.opened },
      closed: { ...sum.closed },
      liquidationFee: forced[index]!.times(rate),
    }));
    if (!solveFees(paid, fee, instruments)) continue;
    for (const [index, { members }] of closes.entries()) share(members, paid[index]!, forced[index]!, sizes[index]!);
    return true;
  }
  return false;
}

function closesOf(closers: readonly SideChange[], instruments: ReadonlyMap<string, Instrument>): Close[] {
  const groups = new Map<string, SideChange[]>();
  for (const one of closers) {
    const key = `${one.symbol} ${one.positionSide}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((members): Close[] => {
    const [first] = members;
    const instrument = first && instruments.get(first.symbol);
    if (first === undefined || instrument === undefined) return [];
    const sum = unchanged(first);
    for (const { opened, closed } of members) {
      sum.opened.steps += opened.steps;
      sum.opened.value = sum.opened.value.plus(opened.value);
      sum.closed.steps += closed.steps;
      sum.closed.value = sum.closed.value.plus(closed.value);
    }
    return [{ members, sum, instrument, rate: instrument.contract?.liquidationFee ?? ZERO }];
  });
}

/** What may have been forced of each, in quote: of as few as possible, and all of a close before a part of one. */
function forcedOf(closes: readonly Close[], liquidationFee: Decimal): Decimal[][] {
  const choices: { readonly forced: Decimal[]; readonly rank: number }[] = [];
  for (let bits = 0; bits < 2 ** closes.length; bits++) {
    const isWhole = (index: number) => ((bits >> index) & 1) === 1;
    const whole = closes.map(({ sum }, index) => (isWhole(index) ? sum.closed.value : ZERO));
    const left = closes.reduce((rest, { rate }, index) => rest.minus(whole[index]!.times(rate)), liquidationFee);
    const count = whole.filter((value) => !value.isZero()).length;
    if (left.isZero()) choices.push({ forced: whole, rank: count });
    for (const [index, { sum, rate }] of closes.entries()) {
      const part = left.div(rate);
      if (isWhole(index) || !part.greaterThan(ZERO) || !part.lessThan(sum.closed.value)) continue;
      choices.push({ forced: whole.with(index, part), rank: closes.length + count });
    }
  }
  return choices.sort((a, b) => a.rank - b.rank).map(({ forced }) => forced);
}

/** Gives each position its part of what all were closed for. @param forced in quote. @param size of that, in steps. */
function share(members: readonly SideChange[], { opened, closed, liquidationFee }: SideChange, forced: Decimal, size: number): void {
  const own = closed.steps - size;
  const ownValue = closed.value.minus(forced);
  let left = own;
  const rest = { value: closed.value, fee: closed.fee, liquidationFee };
  for (const [index, member] of members.entries()) {
    const mine = Math.min(left, member.closed.steps);
    left -= mine;
    const part = (amount: Decimal, steps: number, all: number) => (all === 0 ? ZERO : amount.times(steps).div(all).toDecimalPlaces(18));
    const theirs = member.closed.steps - mine;
    const last = index === members.length - 1;
    const value = last ? rest.value : part(ownValue, mine, own).plus(part(forced, theirs, size));
    const fee = last ? rest.fee : part(closed.fee, mine, own);
    member.liquidationFee = last ? rest.liquidationFee : part(liquidationFee, theirs, size);
    member.closed.value = value;
    member.closed.fee = member.closed.fee.plus(fee);
    rest.value = rest.value.minus(value);
    rest.fee = rest.fee.minus(fee);
    rest.liquidationFee = rest.liquidationFee.minus(member.liquidationFee);
    if (last) member.opened.fee = member.opened.fee.plus(opened.fee);
  }
}
