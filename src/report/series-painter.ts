import { BookRebuilding, type DepthColumns } from '../model/depth-book.ts';
import type { CheckedRows } from '../recording/checks/findings.ts';
import { POWERS_OF_TEN } from '../recording/columns/decimals.ts';
import { SERIES_COLUMNS, type SeriesKind, type SeriesMeta } from '../recording/columns/series-meta.ts';
import { longerInterval } from './chart-bars.ts';
import { formatCount, formatDuration } from './format.ts';
import type { SeriesPicture } from './html/page-data.ts';

/** Columns that are drawn as lines; for depth the best bid and ask of the rebuilt book, as for quotes. */
const LINES: Readonly<Record<SeriesKind, readonly number[]>> = {
  bar: [],
  depth: [0, 1],
  quote: [0, 1],
  trade: [0],
  ticker: [0],
  mark: [0],
  funding: [0],
};
/** The smallest distance between two times in seconds that a double can hold today. */
const MICROSECOND_S = 1e-6;
/** More digits than a screen shows would only enlarge the page. */
const DIGITS = 10;
/** Marks may have 18 decimals. */
const MOST_PLACES = 8;

/** Draws a series from its rows as they are read, in bounded memory. */
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

  /** Takes rows in [from, to) of a chunk that are not drawn. For depth, they still change the book. */
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

  /** How the picture was made, in words; called after `picture`. */
  note(): string {
    const rows = formatCount(this.#rows);
    if (this.#candles !== undefined) {
      const { candles, intervalMs } = this.#candles;
      if (candles.length === this.#rows) return `${rows} bars.`;
      return `${rows} bars shown as ${formatCount(candles.length)} candles of ${formatDuration(intervalMs)}: first open, highest high, lowest low, last close, sum of the volumes.`;
    }
    const shown = this.#points.points().length;
    if (this.#book !== undefined) {
      const text = `${rows} rows, which leave a best bid and ask ${formatCount(this.#book.count)} times`;
      if (shown === this.#book.count) return `${text}.`;
      return `${text}, shown as ${formatCount(shown)} points: of each stretch of equally many the lowest and the highest.`;
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

  /** As many decimal places as the step of the prices. */
  #places(): number {
    const { priceStep, priceDecimals, kind } = this.#meta;
    if (kind === 'mark' || kind === 'funding') return Math.min(priceDecimals, MOST_PLACES);
    return priceStep.split('.')[1]?.length ?? 0;
  }
}

/** A chart takes one point per time: rows of the same time are set a microsecond apart. */
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

/**
 * Makes points of the best bid and ask of a recorded order book, rebuilt from its rows: one for each change after which both sides have
 * levels.
 */
class BookPoints {
  /** Points made. */
  count = 0;
  readonly #rebuilding: BookRebuilding;
  #shown = false;

  constructor({ snapshots = 0 }: SeriesMeta, points: PicturePoints) {
    const best = [new Float64Array(1), new Float64Array(1)] as const;
    this.#rebuilding = new BookRebuilding(snapshots > 0, (_, time, complete) => {
      const { book } = this.#rebuilding;
      if (!this.#shown || !complete || !book.twoSided) return;
      best[0][0] = book.bids.bestTicks;
      best[1][0] = book.asks.bestTicks;
      points.add(time, best, 0, 0);
      this.count++;
    });
  }

  /**
   * Takes the rows in [from, to) of a chunk.
   * @param shown they belong to the drawn part.
   */
  update({ time, nanos, columns }: CheckedRows, from: number, to: number, shown: boolean): void {
    // A change never crosses the bounds of the part, which are times.
    if (shown !== this.#shown) this.end();
    this.#shown = shown;
    for (let row = from; row < to; row++) this.#rebuilding.add(time[row]!, nanos?.[row] ?? 0, columns as unknown as DepthColumns, row);
  }

  /** No row follows. */
  end(): void {
    this.#rebuilding.end();
  }
}

/** One candle: all bars whose opens are within its length. */
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
 * Candles with volumes in bounded memory. Above `limit`, all are merged into the next longer ones, which keep their highs, lows and
 * volumes. As long as none are merged, bars keep their own times.
 */
export class PictureCandles {
  candles: PictureCandle[] = [];
  #merged = false;

  /** @param intervalMs the length of the bars, and of the candles at first. */
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

/** One row of a picture: its figures at a time. */
interface PicturePoint {
  /** Counted from 0. */
  readonly row: number;
  /** Epoch ms. */
  readonly time: number;
  readonly values: readonly number[];
}

/** Consecutive rows, stored as their extremes: for each figure the first lowest and the first highest row. */
interface Stretch {
  rows: number;
  readonly lowest: PicturePoint[];
  readonly highest: PicturePoint[];
  volume: number;
}

/**
 * Thins rows in bounded memory without losing a peak or a trough. Rows are divided into sections of equally many rows; in each section, the
 * lowest and the highest row by every figure remains. Above `limit`, each two sections become one. The first and the last row always
 * remain.
 */
export class PicturePoints {
  readonly #mostStretches: number;
  #rowsOfStretch = 1;
  #stretches: Stretch[] = [];
  #stretch: Stretch | undefined;
  #rows = 0;
  #lastTime = 0;
  readonly #lastValues: number[];
  #first: PicturePoint | undefined;

  /** @param figures the number of values of a row. */
  constructor(
    private readonly figures: number,
    limit: number,
  ) {
    this.#mostStretches = Math.max(2, Math.floor((limit - 2) / (2 * figures)));
    this.#lastValues = Array.from({ length: figures }, () => 0);
  }

  /** Takes the next row: the value of a figure is `columns[figure][at]`. @param volume to be summed; 0 where there is none. */
  add(time: number, columns: readonly Float64Array[], at: number, volume: number): void {
    const last = this.#lastValues;
    for (let figure = 0; figure < this.figures; figure++) last[figure] = columns[figure]![at]!;
    this.#lastTime = time;
    this.#rows++;
    const stretch = this.#stretch;
    if (stretch === undefined || stretch.rows === this.#rowsOfStretch) {
      this.#open(volume);
      return;
    }
    stretch.rows++;
    stretch.volume += volume;
    let point: PicturePoint | undefined;
    for (let figure = 0; figure < this.figures; figure++) {
      const value = last[figure]!;
      if (value < stretch.lowest[figure]!.values[figure]!) {
        point ??= this.#lastPoint();
        stretch.lowest[figure] = point;
      } else if (value > stretch.highest[figure]!.values[figure]!) {
        point ??= this.#lastPoint();
        stretch.highest[figure] = point;
      }
    }
  }

  /** The remaining points, in order; the volume of a section is at its first point. */
  points(): { readonly point: PicturePoint; readonly volume: number | null }[] {
    const kept = this.#stretches.flatMap(({ lowest, highest, volume }) => {
      const rows = new Map([...lowest, ...highest].map((point) => [point.row, point]));
      const sorted = [...rows.values()].sort((a, b) => a.row - b.row);
      return sorted.map((point, index) => ({ point, volume: index === 0 ? volume : null }));
    });
    const ends = [this.#first, this.#rows === 0 ? undefined : this.#lastPoint()].filter((point) => point !== undefined);
    const missing = ends.filter(
      ({ row }, index) => !kept.some(({ point }) => point.row === row) && ends.findIndex((end) => end.row === row) === index,
    );
    return [...kept, ...missing.map((point) => ({ point, volume: null }))].sort((a, b) => a.point.row - b.point.row);
  }

  #lastPoint(): PicturePoint {
    return { row: this.#rows - 1, time: this.#lastTime, values: [...this.#lastValues] };
  }

  #open(volume: number): void {
    const point = this.#lastPoint();
    this.#first ??= point;
    if (this.#stretches.length === this.#mostStretches) this.#halve();
    const each = () => Array.from({ length: this.figures }, () => point);
    this.#stretch = { rows: 1, lowest: each(), highest: each(), volume };
    this.#stretches.push(this.#stretch);
  }

  #halve(): void {
    const finer = this.#stretches;
    this.#rowsOfStretch *= 2;
    this.#stretches = [];
    for (let index = 0; index < finer.length; index += 2) {
      const [left, right] = [finer[index]!, finer[index + 1]];
      this.#stretches.push(right === undefined ? left : merged(left, right));
    }
  }
}

function merged(left: Stretch, right: Stretch): Stretch {
  return {
    rows: left.rows + right.rows,
    lowest: left.lowest.map((point, figure) =>
      right.lowest[figure]!.values[figure]! < point.values[figure]! ? right.lowest[figure]! : point,
    ),
    highest: left.highest.map((point, figure) =>
      right.highest[figure]!.values[figure]! > point.values[figure]! ? right.highest[figure]! : point,
    ),
    volume: left.volume + right.volume,
  };
}
