import type { PositionLiquidated } from '../../src/model/account-events.ts';
import { Decimal, ZERO } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { Instrument } from '../../src/model/instrument.ts';
import { ChartBars } from '../../src/report/chart-bars.ts';
import type { ChartFill, RunReport } from '../../src/report/run-report.ts';
import { breakdown, breakdowns } from '../../src/statistics/breakdown.ts';
import { monthlyReturns } from '../../src/statistics/returns/daily-returns.ts';
import type { DayEquity, EquityPoint, FundingRecord, RunRecord } from '../../src/statistics/run-record.ts';
import { computeStatistics, definitionsOf } from '../../src/statistics/statistics.ts';
import { tradesOf } from '../../src/statistics/trades/trade-builder.ts';
import { plainTrade } from '../../src/statistics/trades/trade-columns.ts';
import { recorded } from '../statistics/builders.ts';
import { runReport } from './builders.ts';
import { sequence } from './sample-report.ts';

const BAR_MS = 900_000;
const DAY_MS = 86_400_000;
const FUNDING_MS = 8 * 3_600_000;
const START = Date.UTC(2025, 2, 1);
/** A position that has lost this share of its value is liquidated. */
const LIQUIDATED_AT = 0.045;
const START_CASH = 50_000;

interface Held {
  readonly instrument: Instrument;
  readonly positionSide: 'long' | 'short';
  steps: number;
  entry: number;
}

/**
 * A report of made-up months on a futures account: two perpetuals whose prices wander by a fixed pseudo-random
 * sequence, longs and shorts side by side, funding every eight hours, liquidations of what lost too much. Only its
 * looks and its consistency matter; every figure comes from the real code.
 */
export function futuresReport(days = 120): RunReport {
  const random = sequence(11);
  const markets = [
    { instrument: contract(0, 'BTC-USDT-PERP', '0.1', '0.0001'), price: 84_000, value: 30_000 },
    { instrument: contract(1, 'ETH-USDT-PERP', '0.01', '0.001'), price: 2_200, value: 20_000 },
  ];
  const bars = markets.map(() => new ChartBars(BAR_MS));
  const marks: ChartFill[][] = markets.map(() => []);
  const positions = markets.flatMap(({ instrument }) =>
    (['long', 'short'] as const).map((positionSide): Held => ({ instrument, positionSide, steps: 0, entry: 0 })),
  );
  const fills: Fill[] = [];
  const funding: FundingRecord[] = [];
  const liquidations: PositionLiquidated[] = [];
  const equity: EquityPoint[] = [];
  const dayEquity: DayEquity[] = [];
  let [cash, peak, depth, peakTime, troughTime, maxLeverage] = [START_CASH, START_CASH, 0, START, START, 0];

  const trade = (time: number, held: Held, opens: boolean, quantity: number, price: number, tag: string) => {
    const { instrument, positionSide } = held;
    const side = (positionSide === 'long') === opens ? 'buy' : 'sell';
    const ticks = instrument.tick.snap(price, 'down')!;
    const steps = opens ? instrument.step.snap(quantity, 'down')! : held.steps;
    const notional = instrument.notional(ticks, steps);
    const liquidation = tag === 'liquidation';
    const fee = notional.times(liquidation ? '0.001' : '0.0006');
    const id = liquidation ? `liq-${fills.length}-` : `${fills.length}`;
    const strategyId = positionSide === 'long' ? 'trend' : 'fade';
    fills.push(
      new Fill(id, id, id, strategyId, instrument, side, positionSide, ticks, steps, notional, fee, 'USDT', 'taker', tag, time, 0, 0, time),
    );
    const fill = fills.at(-1)!;
    marks[instrument.index]!.push({ time, side, price: fill.price, quantity: fill.quantity, tag, positionSide, liquidation });
    if (liquidation) liquidations.push({ kind: 'positionLiquidated', time, orderId: id, type: 'burstLiquidation', fill });
    cash -= fee.toNumber();
    if (!opens) cash += (positionSide === 'long' ? 1 : -1) * (fill.price - held.entry) * fill.quantity;
    held.entry = opens ? fill.price : 0;
    held.steps = opens ? steps : 0;
  };

  for (let step = 0; step < days * 96; step++) {
    const time = START + step * BAR_MS;
    const end = time + BAR_MS;
    for (const [index, market] of markets.entries()) {
      const open = market.price;
      const path = [0, 1, 2].map(() => Math.round(100 * market.price * (1 + 0.004 * (random() + random() - 1))) / 100);
      market.price = path[2]!;
      bars[index]!.add(time, open, Math.max(open, ...path), Math.min(open, ...path), market.price);
      for (const held of positions.filter(({ instrument }) => instrument === market.instrument)) {
        const gain = held.steps === 0 ? 0 : ((held.positionSide === 'long' ? 1 : -1) * (market.price - held.entry)) / held.entry;
        if (gain < -LIQUIDATED_AT) trade(end, held, false, 0, market.price, 'liquidation');
        else if (random() < 0.006) {
          const quantity = (market.value * (0.5 + random())) / market.price;
          if (held.steps === 0) trade(end, held, true, quantity, market.price, random() < 0.3 ? 'breakout' : 'trend');
          else trade(end, held, false, 0, market.price, gain > 0 ? 'trend:takeProfit' : 'trend:stopLoss');
        }
        if (end % FUNDING_MS === 0 && held.steps > 0) {
          const rate = new Decimal((random() * 0.0003 - 0.00005).toFixed(8));
          const markPrice = new Decimal(market.price);
          const paid = rate.times(markPrice).times(market.instrument.step.toDecimal(held.steps));
          const amount = held.positionSide === 'long' ? paid.neg() : paid;
          const { instrument, positionSide, steps } = held;
          const charged = { kind: 'fundingCharged', time: end, instrument, positionSide, steps, rate, markPrice, amount } as const;
          funding.push({ charged, fillsBefore: fills.length });
          cash += amount.toNumber();
        }
      }
    }
    const worth = (held: Held) => held.instrument.step.toNumber(held.steps) * markets[held.instrument.index]!.price;
    const gained = positions.reduce((sum, held) => {
      const cost = held.instrument.step.toNumber(held.steps) * held.entry;
      return sum + (held.positionSide === 'long' ? worth(held) - cost : cost - worth(held));
    }, 0);
    const now = cash + gained;
    maxLeverage = Math.max(maxLeverage, positions.reduce((sum, held) => sum + worth(held), 0) / now);
    if (now > peak) [peak, peakTime] = [now, depth > 0 ? peakTime : end];
    const drawdown = (peak - now) / peak;
    if (drawdown > depth) [depth, troughTime] = [drawdown, end];
    if (step % 4 === 3) equity.push({ time: end, equity: new Decimal(now), drawdown, exposure: 0, netExposure: 0 });
    if (end % DAY_MS === 0) dayEquity.push({ time: end, equity: new Decimal(now) });
  }
  const record: RunRecord = {
    currency: 'USDT',
    from: START,
    to: START + days * DAY_MS,
    startEquity: new Decimal(START_CASH),
    finalEquity: dayEquity.at(-1)!.equity,
    equity,
    dayEquity,
    drawdown: {
      depth,
      peakEquity: Number.NaN,
      troughEquity: Number.NaN,
      peakTime,
      troughTime,
      recoveredTime: undefined,
      longestMs: START + days * DAY_MS - peakTime,
    },
    timeInMarketMs: days * DAY_MS * 0.8,
    fills: recorded(fills),
    lastRanges: new Map(),
    marketVolumes: new Map(),
    totalFees: fills.reduce((sum, { fee }) => sum.plus(fee), ZERO),
    annualDays: 365,
    rates: new Map(),
    benchmark: undefined,
    futures: {
      strategyIds: ['trend', 'fade'],
      funding,
      liquidations,
      insurancePaid: ZERO,
      maxLeverage,
      maxMarginUse: maxLeverage / 5,
      leveragedUse: { marginUse: maxLeverage / 5, leverage: maxLeverage },
    },
  };
  const trades = tradesOf(record);
  const statistics = computeStatistics(record, trades);
  return runReport({
    name: 'trend-and-fade',
    futures: true,
    from: record.from,
    to: record.to,
    counts: { marketEvents: days * 96 * 2, intents: fills.length, denied: 0, orders: fills.length, fills: fills.length },
    summary: { name: 'trend-and-fade', statistics },
    statistics,
    definitions: definitionsOf(true),
    tables: {
      bySymbol: breakdown(trades, 'symbol', record),
      byTag: breakdown(trades, 'tag', record),
      bySide: breakdown(trades, 'side', record),
    },
    breakdowns: breakdowns(trades, record),
    equity,
    charts: markets.map(({ instrument }, index) => {
      const { bars: gathered, intervalMs, madeFrom } = bars[index]!;
      return { symbol: instrument.symbol, bars: gathered, intervalMs, madeFrom, fills: marks[index]! };
    }),
    monthly: monthlyReturns(record),
    trades: Array.from(trades.closed, plainTrade),
    openTrades: trades.open,
    configText: 'name: trend-and-fade\naccount: { kind: futures, balances: { USDT: "50000" } }\n',
    warnings: [`the venue liquidated ${liquidations.length} times for lack of margin`],
  });
}

function contract(index: number, symbol: string, tickSize: string, stepSize: string): Instrument {
  const terms = { value: '0.000001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001', triggerBy: 'last' } as const;
  return new Instrument(index, { symbol, tickSize, stepSize, contract: terms });
}
