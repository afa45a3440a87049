import type { Instrument } from '../../model/instrument.ts';
import { Trade } from '../../model/market-events.ts';
import { SynthStream } from '../../recording/synth/synth-stream.ts';

const MINUTE_MS = 60_000;

/** Where the synthetic price of an instrument starts. */
export interface SyntheticStart {
  readonly instrument: Instrument;
  /** Decimal text. */
  readonly price: string;
}

/**
 * Made-up trades without end, one to three seconds apart, the same for the same seed. They move as the synthetic
 * recordings do (a perpetual follows its spot).
 */
export function* syntheticTrades(starts: readonly SyntheticStart[], seed: number, startMs: number): Generator<Trade, never> {
  const start = Math.floor(startMs / MINUTE_MS) * MINUTE_MS;
  const streams = starts.map(({ instrument, price }) => ({
    instrument,
    stream: new SynthStream({ symbol: instrument.symbol, tick: instrument.tick.text, price }, seed, start),
  }));
  for (let sequence = 1; ; sequence++) {
    const { instrument, stream } = streams.reduce((first, other) => (other.stream.time < first.stream.time ? other : first));
    const quantity = stream.quantity / 10 ** stream.quantityDecimals;
    const steps = Math.max(1, instrument.step.snap(quantity, 'down') ?? 1);
    yield new Trade(instrument, stream.time, sequence, stream.last, steps, stream.side > 0 ? 'buy' : 'sell');
    stream.next();
  }
}
