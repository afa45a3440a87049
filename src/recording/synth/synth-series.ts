import { Random } from '../../model/random.ts';
import { POWERS_OF_TEN } from '../columns/decimals.ts';
import type { SeriesMeta, SyntheticOrigin } from '../columns/series-meta.ts';
import type { SeriesTarget } from '../columns/series-writer.ts';
import { SynthRows, type SynthStream, type SynthWork } from './synth-stream.ts';

// Local names: globals are slow to look up inside a vm context, such as jest's.
const { ceil, floor, max, min, round } = Math;

const MINUTE_MS = 60_000;

/**
 * Writes one series from a stream's steps. Tickers are the changes of the last price. Bars are built from those tickers (their volume is
 * that of all trades), flat where a minute has none.
 */
export class SynthSeries implements SynthWork {
  readonly #rows: SynthRows;
  readonly #kind: SeriesTarget['kind'];
  readonly #intervalMs: number;
  /** The bar being built: open, high, low, close in price units, volume. */
  #bar = [0, 0, 0, 0, 0];
  #barOpen: number;
  #barTraded = false;

  /** @param startMs a whole interval; the series covers [startMs, streamEndMs). */
  constructor(
    target: SeriesTarget,
    startMs: number,
    readonly streamEndMs: number,
  ) {
    this.#rows = new SynthRows(target);
    this.#kind = target.kind;
    this.#intervalMs = target.intervalMs ?? 0;
    this.#barOpen = startMs;
  }

  add(stream: SynthStream): void {
    if (stream.time >= this.streamEndMs) return;
    const unit = stream.tick.numerator;
    if (this.#kind === 'bar') this.#addToBar(stream, unit);
    else if (this.#kind === 'trade') this.#rows.add(stream.time, [stream.last * unit, stream.quantity, stream.side]);
    else if (this.#kind === 'quote')
      this.#rows.add(stream.time, [stream.bid * unit, stream.ask * unit, stream.bidQuantity, stream.askQuantity]);
    else if (stream.changed) this.#rows.add(stream.time, [stream.last * unit]);
  }

  finish(stream: SynthStream, synthetic: SyntheticOrigin): SeriesMeta {
    while (this.#kind === 'bar' && this.#barOpen < this.streamEndMs) this.#closeBar();
    return this.#rows.finish({ priceDecimals: stream.tick.decimals, quantityDecimals: this.#quantityDecimals(stream), synthetic });
  }

  abort(): void {
    this.#rows.abort();
  }

  #quantityDecimals(stream: SynthStream): number {
    return this.#kind === 'ticker' ? 0 : stream.quantityDecimals;
  }

  #addToBar(stream: SynthStream, unit: number): void {
    while (stream.time >= this.#barOpen + this.#intervalMs) this.#closeBar();
    const price = stream.last * unit;
    const bar = this.#bar;
    if (stream.changed && !this.#barTraded) bar.fill(price, 0, 4);
    if (stream.changed) {
      bar[1] = max(bar[1]!, price);
      bar[2] = min(bar[2]!, price);
      bar[3] = price;
      this.#barTraded = true;
    }
    bar[4]! += stream.quantity;
  }

  #closeBar(): void {
    this.#rows.add(this.#barOpen, this.#bar);
    this.#bar.fill(this.#bar[3]!, 0, 3);
    this.#bar[4] = 0;
    this.#barTraded = false;
    this.#barOpen += this.#intervalMs;
  }
}

/** Decimal places of marks beyond those of the tick: enough that marks are on no tick. */
const MORE_DECIMALS = 3;
/** Usual distance of a mark from the middle of bid and ask, as a fraction. */
const MARK_NOISE = 0.000_03;

/**
 * One mark price a minute: the middle of the last bid and ask before it, plus or minus some tenths of a basis point. Its noise has its own
 * random numbers, so the other series are the same with and without marks.
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
    return this.#rows.finish({ priceDecimals: stream.tick.decimals + MORE_DECIMALS, quantityDecimals: 0, synthetic });
  }

  abort(): void {
    this.#rows.abort();
  }

  /** Writes the marks of the minutes up to `time`. */
  #mark({ tick }: SynthStream, time: number): void {
    const unit = POWERS_OF_TEN[tick.decimals + MORE_DECIMALS]!;
    for (; this.#minute <= time && this.#minute < this.streamEndMs; this.#minute += MINUTE_MS) {
      const price = this.#middle * (1 + MARK_NOISE * this.#random.normal());
      this.#rows.add(this.#minute, [max(1, round(price * unit))]);
    }
  }
}

/** Funding is due at 00:00, 08:00 and 16:00 UTC. */
export const FUNDING_EVERY_MS = 8 * 3_600_000;
/** Stamps are up to this many ms after their time, like real ones. */
const JITTER_MS = 12;
/** Places of a rate. */
const RATE_DECIMALS = 8;

/** Rates in units of 1e-8: 0.006 % on average, sometimes below zero, never beyond 0.3 %. */
const RATE_MEAN = 6_000;
const RATE_NOISE = 4_000;
const RATE_MEMORY = 0.8;
const RATE_LIMIT = 300_000;

/** The first time at or after `ms` at which synthetic funding is due, epoch ms. */
export function firstFunding(ms: number): number {
  return ceil(ms / FUNDING_EVERY_MS) * FUNDING_EVERY_MS;
}

/** Funding rates that stay high or low for a day or two. They do not depend on the prices, nor the prices on them. */
export class SynthFunding implements SynthWork {
  readonly streamEndMs = Number.NEGATIVE_INFINITY;
  readonly #rows: SynthRows;
  readonly #random: Random;

  /** The series covers [startMs, endMs), which must contain a funding time. */
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
      drift = RATE_MEMORY * drift + RATE_NOISE * random.normal();
      const rate = max(-RATE_LIMIT, min(RATE_LIMIT, round(RATE_MEAN + drift)));
      this.#rows.add(time + floor(random.between(0, JITTER_MS)), [rate]);
    }
    return this.#rows.finish({ priceDecimals: RATE_DECIMALS, quantityDecimals: 0, synthetic });
  }

  abort(): void {
    this.#rows.abort();
  }
}
