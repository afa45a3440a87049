import { Decimal, ZERO } from '../../model/decimal.ts';
import { isoTime } from '../../model/time.ts';
import type { Cause } from './cause.ts';
import type { ComparedOrder } from './compared-run.ts';
import type { Pause } from './price-coverage.ts';
import { filledOf } from './slices.ts';

/** Why a run filled less of an order than the other, or nothing, as far as its own records tell. */
export interface ShortReason {
  readonly cause: Cause;
  readonly note: string;
}

const REFUSED: ReadonlySet<string> = new Set(['denied', 'rejected']);

/** Tells, piece by piece, why one run filled less than the other. */
export class Shortfall {
  /** What the order asked for and did not get: as much of the difference is a partial fill, the rest was not asked for. */
  #unfilled: Decimal | undefined;

  /**
   * @param less the order of the run that filled less; absent where it placed none.
   * @param who that run, in words; `other` is the one that filled more.
   * @param gap where that run lacked data when the order was decided.
   */
  constructor(
    private readonly less: ComparedOrder | undefined,
    private readonly more: ComparedOrder,
    private readonly words: { readonly who: string; readonly other: string },
    private readonly gap: Pause | undefined,
  ) {
    if (less?.quantity !== undefined) this.#unfilled = Decimal.max(ZERO, less.quantity.minus(filledOf(less.fills)));
    else if (less?.status === 'filled') this.#unfilled = ZERO;
  }

  /** @returns the causes of so much less, with the part of each. */
  next(quantity: Decimal): (ShortReason & { readonly quantity: Decimal })[] {
    const whole = this.#whole();
    if (whole !== undefined) return [{ ...whole, quantity }];
    const partial = Decimal.min(quantity, this.#unfilled ?? quantity);
    const rest = quantity.minus(partial);
    this.#unfilled = this.#unfilled?.minus(partial);
    const { who, other } = this.words;
    const { less, more } = this;
    const reasons: (ShortReason & { quantity: Decimal })[] = [
      { cause: 'partialFill', quantity: partial, note: `${who} filled ${filledOf(less!.fills).toFixed()} of it: ${ended(less!)}` },
      { cause: 'unexplained', quantity: rest, note: `${who} asked for ${asked(less!)}, ${other} for ${asked(more)}` },
    ];
    return reasons.filter((reason) => !reason.quantity.isZero());
  }

  #whole(): ShortReason | undefined {
    const { less, more, gap } = this;
    const { who, other } = this.words;
    if (more.foreign) return { cause: 'foreign', note: `somebody else placed it, and ${other} took it in` };
    if (less === undefined) {
      return gap === undefined
        ? { cause: 'unexplained', note: `${who} placed no such order` }
        : { cause: 'missingData', note: `${who} ${gapText(gap)}` };
    }
    return REFUSED.has(less.status)
      ? { cause: 'refused', note: `${less.status} in ${who}: ${less.reason || 'no reason told'}` }
      : undefined;
  }
}

/** What a run lacked, in words. */
export function gapText([from, to]: Pause): string {
  if (!Number.isFinite(from)) return Number.isFinite(to) ? `had no prices before ${isoTime(to)}` : 'had no prices of it';
  return Number.isFinite(to) ? `had no prices between ${isoTime(from)} and ${isoTime(to)}` : `had no prices after ${isoTime(from)}`;
}

function asked({ quantity }: ComparedOrder): string {
  return quantity === undefined ? 'an amount of quote' : quantity.toFixed();
}

function ended({ status, reason }: ComparedOrder): string {
  return reason === '' ? status : `${status}, ${reason}`;
}
