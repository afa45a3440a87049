import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { type SideChange, shareOut, unchanged } from '../picture/side-change.ts';
import { type Close, type ClosingFees, closeSplits } from './close-splits.ts';

/** Above this many closes it is not tried out which were forced. */
const MOST_TRIED = 4;

/**
 * Which of several closes were forced, and what each of them paid, where values, fees and liquidation fees say so in sums
 * alone: all of some was forced, nothing of others, and a part of one at most that is a whole price times a size; the rest paid
 * fees at the rates of its contract. Separated positions are closed the oldest first, and forced together.
 * @param fees paid by all of them.
 * @returns false where that does not fit: then nothing is changed.
 */
export function solveCloses(closers: readonly SideChange[], fees: ClosingFees, instruments: ReadonlyMap<string, Instrument>): boolean {
  const closes = closesOf(closers, instruments);
  const sides = new Set(closes.map(({ sum }) => sum.positionSide));
  if (closes.length > MOST_TRIED || closes.some(({ rate }) => rate.isZero())) return false;
  // Of several contracts on one side the values are guesses.
  if (closes.length > sides.size) return false;
  const splits = closeSplits(closes, fees, instruments);
  const [best] = splits;
  if (best === undefined) return false;
  for (const [index, { members }] of closes.entries()) {
    const size = best.sizes[index]!;
    const guessed = splits.some(({ sizes }) => sizes[index] !== size);
    share(members, best.paid[index]!, best.forced[index]!, size, guessed);
  }
  return true;
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

/** Gives each position its part of what all were closed for. @param forced in quote. @param size of that, in steps. */
function share(
  members: readonly SideChange[],
  { opened, closed, liquidationFee }: SideChange,
  forced: Decimal,
  size: number,
  guessed: boolean,
): void {
  const own = closed.steps - size;
  const ownValue = closed.value.minus(forced);
  let left = own;
  const rest = { value: closed.value, fee: closed.fee, liquidationFee };
  for (const [index, member] of members.entries()) {
    const mine = Math.min(left, member.closed.steps);
    left -= mine;
    const part = (amount: Decimal, steps: number, all: number) => (all === 0 ? ZERO : amount.times(steps).div(all).toDecimalPlaces(18));
    const theirs = member.closed.steps - mine;
    member.forcedSteps = theirs;
    member.guessed = guessed;
    const last = index === members.length - 1;
    const value = last ? rest.value : part(ownValue, mine, own).plus(part(forced, theirs, size));
    const fee = last ? rest.fee : part(closed.fee, mine, own);
    member.liquidationFee = last ? rest.liquidationFee : part(liquidationFee, theirs, size);
    member.closed.value = value;
    member.closed.fee = member.closed.fee.plus(fee);
    rest.value = rest.value.minus(value);
    rest.fee = rest.fee.minus(fee);
    rest.liquidationFee = rest.liquidationFee.minus(member.liquidationFee);
  }
  shareOut(
    opened.fee,
    members,
    (member) => member.opened.value,
    (member, part) => {
      member.opened.fee = member.opened.fee.plus(part);
    },
  );
}
