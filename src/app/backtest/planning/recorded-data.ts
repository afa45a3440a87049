import { join } from 'node:path';
import { Decimal } from '../../../model/decimal.ts';
import { TidegateError } from '../../../model/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { intervalText } from '../../../model/interval.ts';
import type { MarketEventKind } from '../../../model/market-events.ts';
import { openRecording } from '../../../recording/catalogue.ts';
import { type SeriesMeta, seriesFileName } from '../../../recording/series-meta.ts';
import { SeriesReader } from '../../../recording/series-reader.ts';
import { type SeriesSource, type UnitScale, unitScale } from '../../../venues/simulated/row-stream.ts';
import { kindText } from './data-use.ts';

/** Marks and funding rates keep their own decimals. */
const IDENTITY: UnitScale = { multiply: 1, divide: 1 };

/** One series of the recordings that a config names. */
export interface RecordedSeries {
  readonly recording: string;
  readonly path: string;
  readonly meta: SeriesMeta;
}

/** The series of the recordings that a config names, and how to find and open them. */
export class RecordedData {
  readonly series: readonly RecordedSeries[];

  /** @throws TidegateError DATA_NOT_FOUND, or DATA_INVALID when two recordings hold the same series. */
  constructor(dataDir: string, names: readonly string[]) {
    const series: RecordedSeries[] = [];
    for (const name of names) {
      const { folder, series: metas } = openRecording(dataDir, name);
      for (const meta of metas) {
        const file = seriesFileName(meta);
        const twin = series.find((other) => seriesFileName(other.meta) === file);
        if (twin !== undefined)
          throw new TidegateError('DATA_INVALID', `recordings ${twin.recording} and ${name} both hold ${file}: name one of them`);
        series.push({ recording: name, path: join(folder, `${file}.bin`), meta });
      }
    }
    this.series = series;
  }

  /** The series by name, for messages that say what there is. */
  get names(): string {
    return this.series.map(({ recording, meta }) => `${recording}/${seriesFileName(meta)}`).join(', ');
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
  open({ path, meta }: RecordedSeries, instrument: Instrument, fromMs?: number): SeriesSource {
    const onGrid = meta.kind !== 'mark' && meta.kind !== 'funding';
    if (onGrid && !new Decimal(meta.priceStep).mod(instrument.tick.text).isZero()) {
      throw new TidegateError(
        'DATA_INVALID',
        `instruments.${instrument.symbol}.tickSize: prices of ${path} are multiples of ${meta.priceStep}, which ${instrument.tick.text} does not divide: give a finer tick`,
      );
    }
    return {
      rows: new SeriesReader(path, meta, { fromMs }),
      price: onGrid ? unitScale(meta.priceDecimals, instrument.tick) : IDENTITY,
      quantity: unitScale(meta.quantityDecimals, instrument.step),
      priceDecimals: meta.priceDecimals,
      quantityDecimals: meta.quantityDecimals,
      intervalMs: meta.intervalMs ?? 0,
    };
  }
}
