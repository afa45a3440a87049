import type { Decimal } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';

/** What was traded at one price is a whole number of ticks times its size: to within this, as quotients end after 64 digits. */
const EQUAL = '1e-6';

/** The value that lies nearest and is a whole price times the steps; `undefined` where that is not this value. */
export function wholeValue(value: Decimal, steps: number, instrument: Instrument): Decimal | undefined {
  if (steps <= 0) return undefined;
  const tick = instrument.notional(1, steps);
  const rounded = value.div(tick).round().times(tick);
  return value.minus(rounded).abs().greaterThan(tick.times(EQUAL)) ? undefined : rounded;
}
