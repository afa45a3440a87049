import { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { RiskLimits } from './limits.ts';

/** How far an order may be judged above the last price: a market buy may go out as a limit above it. */
const ROOM = 1.1;

/**
 * The largest order that the limits on single orders let through at this price, in steps: what is larger goes in slices.
 * Orders so small that a minimum refuses them are not thought of.
 */
export function largestOrder(instrument: Instrument, limits: Pick<RiskLimits, 'maxQuantity' | 'maxNotional'>, lastTicks: number): number {
  const { maxQuantity, maxNotional } = instrument.spec;
  const quantities = [maxQuantity, limits.maxQuantity].filter((most) => most !== undefined);
  const notionals = Number.isNaN(lastTicks) ? [] : [maxNotional, limits.maxNotional].filter((most) => most !== undefined);
  const price = instrument.tick.toDecimal(lastTicks).times(ROOM);
  const steps = [
    ...quantities.map((most) => instrument.step.floorUnits(new Decimal(most))),
    ...notionals.map((most) => instrument.step.floorUnits(new Decimal(most).div(price))),
  ];
  return Math.max(1, Math.min(...steps, Number.MAX_SAFE_INTEGER));
}
