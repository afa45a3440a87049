import { type BarInterval, barIntervalText, consistsOf } from '../../model/bar-interval.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEventKind } from '../../model/market-events.ts';
import { isoTime } from '../../model/time.ts';
import { findRecording } from '../../recording/catalogue/find-recording.ts';
import { joinSeries, type NamedSeries } from '../../recording/catalogue/join-series.ts';
import { openRecording } from '../../recording/catalogue/open-recording.ts';
import { seriesFolder } from '../../recording/catalogue/series-places.ts';
import { clockFindings, SeriesCheck } from '../../recording/checks/check-series.ts';
import type { Finding } from '../../recording/checks/findings.ts';
import { decimalText } from '../../recording/columns/decimals.ts';
import { SERIES_COLUMNS, type SeriesMeta, seriesTitle } from '../../recording/columns/series-meta.ts';
import { readSeries, type StoredSeries } from '../../recording/columns/series-reader.ts';
import type { SignalRows } from '../../recording/signals/signal-rows.ts';
import { type RowStream, type SeriesSource, type UnitScale, unitScale } from '../../venues/simulated/row-source.ts';
import { checkCommand } from '../base/text.ts';

/** One series of the recordings that a config names. */
export interface RecordedSeries {
  /** The recording, or several: `a + b`. */
  readonly recording: string;
  /** The part of it in each recording, in order of time. */
  readonly sources: readonly NamedSeries[];
  readonly meta: SeriesMeta;
  readonly stored: StoredSeries;
  /** The directory of the recordings; absent for rows that are in none. */
  readonly dataDir?: string | undefined;
}

/** Marks and funding rates keep their own decimals. */
const IDENTITY: UnitScale = { multiply: 1, divide: 1 };

/** Finds and opens the series of a config's symbols in its recordings. */
export class RecordedData {
  private constructor(
    readonly series: readonly RecordedSeries[],
    /** The names of all series in the recordings, for messages. */
    readonly names: string,
    private readonly datedTicks: ReadonlySet<string>,
    /** Signals that are in no recording, by name. */
    readonly signals: ReadonlyMap<string, SignalRows> = new Map(),
  ) {}

  /**
   * Opens the recordings.
   * @param datedTicks symbols whose tick changes with time: only the prices of the run must be multiples of it; for others, all prices.
   * @throws TidegateError DATA_NOT_FOUND, DATA_CORRUPT, or DATA_INVALID if recordings have the same series and their common rows differ.
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
    const found = new Map<string, NamedSeries[]>();
    for (const name of new Set(recordings)) {
      const { series } = await openRecording(dataDir, name, symbols);
      for (const stored of series) {
        const own = seriesFolder(stored.meta);
        found.set(own, [...(found.get(own) ?? []), { name, stored }]);
      }
    }
    const opened = [...found.values()].map((parts): RecordedSeries => {
      const sources = parts.toSorted((a, b) => a.stored.meta.firstTime - b.stored.meta.firstTime);
      const stored = joinSeries(sources);
      return { recording: sources.map(({ name }) => name).join(' + '), sources, meta: stored.meta, stored, dataDir };
    });
    return new RecordedData(opened, places.map(({ name, series }) => `${name}/${series}`).join(', '), datedTicks);
  }

  /** Data of series and signals that are not in recordings. */
  static of(series: readonly RecordedSeries[], signals: ReadonlyMap<string, SignalRows>): RecordedData {
    const names = series.map(({ recording, meta }) => `${recording}/${seriesFolder(meta)}`).join(', ');
    return new RecordedData(series, names, new Set(), signals);
  }

  /** The same data with other series in the place of some, such as copies in memory. */
  replaced(change: (series: RecordedSeries) => RecordedSeries): RecordedData {
    return new RecordedData(this.series.map(change), this.names, this.datedTicks, this.signals);
  }

  /** Whether there is a series. @param interval one that can be built from its bars. */
  has(symbol: string, kind: MarketEventKind, interval?: BarInterval): boolean {
    const makes = (meta: SeriesMeta) => interval === undefined || consistsOf(interval, meta.intervalMs ?? 1, meta.firstTime);
    return this.series.some(({ meta }) => meta.symbol === symbol && meta.kind === kind && makes(meta));
  }

  /**
   * The series for an instrument: for bars the one with the longest interval of which all of `intervals` consist.
   * @throws TidegateError DATA_NOT_FOUND with the names of the series that exist.
   */
  find(symbol: string, kind: MarketEventKind, intervals: readonly BarInterval[]): RecordedSeries {
    const found = this.series
      .filter(({ meta }) => meta.symbol === symbol && meta.kind === kind)
      .filter(({ meta }) => intervals.every((wanted) => consistsOf(wanted, meta.intervalMs ?? 1, meta.firstTime)))
      .sort((a, b) => (b.meta.intervalMs ?? 0) - (a.meta.intervalMs ?? 0))[0];
    if (found !== undefined) return found;
    const wanted = intervals.length === 0 ? '' : ` from which ${intervals.map(barIntervalText).join(' and ')} can be built`;
    throw new TidegateError('DATA_NOT_FOUND', `no recorded ${kindText(kind)} of ${symbol}${wanted}; the recordings have: ${this.names}`);
  }

  /** @throws TidegateError DATA_INVALID if the prices of a series are not multiples of the instrument's tick, which has no dates. */
  requireTick(series: RecordedSeries, instrument: Instrument): void {
    if (!isOffTick(series, instrument) || this.datedTicks.has(instrument.symbol)) return;
    const { recording, meta } = series;
    throw new TidegateError(
      'DATA_INVALID',
      `instruments.${instrument.symbol}.tickSize: prices of ${recording}/${seriesFolder(meta)} are multiples of ${meta.priceStep}, but not of ${instrument.tick.text}: set a finer tick`,
    );
  }

  /** Opens a series. @throws TidegateError DATA_INVALID if its prices are not multiples of the instrument's tick. */
  open(series: RecordedSeries, instrument: Instrument, fromMs?: number, toMs = Number.POSITIVE_INFINITY): SeriesSource {
    const { meta, stored } = series;
    const onGrid = meta.kind !== 'mark' && meta.kind !== 'funding';
    const offTick = isOffTick(series, instrument);
    this.requireTick(series, instrument);
    const price = onGrid ? unitScale(meta.priceDecimals, instrument.tick) : IDENTITY;
    // The state of a book depends on all its earlier rows.
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

function isOffTick({ meta }: RecordedSeries, { tick }: Instrument): boolean {
  return meta.kind !== 'mark' && meta.kind !== 'funding' && !new Decimal(meta.priceStep).mod(tick.text).isZero();
}

/** The plural of a kind of data, for messages. */
export function kindText(kind: MarketEventKind): string {
  return kind === 'funding' || kind === 'depth' ? kind : `${kind}s`;
}

/**
 * Checks that the prices in [from, to), epoch ms, are multiples of a tick. Used for series in which the exchange changed the tick: other
 * parts may be multiples of another one.
 */
class OnTickRows implements RowStream {
  length = 0;
  readonly time: Float64Array;
  readonly columns: readonly Float64Array[];
  nanos: Int16Array | undefined;

  /** @param price the scale from raw prices to ticks. @param tick as text, for messages. */
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

  /** @throws TidegateError DATA_INVALID with the first price that is not a multiple; DATA_CORRUPT. */
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
        `instruments.${meta.symbol}.tickSize: the price ${decimalText(column[row]!, meta.priceDecimals)} at ${isoTime(time)} of ${recording}/${seriesFolder(meta)} is not a multiple of ${this.tick}, the recording's tick at the start of the run: add the later tick to the recording's terms, or set a finer tick`,
      );
    }
  }
}

/** Checks the data of a run while the run reads it, each series when it is opened first. */
export class DataJudge {
  readonly #checks = new Map<RecordedSeries, SeriesCheck>();

  /** @param to epoch ms: rows at or after it are not checked. */
  constructor(private readonly to: number) {}

  /** A source whose rows are checked as they are read. */
  watch(series: RecordedSeries, source: SeriesSource, from: number): SeriesSource {
    if (this.#checks.has(series)) return source;
    const check = new SeriesCheck(series.meta);
    this.#checks.set(series, check);
    return { ...source, rows: new JudgedRows(source.rows, check, from, this.to) };
  }

  /** The findings in the rows and about the clock of each series, one line for each series; to be called once, after the run. */
  warnings(): string[] {
    return [...this.#checks].flatMap(([series, check]) => {
      const found = [...check.findings(), ...clockFindings(series.meta)];
      return found.length === 0 ? [] : [warningOf(series, found)];
    });
  }
}

/** Checks the rows in [from, to), epoch ms, chunk by chunk as they are read, before a reader can change them. */
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

function warningOf({ sources, meta, dataDir }: RecordedSeries, found: readonly Finding[]): string {
  const faults = found.map(({ what, text, count, time }) =>
    time === undefined ? text : `${what} (${count}, ${count > 1 ? 'the first ' : ''}at ${isoTime(time)})`,
  );
  const text = `${seriesTitle(meta)}: the data has ${faults.join('; ')}`;
  if (dataDir === undefined) return text;
  const command = checkCommand(
    sources.map(({ name }) => name),
    dataDir,
  );
  return `${text}: see "${command}"`;
}
