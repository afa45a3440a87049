import { Decimal, ZERO } from '../../model/decimal.ts';
import { absentAt } from './absence.ts';
import type { ComparedOrder, ComparedRun, Slice } from './compared-run.ts';
import { CAUSES, type Cause, type CompareOptions, type DifferencePart, type OrderPair } from './comparison.ts';
import type { EndWorth } from './end-worth.ts';
import { baseOf, cut, fillDifferences, Shortfall, sideBySide } from './fill-differences.ts';
import { sizesFollowEquity } from './own-sizes.ts';

/**
 * Explains the pairs of orders, in order of time. Where both filled, price and fee make the difference. A quantity that only one run filled
 * first evens out a difference of positions from an earlier cause and belongs to that cause; the rest has its own cause.
 */
export class TradeDifferences {
  readonly #lots = new PositionLots();
  readonly #units = new Map<string, Decimal>();

  constructor(
    private readonly a: ComparedRun,
    private readonly b: ComparedRun,
    private readonly worth: EndWorth,
    private readonly options: CompareOptions,
  ) {}

  of(pair: OrderPair): DifferencePart[] {
    const { a, b } = pair;
    const { both, moreA, moreB } = sideBySide(a?.fills ?? [], b?.fills ?? []);
    const parts: DifferencePart[] = [];
    for (const slices of both) {
      parts.push(...fillDifferences({ a: a!, b: b!, runA: this.a, runB: this.b }, slices, this.worth, this.options));
      const key = keyOf(a!);
      this.#lots.add(key, this.#feeInBase(a!, slices.a).minus(this.#feeInBase(b!, slices.b)), 'fee');
    }
    const short = this.#shortfall(pair, moreA.length > 0 ? -1 : 1);
    for (const slice of moreA) parts.push(...this.#extra({ order: a!, slice, sign: -1 }, short!));
    for (const slice of moreB) parts.push(...this.#extra({ order: b!, slice, sign: 1 }, short!));
    return merged(parts.filter(({ amount }) => !amount.isZero()));
  }

  #shortfall({ a, b }: OrderPair, sign: 1 | -1): Shortfall | undefined {
    const [more, less, run, other] = sign < 0 ? [a, b, this.b, this.a] : [b, a, this.a, this.b];
    if (more === undefined) return undefined;
    const words = sign < 0 ? { who: 'B', other: 'A' } : { who: 'A', other: 'B' };
    const { symbol, time, fills } = more;
    const known = {
      decided: absentAt(run, other, symbol, time),
      filled: absentAt(run, other, symbol, fills[0]?.time ?? time),
      closing: absentAt(other, run, symbol, time)?.cause === 'killed',
      sized: less !== undefined && sizesFollowEquity(less, run, more, other),
    };
    return new Shortfall(less, more, words, known);
  }

  #extra({ order, slice, sign }: Extra, short: Shortfall): DifferencePart[] {
    const key = keyOf(order);
    const held = slice.quantity.times(order.side === 'sell' ? -1 : 1).minus(this.#feeInBase(order, slice));
    const delta = held.times(sign);
    // A fee in base may use up all of the quantity; then it evens out nothing.
    if (order.foreign || delta.isZero()) return this.#direct({ order, slice, sign }, short, key, delta);
    const { parts, left } = this.#lots.evenOut(key, delta);
    const differences: DifferencePart[] = [];
    let rest: Slice | undefined = slice;
    for (const [index, { quantity, cause }] of parts.entries()) {
      if (rest === undefined) break;
      const share: Decimal = slice.quantity.times(quantity).div(delta).toDecimalPlaces(SHARE_PLACES);
      const isLast: boolean = (left.isZero() && index === parts.length - 1) || share.gte(rest.quantity);
      const [first, more]: readonly [Slice, Slice | undefined] = isLast ? [rest, undefined] : cut(rest, share);
      rest = more;
      differences.push(this.#part({ order, slice: first, sign }, cause, evensOut(cause)));
    }
    if (left.isZero()) return differences;
    const last = parts.at(-1)?.cause;
    // Rounded shares may have used up the whole slice. No order is for less than a step: such a rest is what base fees left unsold before.
    if (last !== undefined && (rest === undefined || rest.quantity.lt(this.#unitOf(order.symbol)))) {
      if (rest !== undefined) differences.push(this.#part({ order, slice: rest, sign }, last, evensOut(last)));
      this.#lots.add(key, left, last);
    } else differences.push(...this.#direct({ order, slice: rest!, sign }, short, key, left));
    return differences;
  }

  #direct({ order, slice, sign }: Extra, short: Shortfall, key: string, delta: Decimal): DifferencePart[] {
    const differences: DifferencePart[] = [];
    let rest: Slice | undefined = slice;
    for (const { quantity, cause, note } of short.next(slice.quantity)) {
      const [first, more]: readonly [Slice, Slice | undefined] = quantity.eq(rest!.quantity) ? [rest!, undefined] : cut(rest!, quantity);
      rest = more;
      differences.push(this.#part({ order, slice: first, sign }, cause, note));
      this.#lots.add(key, delta.times(first.quantity).div(slice.quantity).toDecimalPlaces(SHARE_PLACES), cause);
    }
    return differences;
  }

  #part({ order, slice, sign }: Extra, cause: Cause, note: string): DifferencePart {
    return { cause, amount: this.worth.trade(order, slice).minus(this.worth.fee(slice)).times(sign), note };
  }

  /** One unit of the last decimal place that any filled quantity of a symbol has: 0.0001 for 0.5 and 0.0123. */
  #unitOf(symbol: string): Decimal {
    const known = this.#units.get(symbol);
    if (known !== undefined) return known;
    const fills = [this.a, this.b].flatMap(({ orders }) =>
      orders.filter((order) => order.symbol === symbol).flatMap((order) => order.fills),
    );
    const places = fills.reduce((most, { quantity }) => Math.max(most, quantity.decimalPlaces()), 0);
    const unit = new Decimal(10).pow(-places);
    this.#units.set(symbol, unit);
    return unit;
  }

  /** The quantity that a fee in base took off the holding. */
  #feeInBase({ symbol }: ComparedOrder, { fee, feeAsset }: Slice): Decimal {
    return feeAsset === baseOf(symbol) ? fee : fee.times(0);
  }
}

function evensOut(cause: Cause): string {
  return `evens out what ${CAUSES[cause]} made of the position before`;
}

/** A quantity that one run filled and the other did not. */
interface Extra {
  readonly order: ComparedOrder;
  readonly slice: Slice;
  /** +1 where the second run filled it, -1 where the first did. */
  readonly sign: 1 | -1;
}

/** Finer than any step. */
const SHARE_PLACES = 18;

function keyOf({ strategyId, symbol, positionSide }: ComparedOrder): string {
  return JSON.stringify([strategyId, symbol, positionSide]);
}

/** Joins pieces with the same cause and note to one part. */
function merged(parts: readonly DifferencePart[]): DifferencePart[] {
  const sums = new Map<string, DifferencePart>();
  for (const part of parts) {
    const key = `${part.cause}/${part.note}`;
    const known = sums.get(key);
    sums.set(key, known === undefined ? part : { ...part, amount: known.amount.plus(part.amount) });
  }
  return [...sums.values()].filter(({ amount }) => !amount.isZero());
}

/**
 * The difference of two runs' positions, by cause. A later fill that evens it out belongs to the cause that it evens out, first in, first
 * out. Example: the exit of an entry that the other run never had.
 */
class PositionLots {
  readonly #lots = new Map<string, Lot[]>();

  /** @param quantity signed: how much more the second run holds from now on. */
  add(key: string, quantity: Decimal, cause: Cause): void {
    if (quantity.isZero()) return;
    const lots = this.#lots.get(key) ?? [];
    this.#lots.set(key, lots);
    const left = this.#consume(lots, quantity, () => {});
    if (!left.isZero()) lots.push({ quantity: left, cause });
  }

  /**
   * Evens out as much as a change of this sign can.
   * @returns the parts with their causes, and the rest of the change.
   */
  evenOut(
    key: string,
    quantity: Decimal,
  ): { readonly parts: { readonly quantity: Decimal; readonly cause: Cause }[]; readonly left: Decimal } {
    const parts: { quantity: Decimal; cause: Cause }[] = [];
    const left = this.#consume(this.#lots.get(key) ?? [], quantity, (part, cause) => parts.push({ quantity: part, cause }));
    return { parts, left };
  }

  #consume(lots: Lot[], quantity: Decimal, took: (quantity: Decimal, cause: Cause) => void): Decimal {
    let left = quantity;
    while (!left.isZero() && lots[0] !== undefined && lots[0].quantity.isNegative() !== left.isNegative()) {
      const [lot] = lots;
      const part = Decimal.min(lot.quantity.abs(), left.abs()).times(left.isNegative() ? -1 : 1);
      took(part, lot.cause);
      lot.quantity = lot.quantity.plus(part);
      left = left.minus(part);
      if (lot.quantity.isZero()) lots.shift();
    }
    return left.isZero() ? ZERO : left;
  }
}

/** How much more (negative: less) the second run holds of a position than the first, and the cause. */
interface Lot {
  quantity: Decimal;
  readonly cause: Cause;
}
