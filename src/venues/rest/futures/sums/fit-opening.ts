import type { Decimal } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import type { HiddenOpening } from '../picture/unlisted.ts';
import { wholeValue } from './whole-price.ts';

/** How far prices that orders name may lie from those that were traded, as a share. */
const NEAR = 0.02;
/** The same of what was opened at one price, and so at once: of more sizes one has a whole price by chance. */
const AT_ONCE = 0.003;
/** The same where all of what the orders had left is tried, as a price may run before a liquidation. */
const FAR = 0.1;

interface HiddenTrade {
  /** What was opened, in quote. */
  readonly opened: Decimal;
  /** All that was closed, in quote: what was opened unseen, and what was held before; `undefined` where it is not known. */
  readonly closed: Decimal | undefined;
  readonly heldBefore: number;
}

/**
 * How much an opening that nobody saw was. The orders that may have made it say what it was at most, and all of it where that
 * is worth exactly as much; lists may say what it was at least. Else, where it was closed at one price, as a liquidation does,
 * what all of it brought is a whole price times its size, which few sizes near the one that its value lets expect are; where
 * none is, its own value may be, as it was opened at one price; where that is not either, its value is all there is to go by.
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

/** So much of an opening. */
export function sized(opening: HiddenOpening, steps: number): HiddenOpening {
  return { ...opening, steps, estimate: opening.estimate.times(steps).div(opening.steps) };
}
