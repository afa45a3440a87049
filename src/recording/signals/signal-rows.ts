import type { SignalValue } from '../../model/signal.ts';

/** The type of all values of a column. */
export type SignalType = 'number' | 'text';

/** A column of signals apart from the time and the symbol. */
export interface SignalColumn {
  readonly name: string;
  readonly type: SignalType;
}

/** The description of the signals of a recording. */
export interface SignalMeta {
  readonly version: 1;
  readonly kind: 'signal';
  readonly rows: number;
  /** Epoch ms of the first and of the last row, fractions to the microsecond. */
  readonly firstTime: number;
  readonly lastTime: number;
  readonly columns: readonly SignalColumn[];
  /** SHA-256 of the rows, in hex. */
  readonly sha256: string;
  /** In the order of their names; empty if no row has one. */
  readonly symbols: readonly string[];
  /** Base names of the imported files. */
  readonly source: readonly string[];
}

/** Rows of signals by column, in the order of their times. */
export interface SignalRows {
  readonly columns: readonly SignalColumn[];
  /** Epoch ms, fractions to the microsecond. */
  readonly times: ArrayLike<number>;
  /** `undefined` for a row that belongs to no symbol. */
  readonly symbols: readonly (string | undefined)[];
  /** By column, then by row. */
  readonly values: readonly (readonly SignalValue[])[];
}

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** The accepted names of columns, for messages. */
export const COLUMN_NAMES = '1 to 64 letters, digits, "_", "." or "-", starting with a letter, and neither "time" nor "symbol"';

/** True for a valid name of a column of signals. Letter case does not distinguish columns: Parquet readers such as DuckDB ignore it. */
export function isSignalColumn(name: string): boolean {
  return NAME.test(name) && !/^(time|symbol)$/i.test(name);
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const INFINITE = /^[+-]?inf(inity)?$/i;
/** The texts by which files write a missing value. */
const MISSING: ReadonlySet<string> = new Set(['', 'nan', 'null', 'none', 'na', '<na>', 'nat']);

/** True for a text that stands for no value: empty, `nan`, `null`, `None`, `NA`. */
export function isMissing(text: string): boolean {
  return MISSING.has(text.toLowerCase());
}

/** The finite number that a text is; `undefined` for any other text. */
export function numberIn(text: string): number | undefined {
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

/** True for a text by which files write a number, also one that is infinite. */
export function isNumeric(text: string): boolean {
  return NUMBER.test(text) || INFINITE.test(text);
}
