import { NumberColumn, type Rows } from '../../model/columns.ts';
import type { Plot, Plots } from '../../ports/plots.ts';
import type { EquitySample } from '../../state/equity-curve.ts';
import type { RecordedFill } from '../../statistics/fill-columns.ts';
import type { RoundTrip } from '../../statistics/trades/trade.ts';
import { averagePrice } from '../backtest/results/out-folder.ts';
import type { RecordedOrder } from './order-columns.ts';
import type {
  EquityRow,
  EquityTable,
  FillRow,
  FillTable,
  OrderRow,
  OrderTable,
  PlottedCurve,
  Table,
  TradeRow,
  TradeTable,
} from './run-result.ts';

type Numbers<Item> = Readonly<Record<string, (item: Item) => number>>;
type Texts<Item> = Readonly<Record<string, (item: Item) => string>>;

/** A table over rows that are kept packed. Each column is made when it is first read. */
function tableOf<Item, Row, N extends Numbers<Item>, T extends Texts<Item>>(
  items: Rows<Item>,
  rowOf: (item: Item) => Row,
  numbers: N,
  texts: T,
): Table<Row> & { readonly [Name in keyof N]: Float64Array } & { readonly [Name in keyof T]: readonly ReturnType<T[Name]>[] } {
  const row = (item: Item | undefined) => (item === undefined ? undefined : rowOf(item));
  const table: object = {
    length: items.length,
    at: (index: number) => row(items.at(index)),
    *[Symbol.iterator]() {
      for (const item of items) yield rowOf(item);
    },
  };
  for (const [name, of] of Object.entries(numbers)) lazy(table, name, () => numbersOf(items, of));
  for (const [name, of] of Object.entries(texts)) lazy(table, name, () => Array.from(items, of));
  return table as ReturnType<typeof tableOf<Item, Row, N, T>>;
}

function numbersOf<Item>(items: Rows<Item>, of: (item: Item) => number): Float64Array {
  const column = new Float64Array(items.length);
  let index = 0;
  for (const item of items) column[index++] = of(item);
  return column;
}

/** Defines a property whose value is made when it is first read. */
function lazy(target: object, name: string, make: () => unknown): void {
  Object.defineProperty(target, name, {
    enumerable: true,
    configurable: true,
    get: () => {
      const value = make();
      Object.defineProperty(target, name, { value, enumerable: true });
      return value;
    },
  });
}

export function equityTable(samples: readonly EquitySample[]): EquityTable {
  const row = (sample: EquitySample): EquityRow => ({ ...sample, cash: sample.cash.toFixed(), equity: sample.equity.toFixed() });
  return tableOf(
    samples,
    row,
    {
      time: ({ time }) => time,
      equity: ({ equity }) => equity.toNumber(),
      cash: ({ cash }) => cash.toNumber(),
      drawdown: ({ drawdown }) => drawdown,
      exposure: ({ exposure }) => exposure,
      netExposure: ({ netExposure }) => netExposure,
      unprotected: (sample) => sample.unprotected,
    },
    {},
  );
}

export function orderTable(orders: Rows<RecordedOrder>): OrderTable {
  const row = (order: RecordedOrder): OrderRow => {
    const { tick, step } = order.instrument;
    const textOf = (grid: typeof tick, units: number) => (Number.isNaN(units) ? undefined : grid.toText(units));
    return {
      time: order.time,
      endTime: Number.isNaN(order.endTime) ? undefined : order.endTime,
      strategyId: order.strategyId,
      symbol: order.instrument.symbol,
      side: order.side,
      positionSide: order.positionSide,
      type: order.type,
      timeInForce: order.timeInForce,
      price: textOf(tick, order.priceTicks),
      stopPrice: textOf(tick, order.stopTicks),
      quantity: textOf(step, order.steps),
      filledQuantity: step.toText(order.filledSteps),
      averagePrice: order.filledSteps === 0 ? undefined : averagePrice(order.filledNotional, step.toDecimal(order.filledSteps)).toFixed(),
      status: order.status,
      reason: order.reason,
      tag: order.tag,
      clientOrderId: order.clientOrderId,
      orderId: order.orderId,
      ref: order.ref,
      replaces: order.replaces,
      group: order.group,
    };
  };
  return tableOf(
    orders,
    row,
    {
      time: ({ time }) => time,
      endTime: ({ endTime }) => endTime,
      price: ({ instrument, priceTicks }) => instrument.tick.toNumber(priceTicks),
      stopPrice: ({ instrument, stopTicks }) => instrument.tick.toNumber(stopTicks),
      quantity: ({ instrument, steps }) => instrument.step.toNumber(steps),
      filledQuantity: ({ instrument, filledSteps }) => instrument.step.toNumber(filledSteps),
      averagePrice: ({ instrument, filledSteps, filledNotional }) =>
        filledSteps === 0 ? Number.NaN : filledNotional.div(instrument.step.toDecimal(filledSteps)).toNumber(),
    },
    {
      symbol: ({ instrument }) => instrument.symbol,
      strategyId: ({ strategyId }) => strategyId,
      side: ({ side }) => side,
      type: ({ type }) => type,
      status: ({ status }) => status,
      tag: ({ tag }) => tag,
      clientOrderId: ({ clientOrderId }) => clientOrderId,
    },
  );
}

export function fillTable(fills: Rows<RecordedFill>): FillTable {
  const row = (fill: RecordedFill): FillRow => ({
    time: fill.time,
    strategyId: fill.strategyId,
    symbol: fill.symbol,
    side: fill.side,
    positionSide: fill.positionSide,
    price: fill.instrument.tick.toText(fill.priceTicks),
    quantity: fill.instrument.step.toText(fill.steps),
    notional: fill.notional.toFixed(),
    fee: fill.fee.toFixed(),
    feeAsset: fill.feeAsset,
    liquidity: fill.liquidity,
    tag: fill.tag,
    group: fill.group,
    reason: fill.reason,
    pathDependent: fill.onPath === true,
  });
  return tableOf(
    fills,
    row,
    {
      time: ({ time }) => time,
      price: ({ price }) => price,
      quantity: ({ quantity }) => quantity,
      signedQuantity: ({ side, quantity }) => (side === 'buy' ? quantity : -quantity),
      fee: ({ fee }) => fee.toNumber(),
    },
    { symbol: ({ symbol }) => symbol, strategyId: ({ strategyId }) => strategyId, side: ({ side }) => side, tag: ({ tag }) => tag },
  );
}

export function tradeTable(trades: Rows<RoundTrip>): TradeTable {
  const row = (trade: RoundTrip): TradeRow => ({
    strategyId: trade.strategyId,
    symbol: trade.symbol,
    side: trade.side,
    entryTime: trade.entryTime,
    exitTime: trade.exitTime,
    entryQuantity: trade.entryQuantity.toFixed(),
    entryPrice: averagePrice(trade.entryNotional, trade.entryQuantity).toFixed(),
    exitQuantity: trade.exitQuantity.toFixed(),
    exitPrice: averagePrice(trade.exitNotional, trade.exitQuantity).toFixed(),
    maxQuantity: trade.maxQuantity.toFixed(),
    entryValue: trade.entryValue.toFixed(),
    fees: trade.fees.toFixed(),
    funding: trade.funding.toFixed(),
    netProfit: trade.netProfit.toFixed(),
    mae: trade.mae.toFixed(),
    mfe: trade.mfe.toFixed(),
    tag: trade.tag,
    exitTag: trade.exitTag,
    exitReason: trade.exitReason,
    fills: trade.fills,
    pathFills: trade.pathFills,
    group: trade.group ?? '',
  });
  return tableOf(
    trades,
    row,
    {
      entryTime: ({ entryTime }) => entryTime,
      exitTime: ({ exitTime }) => exitTime,
      entryPrice: ({ entryNotional, entryQuantity }) => entryNotional.div(entryQuantity).toNumber(),
      exitPrice: ({ exitNotional, exitQuantity }) => exitNotional.div(exitQuantity).toNumber(),
      entryQuantity: ({ entryQuantity }) => entryQuantity.toNumber(),
      netProfit: ({ netProfit }) => netProfit.toNumber(),
      fees: ({ fees }) => fees.toNumber(),
    },
    { symbol: ({ symbol }) => symbol, strategyId: ({ strategyId }) => strategyId, side: ({ side }) => side },
  );
}

interface PlotColumns {
  readonly time: NumberColumn;
  readonly value: NumberColumn;
}

/** Collects what strategies plot: some 10 bytes a value. */
export class PlotTables implements Plots {
  readonly #columns = new Map<Plot, PlotColumns>();

  point(plot: Plot, time: number, value: number): void {
    let columns = this.#columns.get(plot);
    if (columns === undefined) {
      columns = { time: new NumberColumn(), value: new NumberColumn() };
      this.#columns.set(plot, columns);
    }
    const last = columns.time.length - 1;
    if (last >= 0 && columns.time.at(last) === time) columns.value.set(last, value);
    else if (!Number.isNaN(value) || (last >= 0 && !Number.isNaN(columns.value.at(last)))) {
      columns.time.push(time);
      columns.value.push(value);
    }
  }

  /** Each curve; its arrays are made when they are first read. */
  curves(): PlottedCurve[] {
    return [...this.#columns].map(([plot, { time, value }]) => {
      const curve = { ...plot };
      lazy(curve, 'time', () => time.toArray());
      lazy(curve, 'value', () => value.toArray());
      return curve as PlottedCurve;
    });
  }
}
