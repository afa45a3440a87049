import type { Engine } from '../../../engine/engine.ts';
import type { OrderEvent, OrderSubmitted } from '../../../model/account-events.ts';
import { type BarInterval, longestBarMs } from '../../../model/bar-interval.ts';
import { ItemColumn, MadeRows, MoneyColumn, NumberColumn, type Rows } from '../../../model/columns.ts';
import { ZERO } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent, QuoteRows } from '../../../model/market-events.ts';
import type { OrderRequest } from '../../../model/order.ts';
import { ChartBars } from '../../../report/chart-bars.ts';
import type { PlotCurves } from '../../../report/plot-curves.ts';
import type { ChartFill, ChartOrder, OrderChange, PriceChart } from '../../../report/run-report.ts';
import type { ReadonlyState } from '../../../state/state.ts';
import type { RecordedFill } from '../../../statistics/fill-columns.ts';
import { ENDED_KEPT, Newest } from './newest.ts';
import { FinestPrices } from './price-tape.ts';

/** The facts that orders of one kind share. */
type Terms = Pick<OrderRequest, 'instrument' | 'side' | 'tag'> & Pick<ChartOrder, 'type'>;

/** Prices, triggers and sizes of orders, one row for each time that an order got them. */
class Sizes {
  readonly #priceTicks = new NumberColumn();
  readonly #stopTicks = new NumberColumn();
  readonly #steps = new NumberColumn();
  /** The amount of an order by quote; zero for other orders. */
  readonly #quote = new MoneyColumn();

  push({ priceTicks, triggerTicks, steps, quoteQuantity }: OrderRequest, stopTicks: number | undefined): void {
    this.#priceTicks.push(priceTicks ?? Number.NaN);
    this.#stopTicks.push(stopTicks ?? triggerTicks ?? Number.NaN);
    this.#steps.push(steps ?? Number.NaN);
    this.#quote.push(quoteQuantity ?? ZERO);
  }

  price(index: number, { tick }: Instrument): number | undefined {
    return priceOf(this.#priceTicks.at(index), tick);
  }

  stopPrice(index: number, { tick }: Instrument): number | undefined {
    return priceOf(this.#stopTicks.at(index), tick);
  }

  size(index: number, { step, quote }: Instrument): string {
    const steps = this.#steps.at(index);
    return Number.isNaN(steps) ? `${this.#quote.at(index).toFixed()} ${quote}` : step.toText(steps);
  }
}

function priceOf(ticks: number, tick: Instrument['tick']): number | undefined {
  return Number.isNaN(ticks) ? undefined : tick.toNumber(ticks);
}

/** Marks the end of an order's chain of changes: there is no earlier change. */
const NONE = -1;
const OPEN = -1;

/** Orders in the order of their placement. */
class LifeColumns {
  readonly terms = new ItemColumn<Terms>(({ instrument, side, type, tag }) => `${instrument.index}/${side}/${type}/${tag}`);
  readonly sizes = new Sizes();
  readonly time = new NumberColumn();
  /** The time from an order's placement to its end, in ms; `OPEN` while the order is open. */
  readonly lasted = new NumberColumn();
  readonly end = new ItemColumn<string>((end) => end);
  readonly filledSteps = new NumberColumn();
  /** The index of an order's newest change; `earlierChange` has for each change the index of the change before it. */
  readonly newestChange = new NumberColumn();
  readonly earlierChange = new NumberColumn();
  readonly changeTime = new NumberColumn();
  readonly changeSizes = new Sizes();
}

/** An order as it was placed, with its changes and its end. It reads the columns only when a field is read. */
class Life implements ChartOrder {
  readonly #columns: LifeColumns;
  readonly #place: number;
  readonly #terms: Terms;

  constructor(columns: LifeColumns, place: number) {
    this.#columns = columns;
    this.#place = place;
    this.#terms = columns.terms.at(place);
  }

  get time() {
    return this.#columns.time.at(this.#place);
  }
  get endTime() {
    const lasted = this.#columns.lasted.at(this.#place);
    return lasted === OPEN ? undefined : this.time + lasted;
  }
  get side() {
    return this.#terms.side;
  }
  get type() {
    return this.#terms.type;
  }
  get tag() {
    return this.#terms.tag;
  }
  get price() {
    return this.#columns.sizes.price(this.#place, this.#terms.instrument);
  }
  get stopPrice() {
    return this.#columns.sizes.stopPrice(this.#place, this.#terms.instrument);
  }
  get size() {
    return this.#columns.sizes.size(this.#place, this.#terms.instrument);
  }
  get state() {
    const steps = this.#columns.filledSteps.at(this.#place);
    const end = this.#columns.end.at(this.#place);
    const part = steps > 0 && end !== 'filled' ? `${this.#terms.instrument.step.toText(steps)} filled, ` : '';
    return `${part}${end || 'open'}`;
  }
  get changes() {
    const { instrument } = this.#terms;
    const { newestChange, earlierChange, changeTime, changeSizes } = this.#columns;
    const changes: OrderChange[] = [];
    for (let at = newestChange.at(this.#place); at !== NONE; at = earlierChange.at(at)) {
      const [price, stopPrice] = [changeSizes.price(at, instrument), changeSizes.stopPrice(at, instrument)];
      changes.push({ time: changeTime.at(at), price, stopPrice, size: changeSizes.size(at, instrument) });
    }
    return changes.reverse();
  }
}

/** Records every order from its placement to its end, with its changes, for the price charts. */
export class OrderLives {
  readonly #columns = new LifeColumns();
  /** The places of open orders and of the newest ended ones, by client order id. */
  readonly #places = new Map<string, number>();
  readonly #ended = new Newest<string>(ENDED_KEPT);

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

  /** The orders of one instrument, in the order of their placement. */
  of(instrument: Instrument): Rows<ChartOrder> {
    const { terms } = this.#columns;
    const places = new NumberColumn();
    for (let place = 0; place < terms.length; place++) if (terms.at(place).instrument === instrument) places.push(place);
    return new MadeRows(places.length, (index) => new Life(this.#columns, places.at(index)));
  }

  #submitted({ time, clientOrderId, request, type, stopTicks, again }: OrderSubmitted): void {
    const { instrument, side, tag } = request;
    const columns = this.#columns;
    const known = this.#places.get(clientOrderId);
    if (again && known !== undefined) {
      columns.earlierChange.push(columns.newestChange.at(known));
      columns.newestChange.set(known, columns.changeTime.length);
      columns.changeTime.push(time);
      columns.changeSizes.push(request, stopTicks);
      return;
    }
    this.#places.set(clientOrderId, columns.time.length);
    columns.terms.push({ instrument, side, type, tag });
    columns.sizes.push(request, stopTicks);
    columns.time.push(time);
    columns.lasted.push(OPEN);
    columns.end.push('');
    columns.filledSteps.push(0);
    columns.newestChange.push(NONE);
  }

  #filled({ time, clientOrderId, fill, complete }: Extract<OrderEvent, { kind: 'orderFilled' }>): void {
    const place = this.#places.get(clientOrderId);
    if (place === undefined) return;
    const { filledSteps } = this.#columns;
    filledSteps.set(place, filledSteps.at(place) + fill.steps);
    if (complete) this.#end({ time, clientOrderId }, 'filled');
  }

  #end({ time, clientOrderId }: Pick<OrderEvent, 'time' | 'clientOrderId'>, end: string): void {
    const place = this.#places.get(clientOrderId);
    if (place === undefined) return;
    const ended = this.#columns.lasted.at(place) !== OPEN;
    this.#columns.lasted.set(place, time - this.#columns.time.at(place));
    this.#columns.end.set(place, end);
    if (ended) return;
    const oldest = this.#ended.add(clientOrderId);
    if (oldest !== undefined) this.#places.delete(oldest);
  }
}

const WORDS = { orderCanceled: 'canceled', orderExpired: 'expired', orderRejected: 'rejected', orderDenied: 'denied' } as const;

/** The shortest interval of a chart's bars that are built from single prices, in ms. */
const FINEST_MS = 1000;

/** Records the prices of each traded instrument for the report's charts, in bounded memory, and the lives of its orders. */
export class ChartRecorder {
  readonly #charts: (ChartBars | undefined)[] = [];
  readonly #finest = new FinestPrices();
  readonly #orders = new OrderLives();

  constructor(private readonly instruments: readonly Instrument[]) {}

  observe(engine: Pick<Engine, 'watch' | 'account$'>, state: Pick<ReadonlyState, 'market'>): void {
    this.#orders.observe(engine);
    engine.watch(
      (event) => this.#add(event, state),
      (instrument, rows, from, to) => this.#addQuotes(instrument, rows, from, to),
    );
  }

  charts(fills: Rows<RecordedFill>, curves?: Pick<PlotCurves, 'of'>): PriceChart[] {
    return this.instruments.flatMap((instrument) => {
      const chart = this.#charts[instrument.index];
      if (chart === undefined) return [];
      const { bars, intervalMs, madeFrom } = chart;
      const marks = marksOf(fills, instrument);
      const { symbol } = instrument;
      const plots = curves?.of(symbol);
      return [{ symbol, bars, intervalMs, madeFrom, fills: marks, orders: this.#orders.of(instrument), plots }];
    });
  }

  #add(event: MarketEvent, state: Pick<ReadonlyState, 'market'>): void {
    switch (event.kind) {
      case 'quote':
        this.#chart(event, 0)?.addPrice(event.time, event.mid);
        return;
      case 'depth': {
        // The state has the price after the event; with an empty side, the earlier price remains.
        const { last } = state.market(event.instrument);
        if (!Number.isNaN(last)) this.#chart(event, 0)?.addPrice(event.time, last);
        return;
      }
      case 'bar':
        this.#chart(event, event.intervalKey)?.add(event.openTime, event.open, event.high, event.low, event.close, event.volume);
        return;
      case 'trade':
        this.#chart(event, 0)?.addPrice(event.time, event.price, event.quantity);
        return;
      case 'ticker':
        this.#chart(event, 0)?.addPrice(event.time, event.last);
        return;
      case 'mark':
      case 'funding':
        // No order fills at these prices.
        return;
      default:
        event satisfies never;
    }
  }

  /** Quotes of one candle are compared in ticks, and only its extremes become prices. */
  #addQuotes(instrument: Instrument, { times, bidTicks, askTicks }: QuoteRows, from: number, to: number): void {
    const chart = from < to ? this.#chart({ instrument }, 0) : undefined;
    if (chart === undefined) return;
    const middle = (twice: number) => instrument.tick.toNumber(twice / 2);
    let row = from;
    while (row < to) {
      chart.addPrice(times[row]!, middle(bidTicks[row]! + askTicks[row]!));
      const first = ++row;
      const { endTime } = chart;
      let twice = Number.NaN;
      let high = Number.NEGATIVE_INFINITY;
      let low = Number.POSITIVE_INFINITY;
      for (; row < to && times[row]! < endTime; row++) {
        twice = bidTicks[row]! + askTicks[row]!;
        if (twice > high) high = twice;
        if (twice < low) low = twice;
      }
      if (row > first) chart.addToLast(row - first, middle(high), middle(low), middle(twice));
    }
  }

  /** @param interval of a bar; 0 for single prices. */
  #chart({ instrument: { index } }: Pick<MarketEvent, 'instrument'>, interval: BarInterval): ChartBars | undefined {
    if (!this.#finest.has(index, interval)) return undefined;
    this.#charts[index] ??= new ChartBars(interval === 0 ? FINEST_MS : longestBarMs(interval));
    return this.#charts[index];
  }
}

function marksOf(fills: Rows<RecordedFill>, instrument: Instrument): Rows<ChartFill> {
  const places = new NumberColumn();
  let place = 0;
  for (const fill of fills) {
    if (fill.instrument === instrument) places.push(place);
    place++;
  }
  return new MadeRows(places.length, (index) => markOf(fills.at(places.at(index))!));
}

function markOf({ time, side, positionSide, price, quantity, tag, liquidated }: RecordedFill): ChartFill {
  if (positionSide === 'net') return { time, side, price, quantity, tag };
  return { time, side, price, quantity, tag, positionSide, liquidation: liquidated };
}
