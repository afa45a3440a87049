import { type BarInterval, barStart, consistsOf } from '../model/bar-interval.ts';
import { TidegateError } from '../model/errors.ts';
import { intervalText, isoTime } from '../model/time.ts';
import type { SeriesId } from './catalogue/series-places.ts';
import { RowBuffer } from './columns/chunks.ts';
import { type SeriesMeta, seriesFileName } from './columns/series-meta.ts';
import { readSeries, type StoredSeries } from './columns/series-reader.ts';
import { type SeriesTarget, SeriesWriter } from './columns/series-writer.ts';

export interface Resampled {
  readonly meta: SeriesMeta;
  readonly from: SeriesMeta;
  /** Incomplete bars at the edges of the data, which were left out. */
  readonly leftOut: number;
  /** Bars that lack some of their shorter bars; for prices this is unknown. */
  readonly thin: number;
}

/**
 * Makes longer bars from shorter ones, trades or tickers, exactly: each from the rows in [start, end). An interval without rows gives no
 * bar. Afterwards the series is complete or does not exist.
 * @param into `intervalMs` is the length of the bars to be made; the symbol is that of the series.
 * @param origin name of the recording that is read, for the meta.
 * @param interval when the bars begin: at multiples of their length since the epoch, or weeks on Monday.
 * @throws TidegateError DATA_EXISTS, DATA_CORRUPT; DATA_INVALID for bars that straddle the longer ones, for volumes
 * that no longer fit, and where no bar would be complete.
 */
export function resample(
  series: StoredSeries,
  into: Omit<SeriesTarget, 'symbol' | 'kind'> & { intervalMs: number },
  origin: string,
  interval: BarInterval = into.intervalMs,
): Resampled {
  const { meta: from } = series;
  const { intervalMs } = into;
  const reader = readSeries(series);
  const writer = new SeriesWriter({ ...into, symbol: from.symbol, kind: 'bar' });
  try {
    const bars = new LongerBars(writer, from, intervalMs, interval);
    while (reader.next()) for (let row = 0; row < reader.length; row++) bars.add(reader.time[row]!, reader.columns, row);
    bars.end();
    if (writer.rows === 0) {
      const range = `${isoTime(from.firstTime)} to ${isoTime(from.lastTime)}`;
      throw new TidegateError(
        'DATA_INVALID',
        `${seriesFileName(from)} of "${origin}" (${range}) holds no whole ${intervalText(intervalMs)} bar`,
      );
    }
    const { priceDecimals, quantityDecimals, synthetic } = from;
    const source = [`${origin}/${seriesFileName(from)}`];
    const meta = writer.finish({ priceDecimals, quantityDecimals: from.kind === 'ticker' ? 0 : quantityDecimals, source, synthetic });
    return { meta, from, leftOut: bars.leftOut, thin: bars.thin };
  } catch (error) {
    writer.abort();
    throw error;
  } finally {
    reader.close();
  }
}

/** Whether a series can be resampled to bars of that length. */
export function makesBars({ kind, intervalMs }: SeriesId, longerMs: number, interval: BarInterval = longerMs): boolean {
  if (kind === 'trade' || kind === 'ticker') return true;
  return kind === 'bar' && intervalMs !== undefined && intervalMs < longerMs && consistsOf(interval, intervalMs, 0);
}

/** Which columns of a row are its open, high, low, close and volume; no volume: -1. */
const FIGURES = { bar: [0, 1, 2, 3, 4], trade: [0, 0, 0, 0, 1], ticker: [0, 0, 0, 0, -1] } as const;

/** Gathers rows in time order into the bars of one interval, and passes complete bars to a writer. */
class LongerBars {
  /** Incomplete bars. */
  leftOut = 0;
  /** Bars that lack some of the shorter ones. */
  thin = 0;
  readonly #buffer = new RowBuffer('bar');
  readonly #figures: readonly [number, number, number, number, number];
  /** Length of the shorter bars, in ms; 0 for prices. */
  readonly #shorterMs: number;
  /** Start of the unfinished bar, epoch ms; `NaN` before the first. */
  #start = Number.NaN;
  /** Epoch ms up to which the data is complete. */
  #covered = Number.NEGATIVE_INFINITY;
  /** Its first row is the very first of the data: earlier rows of its interval are unknown. */
  #cut = false;
  #parts = 0;
  #bar: [number, number, number, number, number] = [0, 0, 0, 0, 0];

  constructor(
    private readonly writer: SeriesWriter,
    private readonly from: SeriesMeta,
    private readonly intervalMs: number,
    private readonly interval: BarInterval,
  ) {
    this.#figures = FIGURES[from.kind as keyof typeof FIGURES];
    this.#shorterMs = from.intervalMs ?? 0;
  }

  /**
   * @param time epoch ms; for bars their open.
   * @throws TidegateError DATA_INVALID for a bar that reaches into the next longer one, or a volume beyond 2^53.
   */
  add(time: number, columns: readonly Float64Array[], row: number): void {
    const start = barStart(this.interval, time);
    if (time + this.#shorterMs > start + this.intervalMs)
      throw this.#invalid(time, `reaches beyond the ${this.#length} bar that it begins in`);
    const [open, high, low, close, volume] = this.#figures;
    const bar = this.#bar;
    if (start !== this.#start) {
      const first = Number.isNaN(this.#start);
      this.#close(true);
      this.#start = start;
      this.#cut = first && time > start;
      bar[0] = columns[open]![row]!;
      bar[1] = columns[high]![row]!;
      bar[2] = columns[low]![row]!;
      bar[4] = 0;
      this.#parts = 0;
    }
    bar[1] = Math.max(bar[1], columns[high]![row]!);
    bar[2] = Math.min(bar[2], columns[low]![row]!);
    bar[3] = columns[close]![row]!;
    if (volume >= 0) bar[4] += columns[volume]![row]!;
    if (bar[4] > Number.MAX_SAFE_INTEGER) throw this.#invalid(time, `brings a volume of the ${this.#length} bar that does not fit 53 bits`);
    this.#parts++;
    this.#covered = time + this.#shorterMs;
  }

  /** The last bar is complete where shorter bars fill it to its end. For prices, completeness is unknown. */
  end(): void {
    this.#close(this.#shorterMs > 0 && this.#covered >= this.#start + this.intervalMs);
    this.writer.write(this.#buffer);
  }

  #close(whole: boolean): void {
    if (Number.isNaN(this.#start)) return;
    if (!whole || this.#cut) {
      this.leftOut++;
      return;
    }
    if (this.#shorterMs > 0 && this.#parts * this.#shorterMs < this.intervalMs) this.thin++;
    const buffer = this.#buffer;
    if (buffer.rows === buffer.capacity) this.writer.write(buffer);
    const at = buffer.rows++;
    buffer.time[at] = this.#start * 1_000;
    this.#bar.forEach((figure, index) => {
      buffer.columns[index]![at] = figure;
    });
  }

  get #length(): string {
    return intervalText(this.intervalMs);
  }

  #invalid(time: number, what: string): TidegateError {
    return new TidegateError('DATA_INVALID', `${seriesFileName(this.from)}: the row of ${isoTime(time)} ${what}`);
  }
}
