import { type Decimal, ZERO } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { type SideChange, shareOut, unchanged } from '../snapshot/side-change.ts';
import { forcedSizes } from './sizes.ts';

/** Sums of money that differ by less are equal. */
const EQUAL = '1e-9';

/** The value of a close without a liquidation fee, in quote: only that part can have paid a trading fee. */
export function unforcedValue({ closed, liquidationFee, forcedSteps }: SideChange, instrument: Instrument | undefined): Decimal {
  if (forcedSteps === closed.steps) return ZERO;
  const rate = instrument?.contract?.liquidationFee ?? ZERO;
  const own = rate.isZero() ? closed.value : closed.value.minus(liquidationFee.div(rate));
  return own.lessThan(EQUAL) ? ZERO : own;
}

/** With more changes than this, combinations of rates are not tried. */
const MOST_TRIED = 4;

/** Fees that one change may have paid. */
interface Paid {
  readonly open: Decimal;
  readonly close: Decimal;
}

/**
 * Splits the total fee of openings and closes: finds the rates of the contracts that give exactly this total. A forced close
 * pays no trading fee, which identifies it. If the liquidation fee shows how much was forced, the rest may have paid.
 * @returns false if no rates fit.
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
  // Removes the rounding error: a forced close must not look as if it had paid.
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

/** One choice of each that together give the fee. */
function fitting(choices: readonly (readonly Paid[])[], fee: Decimal): readonly Paid[] | undefined {
  const [first, ...others] = choices;
  if (first === undefined) return fee.abs().greaterThan(EQUAL) ? undefined : [];
  for (const paid of first) {
    const rest = fitting(others, fee.minus(paid.open).minus(paid.close));
    if (rest !== undefined) return [paid, ...rest];
  }
  return undefined;
}

/** All closes of one contract on one side, over all separated positions. */
interface Close {
  readonly members: readonly SideChange[];
  /** The total of them. */
  readonly sum: SideChange;
  readonly instrument: Instrument;
  /** Rate of the liquidation fee. */
  readonly rate: Decimal;
}

/** The total trading and liquidation fees of closes, in quote. */
interface ClosingFees {
  readonly fee: Decimal;
  readonly liquidationFee: Decimal;
  /** The insurance fund paid: nothing was left for the fee of the last liquidation. */
  readonly insured: boolean;
}

/** One possible split of several closes between own orders and the exchange. */
interface Split {
  /** The forced part of each, in quote. */
  readonly forced: readonly Decimal[];
  /** In steps. */
  readonly sizes: readonly number[];
  /** The fees that each has paid. */
  readonly paid: readonly SideChange[];
}

/**
 * All splits with exactly these fees, in which some closes were forced completely, others not, and at most one partly. A
 * forced part has a whole price. First the splits with the full liquidation fee, fewest closes first, and complete closes
 * before a partial one. Then those where less was left for the fee and the rest paid trading fees at one rate.
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
      // The fee of the partial close is the remainder: as a quotient its value may not end.
      const paid = closes.map(({ sum, rate }, index) => copyOf(sum, index === part ? forced[part]! : values[index]!.times(rate)));
      if (!solveFees(paid, fee, instruments)) return [];
      // A close that paid neither fee was forced when nothing was left.
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
 * Some closes completely, and one more partly at most.
 * @param leftOf the remainder after these are forced completely. @returns with the index of the partial one, or -1; fewest first.
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

/** All ways to turn forced values into sizes. */
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

/** Splits an amount in proportion to these values, without a remainder. */
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
 * Finds which of several closes were forced and the fees of each, if values, fees and liquidation fees show that by their
 * sums: some were forced completely, others not, and at most one partly, with a whole price; the rest paid
 * fees at the rates of its contract. Separated positions are closed oldest first, and forced together.
 * @param fees total of all of them.
 * @returns false if that does not fit: then nothing is changed.
 */
export function solveCloses(closers: readonly SideChange[], fees: ClosingFees, instruments: ReadonlyMap<string, Instrument>): boolean {
  const closes = closesOf(closers, instruments);
  const sides = new Set(closes.map(({ sum }) => sum.positionSide));
  if (closes.length > MOST_TRIED || closes.some(({ rate }) => rate.isZero())) return false;
  // With several contracts on one side the values are guesses.
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

/** Gives each position its share of the common close. @param forced in quote. @param size of the forced part, in steps. */
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
