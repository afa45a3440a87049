import { isoTime } from '../../../model/time.ts';
import { csvLine } from '../csv/csv-line.ts';
import type { MarketWord } from '../market-words.ts';

/** The type of a column's cells. A `single` is a float of 32 bits; a `time` without a zone is `naive`. */
export type CellType =
  | { readonly kind: 'integer' | 'float' | 'single' | 'text' }
  | { readonly kind: 'decimal'; readonly scale: number }
  | { readonly kind: 'time'; readonly unit: TimeUnit; readonly naive: boolean };

export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

/** A column of a table. */
export interface TableField {
  readonly name: string;
  readonly type: CellType;
}

/** The cells of one column in some rows. */
export interface Cells {
  /** Integers of 64 bits as pairs of words, low word first: of integers, decimals and times. */
  readonly words?: Int32Array | undefined;
  /** Other numbers. */
  readonly numbers?: ArrayLike<number> | undefined;
  /** Texts, also of other cells that do not fit 64 bits. */
  readonly text?: ((row: number) => string) | undefined;
  /** A bit for each row, lowest first: 0 is a null. Without it, there are no nulls. */
  readonly valid?: Uint8Array | undefined;
}

/** Some rows of a table. */
export interface TableBatch {
  readonly rows: number;
  /** By field; undefined for those that were not requested. */
  readonly cells: readonly (Cells | undefined)[];
}

/** Reads a table from its first row. */
export interface TableBatches {
  /** The next rows; undefined at the end. */
  next(): TableBatch | undefined | Promise<TableBatch | undefined>;
  close(): void;
}

/** A file of typed columns: Parquet or Arrow. */
export interface Table {
  readonly path: string;
  /** The format of the file. */
  readonly form: 'Parquet' | 'Arrow';
  /** The number of rows that the file states. */
  readonly rows: number | undefined;
  readonly fields: readonly TableField[];
  /** The header and the first rows as lines of CSV. */
  readonly head: readonly string[];
  /** The words of the metadata about the market. */
  readonly words?: readonly MarketWord[];
  /** True if `open` can return the rows in reverse order. */
  readonly reversible: boolean;
  /** @param fields whether a field is read. */
  open(fields: (index: number) => boolean, reverse: boolean): TableBatches;
}

export const HEAD_ROWS = 1_000;

/** The header of a table and its first rows as lines of CSV. */
export function headLines(fields: readonly TableField[], batches: readonly TableBatch[]): string[] {
  const lines = [csvLine(fields.map(({ name }) => name))];
  for (const { rows, cells } of batches) {
    for (let row = 0; row < rows && lines.length <= HEAD_ROWS; row++) {
      lines.push(csvLine(fields.map(({ type }, index) => cellText(type, cells[index]!, row))));
    }
  }
  return lines;
}

/** False for a null. */
export function isValid({ valid }: Cells, row: number): boolean {
  return valid === undefined || ((valid[row >> 3]! >> (row & 7)) & 1) === 1;
}

/** A cell as CSV has it: floats as their shortest decimals, times in ISO 8601, nulls as empty text. */
export function cellText(type: CellType, cells: Cells, row: number): string {
  if (!isValid(cells, row)) return '';
  if (cells.text !== undefined) return cells.text(row);
  switch (type.kind) {
    case 'text':
      return '';
    case 'float':
      return String(cells.numbers![row]!);
    case 'single':
      return singleText(cells.numbers![row]!);
    case 'integer':
      return String(integerOf(cells, row));
    case 'decimal':
      return decimalUnitsText(integerOf(cells, row), type.scale);
    case 'time':
      return timeText(integerOf(cells, row), type.unit, type.naive);
  }
  return type satisfies never;
}

function integerOf({ words, numbers }: Cells, row: number): bigint {
  if (words === undefined) return BigInt(numbers![row]!);
  return (BigInt(words[2 * row + 1]!) << 32n) | BigInt(words[2 * row]! >>> 0);
}

/** Digits that distinguish all floats of 32 bits. */
const DIGITS_OF_A_SINGLE = 9;

/** The shortest decimal that is this float of 32 bits. */
function singleText(value: number): string {
  for (let digits = 1; digits < DIGITS_OF_A_SINGLE; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(DIGITS_OF_A_SINGLE)));
}

/** An integer of `10^-scale` as a decimal with all places. */
export function decimalUnitsText(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${units < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}

const NS_OF: Readonly<Record<TimeUnit, bigint>> = { s: 1_000_000_000n, ms: 1_000_000n, us: 1_000n, ns: 1n };
const LATEST_US = 8_640_000_000_000_000n;

function timeText(units: bigint, unit: TimeUnit, naive: boolean): string {
  const ns = units * NS_OF[unit];
  const nanos = ((ns % 1_000n) + 1_000n) % 1_000n;
  const us = (ns - nanos) / 1_000n;
  if (us > LATEST_US || us < -LATEST_US) return `${units} ${unit}`;
  const text = isoTime(Number(us) / 1_000, Number(nanos));
  return naive ? text.replace(/Z$/, '') : text;
}
