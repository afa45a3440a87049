import type { Instrument } from '../../model/instrument.ts';
import { Ticker } from '../../model/market-events.ts';

/** A last price of either host as a market event; `undefined` where it is no price of the instrument (not above 0, say). */
export function tickerEvent(instrument: Instrument, lastPrice: string, time: number, sequence: number): Ticker | undefined {
  const ticks = instrument.tick.snap(lastPrice, 'down');
  return ticks !== undefined && ticks > 0 ? new Ticker(instrument, time, sequence, ticks) : undefined;
}
