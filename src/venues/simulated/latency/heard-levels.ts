import type { Instrument } from '../../../model/instrument.ts';
import { HeldLevelsRelay } from '../held-levels-relay.ts';

/**
 * With a feed leg the engine judges what it holds by prices that it hears later. So the path inside a bar pauses at
 * every turn of it, where something is held, and triggers trail when they hear of that, not now.
 */
export class HeardLevels extends HeldLevelsRelay {
  override follow(instrument: Instrument): boolean {
    return this.any(instrument);
  }
}
