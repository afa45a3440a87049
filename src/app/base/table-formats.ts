/** The formats of a run's tables. `parquet`: Parquet in addition to CSV, which `compare`, `bundle` and `verify` read. */
export const TABLE_FORMATS = ['csv', 'parquet'] as const;

export type TableFormat = (typeof TABLE_FORMATS)[number];

/** How numbers of CSV tables become Parquet: exact decimals, or doubles as pandas and polars compute with. */
export const TABLE_NUMBERS = ['decimal', 'float'] as const;

/** The times of CSV tables: epoch ms, or also as ISO 8601 in further columns. */
export const TABLE_TIMES = ['ms', 'iso'] as const;

/** The form of a run's tables. */
export interface TableForm {
  readonly format?: TableFormat | undefined;
  readonly numbers?: (typeof TABLE_NUMBERS)[number] | undefined;
  readonly times?: (typeof TABLE_TIMES)[number] | undefined;
}

/** Settings of a config, as `--set` takes them, for the form that a command line asks for. */
export function formSettings({ format, numbers, times }: TableForm): string[] {
  return Object.entries({ format, numbers, times }).flatMap(([name, value]) => (value === undefined ? [] : [`report.${name}=${value}`]));
}
