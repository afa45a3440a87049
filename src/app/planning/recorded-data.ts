import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEventKind } from '../../model/market-events.ts';
import { intervalText, isoTime } from '../../model/time.ts';
import { findRecording } from '../../recording/catalogue/find-recording.ts';
import { openRecording } from '../../recording/catalogue/open-recording.ts';
import { seriesFolder } from '../../recording/catalogue/series-places.ts';
import { clockFindings, SeriesCheck } from '../../recording/checks/check-series.ts';
import type { Finding } from '../../recording/checks/findings.ts';
import { decimalText } from '../../recording/columns/decimals.ts';
import { SERIES_COLUMNS, type SeriesMeta, seriesTitle } from '../../recording/columns/series-meta.ts';
import { readSeries, type StoredSeries } from '../../recording/columns/series-reader.ts';
import { type RowStream, type SeriesSource, type UnitScale, unitScale } from '../../venues/simulated/row-source.ts';

/** One series of the recordings that a config names. */
export interface RecordedSeries {
  readonly recording: string;
  readonly meta: SeriesMeta;
  readonly stored: StoredSeries;
}

/** Marks and funding rates keep their own decimals. */
const IDENTITY: UnitScale = { multiply: 1, divide: 1 };

/** The series that the recordings of a config hold of its symbols, and how to find and open them. */
export class RecordedData {
  private constructor(
    readonly series: readonly RecordedSeries[],
    /** All that the recordings hold, by name, for messages that say what there is. */
    readonly names: string,
    private readonly datedTicks: ReadonlySet<string>,
  ) {}

  /**
   * @param datedTicks symbols whose tick is that of a time: of these the rows that are read must lie on it, of others all.
   * @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT, or DATA_INVALID when two recordings hold the same series.
   */
  static async open(
    dataDir: string,
    recordings: readonly string[],
    symbols: readonly string[],
    datedTicks: ReadonlySet<string> = new Set(),
  ): Promise<RecordedData> {
    const places: { readonly name: string; readonly series: string }[] = [];
    for (const name of recordings) {
      const { series } = await findRecording(dataDir, name);
      places.push(...series.map((place) => ({ name, series: seriesFolder(place) })));
    }
    for (const { name, series } of places) {
      const twin = places.find((other) => other.series === series)!;
      if (twin.name !== name) {
        throw new TidegateError('DATA_INVALID', `recordings ${twin.name} and ${name} both hold ${series}: name one of them`);
      }
    }
    const opened: RecordedSeries[] = [];
    for (const recording of recordings) {
      const { series } = await openRecording(dataDir, recording, symbols);
      opened.push(...series.map((stored) => ({ recording, meta: stored.meta, stored })));
    }
    return new RecordedData(opened, places.map(({ name, series }) => `${name}/${series}`).join(', '), datedTicks);
  }

  /** @param interval in ms: bars that make it. */
  has(symbol: string, kind: MarketEventKind, interval?: number): boolean {
    const makes = (own: number | undefined) => interval === undefined || interval % (own ?? 1) === 0;
    return this.series.some(({ meta }) => meta.symbol === symbol && meta.kind === kind && makes(meta.intervalMs));
  }

  /**
   * The series that feeds an instrument: for bars the longest interval that divides all of `intervals`.
   * @throws TidegateError DATA_NOT_FOUND saying what there is.
   */
  find(symbol: string, kind: MarketEventKind, intervals: readonly number[]): RecordedSeries {
    const found = this.series
      .filter(({ meta }) => meta.symbol === symbol && meta.kind === kind)
      .filter(({ meta }) => intervals.every((wanted) => wanted % (meta.intervalMs ?? 1) === 0))
      .sort((a, b) => (b.meta.intervalMs ?? 0) - (a.meta.intervalMs ?? 0))[0];
    if (found !== undefined) return found;
    const wanted = intervals.length === 0 ? '' : ` that make ${intervals.map(intervalText).join(' and ')}`;
    throw new TidegateError('DATA_NOT_FOUND', `no recorded ${kindText(kind)} of ${symbol}${wanted}; the recordings hold: ${this.names}`);
  }

  /** @throws TidegateError DATA_INVALID where the recorded prices do not lie on the instrument's tick. */
  open(series: RecordedSeries, instrument: Instrument, fromMs?: number, toMs = Number.POSITIVE_INFINITY): SeriesSource {
    const { recording, meta, stored } = series;
    const onGrid = meta.kind !== 'mark' && meta.kind !== 'funding';
    const offTick = onGrid && !new Decimal(meta.priceStep).mod(instrument.tick.text).isZero();
    const dated = this.datedTicks.has(instrument.symbol);
    if (offTick && !dated) {
      throw new TidegateError(
        'DATA_INVALID',
        `instruments.${instrument.symbol}.tickSize: prices of ${recording}/${seriesFolder(meta)} are multiples of ${meta.priceStep}, which ${instrument.tick.text} does not divide: give a finer tick`,
      );
    }
    const price = onGrid ? unitScale(meta.priceDecimals, instrument.tick) : IDENTITY;
    // What stands in a book at a time, all that came before says.
    const rows = readSeries(stored, { fromMs: meta.kind === 'depth' ? undefined : fromMs });
    return {
      rows: offTick ? new OnTickRows(rows, series, price, instrument.tick.text, fromMs ?? Number.NEGATIVE_INFINITY, toMs) : rows,
      price,
      quantity: unitScale(meta.quantityDecimals, instrument.step),
      priceDecimals: meta.priceDecimals,
      quantityDecimals: meta.quantityDecimals,
      intervalMs: meta.intervalMs ?? 0,
      snapshots: meta.snapshots ?? 0,
    };
  }
}

/** A kind of data in the plural, as messages name it. */
export function kindText(kind: MarketEventKind): string {
  return kind === 'funding' || kind === 'depth' ? kind : `${kind}s`;
}

/**
 * Rows whose prices in [from, to), epoch ms, must lie on a tick: for series whose other parts lie on another one, as the exchange
 * changed it.
 */
class OnTickRows implements RowStream {
  length = 0;
  readonly time: Float64Array;
  readonly columns: readonly Float64Array[];
  nanos: Int16Array | undefined;

  /** @param price what makes ticks of raw prices. @param tick as text, for people. */
  constructor(
    private readonly rows: RowStream,
    private readonly series: { readonly recording: string; readonly meta: SeriesMeta },
    private readonly price: UnitScale,
    private readonly tick: string,
    private readonly from: number,
    private readonly to: number,
  ) {
    this.time = rows.time;
    this.columns = rows.columns;
  }

  /** @throws TidegateError DATA_INVALID naming the first price off the tick; DATA_CORRUPT. */
  next(): boolean {
    const more = this.rows.next();
    this.length = this.rows.length;
    this.nanos = this.rows.nanos;
    if (more) for (const [index, { unit }] of SERIES_COLUMNS[this.series.meta.kind].entries()) if (unit === 'price') this.#check(index);
    return more;
  }

  close(): void {
    this.rows.close();
  }

  #check(index: number): void {
    const { multiply, divide } = this.price;
    const column = this.columns[index]!;
    for (let row = 0; row < this.length; row++) {
      const time = this.time[row]!;
      if ((column[row]! * multiply) % divide === 0 || time < this.from || time >= this.to) continue;
      const { recording, meta } = this.series;
      throw new TidegateError(
        'DATA_INVALID',
        `instruments.${meta.symbol}.tickSize: the price ${decimalText(column[row]!, meta.priceDecimals)} at ${isoTime(time)} of ${recording}/${seriesFolder(meta)} is no multiple of ${this.tick}, the tick of the terms beside the recording at the start of the run: complete them, or give a finer tick`,
      );
    }
  }
}

/** Judges the data of a run while the run reads it, each series the first time it is opened. */
export class DataJudge {
  readonly #checks = new Map<RecordedSeries, SeriesCheck>();

  /** @param to epoch ms: what is not before it is not judged, as what is before `from`. */
  constructor(private readonly to: number) {}

  /** The source, its rows judged as they are read. */
  watch(series: RecordedSeries, source: SeriesSource, from: number): SeriesSource {
    if (this.#checks.has(series)) return source;
    const check = new SeriesCheck(series.meta);
    this.#checks.set(series, check);
    return { ...source, rows: new JudgedRows(source.rows, check, from, this.to) };
  }

  /** What was found in the rows read, and of the clock that stamped the series, a line a series; to be called once, after the run. */
  warnings(): string[] {
    return [...this.#checks].flatMap(([series, check]) => {
      const found = [...check.findings(), ...clockFindings(series.meta)];
      return found.length === 0 ? [] : [warningOf(series, found)];
    });
  }
}

/** Rows that are judged a chunk at a time, as they are read and before anyone changes them: those in [from, to) alone, epoch ms. */
class JudgedRows implements RowStream {
  length = 0;
  readonly time: Float64Array;
  readonly columns: readonly Float64Array[];
  nanos: Int16Array | undefined;

  constructor(
    private readonly rows: RowStream,
    private readonly check: Pick<SeriesCheck, 'update'>,
    private readonly from: number,
    private readonly to: number,
  ) {
    this.time = rows.time;
    this.columns = rows.columns;
  }

  next(): boolean {
    const more = this.rows.next();
    this.length = this.rows.length;
    this.nanos = this.rows.nanos;
    if (more) this.#judge();
    return more;
  }

  close(): void {
    this.rows.close();
  }

  #judge(): void {
    const { time, columns, nanos } = this;
    let start = 0;
    let end = this.length;
    while (start < end && time[start]! < this.from) start++;
    while (end > start && time[end - 1]! >= this.to) end--;
    if (start === 0 && end === this.length) this.check.update(this);
    else if (end > start) {
      const part = columns.map((column) => column.subarray(start, end));
      this.check.update({ length: end - start, time: time.subarray(start, end), columns: part, nanos: nanos?.subarray(start, end) });
    }
  }
}

function warningOf({ recording, meta }: RecordedSeries, found: readonly Finding[]): string {
  const faults = found.map(({ what, text, count, time }) =>
    time === undefined ? text : `${what} (${count}, ${count > 1 ? 'the first ' : ''}at ${isoTime(time)})`,
  );
  return `${seriesTitle(meta)}: the data has ${faults.join('; ')}: see "tidegate data check ${recording}"`;
}
