import { RowBuffer } from './row-buffer.ts';
import type { SeriesMeta, SyntheticOrigin } from './series-meta.ts';
import { type SeriesTarget, SeriesWriter } from './series-writer.ts';
import type { SynthStream } from './synth-stream.ts';

// A local name: globals are slow to look up inside a vm context, such as jest's.
const { max, min } = Math;

/**
 * Writes one series from a stream's steps. Tickers are the changes of the last price; bars are the bars of
 * those tickers (their volume is that of all trades), flat where a minute has none.
 */
export class SynthSeries {
  readonly #writer: SeriesWriter;
  readonly #buffer: RowBuffer;
  readonly #kind: SeriesTarget['kind'];
  readonly #intervalMs: number;
  readonly #endMs: number;
  /** The bar being built: open, high, low, close in price units, volume. */
  #bar = [0, 0, 0, 0, 0];
  #barOpen: number;
  #barTraded = false;

  /** @param startMs a whole interval; the series covers [startMs, endMs). */
  constructor(target: SeriesTarget, startMs: number, endMs: number) {
    this.#writer = new SeriesWriter(target);
    this.#buffer = new RowBuffer(target.kind);
    this.#kind = target.kind;
    this.#intervalMs = target.intervalMs ?? 0;
    this.#barOpen = startMs;
    this.#endMs = endMs;
  }

  /** Takes the stream's present step in; steps after the end are left out. */
  add(stream: SynthStream): void {
    if (stream.time >= this.#endMs) return;
    const unit = stream.tick.numerator;
    if (this.#kind === 'bar') this.#addToBar(stream, unit);
    else if (this.#kind === 'trade') this.#row(stream.time, [stream.last * unit, stream.quantity, stream.side]);
    else if (this.#kind === 'quote') this.#row(stream.time, [stream.bid * unit, stream.ask * unit, stream.bidQuantity, stream.askQuantity]);
    else if (stream.changed) this.#row(stream.time, [stream.last * unit]);
  }

  finish(stream: SynthStream, synthetic: SyntheticOrigin): SeriesMeta {
    while (this.#kind === 'bar' && this.#barOpen < this.#endMs) this.#closeBar();
    this.#writer.write(this.#buffer);
    return this.#writer.finish({
      priceDecimals: stream.tick.decimals,
      quantityDecimals: this.#quantityDecimals(stream),
      source: [],
      synthetic,
    });
  }

  abort(): void {
    this.#writer.abort();
  }

  #quantityDecimals(stream: SynthStream): number {
    return this.#kind === 'ticker' ? 0 : stream.quantityDecimals;
  }

  #addToBar(stream: SynthStream, unit: number): void {
    while (stream.time >= this.#barOpen + this.#intervalMs) this.#closeBar();
    const price = stream.last * unit;
    const bar = this.#bar;
    if (stream.changed && !this.#barTraded) bar.fill(price, 0, 4);
    if (stream.changed) {
      bar[1] = max(bar[1]!, price);
      bar[2] = min(bar[2]!, price);
      bar[3] = price;
      this.#barTraded = true;
    }
    bar[4]! += stream.quantity;
  }

  #closeBar(): void {
    this.#row(this.#barOpen, this.#bar);
    this.#bar.fill(this.#bar[3]!, 0, 3);
    this.#bar[4] = 0;
    this.#barTraded = false;
    this.#barOpen += this.#intervalMs;
  }

  #row(timeMs: number, values: readonly number[]): void {
    const buffer = this.#buffer;
    buffer.time[buffer.rows] = timeMs * 1_000;
    values.forEach((value, index) => {
      buffer.columns[index]![buffer.rows] = value;
    });
    if (++buffer.rows === buffer.capacity) this.#writer.write(buffer);
  }
}
