import type { SeriesKind } from '../columns/series-meta.ts';
import { type ByteSource, openBytes } from './bytes.ts';

const MAGIC = '\u0093NUMPY';
const BLOCK_ROWS = 4_096;
/** Numbers of NumPy's types, little endian. */
const READERS: Readonly<Record<string, { readonly bytes: number; readonly text: (view: DataView, at: number) => string }>> = {
  '<f8': { bytes: 8, text: (view, at) => String(view.getFloat64(at, true)) },
  '<f4': { bytes: 4, text: (view, at) => String(view.getFloat32(at, true)) },
  '<i8': { bytes: 8, text: (view, at) => String(view.getBigInt64(at, true)) },
  '<u8': { bytes: 8, text: (view, at) => String(view.getBigUint64(at, true)) },
  '<i4': { bytes: 4, text: (view, at) => String(view.getInt32(at, true)) },
  '<u4': { bytes: 4, text: (view, at) => String(view.getUint32(at, true)) },
};

/** One column of an array. */
interface Column {
  readonly name: string | undefined;
  readonly type: string;
}

/**
 * Writes the array of a NumPy file (`.npy`, or `.npz` with one array) as CSV: a table of numbers without a header, records with one. The
 * events of hftbacktest become the trades, or the depth, that its local side receives.
 * @throws Error for an array of another shape or type.
 */
export function npzToText(file: string, kind: SeriesKind, give: (piece: Uint8Array) => void): void {
  const source = openBytes(file);
  try {
    const { columns, rows } = readHeader(source);
    const isEvents = columns.some(({ name }) => name === 'ev') && columns.some(({ name }) => name === 'local_ts');
    const convert = isEvents ? hftEvents(columns, kind) : (values: readonly string[]) => `${values.join(',')}\n`;
    const names = isEvents ? HFT_HEADER : columns[0]!.name === undefined ? '' : `${columns.map(({ name }) => name).join(',')}\n`;
    give(Buffer.from(names));
    const readers = columns.map(({ type }) => READERS[type]!);
    const rowBytes = readers.reduce((sum, { bytes }) => sum + bytes, 0);
    for (let row = 0; row < rows; ) {
      const count = Math.min(BLOCK_ROWS, rows - row);
      const block = exactly(source, count * rowBytes);
      const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
      let lines = '';
      for (let at = 0; at < block.length; ) {
        const values = readers.map(({ bytes, text }) => {
          at += bytes;
          return text(view, at - bytes);
        });
        lines += convert(values);
      }
      give(Buffer.from(lines));
      row += count;
    }
  } finally {
    source.close();
  }
}

function readHeader(source: ByteSource): { columns: readonly Column[]; rows: number } {
  const start = exactly(source, 8);
  if (start.toString('latin1', 0, 6) !== MAGIC) throw new Error('no array of NumPy');
  const length = start[6] === 1 ? exactly(source, 2).readUInt16LE() : exactly(source, 4).readUInt32LE();
  if (length > 1 << 20) throw new Error('its header is damaged');
  const text = exactly(source, length).toString('latin1');
  const shape = (/'shape':\s*\(([^)]*)\)/.exec(text)?.[1] ?? '').split(',').filter((part) => part.trim() !== '');
  const [rows = Number.NaN, width = 1] = shape.map(Number);
  const plain = /'descr':\s*'([^']+)'/.exec(text)?.[1];
  const named = [...text.matchAll(/\('([^']+)',\s*'([^']+)'\)/g)].map(([, name, type]) => ({ name, type: type! }));
  const columns = plain === undefined ? named : Array.from({ length: width }, () => ({ name: undefined, type: plain }));
  const isTable = plain === undefined ? shape.length === 1 : shape.length === 2;
  const unknown = columns.find(({ type }) => READERS[type] === undefined);
  if (!isTable || columns.length === 0 || !Number.isSafeInteger(rows) || /'fortran_order':\s*True/.test(text) || unknown !== undefined) {
    throw new Error(`expected a table of numbers, or records of them, not ${text.trim().slice(0, 100)}`);
  }
  return { columns, rows };
}

function exactly(source: ByteSource, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  for (let filled = 0; filled < count; ) {
    const read = source.read(bytes, filled);
    if (read === 0) throw new Error('the file ends too early');
    filled += read;
  }
  return bytes;
}

const HFT_HEADER = 'local_ns,exch_ns,side,px,qty,is_snapshot,hftbacktest_ev\n';
const DEPTH = 1;
const TRADE = 2;
const CLEAR = 3;
const SNAPSHOT = 4;
const LOCAL = 1n << 30n;
const BUY = 1n << 29n;

/** @throws Error for levels that are cleared without a new snapshot. */
function hftEvents(columns: readonly Column[], kind: SeriesKind): (values: readonly string[]) => string {
  const wanted = kind === 'trade' ? [TRADE] : kind === 'depth' ? [DEPTH, SNAPSHOT] : undefined;
  if (wanted === undefined) throw new Error('events of hftbacktest are trades and depth; expected --kind trade or depth');
  const [ev, exchange, local, price, quantity] = ['ev', 'exch_ts', 'local_ts', 'px', 'qty'].map((wanted) =>
    columns.findIndex(({ name }) => name === wanted),
  );
  let cleared: string | undefined;
  return (values) => {
    const flags = BigInt(values[ev!]!);
    const type = Number(flags & 0xffn);
    const time = values[local!]!;
    // The exchange's side has the other events.
    if ((flags & LOCAL) === 0n) return '';
    if (kind === 'depth' && type === CLEAR) cleared = time;
    if (!wanted.includes(type)) return '';
    if (cleared !== undefined && kind === 'depth') {
      if (type !== SNAPSHOT || cleared !== time) throw new Error(`levels are cleared at ${cleared} without a snapshot at that time`);
      cleared = undefined;
    }
    const isBuy = (flags & BUY) !== 0n;
    const side = kind === 'trade' ? (isBuy ? 'buy' : 'sell') : isBuy ? 'bid' : 'ask';
    return `${time},${values[exchange!]},${side},${values[price!]},${values[quantity!]},${type === SNAPSHOT},${flags}\n`;
  };
}
