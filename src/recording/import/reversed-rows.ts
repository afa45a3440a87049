import { RowBuffer } from '../columns/chunks.ts';
import { ImportNotes } from './import-notes.ts';
import type { RowSource, RowsTarget } from './rows.ts';

/** The rows of a newest-first file, oldest first. All of them are kept in memory: about 60 bytes for a bar. */
export class ReversedRows implements RowSource {
  readonly #chunks: RowBuffer[];
  readonly #target: RowBuffer;
  readonly seen: number;
  readonly passedOver: number;
  #row = 0;

  /** @param open opens the file and writes its rows to the given target. */
  constructor(open: (target: RowsTarget) => RowSource, target: RowsTarget) {
    const { scales } = target;
    this.#target = target.buffer;
    // The first pass finds the number of decimals, so that in the second one all rows have the same.
    readAll(open, uncounted(target));
    let read = readAll(open, target);
    for (let before = ''; before !== placesOf(scales); ) {
      before = placesOf(scales);
      if (read.places !== before) read = readAll(open, uncounted(target));
    }
    this.#chunks = read.chunks;
    this.seen = read.seen;
    this.passedOver = read.passedOver;
    this.#row = this.#chunks.at(-1)?.rows ?? 0;
  }

  fill(): boolean {
    const target = this.#target;
    while (target.rows < target.capacity) {
      const chunk = this.#chunks.at(-1);
      if (chunk === undefined) return false;
      if (this.#row === 0) {
        this.#chunks.pop();
        this.#row = this.#chunks.at(-1)?.rows ?? 0;
        continue;
      }
      copyRow(chunk, --this.#row, target);
    }
    return true;
  }

  close(): void {
    this.#chunks.length = 0;
  }
}

/** A pass whose bad rows and roundings another pass counts. */
const uncounted = (target: RowsTarget): RowsTarget => ({ ...target, refuse: () => {}, notes: new ImportNotes(target.notes.decimals) });

const placesOf = ({ price, quantity, quantityCap }: RowsTarget['scales']) => `${price} ${quantity} ${quantityCap}`;

/** All rows of a file, and their initial decimals. */
function readAll(open: (target: RowsTarget) => RowSource, target: RowsTarget) {
  const places = placesOf(target.scales);
  const chunks: RowBuffer[] = [];
  // The source fills the buffer with which it was opened: each full one is moved away.
  const buffer = new RowBuffer(target.buffer.kind);
  const source = open({ ...target, buffer });
  try {
    for (let more = true; more; ) {
      more = source.fill();
      chunks.push(copyOf(buffer));
      buffer.rows = 0;
    }
    return { chunks, places, seen: source.seen, passedOver: source.passedOver };
  } finally {
    source.close();
  }
}

function copyOf(buffer: RowBuffer): RowBuffer {
  const copy = new RowBuffer(buffer.kind);
  copy.time.set(buffer.time);
  copy.nanos.set(buffer.nanos);
  copy.lines.set(buffer.lines);
  for (const [index, column] of buffer.columns.entries()) copy.columns[index]!.set(column);
  copy.rows = buffer.rows;
  return copy;
}

function copyRow(from: RowBuffer, row: number, to: RowBuffer): void {
  const at = to.rows++;
  to.time[at] = from.time[row]!;
  to.nanos[at] = from.nanos[row]!;
  to.lines[at] = from.lines[row]!;
  for (const [index, column] of from.columns.entries()) to.columns[index]![at] = column[row]!;
}
