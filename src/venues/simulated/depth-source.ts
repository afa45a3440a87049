import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { type DepthChange, type DepthColumns, DepthGathering, DepthSequence, foldedOf } from '../../model/depth-sequence.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Depth } from '../../model/market-events.ts';
import { type DataSource, RowSource, type SeriesSource } from './row-source.ts';

/** Recorded rows of depth, those that belong together as one change. */
class DepthRows extends RowSource {
  readonly #gathering = new DepthGathering();
  #columns: readonly Float64Array[] = [];

  constructor(source: SeriesSource, to: number) {
    super(source, Number.NEGATIVE_INFINITY, to, [1], [2]);
    this.start();
  }

  /** The change that the row at hand begins; goes on to the row after it. */
  change(): DepthChange {
    const gathering = this.#gathering;
    do {
      const columns = this.#columns as unknown as DepthColumns;
      this.row = gathering.add(this.time, this.nanos, columns, this.row, this.sameTimeEnd()) - 1;
      this.advance();
    } while (gathering.holds(this.time, this.nanos, this.#columns as unknown as DepthColumns, this.row));
    return gathering.take();
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#columns = columns;
  }
}

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
