import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Mark } from '../../model/market-events.ts';
import type { DataSource } from './data-source.ts';
import { RowSource } from './row-source.ts';
import type { SeriesSource } from './row-stream.ts';

/** Recorded mark prices, in the decimals of their series. */
export class MarkSource extends RowSource implements DataSource {
  readonly opens = false;
  readonly funds = false;
  readonly follows = true;
  #marks: Float64Array = EMPTY;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    super(source, from, to, [], []);
    this.start();
  }

  deliver(matching: MatchingEngine, sequence: number): Mark {
    const mark = new Mark(this.instrument, this.time, sequence, this.#marks[this.row]!, this.source.priceDecimals);
    this.advance();
    matching.onMark(mark);
    return mark;
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#marks = columns[0]!;
  }
}

const EMPTY: Float64Array = new Float64Array(0);
