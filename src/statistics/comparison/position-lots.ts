import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Cause } from './cause.ts';

/** How much more (negative: less) the second run holds of a position than the first, and since which cause. */
interface Lot {
  quantity: Decimal;
  readonly cause: Cause;
}

/**
 * The difference of two runs' positions, by the causes that made it. What evens it out later, the exit of an entry that
 * the other run never had, say, belongs to the cause that is evened out: first in, first out.
 */
export class PositionLots {
  readonly #lots = new Map<string, Lot[]>();

  /** @param quantity signed: how much more the second run holds from here on. */
  add(key: string, quantity: Decimal, cause: Cause): void {
    if (quantity.isZero()) return;
    const lots = this.#lots.get(key) ?? [];
    this.#lots.set(key, lots);
    const left = this.#consume(lots, quantity, () => {});
    if (!left.isZero()) lots.push({ quantity: left, cause });
  }

  /** Evens out what a change of this sign can. @returns the parts with their causes, and what is left of the change. */
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
