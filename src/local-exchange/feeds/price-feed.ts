import type { Observable } from 'rxjs';
import type { Instrument } from '../../model/instrument.ts';
import { Trade } from '../../model/market-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MarketFeed } from '../../ports/market-feed.ts';
import { SynthStream } from '../../recording/synth/synth-stream.ts';
import type { DayReport } from '../market/day-report.ts';

/** Where a local exchange has its prices from. */
export interface PriceFeed extends MarketFeed {
  /** What the source says of its last 24 hours, where it does: shown, and no part of what happened here. */
  readonly reports$?: Observable<DayReport> | undefined;
}

const MINUTE_MS = 60_000;

/** Where the synthetic price of an instrument starts. */
interface SyntheticStart {
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

interface Due {
  readonly time: number;
  readonly callback: () => void;
}

/** Time that moves when it is told to: what was scheduled in between happens on the way, in order, each at its own time. */
export class SteppedClock implements Clock {
  #now: number;
  #due: Due[] = [];

  /** @param start epoch ms. */
  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** How much is still to come. */
  get pending(): number {
    return this.#due.length;
  }

  schedule(time: number, callback: () => void): () => void {
    const entry = { time: Math.max(time, this.#now), callback };
    const at = this.#due.findIndex((other) => other.time > entry.time);
    this.#due.splice(at < 0 ? this.#due.length : at, 0, entry);
    return () => {
      this.#due = this.#due.filter((other) => other !== entry);
    };
  }

  /** Lets `ms` pass. */
  step(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#due[0]; next !== undefined && next.time <= end; next = this.#due[0]) {
      this.#due.shift();
      this.#now = next.time;
      next.callback();
    }
    this.#now = end;
  }
}
