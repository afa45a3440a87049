/** Recordings of market data from code: the entry `tidegate/data`. */

export {
  type DataFinding,
  type ImportFilesOptions,
  type ImportResult,
  importFiles,
  type StoredRows,
  type WriteSeriesOptions,
  writeSeries,
} from '../app/library/import-rows.ts';
export {
  type ColumnOptions,
  listRecordings,
  openSeries,
  type RecordingInfo,
  type Series,
  type SeriesChoice,
  type SeriesInfo,
  type SeriesPeriod,
} from '../app/library/recordings.ts';
export type {
  BarRow,
  DepthRow,
  FundingRow,
  MarkRow,
  NewRow,
  QuoteRow,
  RowTime,
  SeriesColumns,
  SeriesKind,
  SeriesRow,
  SeriesRowTypes,
  TickerRow,
  TradeRow,
} from '../app/library/series-rows.ts';
export { type ErrorCode, TidegateError } from '../model/errors.ts';
