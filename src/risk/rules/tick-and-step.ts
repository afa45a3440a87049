import type { Instrument } from '../../model/instrument.ts';
import type { Amount } from '../../model/intents.ts';
import { opposite, type Side } from '../../model/order.ts';
import type { Denial } from '../../model/reasons.ts';

/**
 * A price in whole ticks: on the tick when within a thousandth of one, else rounded in the direction that
 * never worsens the order (buys down, sells up). Denied when nothing positive is left.
 */
export function onTick(instrument: Instrument, side: Side, price: Amount): number | Denial {
  const ticks = instrument.tick.snap(price, side === 'buy' ? 'down' : 'up');
  if (ticks === undefined || ticks < 1) return { code: 'priceInvalid', price: String(price), tickSize: instrument.tick.text };
  return ticks;
}

/** A trigger in whole ticks, rounded away from the price that it waits for: a sell waits for a fall, a buy for a rise. */
export function onTrigger(instrument: Instrument, side: Side, price: Amount): number | Denial {
  return onTick(instrument, opposite(side), price);
}

/** A quantity in whole steps, rounded down. Denied when nothing is left. */
export function onStep(instrument: Instrument, quantity: Amount): number | Denial {
  const steps = instrument.step.floor(quantity);
  if (steps === undefined || steps < 1) {
    return { code: 'quantityInvalid', quantity: String(quantity), stepSize: instrument.step.text };
  }
  return steps;
}
