import { longerInterval } from '../chart-bars.ts';

/** One candle: all bars whose opens lie in its length. */
export interface PictureCandle {
  /** Epoch ms of its open, a multiple of its length. */
  readonly time: number;
  readonly open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

/**
 * Candles with volumes in bounded memory: where there would be more than `limit`, all are merged into the next longer ones,
 * their highs, lows and volumes kept. As long as none are merged, bars keep their own times.
 */
export class PictureCandles {
  candles: PictureCandle[] = [];
  #merged = false;

  /** @param intervalMs the length of the bars; of the candles after that. */
  constructor(
    public intervalMs: number,
    private readonly limit: number,
  ) {}

  add(time: number, open: number, high: number, low: number, close: number, volume: number): void {
    this.#put({ time, open, high, low, close, volume });
    while (this.candles.length > this.limit) this.#coarsen();
  }

  #put(bar: PictureCandle): void {
    const time = this.#merged ? Math.floor(bar.time / this.intervalMs) * this.intervalMs : bar.time;
    const last = this.candles.at(-1);
    if (last === undefined || time > last.time) {
      this.candles.push({ ...bar, time });
      return;
    }
    last.high = Math.max(last.high, bar.high);
    last.low = Math.min(last.low, bar.low);
    last.close = bar.close;
    last.volume += bar.volume;
  }

  #coarsen(): void {
    const finer = this.candles;
    this.candles = [];
    this.#merged = true;
    this.intervalMs = longerInterval(this.intervalMs);
    for (const candle of finer) this.#put(candle);
  }
}
