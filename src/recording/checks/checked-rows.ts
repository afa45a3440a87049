/** Rows of a series in columns, as the checks see them: a chunk of it, or a part of one. A `SeriesReader` is one. */
export interface CheckedRows {
  readonly length: number;
  /** Epoch ms, fractions to the microsecond. */
  readonly time: Float64Array;
  /** The columns of the kind after the time, as integers of the series' decimals. */
  readonly columns: readonly Float64Array[];
  /** Nanoseconds beyond the microsecond; undefined where all are zero. */
  readonly nanos: Int16Array | undefined;
}
