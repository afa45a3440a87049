import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';

/** A bar as a test states it: what an import of any of its forms must give. */
export interface BarRow {
  /** Epoch ms. */
  readonly time: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

/** 2025-01-14T08:00:00Z. Days after the twelfth tell the day from the month. */
export const START = Date.UTC(2025, 0, 14, 8);
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Bars that differ in every value, and in which highs are highest and lows lowest. */
export function barRows(count = 6, step = HOUR, start = START): BarRow[] {
  return Array.from({ length: count }, (_, index) => ({
    time: start + index * step,
    open: `${94_000 + index}.25`,
    high: `${94_010 + 2 * index}.5`,
    low: `${93_990 - index}.125`,
    close: `${94_002 + index}.75`,
    volume: `${10 + index}.5`,
  }));
}

const two = (value: number) => String(value).padStart(2, '0');

/** The parts of a time in UTC, as text. */
export function parts(ms: number) {
  const date = new Date(ms);
  return {
    yyyy: String(date.getUTCFullYear()),
    yy: two(date.getUTCFullYear() % 100),
    MM: two(date.getUTCMonth() + 1),
    MMM: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'][date.getUTCMonth()]!,
    dd: two(date.getUTCDate()),
    HH: two(date.getUTCHours()),
    hh: two(date.getUTCHours() % 12 || 12),
    a: date.getUTCHours() < 12 ? 'AM' : 'PM',
    mm: two(date.getUTCMinutes()),
    ss: two(date.getUTCSeconds()),
    SSS: String(date.getUTCMilliseconds()).padStart(3, '0'),
  };
}

/** A time as a pattern of the names of its parts has it: `{dd}.{MM}.{yyyy}`. */
export function stamped(ms: number, pattern: string): string {
  const known: Readonly<Record<string, string>> = parts(ms);
  return pattern.replace(/\{(\w+)\}/g, (_, name: string) => known[name]!);
}

/** Bars as lines of text. */
export function barLines(
  rows: readonly BarRow[],
  {
    header = ['time', 'open', 'high', 'low', 'close', 'volume'] as readonly string[],
    time = (ms: number): string => String(ms),
    number = (text: string): string => text,
    separator = ',',
    order = ['open', 'high', 'low', 'close', 'volume'] as readonly (keyof BarRow)[],
  } = {},
): string[] {
  const lines = rows.map((row) => [time(row.time), ...order.map((name) => number(String(row[name])))].join(separator));
  return header.length === 0 ? lines : [header.join(separator), ...lines];
}

export const text = (lines: readonly string[], end = '\n') => `${lines.join(end)}${end}`;

export const utf16 = (content: string, { big = false, mark = true } = {}): Buffer => {
  const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${content}`, 'utf16le');
  return big ? bytes.swap16() : bytes;
};

export const zipped = (files: Readonly<Record<string, string>>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([name, content]) => [name, new TextEncoder().encode(content)])));

export const gzipped = (content: string): Buffer => gzipSync(content);

/** A NumPy array of records, or of rows of doubles. */
export function npy(
  columns: readonly (readonly [name: string, type: string])[],
  rows: readonly (readonly (number | bigint)[])[],
): Uint8Array {
  const table = columns[0]![0] === '';
  const descr = table ? `'${columns[0]![1]}'` : `[${columns.map(([name, type]) => `('${name}', '${type}')`).join(', ')}]`;
  const shape = table ? `(${rows.length}, ${columns.length})` : `(${rows.length},)`;
  const header = `{'descr': ${descr}, 'fortran_order': False, 'shape': ${shape}, }`;
  const padded = `${header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11)}\n`;
  const data = Buffer.alloc(rows.length * columns.length * 8);
  rows.forEach((row, index) => {
    row.forEach((value, column) => {
      const at = (index * columns.length + column) * 8;
      const type = columns[column]![1];
      if (type === '<f8') data.writeDoubleLE(Number(value), at);
      else if (type === '<u8') data.writeBigUInt64LE(BigInt(value), at);
      else data.writeBigInt64LE(BigInt(value), at);
    });
  });
  const start = Buffer.alloc(10);
  start.write('\u0093NUMPY', 'latin1');
  start[6] = 1;
  start.writeUInt16LE(padded.length, 8);
  return Buffer.concat([start, Buffer.from(padded, 'latin1'), data]);
}
