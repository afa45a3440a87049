import { basename } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { isSymbol } from '../../model/instrument.ts';
import { ClockOffsets } from '../columns/clock-offsets.ts';
import { RowBuffer } from '../columns/row-buffer.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { type SeriesTarget, SeriesWriter } from '../columns/series-writer.ts';
import type { ColumnNames } from './csv/csv-layout.ts';
import { DecimalScales } from './decimal-scales.ts';
import { inferInterval } from './infer-interval.ts';
import { type InputFile, openInputFiles } from './input-file.ts';
import { OneSymbol } from './rows/one-symbol.ts';
import { openRows } from './rows/open-rows.ts';
import type { Quarantine } from './rows/quarantine.ts';
import { quoted, type RowError } from './rows/row-error.ts';
import { RowOrder } from './rows/row-order.ts';
import { rowText } from './rows/row-text.ts';
import type { RowsTarget } from './rows/rows-target.ts';

export interface ImportOptions extends SeriesTarget {
  /** CSV files or JSON lines, plain, gzip or zip, in any order; they are joined by time and may not overlap. */
  readonly files: readonly string[];
  /** What a bar's stamp means; `open` by default. Bars are stored by open time. */
  readonly time?: 'open' | 'close' | undefined;
  /** Our column names to the files' headers where those are not recognised. */
  readonly columns?: ColumnNames | undefined;
  /** Of files whose rows say which symbol they are of: the one that is meant, in their words. Without it they may have but one. */
  readonly only?: string | undefined;
  /** Takes the rows that cannot be imported, and is finished by the caller; without it the first one ends the import. */
  readonly quarantine?: Quarantine | undefined;
}

/**
 * Imports files of rows as one series of a recording, exactly: digits become integers without passing through
 * binary fractions. Either the whole series is there afterwards or nothing of it.
 *
 * `intervalMs` left out for bars is the smallest distance between the first thousand bars.
 * @throws TidegateError DATA_INVALID naming file, row and column; DATA_EXISTS; DATA_NOT_FOUND; USAGE.
 */
export function importCsv(options: ImportOptions): SeriesMeta {
  if (!isSymbol(options.symbol)) {
    throw new TidegateError('USAGE', `"${options.symbol}" is no symbol; expected BASE-QUOTE or BASE-QUOTE-PERP in capitals and digits`);
  }
  if (options.files.length === 0) throw new TidegateError('USAGE', 'no files to import');
  // Rows that are refused while looking ahead are refused again while reading.
  const lookAhead = options.quarantine === undefined ? throwIt : () => {};
  const files = openInputFiles(options.files, options.kind, options.columns ?? {}, lookAhead);
  const intervalMs = options.kind === 'bar' ? (options.intervalMs ?? inferInterval(files[0]!, options.only, lookAhead)) : undefined;
  const target = { ...options, intervalMs };
  const scales = new DecimalScales();
  for (;;) {
    const meta = importOnce(files, target, scales);
    if (meta !== undefined) return meta;
  }
}

/**
 * One pass over the files; `undefined` when the decimals changed after rows were written: `scales` then
 * knows them and the next pass goes through. Each such pass adds places or lowers the cap, so they end.
 */
function importOnce(files: readonly InputFile[], options: ImportOptions, scales: DecimalScales): SeriesMeta | undefined {
  const { quarantine } = options;
  quarantine?.restart();
  const writer = new SeriesWriter(options);
  try {
    const buffer = new RowBuffer(options.kind);
    const order = new RowOrder(options.intervalMs);
    const symbol = new OneSymbol(options.only);
    const clock = new ClockOffsets();
    const { price, quantityCap } = scales;
    let quantity = scales.quantity;
    let writtenPrice = price;
    let stale = false;
    const flush = () => {
      const grew = writer.rows > 0 && (scales.price !== writtenPrice || scales.quantity !== quantity);
      stale ||= grew || scales.quantityCap !== quantityCap;
      writtenPrice = scales.price;
      quantity = scales.quantity;
      if (stale) buffer.rows = 0;
      else writer.write(buffer);
    };
    const refuse = quarantine?.refuse ?? throwIt;
    for (const file of files) readFile(file, options, { scales, symbol, clock, buffer, order, flush, refuse });
    flush();
    if (stale) {
      writer.abort();
      return undefined;
    }
    if (writer.rows === 0 && options.only !== undefined && quarantine?.first === undefined)
      throw new TidegateError('DATA_INVALID', `no row is of ${quoted(options.only)}; expected a symbol as the files write it after --only`);
    if (writer.rows === 0 && quarantine?.first !== undefined) {
      throw new TidegateError(
        'DATA_INVALID',
        `none of the ${quarantine.count} rows can be imported; the first: ${quarantine.first.message}`,
      );
    }
    return writer.finish({
      priceDecimals: scales.price,
      quantityDecimals: scales.quantity,
      source: files.map((file) => basename(file.path)),
      clock: clock.offset,
    });
  } catch (error) {
    writer.abort();
    throw error;
  }
}

/** What one pass over all files shares. */
interface Pass extends RowsTarget {
  readonly order: RowOrder;
  readonly flush: () => void;
}

function readFile(file: InputFile, options: ImportOptions, pass: Pass): void {
  const { scales, buffer, order, flush, refuse } = pass;
  const rows = openRows(file, pass);
  try {
    const shiftUs = options.time === 'close' ? (options.intervalMs ?? 0) * 1_000 : 0;
    for (let more = true; more; ) {
      if (buffer.rows === buffer.capacity) flush();
      const from = buffer.rows;
      more = rows.fill();
      if (shiftUs !== 0) for (let row = from; row < buffer.rows; row++) buffer.time[row]! -= shiftUs;
      order.check(buffer, from, file.path, (error, row) => refuse(error, () => rowText(buffer, row, scales)));
    }
  } finally {
    rows.close();
  }
}

function throwIt(error: RowError): never {
  throw error;
}
