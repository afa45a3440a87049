import type { Engine } from '../../engine/engine.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import { ChartBars } from '../../report/chart-bars.ts';
import type { PriceChart } from '../../report/run-report.ts';

/** Interval that charts of single prices start from, in ms. */
const FINEST_MS = 1000;

/** Gathers the price of each traded instrument for the report's charts, in bounded memory. */
export class ChartRecorder {
  readonly #charts: (ChartBars | undefined)[] = [];
  /** Of bars, only the recorded interval is drawn: longer ones are built from it. */
  readonly #intervals: (number | undefined)[] = [];

  constructor(private readonly instruments: readonly Instrument[]) {}

  observe(engine: Engine): void {
    engine.market$.subscribe((event) => this.#add(event));
  }

  charts(fills: readonly Fill[]): PriceChart[] {
    return this.instruments.flatMap((instrument) => {
      const chart = this.#charts[instrument.index];
      if (chart === undefined) return [];
      const { bars, intervalMs, madeFrom } = chart;
      const own = fills.filter((fill) => fill.instrument === instrument);
      const marks = own.map(({ time, side, price, quantity, tag }) => ({ time, side, price, quantity, tag }));
      return [{ symbol: instrument.symbol, bars, intervalMs, madeFrom, fills: marks }];
    });
  }

  #add(event: MarketEvent): void {
    const { index } = event.instrument;
    const interval = event.kind === 'bar' ? event.intervalMs : 0;
    const known = this.#intervals[index];
    // Built bars beside the prices (or shorter bars) they are made of would count twice.
    if (known !== undefined && known !== interval) return;
    this.#intervals[index] = interval;
    this.#charts[index] ??= new ChartBars(interval === 0 ? FINEST_MS : interval);
    const chart = this.#charts[index]!;
    if (event.kind === 'bar') chart.add(event.openTime, event.open, event.high, event.low, event.close);
    else chart.addPrice(event.time, event.kind === 'quote' ? event.mid : event.kind === 'trade' ? event.price : event.last);
  }
}
