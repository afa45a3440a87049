import type { MatchingEngine } from '../../matching/matching-engine.ts';
import type { Instrument } from '../../model/instrument.ts';
import { Bar } from '../../model/market-events.ts';
import type { DataSource } from './data-source.ts';
import { MICROSECOND_MS, RowSource } from './row-source.ts';
import type { SeriesSource } from './row-stream.ts';

/** Two steps a bar: its open, for matching alone, and its close, where the path is walked and the bar told. */
export class BarSource extends RowSource implements DataSource {
  opens = true;
  readonly funds = false;
  readonly follows = false;
  #opensAt: Float64Array = EMPTY;
  #highs: Float64Array = EMPTY;
  #lows: Float64Array = EMPTY;
  #closes: Float64Array = EMPTY;
  #volumes: Float64Array = EMPTY;
  readonly #volumeScale: number;

  constructor(
    private readonly instrument: Instrument,
    source: SeriesSource,
    from: number,
    to: number,
  ) {
    // A bar that is not over by `to` is not of this run; one that ends with it is.
    super(source, from, to - source.intervalMs + MICROSECOND_MS, [0, 1, 2, 3], []);
    this.#volumeScale = 10 ** source.quantityDecimals;
    this.start();
  }

  deliver(matching: MatchingEngine, sequence: number): Bar | undefined {
    const { row, time } = this;
    const open = this.#opensAt[row]!;
    const volume = this.#volumes[row]! / this.#volumeScale;
    if (this.opens) {
      this.opens = false;
      this.time = time + this.source.intervalMs;
      matching.openBar(this.instrument, time, sequence, open, volume);
      return undefined;
    }
    const bar = new Bar(
      this.instrument,
      time,
      sequence,
      this.source.intervalMs,
      open,
      this.#highs[row]!,
      this.#lows[row]!,
      this.#closes[row]!,
      volume,
    );
    this.opens = true;
    this.advance();
    matching.closeBar(bar);
    return bar;
  }

  protected take(columns: readonly Float64Array[]): void {
    this.#opensAt = columns[0]!;
    this.#highs = columns[1]!;
    this.#lows = columns[2]!;
    this.#closes = columns[3]!;
    this.#volumes = columns[4]!;
  }
}

const EMPTY: Float64Array = new Float64Array(0);
