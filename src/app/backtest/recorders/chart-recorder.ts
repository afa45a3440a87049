import type { Engine } from '../../../engine/engine.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import { ChartBars } from '../../../report/chart-bars.ts';
import type { ChartFill, PriceChart } from '../../../report/run-report.ts';
import type { ReadonlyState } from '../../../state/state.ts';
import { isLiquidation } from '../../../statistics/trades/liquidation.ts';
import { OrderLives } from '../figures/order-lives.ts';
import { FinestPrices } from './finest-prices.ts';

/** Interval that charts of single prices start from, in ms. */
const FINEST_MS = 1000;

/** Gathers the price of each traded instrument for the report's charts, in bounded memory, and the lives of its orders. */
export class ChartRecorder {
  readonly #charts: (ChartBars | undefined)[] = [];
  readonly #finest = new FinestPrices();
  readonly #orders = new OrderLives();

  constructor(private readonly instruments: readonly Instrument[]) {}

  observe(engine: Pick<Engine, 'watch' | 'account$'>, state: Pick<ReadonlyState, 'market'>): void {
    this.#orders.observe(engine);
    engine.watch((event) => this.#add(event, state));
  }

  charts(fills: readonly Fill[]): PriceChart[] {
    return this.instruments.flatMap((instrument) => {
      const chart = this.#charts[instrument.index];
      if (chart === undefined) return [];
      const { bars, intervalMs, madeFrom } = chart;
      const marks = fills.filter((fill) => fill.instrument === instrument).map(markOf);
      return [{ symbol: instrument.symbol, bars, intervalMs, madeFrom, fills: marks, orders: this.#orders.of(instrument) }];
    });
  }

  #add(event: MarketEvent, state: Pick<ReadonlyState, 'market'>): void {
    switch (event.kind) {
      case 'quote':
        this.#chart(event, 0)?.addPrice(event.time, event.mid);
        return;
      case 'depth': {
        // The price after it stands in the state; an empty side leaves the one before.
        const { last } = state.market(event.instrument);
        if (!Number.isNaN(last)) this.#chart(event, 0)?.addPrice(event.time, last);
        return;
      }
      case 'bar':
        this.#chart(event, event.intervalMs)?.add(event.openTime, event.open, event.high, event.low, event.close);
        return;
      case 'trade':
        this.#chart(event, 0)?.addPrice(event.time, event.price);
        return;
      case 'ticker':
        this.#chart(event, 0)?.addPrice(event.time, event.last);
        return;
      case 'mark':
      case 'funding':
        // Nothing trades at these.
        return;
      default:
        event satisfies never;
    }
  }

  /** @param interval of a bar in ms; 0 for single prices. */
  #chart(event: MarketEvent, interval: number): ChartBars | undefined {
    const { index } = event.instrument;
    if (!this.#finest.has(index, interval)) return undefined;
    this.#charts[index] ??= new ChartBars(interval === 0 ? FINEST_MS : interval);
    return this.#charts[index];
  }
}

function markOf(fill: Fill): ChartFill {
  const { time, side, positionSide, price, quantity, tag } = fill;
  if (positionSide === 'net') return { time, side, price, quantity, tag };
  return { time, side, price, quantity, tag, positionSide, liquidation: isLiquidation(fill) };
}
