import type { Engine } from '../../../engine/engine.ts';
import type { OrderEvent, OrderSubmitted } from '../../../model/account-events.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import type { OrderRequest } from '../../../model/order.ts';
import { ChartBars } from '../../../report/chart-bars.ts';
import type { ChartFill, ChartOrder, OrderChange, PriceChart } from '../../../report/run-report.ts';
import type { ReadonlyState } from '../../../state/state.ts';
import { isLiquidation } from '../../../statistics/trades/trade.ts';
import { FinestPrices } from './price-tape.ts';

/** A life under way. */
interface Life {
  readonly order: Omit<ChartOrder, 'changes'>;
  readonly changes: OrderChange[];
  readonly instrument: Instrument;
  filledSteps: number;
  endTime: number | undefined;
  end: string;
}

/** Follows every order from its placing over its changes to its end, for the price charts. */
export class OrderLives {
  readonly #lives = new Map<string, Life>();

  observe(engine: Pick<Engine, 'account$'>): void {
    engine.account$.subscribe((event) => {
      switch (event.kind) {
        case 'orderSubmitted':
          this.#submitted(event);
          return;
        case 'orderFilled':
          this.#filled(event);
          return;
        case 'orderCanceled':
        case 'orderExpired':
          this.#end(event, `${WORDS[event.kind]} (${event.reason})`);
          return;
        case 'orderRejected':
        case 'orderDenied':
          this.#end(event, `${WORDS[event.kind]} (${event.reason.code})`);
          return;
        default:
      }
    });
  }

  /** The orders of one instrument, in the order of their placing. */
  of(instrument: Instrument): ChartOrder[] {
    return [...this.#lives.values()].filter((life) => life.instrument === instrument).map(orderOf);
  }

  #submitted({ time, clientOrderId, request, type, stopTicks, again }: OrderSubmitted): void {
    const { instrument, side, tag } = request;
    const known = this.#lives.get(clientOrderId);
    const terms = termsOf(request, stopTicks);
    if (again && known !== undefined) {
      known.changes.push({ time, ...terms });
      return;
    }
    const order = { time, side, type, tag, ...terms, endTime: undefined, state: '' };
    this.#lives.set(clientOrderId, { order, changes: [], instrument, filledSteps: 0, endTime: undefined, end: '' });
  }

  #filled({ time, clientOrderId, fill, complete }: Extract<OrderEvent, { kind: 'orderFilled' }>): void {
    const life = this.#lives.get(clientOrderId);
    if (life === undefined) return;
    life.filledSteps += fill.steps;
    if (complete) [life.endTime, life.end] = [time, 'filled'];
  }

  #end({ time, clientOrderId }: OrderEvent, end: string): void {
    const life = this.#lives.get(clientOrderId);
    if (life !== undefined) [life.endTime, life.end] = [time, end];
  }
}

const WORDS = { orderCanceled: 'canceled', orderExpired: 'expired', orderRejected: 'rejected', orderDenied: 'denied' } as const;

function termsOf({ instrument, priceTicks, triggerTicks, steps, quoteQuantity }: OrderRequest, stopTicks: number | undefined) {
  const price = (ticks: number | undefined) => (ticks === undefined ? undefined : instrument.tick.toNumber(ticks));
  const size = steps === undefined ? `${quoteQuantity?.toFixed() ?? ''} ${instrument.quote}` : instrument.step.toText(steps);
  return { price: price(priceTicks), stopPrice: price(stopTicks ?? triggerTicks), size };
}

function orderOf({ order, changes, instrument, filledSteps, endTime, end }: Life): ChartOrder {
  const part = filledSteps > 0 && end !== 'filled' ? `${instrument.step.toText(filledSteps)} filled` : '';
  return { ...order, changes, endTime, state: [part, end || 'open'].filter((word) => word !== '').join(', ') };
}

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
