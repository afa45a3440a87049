import { Random } from '../../model/random.ts';
import { POWERS_OF_TEN } from '../columns/decimal-units.ts';
import type { SeriesMeta, SyntheticOrigin } from '../columns/series-meta.ts';
import type { SeriesTarget } from '../columns/series-writer.ts';
import { SynthRows } from './synth-rows.ts';
import type { SynthStream } from './synth-stream.ts';
import type { SynthWork } from './synth-work.ts';

// A local name: globals are slow to look up inside a vm context, such as jest's.
const { max, round } = Math;

const MINUTE_MS = 60_000;
/** Places that marks have beyond those of the tick: enough that they lie on none. */
const FINER = 3;
/** Usual distance of a mark from the middle of bid and ask, as a fraction. */
const NOISE = 0.000_03;

/**
 * One mark price a minute: the middle of the last bid and ask before it, give or take some tenths of a basis
 * point. Its noise is drawn apart, so the other series are the same with and without marks.
 */
export class SynthMarks implements SynthWork {
  readonly #rows: SynthRows;
  readonly #random: Random;
  #minute: number;
  #middle: number;

  /** @param startMs a whole minute; the series covers [startMs, streamEndMs). @param price before the first step. */
  constructor(
    target: SeriesTarget,
    seed: number,
    startMs: number,
    readonly streamEndMs: number,
    price: string,
  ) {
    this.#rows = new SynthRows(target);
    this.#random = new Random(seed, `marks ${target.symbol}`);
    this.#minute = startMs;
    this.#middle = Number(price);
  }

  add(stream: SynthStream): void {
    this.#mark(stream, stream.time);
    this.#middle = ((stream.bid + stream.ask) / 2) * (stream.tick.numerator / stream.tick.scale);
  }

  finish(stream: SynthStream, synthetic: SyntheticOrigin): SeriesMeta {
    this.#mark(stream, this.streamEndMs);
    return this.#rows.finish({ priceDecimals: stream.tick.decimals + FINER, quantityDecimals: 0, synthetic });
  }

  abort(): void {
    this.#rows.abort();
  }

  /** Writes the marks of the minutes up to `time`. */
  #mark({ tick }: SynthStream, time: number): void {
    const unit = POWERS_OF_TEN[tick.decimals + FINER]!;
    for (; this.#minute <= time && this.#minute < this.streamEndMs; this.#minute += MINUTE_MS) {
      const price = this.#middle * (1 + NOISE * this.#random.normal());
      this.#rows.add(this.#minute, [max(1, round(price * unit))]);
    }
  }
}
