import { BookRebuilding, type DepthColumns } from '../../model/depth-book.ts';
import type { CheckedRows } from '../../recording/checks/findings.ts';
import { POWERS_OF_TEN } from '../../recording/columns/decimals.ts';
import { SERIES_COLUMNS, type SeriesKind, type SeriesMeta } from '../../recording/columns/series-meta.ts';
import { longerInterval } from '../chart-bars.ts';
import { formatCount, formatDuration } from '../format.ts';
import type { SeriesPicture } from '../html/page/page-data.ts';
import { PicturePoints } from './picture-points.ts';

/** Makes points of the best bid and ask of a recorded book, rebuilt from its rows: one a change that leaves both sides with levels. */
class BookPoints {
  /** Points made. */
  count = 0;
  readonly #rebuilding: BookRebuilding;
  #shown = false;

  constructor({ snapshots = 0 }: SeriesMeta, points: PicturePoints) {
    const best = [new Float64Array(1), new Float64Array(1)] as const;
    this.#rebuilding = new BookRebuilding(snapshots > 0, (_, time, told) => {
      const { book } = this.#rebuilding;
      if (!this.#shown || !told || !book.twoSided) return;
      best[0][0] = book.bids.bestTicks;
      best[1][0] = book.asks.bestTicks;
      points.add(time, best, 0, 0);
      this.count++;
    });
  }

  /** Takes the rows in [from, to) of a chunk. @param shown they lie in the part that is drawn. */
  update({ time, nanos, columns }: CheckedRows, from: number, to: number, shown: boolean): void {
    // A change never lies across the bounds of the part, which are times.
    if (shown !== this.#shown) this.end();
    this.#shown = shown;
    for (let row = from; row < to; row++) this.#rebuilding.add(time[row]!, nanos?.[row] ?? 0, columns as unknown as DepthColumns, row);
  }

  /** No row follows. */
  end(): void {
    this.#rebuilding.end();
  }
}

/** One candle: all bars whose opens lie in its length. */
interface PictureCandle {
  /** Epoch ms of its open, a multiple of its length. */
  readonly time: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

/**
 * Candles with volumes in bounded memory: where there would be more than `limit`, all are merged into the next longer ones,
 * their highs, lows and volumes kept. As long as none are merged, bars keep their own times.
 */
export class PictureCandles {
  candles: PictureCandle[] = [];
  #merged = false;

  /** @param intervalMs the length of the bars; of the candles after that. */
  constructor(
    public intervalMs: number,
    private readonly limit: number,
  ) {}

  add(time: number, open: number, high: number, low: number, close: number, volume: number): void {
    this.#put({ time, open, high, low, close, volume });
    while (this.candles.length > this.limit) this.#coarsen();
  }

  #put(bar: PictureCandle): void {
    const time = this.#merged ? Math.floor(bar.time / this.intervalMs) * this.intervalMs : bar.time;
    const last = this.candles.at(-1);
    if (last === undefined || time > last.time) {
      this.candles.push({ ...bar, time });
      return;
    }
    last.high = Math.max(last.high, bar.high);
    last.low = Math.min(last.low, bar.low);
    last.close = bar.close;
    last.volume += bar.volume;
  }

  #coarsen(): void {
    const finer = this.candles;
    this.candles = [];
    this.#merged = true;
    this.intervalMs = longerInterval(this.intervalMs);
    for (const candle of finer) this.#put(candle);
  }
}

/** Which columns are drawn as lines; of depth those of the rebuilt book, as are a quote's. */
const LINES: Readonly<Record<SeriesKind, readonly number[]>> = {
  bar: [],
  depth: [0, 1],
  quote: [0, 1],
  trade: [0],
  ticker: [0],
  mark: [0],
  funding: [0],
};
/** The finest distance that two times in seconds can have near now. */
const MICROSECOND_S = 1e-6;
/** More digits than a screen can show would only make the page long. */
const DIGITS = 10;
/** Marks may have 18 decimals. */
const MOST_PLACES = 8;

/** Makes the picture of a series from its rows as they are read, in bounded memory. */
export class SeriesPainter {
  readonly #meta: SeriesMeta;
  readonly #candles: PictureCandles | undefined;
  readonly #points: PicturePoints;
  readonly #book: BookPoints | undefined;
  readonly #price: number;
  readonly #quantity: number;
  #rows = 0;

  /** @param limit the most points or candles. */
  constructor(meta: SeriesMeta, limit: number) {
    this.#meta = meta;
    this.#candles = meta.intervalMs === undefined ? undefined : new PictureCandles(meta.intervalMs, limit);
    this.#points = new PicturePoints(LINES[meta.kind].length, limit);
    this.#book = meta.kind === 'depth' ? new BookPoints(meta, this.#points) : undefined;
    this.#price = POWERS_OF_TEN[meta.priceDecimals]!;
    this.#quantity = POWERS_OF_TEN[meta.quantityDecimals]!;
  }

  /** Takes rows in [from, to) of a chunk that are not to be drawn: of depth they make the book that is. */
  pass(rows: CheckedRows, from: number, to: number): void {
    this.#book?.update(rows, from, to, false);
  }

  /** Takes the rows in [from, to) of a chunk. */
  update(rows: CheckedRows, from: number, to: number): void {
    this.#rows += to - from;
    if (this.#book !== undefined) this.#book.update(rows, from, to, true);
    else this.#take(rows, from, to);
  }

  #take({ time, columns }: CheckedRows, from: number, to: number): void {
    if (this.#candles === undefined) {
      const quantities = this.#meta.kind === 'trade' ? columns[1] : undefined;
      for (let row = from; row < to; row++) this.#points.add(time[row]!, columns, row, quantities?.[row] ?? 0);
      return;
    }
    const [open, high, low, close, volume] = columns as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
    for (let row = from; row < to; row++) this.#candles.add(time[row]!, open[row]!, high[row]!, low[row]!, close[row]!, volume[row]!);
  }

  /** Called after the last row. */
  picture(): SeriesPicture {
    this.#book?.end();
    return this.#candles === undefined ? this.#lines() : this.#bars(this.#candles);
  }

  /** How what is drawn came about, in words; called after `picture`. */
  note(): string {
    const rows = formatCount(this.#rows);
    if (this.#candles !== undefined) {
      const { candles, intervalMs } = this.#candles;
      if (candles.length === this.#rows) return `${rows} bars.`;
      return `${rows} bars shown as ${formatCount(candles.length)} candles of ${formatDuration(intervalMs)}: first open, highest high, lowest low, last close, sum of the volumes.`;
    }
    const shown = this.#points.points().length;
    if (this.#book !== undefined) {
      const told = `${rows} rows, which leave a best bid and ask ${formatCount(this.#book.count)} times`;
      if (shown === this.#book.count) return `${told}.`;
      return `${told}, shown as ${formatCount(shown)} points: of each stretch of equally many the lowest and the highest.`;
    }
    if (shown === this.#rows) return `${rows} rows.`;
    return `${rows} rows shown as ${formatCount(shown)} points: of each stretch of equally many rows the lowest and the highest.`;
  }

  #bars({ candles, intervalMs }: PictureCandles): SeriesPicture {
    const price = (value: number) => short(value / this.#price);
    const hasVolume = candles.some(({ volume }) => volume !== 0);
    return {
      places: this.#places(),
      t: candles.map(({ time }) => time / 1_000),
      stepSeconds: intervalMs / 1_000,
      candles: {
        o: candles.map(({ open }) => price(open)),
        h: candles.map(({ high }) => price(high)),
        l: candles.map(({ low }) => price(low)),
        c: candles.map(({ close }) => price(close)),
      },
      lines: [],
      ...(hasVolume && { volume: candles.map(({ volume }) => short(volume / this.#quantity)) }),
    };
  }

  #lines(): SeriesPicture {
    const kept = this.#points.points();
    const t = rising(kept.map(({ point }) => point.time / 1_000));
    const columns = SERIES_COLUMNS[this.#book === undefined ? this.#meta.kind : 'quote'];
    return {
      places: this.#places(),
      t,
      stepSeconds: t.length < 2 ? 1 : (t.at(-1)! - t[0]!) / (t.length - 1),
      lines: LINES[this.#meta.kind].map((column, figure) => ({
        label: columns[column]!.name,
        values: kept.map(({ point }) => short(point.values[figure]! / this.#price)),
      })),
      ...(this.#meta.kind === 'trade' && {
        volume: kept.map(({ volume }) => (volume === null ? null : short(volume / this.#quantity))),
      }),
    };
  }

  /** As many as the step of the prices has. */
  #places(): number {
    const { priceStep, priceDecimals, kind } = this.#meta;
    if (kind === 'mark' || kind === 'funding') return Math.min(priceDecimals, MOST_PLACES);
    return priceStep.split('.')[1]?.length ?? 0;
  }
}

/** A chart takes one point a moment: rows of one time are set a microsecond apart. */
function rising(times: readonly number[]): number[] {
  let last = Number.NEGATIVE_INFINITY;
  return times.map((time) => {
    last = time > last ? time : last + MICROSECOND_S;
    return last;
  });
}

function short(value: number): number {
  return Number(value.toPrecision(DIGITS));
}
