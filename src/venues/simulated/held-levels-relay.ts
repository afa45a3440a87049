import type { Instrument } from '../../model/instrument.ts';
import type { Side } from '../../model/order.ts';
import type { HeldLevels } from '../../ports/execution-venue.ts';

/** Passes matching's questions on to the engine, which exists only after the venue it is given. */
export class HeldLevelsRelay implements HeldLevels {
  target: HeldLevels | undefined;

  opens(instrument: Instrument, time: number, priceTicks: number): boolean {
    return this.target?.opens(instrument, time, priceTicks) ?? false;
  }

  any(instrument: Instrument): boolean {
    return this.target?.any(instrument) ?? false;
  }

  next(instrument: Instrument, from: number, to: number): number | undefined {
    return this.target?.next(instrument, from, to);
  }

  follow(instrument: Instrument, priceTicks: number): boolean {
    return this.target?.follow(instrument, priceTicks) ?? false;
  }

  trails(instrument: Instrument, highTicks: number, lowTicks: number): boolean {
    return this.target?.trails(instrument, highTicks, lowTicks) ?? false;
  }

  hasEntry(instrument: Instrument, side: Side): boolean {
    return this.target?.hasEntry(instrument, side) ?? false;
  }
}
