import { Decimal } from '../../src/model/decimal.ts';
import type { RunReport } from '../../src/report/run-report.ts';
import type { BreakdownRow } from '../../src/statistics/breakdown.ts';
import { definitionsOf } from '../../src/statistics/statistics.ts';
import type { ClosedTrade } from '../../src/statistics/trades/trade.ts';

/** A report of a run that did nothing for a day. */
export function runReport(parts: Partial<RunReport> = {}): RunReport {
  return {
    name: 'run',
    currency: 'USDT',
    futures: false,
    from: 0,
    to: 86_400_000,
    counts: { marketEvents: 1440, intents: 0, denied: 0, orders: 0, fills: 0 },
    summary: {},
    statistics: { startEquity: '1000', finalEquity: '1000', totalReturn: 0, fees: '0', trades: 0 },
    definitions: definitionsOf(false),
    tables: { bySymbol: [], byTag: [], bySide: [] },
    breakdowns: {
      symbol: [],
      strategy: [],
      side: [],
      tag: [],
      exitReason: [],
      hour: [],
      weekday: [],
      day: [],
      week: [],
      month: [],
      year: [],
    },
    equity: [],
    benchmark: undefined,
    returns: [],
    rolling: [],
    charts: [],
    monthly: [],
    trades: [],
    openTrades: [],
    denied: [],
    configText: '',
    data: [],
    warnings: [],
    ...parts,
  };
}

/** A row of one trade that won 1. */
export function breakdownRow(parts: Partial<BreakdownRow> = {}): BreakdownRow {
  return {
    key: 'x',
    trades: 1,
    fills: 2,
    wins: 1,
    losses: 0,
    winRate: 1,
    netProfit: '1',
    fees: '0',
    funding: '0',
    volume: '1',
    profitFactor: null,
    averageReturn: 0.01,
    averageHoldingMs: 60_000,
    equityReturn: null,
    ...parts,
  };
}

/** A trade that bought 1 at 100 and sold it at 110 a minute later. */
export function closedTrade(parts: Partial<ClosedTrade> = {}): ClosedTrade {
  return {
    strategyId: 's',
    symbol: 'BTC-USDT',
    side: 'long',
    tag: '',
    exitTag: '',
    exitReason: 'signal',
    entryTime: 0,
    exitTime: 60_000,
    entryPrice: new Decimal(100),
    exitPrice: new Decimal(110),
    maxQuantity: new Decimal(1),
    entryValue: new Decimal(100),
    volume: new Decimal(210),
    fees: new Decimal(0),
    funding: new Decimal(0),
    liquidated: false,
    fills: 2,
    pathFills: 0,
    mae: new Decimal(-5),
    mfe: new Decimal(12),
    maeShare: -0.05,
    mfeShare: 0.12,
    profitBeforeCosts: new Decimal(10),
    netProfit: new Decimal(10),
    returnOnEntry: 0.1,
    holdingMs: 60_000,
    ...parts,
  };
}
