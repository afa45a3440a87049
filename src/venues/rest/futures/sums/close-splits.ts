import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { type SideChange, shareOut, unchanged } from '../picture/side-change.ts';
import { forcedSizes } from './sizes.ts';

/** Sums of money that lie nearer are one. */
const EQUAL = '1e-9';

/** What of a close its liquidation fee is not for, in quote: only that can have paid a trading fee. */
export function unforcedValue({ closed, liquidationFee, forcedSteps }: SideChange, instrument: Instrument | undefined): Decimal {
  if (forcedSteps === closed.steps) return ZERO;
  const rate = instrument?.contract?.liquidationFee ?? ZERO;
  const own = rate.isZero() ? closed.value : closed.value.minus(liquidationFee.div(rate));
  return own.lessThan(EQUAL) ? ZERO : own;
}

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

/** All that was closed of one contract on one side, of however many separated positions. */
interface Close {
  readonly members: readonly SideChange[];
  /** Of all of them. */
  readonly sum: SideChange;
  readonly instrument: Instrument;
  /** Of the liquidation's fee. */
  readonly rate: Decimal;
}

/** What closes paid for trading and for liquidation, all together, in quote. */
interface ClosingFees {
  readonly fee: Decimal;
  readonly liquidationFee: Decimal;
  /** The insurance fund paid: of the last liquidation nothing was left to take a fee from. */
  readonly insured: boolean;
}

/** One way in which several closes may have been by us and by the exchange. */
interface Split {
  /** What was forced of each, in quote. */
  readonly forced: readonly Decimal[];
  /** In steps. */
  readonly sizes: readonly number[];
  /** What each has paid. */
  readonly paid: readonly SideChange[];
}

/**
 * All ways that make exactly these fees where all of some closes was forced, nothing of others, and a part of one at most; a
 * forced part has a whole price. First those where the liquidation got all of its fee, of as few as possible, and all of a close
 * before a part of one; then those where less was left, and what was not forced paid for trading at one rate.
 */
function closeSplits(closes: readonly Close[], fees: ClosingFees, instruments: ReadonlyMap<string, Instrument>): Split[] {
  return [...paidInFull(closes, fees, instruments), ...paidInPart(closes, fees)];
}

function paidInFull(
  closes: readonly Close[],
  { fee, liquidationFee, insured }: ClosingFees,
  instruments: ReadonlyMap<string, Instrument>,
): Split[] {
  const full = forcedOf(closes, (whole) => closes.reduce((rest, { rate }, index) => rest.minus(whole[index]!.times(rate)), liquidationFee));
  return full.flatMap(({ forced, part }) => {
    const values = part < 0 ? forced : forced.with(part, forced[part]!.div(closes[part]!.rate));
    return sized(closes, values).flatMap((sizes) => {
      // The fee of the part is what is left of it: its value as a quotient may have no end.
      const paid = closes.map(({ sum, rate }, index) => copyOf(sum, index === part ? forced[part]! : values[index]!.times(rate)));
      if (!solveFees(paid, fee, instruments)) return [];
      // What paid neither was forced when nothing was left.
      const free = closes.map(
        ({ sum }, index) => values[index]!.isZero() && paid[index]!.closed.fee.isZero() && !sum.closed.value.isZero(),
      );
      if (free.includes(true) && !insured) return [];
      return [
        {
          forced: values.map((value, index) => (free[index] ? closes[index]!.sum.closed.value : value)),
          sizes: sizes.map((size, index) => (free[index] ? closes[index]!.sum.closed.steps : size)),
          paid,
        },
      ];
    });
  });
}

function paidInPart(closes: readonly Close[], { fee, liquidationFee, insured }: ClosingFees): Split[] {
  if (liquidationFee.isZero() && !insured) return [];
  const value = closes.reduce((sum, { sum: { closed } }) => sum.plus(closed.value), ZERO);
  const opened = closes.reduce((sum, { sum: { opened: each } }) => sum.plus(each.value), ZERO);
  const rates = [
    ...new Map(closes.flatMap(({ instrument: { takerFee, makerFee } }) => [takerFee, makerFee]).map((rate) => [`${rate}`, rate])),
  ];
  return rates.flatMap(([, rate]) =>
    (opened.isZero() ? [ZERO] : rates.map(([, one]) => one)).flatMap((openRate) => {
      if (rate.isZero()) return [];
      const own = fee.minus(opened.times(openRate)).div(rate);
      const left = value.minus(own);
      if (own.lessThan(ZERO) || !left.greaterThan(EQUAL)) return [];
      return forcedOf(closes, (whole) => whole.reduce((rest, one) => rest.minus(one), left)).flatMap(({ forced }) => {
        const most = closes.reduce((sum, { rate: each }, index) => sum.plus(forced[index]!.times(each)), ZERO);
        if (!most.minus(liquidationFee).greaterThan(EQUAL)) return [];
        const paid = closes.map(({ sum }) => copyOf(sum, ZERO));
        shareBy(forced, liquidationFee, paid, (one, share) => {
          one.liquidationFee = share;
        });
        for (const { opened: each } of paid) each.fee = each.fee.plus(each.value.times(openRate));
        const ours = closes.map(({ sum: { closed } }, index) => closed.value.minus(forced[index]!));
        shareBy(ours, fee.minus(opened.times(openRate)), paid, ({ closed }, share) => {
          closed.fee = closed.fee.plus(share);
        });
        return sized(closes, forced).map((sizes) => ({ forced, sizes, paid }));
      });
    }),
  );
}

/**
 * All of some closes, and of one more what is left at most.
 * @param leftOf what is left once these are forced as a whole. @returns with the index of the one in part, or -1; fewest first.
 */
function forcedOf(
  closes: readonly Close[],
  leftOf: (whole: readonly Decimal[]) => Decimal,
): { readonly forced: Decimal[]; readonly part: number }[] {
  const choices: { readonly forced: Decimal[]; readonly part: number; readonly rank: number }[] = [];
  for (let bits = 0; bits < 2 ** closes.length; bits++) {
    const isWhole = (index: number) => ((bits >> index) & 1) === 1;
    const whole = closes.map(({ sum }, index) => (isWhole(index) ? sum.closed.value : ZERO));
    const left = leftOf(whole);
    const count = whole.filter((value) => !value.isZero()).length;
    if (left.abs().lessThan(EQUAL)) choices.push({ forced: whole, part: -1, rank: count });
    else if (left.greaterThan(ZERO))
      for (const index of closes.keys())
        if (!isWhole(index)) choices.push({ forced: whole.with(index, left), part: index, rank: closes.length + count });
  }
  return choices.sort((a, b) => a.rank - b.rank);
}

/** Each way to give forced values sizes. */
function sized(closes: readonly Close[], forced: readonly Decimal[]): number[][] {
  let ways: number[][] = [[]];
  for (const [index, { sum, instrument }] of closes.entries()) {
    const value = forced[index]!;
    const { closed } = sum;
    const isAll = value.equals(closed.value);
    const sizes = value.isZero()
      ? [0]
      : isAll
        ? [closed.steps]
        : value.lessThan(closed.value)
          ? forcedSizes(closed, value, instrument)
          : [];
    ways = ways.flatMap((way) => sizes.map((size) => [...way, size]));
  }
  return ways;
}

/** Splits an amount by these values, so that nothing is lost. */
function shareBy(
  values: readonly Decimal[],
  amount: Decimal,
  among: readonly SideChange[],
  give: (one: SideChange, share: Decimal) => void,
): void {
  shareOut(
    amount,
    among.map((one, index) => ({ one, value: values[index]! })),
    ({ value }) => value,
    ({ one }, share) => give(one, share),
  );
}

function copyOf(sum: SideChange, liquidationFee: Decimal): SideChange {
  return { ...sum, opened: { ...sum.opened }, closed: { ...sum.closed }, liquidationFee };
}

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
