import type { Instrument } from '../../src/model/instrument.ts';

/**
 * A limit buy that somebody else places on the bot's account, far from the price. What it binds the bot does not reckon
 * with: the exchange refuses orders that risk let through.
 */
export interface ForeignOrder {
  readonly instrument: Instrument;
  /** Epoch ms, beside the grid and the data. */
  readonly time: number;
  readonly priceTicks: number;
  readonly steps: number;
}
