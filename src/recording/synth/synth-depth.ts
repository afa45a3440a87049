import { Random } from '../../model/random.ts';
import type { SeriesMeta, SyntheticOrigin } from '../columns/series-meta.ts';
import type { SeriesTarget } from '../columns/series-writer.ts';
import { SynthRows, type SynthStream, type SynthWork } from './synth-stream.ts';

// A local name: globals are slow to look up inside a vm context, such as jest's.
const { ceil, floor, max, round } = Math;

/** Levels behind the best price of each side. */
const LEVELS = 9;
/** The distance between levels as a share of the price: a basis point. */
const SPACING = 1e-4;
/** The share of trades that take the whole best level. */
const TAKEN_WHOLE = 0.2;

/** Quantities by price, both in the stream's units. */
type Side = Map<number, number>;

/**
 * Writes an order book along a stream's steps: a snapshot at the start, then two changes per step. About 0.1 to 0.4 s before each trade,
 * the best prices become those of the step, and levels behind them are added, removed and changed. 50 to 300 ms after the trade, the level
 * from which it took is reduced or removed.
 */
export class SynthDepth implements SynthWork {
  readonly #rows: SynthRows;
  readonly #random: Random;
  readonly #bids: Side = new Map();
  readonly #asks: Side = new Map();
  readonly #startMs: number;
  #update = 0;

  /** The series covers [startMs, streamEndMs). */
  constructor(
    target: SeriesTarget,
    seed: number,
    startMs: number,
    readonly streamEndMs: number,
  ) {
    this.#rows = new SynthRows(target);
    this.#random = new Random(seed, `depth ${target.symbol}`);
    this.#startMs = startMs;
  }

  add(stream: SynthStream): void {
    if (stream.time >= this.streamEndMs) return;
    const random = this.#random;
    const before = floor(random.between(100, 400));
    const after = floor(random.between(50, 300));
    const rest = random.uniform() < TAKEN_WHOLE ? 0 : this.#quantity(stream);
    const taken = stream.quantity + rest;
    const bids = this.#wanted(stream, -1, stream.side < 0 ? taken : stream.bidQuantity);
    const asks = this.#wanted(stream, 1, stream.side > 0 ? taken : stream.askQuantity);
    const first = this.#update === 0;
    const rows = [...changesOf(this.#bids, bids, 1), ...changesOf(this.#asks, asks, -1)];
    this.#write(stream, first ? this.#startMs : stream.time - before, rows, first);
    this.#write(stream, stream.time + after, [[-stream.side, stream.last, rest]], false);
    const side = stream.side > 0 ? this.#asks : this.#bids;
    if (rest > 0) side.set(stream.last, rest);
    else side.delete(stream.last);
  }

  finish(stream: SynthStream, synthetic: SyntheticOrigin): SeriesMeta {
    const { tick, quantityDecimals } = stream;
    return this.#rows.finish({ priceDecimals: tick.decimals, quantityDecimals, synthetic });
  }

  abort(): void {
    this.#rows.abort();
  }

  /** The new levels of a side: the best of the step, and behind it old and new ones; one of them is changed. */
  #wanted(stream: SynthStream, away: 1 | -1, quantity: number): Side {
    const current = away < 0 ? this.#bids : this.#asks;
    const best = away < 0 ? stream.bid : stream.ask;
    const spacing = max(1, round(best * SPACING));
    const renewed = floor(this.#random.uniform() * LEVELS);
    const wanted: Side = new Map([[best, quantity]]);
    const nearest = away < 0 ? ceil(best / spacing) - 1 : floor(best / spacing) + 1;
    for (let level = 0; level < LEVELS; level++) {
      const price = (nearest + away * level) * spacing;
      if (price < 1) break;
      const standing = level === renewed ? undefined : current.get(price);
      wanted.set(price, standing ?? this.#quantity(stream) * (2 + level));
    }
    return wanted;
  }

  /** Skewed, like the quantities of the stream. */
  #quantity(stream: SynthStream): number {
    const usual = stream.side > 0 ? stream.bidQuantity : stream.askQuantity;
    return max(1, round(usual * this.#random.between(0.3, 1.5)));
  }

  #write(
    stream: SynthStream,
    time: number,
    rows: readonly (readonly [side: number, price: number, quantity: number])[],
    snapshot: boolean,
  ): void {
    if (time >= this.streamEndMs || rows.length === 0) return;
    const previous = this.#update++;
    for (const [side, price, quantity] of rows) {
      this.#rows.add(time, [side, price * stream.tick.numerator, quantity, snapshot ? 1 : 0, this.#update, previous]);
    }
  }
}

/** Changes a side to the wanted levels, and returns the changes: `[side, price, quantity]`, removed levels first. */
function changesOf(current: Side, wanted: Side, side: 1 | -1): [number, number, number][] {
  const rows: [number, number, number][] = [];
  for (const price of current.keys()) if (!wanted.has(price)) rows.push([side, price, 0]);
  for (const [price, quantity] of wanted) if (current.get(price) !== quantity) rows.push([side, price, quantity]);
  current.clear();
  for (const [price, quantity] of wanted) current.set(price, quantity);
  return rows;
}
