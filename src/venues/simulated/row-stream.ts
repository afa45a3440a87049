/**
 * Rows of one recorded series as columns, a chunk at a time; `next()` overwrites what the last call
 * loaded. A `recording/series-reader` is one; so is anything in memory of the same shape.
 */
export interface RowStream {
  readonly length: number;
  /** Epoch ms, fractions to the microsecond; bars: open times. */
  readonly time: Float64Array;
  /** Raw integers, in the order that the kind's columns have in recordings. */
  readonly columns: readonly Float64Array[];
  /** Nanoseconds beyond the microsecond, where the source had them. */
  readonly nanos: Int16Array | undefined;
  next(): boolean;
  close(): void;
}

/** How the raw integers of a series become ticks and steps: `raw x multiply / divide`, exact. */
export interface UnitScale {
  readonly multiply: number;
  readonly divide: number;
}

export interface SeriesSource {
  readonly rows: RowStream;
  /** Of no use for marks and funding, which keep their own decimals. */
  readonly price: UnitScale;
  readonly quantity: UnitScale;
  /** Decimals of raw prices: marks and funding rates are never snapped to a grid. */
  readonly priceDecimals: number;
  /** Decimals of raw quantities: volumes are plain numbers. */
  readonly quantityDecimals: number;
  /** Length of a bar; 0 for other kinds. */
  readonly intervalMs: number;
  /** Of depth: how many snapshots there are; 0 for other kinds. */
  readonly snapshots: number;
}

/** The exact scale from integers of `10^-decimals` to units of a grid of `numerator / 10^gridDecimals`. */
export function unitScale(decimals: number, grid: { readonly numerator: number; readonly decimals: number }): UnitScale {
  const up = Math.max(0, grid.decimals - decimals);
  const down = Math.max(0, decimals - grid.decimals);
  return { multiply: 10 ** up, divide: 10 ** down * grid.numerator };
}
