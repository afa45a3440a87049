import type { Decimal } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { HiddenOpening } from './unlisted.ts';
import { wholeValue } from './whole-price.ts';

/** How far prices that orders name may lie from those that were traded, as a share. */
const NEAR = 0.02;

interface HiddenTrade {
  /** What was opened, in quote. */
  readonly opened: Decimal;
  /** All that was closed, in quote: what was opened unseen, and what was held before. */
  readonly closed: Decimal;
  readonly heldBefore: number;
}

/**
 * How much an opening that nobody saw was. The orders that may have made it say what it was at most, and all of it where that
 * is worth exactly as much. Else, where it was closed at one price, as a liquidation does, what all of it brought is a whole
 * price times its size, which few sizes near the one that its value lets expect are; where none is, its value is all there is
 * to go by.
 */
export function fitOpening(opening: HiddenOpening, { opened, closed, heldBefore }: HiddenTrade, instrument: Instrument): HiddenOpening {
  const { steps: most, estimate } = opening;
  if (opened.equals(estimate)) return opening;
  const share = opened.div(estimate).toNumber();
  const likely = Math.min(most, Math.round(most * share));
  const sized = (steps: number): HiddenOpening => ({ ...opening, steps, estimate: estimate.times(steps).div(most) });
  const fits = (steps: number) => wholeValue(closed, heldBefore + steps, instrument) !== undefined;
  const whole = Math.abs(share - 1) < NEAR;
  if (whole && fits(most)) return opening;
  for (let away = 0; away <= likely * NEAR; away++) {
    for (const steps of [likely - away, likely + away]) if (steps > 0 && steps <= most && fits(steps)) return sized(steps);
  }
  return whole ? opening : sized(Math.max(1, likely));
}
