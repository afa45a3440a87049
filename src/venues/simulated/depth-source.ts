import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { DepthChange } from '../../model/depth-change.ts';
import { DepthSequence, foldedOf } from '../../model/depth-sequence.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Depth } from '../../model/market-events.ts';
import type { DataSource } from './data-source.ts';
import { DepthRows } from './depth-rows.ts';
import type { SeriesSource } from './row-stream.ts';

/** Recorded depth. What comes before `from` makes the book that the first change at or after it is told with, as a snapshot. */
export class DepthSource implements DataSource {
  readonly opens = false;
  readonly funds = false;
  readonly follows = false;
  time = Number.NEGATIVE_INFINITY;
  nanos = 0;
  readonly #rows: DepthRows;
  readonly #sequence: DepthSequence;
  #change: DepthChange | undefined;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    this.#rows = new DepthRows(source, to);
    this.#sequence = new DepthSequence(source.snapshots > 0);
    this.#advance();
    this.skipTo(from);
  }

  deliver(matching: MatchingEngine, sequence: number): Depth {
    const { snapshot, bids, asks } = this.#change!;
    const depth = new Depth(this.instrument, this.time, sequence, snapshot, bids, asks);
    this.#advance();
    matching.onDepth(depth);
    return depth;
  }

  skipTo(time: number): void {
    if (this.time >= time) return;
    this.#change = foldedOf(this.#changesUntil(time));
  }

  close(): void {
    this.#rows.close();
    this.time = Number.POSITIVE_INFINITY;
    this.#change = undefined;
  }

  /** The changes before `time`, and the first at or after it. */
  *#changesUntil(time: number): Generator<DepthChange, void> {
    for (; this.#change !== undefined; this.#advance()) {
      yield this.#change;
      if (this.time >= time) return;
    }
  }

  #advance(): void {
    const rows = this.#rows;
    while (rows.time !== Number.POSITIVE_INFINITY) {
      this.time = rows.time;
      this.nanos = rows.nanos;
      this.#change = this.#sequence.next(rows.change());
      if (this.#change !== undefined) return;
    }
    this.close();
  }
}
