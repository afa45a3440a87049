/** The formats of a run's tables. `parquet`: Parquet in addition to CSV, which `compare`, `bundle` and `verify` read. */
export const TABLE_FORMATS = ['csv', 'parquet'] as const;

export type TableFormat = (typeof TABLE_FORMATS)[number];
