import type { Decimal } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { wholeValue } from '../sums/whole-price.ts';
import { type Choice, NEAR } from './opening-choices.ts';

/** Where more sizes than that come near a value it says nothing of them. */
const MOST_TRIED = 200;

/** An order that may have rested, and so been filled at its limit. */
export interface Rested {
  readonly symbol: string;
  readonly orderId: string;
  /** Steps that it may have filled unseen at most. */
  readonly most: number;
  /** What a step is worth at its limit, in quote; `undefined` of one without a limit. */
  readonly step: Decimal | undefined;
  readonly instrument: Instrument;
}

/** An order that rests is filled at its limit: the size that comes to exactly this value. */
export function atLimit(able: readonly Rested[], value: Decimal): Choice {
  for (const { symbol, orderId, most, step } of able) {
    if (step === undefined || step.isZero()) continue;
    const steps = value.div(step).round().toNumber();
    if (steps > 0 && steps <= most && step.times(steps).equals(value)) return [{ symbol, orderId, steps, estimate: value }];
  }
  return [];
}

/**
 * An order that rested, filled in part, and another of another contract, filled whole: of the sizes of the first those count that
 * leave the second a whole price, and of these the one where that lies nearest to the price that it names.
 * @param explained steps of a contract that are known to have been opened otherwise. @param choicesFrom all or nothing of these.
 */
export function besideLimit<T extends Rested>(
  able: readonly T[],
  value: Decimal,
  explained: (symbol: string) => number,
  choicesFrom: (others: readonly T[]) => readonly Choice[],
): Choice {
  let best: Choice = [];
  let least = NEAR;
  for (const { symbol, orderId, most, step } of able) {
    if (step === undefined || step.isZero()) continue;
    const others = able.filter((one) => one.symbol !== symbol);
    for (const [other, more] of choicesFrom(others)) {
      const instrument = others.find((one) => one.symbol === other?.symbol)?.instrument;
      if (other === undefined || more !== undefined || instrument === undefined) continue;
      const sizeFor = (share: number) => value.minus(other.estimate.times(share)).div(step);
      const first = Math.max(
        1,
        sizeFor(1 + NEAR)
          .ceil()
          .toNumber(),
      );
      const last = Math.min(
        most - explained(symbol),
        sizeFor(1 - NEAR)
          .floor()
          .toNumber(),
      );
      for (let steps = first; steps <= last && last - first < MOST_TRIED; steps++) {
        const estimate = step.times(steps);
        const rest = value.minus(estimate);
        const away = rest.div(other.estimate).minus(1).abs().toNumber();
        if (away >= least || wholeValue(rest, other.steps, instrument)?.equals(rest) !== true) continue;
        least = away;
        best = [
          { symbol, orderId, steps, estimate },
          { ...other, estimate: rest },
        ];
      }
    }
  }
  return best;
}
