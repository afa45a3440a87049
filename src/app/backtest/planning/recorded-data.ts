import { Decimal } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { intervalText } from '../../../model/interval.ts';
import type { MarketEventKind } from '../../../model/market-events.ts';
import { findRecording, openRecording } from '../../../recording/catalogue/open-recording.ts';
import { seriesFolder } from '../../../recording/catalogue/series-place.ts';
import { readSeries } from '../../../recording/columns/parts-reader.ts';
import type { SeriesMeta } from '../../../recording/columns/series-meta.ts';
import type { StoredSeries } from '../../../recording/columns/stored-series.ts';
import { type SeriesSource, type UnitScale, unitScale } from '../../../venues/simulated/row-stream.ts';
import { kindText } from './data-use.ts';
import { OnTickRows } from './on-tick-rows.ts';

/** Marks and funding rates keep their own decimals. */
const IDENTITY: UnitScale = { multiply: 1, divide: 1 };

/** One series of the recordings that a config names. */
export interface RecordedSeries {
  readonly recording: string;
  readonly meta: SeriesMeta;
  readonly stored: StoredSeries;
}

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
