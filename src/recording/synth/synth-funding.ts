import { Random } from '../../model/random.ts';
import type { SeriesMeta, SyntheticOrigin } from '../columns/series-meta.ts';
import type { SeriesTarget } from '../columns/series-writer.ts';
import { SynthRows } from './synth-rows.ts';
import type { SynthStream } from './synth-stream.ts';
import type { SynthWork } from './synth-work.ts';

// A local name: globals are slow to look up inside a vm context, such as jest's.
const { ceil, floor, max, min, round } = Math;

/** Funding is due at 00:00, 08:00 and 16:00 UTC. */
export const FUNDING_EVERY_MS = 8 * 3_600_000;
/** Stamps lie up to so many ms after their time, as real ones do. */
const JITTER_MS = 12;
/** Places of a rate. */
const DECIMALS = 8;

/** Rates in units of 1e-8: 0.006 % on average, now and then below zero, never beyond 0.3 %. */
const MEAN = 6_000;
const NOISE = 4_000;
const MEMORY = 0.8;
const LIMIT = 300_000;

/** The first time at or after `ms` at which synthetic funding is due, epoch ms. */
export function firstFunding(ms: number): number {
  return ceil(ms / FUNDING_EVERY_MS) * FUNDING_EVERY_MS;
}

/** Funding rates that linger high or low for a day or two. They do not depend on the prices, nor the prices on them. */
export class SynthFunding implements SynthWork {
  readonly streamEndMs = Number.NEGATIVE_INFINITY;
  readonly #rows: SynthRows;
  readonly #random: Random;

  /** The series covers [startMs, endMs), in which some funding must be due. */
  constructor(
    target: SeriesTarget,
    seed: number,
    private readonly startMs: number,
    private readonly endMs: number,
  ) {
    this.#rows = new SynthRows(target);
    this.#random = new Random(seed, `funding ${target.symbol}`);
  }

  add(): void {}

  finish(_stream: SynthStream, synthetic: SyntheticOrigin): SeriesMeta {
    const random = this.#random;
    let drift = 0;
    for (let time = firstFunding(this.startMs); time < this.endMs; time += FUNDING_EVERY_MS) {
      drift = MEMORY * drift + NOISE * random.normal();
      const rate = max(-LIMIT, min(LIMIT, round(MEAN + drift)));
      this.#rows.add(time + floor(random.between(0, JITTER_MS)), [rate]);
    }
    return this.#rows.finish({ priceDecimals: DECIMALS, quantityDecimals: 0, synthetic });
  }

  abort(): void {
    this.#rows.abort();
  }
}
