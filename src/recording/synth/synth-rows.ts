import { RowBuffer } from '../columns/row-buffer.ts';
import type { SeriesMeta } from '../columns/series-meta.ts';
import { type SeriesEnding, type SeriesTarget, SeriesWriter } from '../columns/series-writer.ts';

/** The rows of one synthetic series on their way into its file. */
export class SynthRows {
  readonly #writer: SeriesWriter;
  readonly #buffer: RowBuffer;

  constructor(target: SeriesTarget) {
    this.#writer = new SeriesWriter(target);
    this.#buffer = new RowBuffer(target.kind);
  }

  /** @param values the columns of the kind after the time, as integers. */
  add(timeMs: number, values: readonly number[]): void {
    const buffer = this.#buffer;
    buffer.time[buffer.rows] = timeMs * 1_000;
    values.forEach((value, index) => {
      buffer.columns[index]![buffer.rows] = value;
    });
    if (++buffer.rows === buffer.capacity) this.#writer.write(buffer);
  }

  finish(ending: Omit<SeriesEnding, 'source'>): SeriesMeta {
    this.#writer.write(this.#buffer);
    return this.#writer.finish({ ...ending, source: [] });
  }

  abort(): void {
    this.#writer.abort();
  }
}
