import type { SeriesMeta, SyntheticOrigin } from '../columns/series-meta.ts';
import type { SeriesTarget } from '../columns/series-writer.ts';
import { SynthRows } from './synth-rows.ts';
import type { SynthStream } from './synth-stream.ts';
import type { SynthWork } from './synth-work.ts';

// A local name: globals are slow to look up inside a vm context, such as jest's.
const { max, min } = Math;

/**
 * Writes one series from a stream's steps. Tickers are the changes of the last price; bars are the bars of
 * those tickers (their volume is that of all trades), flat where a minute has none.
 */
export class SynthSeries implements SynthWork {
  readonly #rows: SynthRows;
  readonly #kind: SeriesTarget['kind'];
  readonly #intervalMs: number;
  /** The bar being built: open, high, low, close in price units, volume. */
  #bar = [0, 0, 0, 0, 0];
  #barOpen: number;
  #barTraded = false;

  /** @param startMs a whole interval; the series covers [startMs, streamEndMs). */
  constructor(
    target: SeriesTarget,
    startMs: number,
    readonly streamEndMs: number,
  ) {
    this.#rows = new SynthRows(target);
    this.#kind = target.kind;
    this.#intervalMs = target.intervalMs ?? 0;
    this.#barOpen = startMs;
  }

  add(stream: SynthStream): void {
    if (stream.time >= this.streamEndMs) return;
    const unit = stream.tick.numerator;
    if (this.#kind === 'bar') this.#addToBar(stream, unit);
    else if (this.#kind === 'trade') this.#rows.add(stream.time, [stream.last * unit, stream.quantity, stream.side]);
    else if (this.#kind === 'quote')
      this.#rows.add(stream.time, [stream.bid * unit, stream.ask * unit, stream.bidQuantity, stream.askQuantity]);
    else if (stream.changed) this.#rows.add(stream.time, [stream.last * unit]);
  }

  finish(stream: SynthStream, synthetic: SyntheticOrigin): SeriesMeta {
    while (this.#kind === 'bar' && this.#barOpen < this.streamEndMs) this.#closeBar();
    return this.#rows.finish({ priceDecimals: stream.tick.decimals, quantityDecimals: this.#quantityDecimals(stream), synthetic });
  }

  abort(): void {
    this.#rows.abort();
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
    this.#rows.add(this.#barOpen, this.#bar);
    this.#bar.fill(this.#bar[3]!, 0, 3);
    this.#bar[4] = 0;
    this.#barTraded = false;
    this.#barOpen += this.#intervalMs;
  }
}
