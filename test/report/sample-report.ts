import { Decimal } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { Instrument } from '../../src/model/instrument.ts';
import { ChartBars } from '../../src/report/chart-bars.ts';
import type { ChartFill, RunReport } from '../../src/report/run-report.ts';
import { breakdown, breakdowns } from '../../src/statistics/breakdown.ts';
import { dailyReturns, monthlyReturns, rollingWindows } from '../../src/statistics/returns/daily-returns.ts';
import type { DayEquity, EquityPoint, RunRecord } from '../../src/statistics/run-record.ts';
import { computeStatistics, definitionsOf } from '../../src/statistics/statistics.ts';
import { tradesOf } from '../../src/statistics/trades/trade-builder.ts';
import { plainTrade } from '../../src/statistics/trades/trade-columns.ts';
import { recorded } from '../statistics/builders.ts';

const BAR_MS = 900_000;
const DAY_MS = 86_400_000;
const START = Date.UTC(2024, 0, 15);

/**
 * A report of a made-up year: two symbols whose prices wander by a fixed pseudo-random sequence, each bought
 * and sold in turn. Only its looks and its consistency matter; every figure comes from the real code.
 */
export function sampleReport({ days = 400, tag = 'trend' } = {}): RunReport {
  const random = sequence(7);
  const markets = [
    { instrument: new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.00001' }), price: 42_500, held: 0, size: 0.9 },
    { instrument: new Instrument(1, { symbol: 'ETH-USDT', tickSize: '0.01', stepSize: '0.0001' }), price: 2_510, held: 0, size: 11 },
  ];
  const bars = markets.map(() => new ChartBars(BAR_MS));
  const marks: ChartFill[][] = markets.map(() => []);
  const fills: Fill[] = [];
  const equity: EquityPoint[] = [];
  const dayEquity: DayEquity[] = [];
  let [cash, peak, fees, inMarket] = [100_000, 100_000, new Decimal(0), 0];
  let [peakTime, fall] = [
    START,
    {
      depth: 0,
      peakEquity: Number.NaN,
      troughEquity: Number.NaN,
      peakTime: START,
      troughTime: START,
      recoveredTime: undefined as number | undefined,
      longestMs: 0,
    },
  ];
  for (let step = 0; step < days * 96; step++) {
    const time = START + step * BAR_MS;
    let worth = 0;
    for (const [index, market] of markets.entries()) {
      const open = market.price;
      const path = [0, 1, 2].map(() => Math.round(100 * market.price * (1 + 0.0022 * (random() + random() - 0.993))) / 100);
      market.price = path[2]!;
      bars[index]!.add(time, open, Math.max(open, ...path), Math.min(open, ...path), market.price);
      if (random() < 0.008) {
        const side = market.held > 0 ? 'sell' : 'buy';
        const { tick, step: lot } = market.instrument;
        const ticks = tick.snap(open, 'up')!;
        const steps = lot.snap(market.held || market.size * (0.4 + random()), 'down')!;
        const notional = market.instrument.notional(ticks, steps);
        const fee = notional.times('0.0005');
        const name = side === 'buy' ? (random() < 0.3 ? 'breakout' : tag) : random() < 0.4 ? 'stop' : 'exit';
        fills.push(
          new Fill(
            '',
            '',
            '',
            'sma-cross',
            market.instrument,
            side,
            'net',
            ticks,
            steps,
            notional,
            fee,
            'USDT',
            'taker',
            name,
            time,
            step,
            step,
            time,
          ),
        );
        marks[index]!.push({ time, side, price: tick.toNumber(ticks), quantity: lot.toNumber(steps), tag: name });
        fees = fees.plus(fee);
        cash += (side === 'buy' ? -1 : 1) * notional.toNumber() - fee.toNumber();
        market.held = side === 'buy' ? lot.toNumber(steps) : 0;
      }
      worth += market.held * market.price;
    }
    const now = cash + worth;
    const end = time + BAR_MS;
    if (now >= peak) {
      if (fall.depth > 0 && fall.recoveredTime === undefined && fall.peakTime === peakTime) fall.recoveredTime = end;
      [peak, peakTime] = [now, end];
    }
    const drawdown = (peak - now) / peak;
    if (drawdown > fall.depth)
      fall = { ...fall, depth: drawdown, peakEquity: peak, troughEquity: now, peakTime, troughTime: end, recoveredTime: undefined };
    fall.longestMs = Math.max(fall.longestMs, end - peakTime);
    if (markets.some((market) => market.held > 0)) inMarket += BAR_MS;
    if (step % 4 === 3) equity.push({ time: end, equity: new Decimal(now), drawdown, exposure: 0, netExposure: 0 });
    if (end % DAY_MS === 0) dayEquity.push({ time: end, equity: new Decimal(now) });
  }
  const record: RunRecord = {
    currency: 'USDT',
    from: START,
    to: START + days * DAY_MS,
    startEquity: new Decimal(100_000),
    finalEquity: dayEquity.at(-1)!.equity,
    equity,
    dayEquity,
    drawdown: fall,
    timeInMarketMs: inMarket,
    fills: recorded(fills),
    lastRanges: new Map(),
    marketVolumes: new Map(),
    totalFees: fees,
    annualDays: 365,
    rates: new Map(),
    benchmark: undefined,
    futures: undefined,
  };
  const trades = tradesOf(record);
  const statistics = computeStatistics(record, trades);
  return {
    name: 'sma-cross',
    currency: 'USDT',
    futures: false,
    from: record.from,
    to: record.to,
    counts: { marketEvents: days * 96 * 2, intents: fills.length + 41, denied: 41, orders: fills.length, fills: fills.length },
    summary: { name: 'sma-cross', statistics },
    statistics,
    definitions: definitionsOf(false),
    tables: { bySymbol: breakdown(trades, 'symbol', record), byTag: breakdown(trades, 'tag', record), bySide: [] },
    breakdowns: breakdowns(trades, record),
    equity,
    benchmark: undefined,
    returns: record.dayEquity.map(({ time }, index) => ({ time, value: dailyReturns(record)[index]! })),
    rolling: rollingWindows(record),
    charts: markets.map(({ instrument }, index) => {
      const { bars: gathered, intervalMs, madeFrom } = bars[index]!;
      return { symbol: instrument.symbol, bars: gathered, intervalMs, madeFrom, fills: marks[index]! };
    }),
    monthly: monthlyReturns(record),
    trades: Array.from(trades.closed, plainTrade),
    openTrades: trades.open,
    denied: [
      { code: 'balanceTooLow', count: 38, example: 'buy 1.2 BTC-USDT: needed 51234.10 USDT, available 50110.02 USDT' },
      { code: 'notionalBelowMinimum', count: 3, example: 'sell 0.00001 BTC-USDT: notional 0.43, minimum 5' },
    ],
    configText:
      "# configs/sma-cross.yaml\nname: sma-cross\naccount: { kind: spot, balances: { USDT: '100000' } }\nstrategies:\n  - { id: sma-cross, file: ../strategies/sma-cross.ts, symbols: [BTC-USDT, ETH-USDT] }\n",
    data: [
      {
        name: 'sample-2024',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        facts: [
          { label: 'Source', value: 'synthetic, seed 7' },
          { label: 'Kind', value: 'bars of 15 min' },
        ],
      },
    ],
    warnings: ['The data is synthetic: made by a pseudo-random walk, not recorded from a market.'],
  };
}

/** Numbers in [0, 1) by a fixed linear congruence (Numerical Recipes' constants). */
export function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}
