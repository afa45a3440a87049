import type { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { HeldLevels } from '../ports/execution-venue.ts';
import type { OrderEnded } from './executor.ts';
import type { FillSettings } from './settings.ts';

/** Age from which a mark price gives way to the last price, where nothing else is said. */
export const MARK_MAX_AGE_MS = 60_000;

/** What a simulated exchange is made from. */
export interface MatchingOptions {
  readonly instruments: readonly Instrument[];
  /** True for instruments whose prices come from bars. */
  readonly onBars: boolean;
  readonly settings: FillSettings;
  readonly held: HeldLevels;
  /** The price stands here: the engine judges its held orders before this returns. */
  readonly pause: (instrument: Instrument, time: number, sequence: number, ticks: number) => void;
  /** `MARK_MAX_AGE_MS` where left out. */
  readonly markMaxAgeMs?: number;
  /** False: positions that lack margin stay. */
  readonly liquidation?: boolean;
  /** What the fund opens with, by asset. */
  readonly insuranceFund?: ReadonlyMap<string, Decimal>;
  readonly orderEnded?: OrderEnded;
}
