import { beforeAll, expect, test } from '@jest/globals';
import { MarginRecorder } from '../../../src/app/backtest/recorders/margin-recorder.ts';
import { type Figures, figuresOf } from '../../../src/app/backtest/results/figures.ts';
import { summarise } from '../../../src/app/backtest/results/summarise.ts';
import type { Summary } from '../../../src/app/backtest/results/summary.ts';
import { runWarnings } from '../../../src/app/backtest/results/warnings.ts';
import { type SimulatedRun, simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import type { Config } from '../../../src/app/config/schema/schema.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { place } from '../../../src/strategy/intents.ts';
import { perpetual, plan, type Row, Scripted, series } from '../../builders.ts';
import { CollectedTables } from '../../support/collected-tables.ts';

// Two strategies buy 60 and 30 at 100 (a fee of 0.1 % each), at ten times leverage on 1,000. Funding of 0.0001 on
// 9,000 is paid, then the price falls through everything to 85: a loss of 1,350 on the 990.1 that are left.
const PERP = perpetual({ takerFee: '0.001', contract: { liquidationFee: '0.001' } });
const buyer = (id: string, quantity: number) => ({
  id,
  symbols: [PERP.symbol],
  params: {},
  create: (context: ConstructorParameters<typeof Scripted>[0]) =>
    new Scripted(context, {
      onTicker: (self) =>
        self.held(PERP.symbol, 'long').quantity > 0 || self.world.sequence > 1
          ? undefined
          : place({ symbol: PERP.symbol, side: 'buy', positionSide: 'long', type: 'market', quantity, tag: id }),
    }),
});
const tickers: Row[] = [
  [0, 100],
  [60, 100],
  [120, 85],
];

let run: SimulatedRun;
const tables = new CollectedTables();
let figures: Figures;
let summary: Summary;
beforeAll(async () => {
  const planned = plan({
    kind: 'futures',
    balances: { USDT: '1000' },
    futures: { insuranceFund: new Map([['USDT', new Decimal(100)]]) },
    strategies: [buyer('one', 60), buyer('two', 30)],
    sources: [
      { instrument: PERP, kind: 'ticker', open: () => series('ticker', tickers) },
      { instrument: PERP, kind: 'funding', open: () => series('funding', [[60, 1]], { priceDecimals: 4 }) },
    ],
  });
  const margin = new MarginRecorder(planned.instruments, planned.account.equityEveryMs);
  run = await simulateRun(planned, { tables: [tables], observe: (engine) => margin.observe(engine) });
  if (run.failure !== undefined) throw run.failure.error;
  figures = figuresOf(run, { margin, annualDays: 365 });
  const config = { name: 'n', strategies: [], backtest: {} } as unknown as Config;
  const rest = {
    planned: { series: [], prices: ['ticker' as const], choices: [], plan: {} },
    warnings: [],
    findings: [],
    elapsedMs: 1,
    out: 'o',
    error: null,
    breakdowns: [],
  };
  summary = summarise({ config, run, figures, ...rest });
});

test('each strategy has its share of the liquidation, of its fee and of the funding', () => {
  const trades = [...figures.trades.closed].map(({ strategyId, exitTag, liquidated, fees, funding, netProfit }) => {
    return { strategyId, exitTag, liquidated, fees: fees.toFixed(), funding: funding.toFixed(), net: netProfit.toFixed() };
  });
  expect(trades).toEqual([
    { strategyId: 'one', exitTag: 'liquidation', liquidated: true, fees: '6', funding: '-0.6', net: '-906.6' },
    { strategyId: 'two', exitTag: 'liquidation', liquidated: true, fees: '3', funding: '-0.3', net: '-453.3' },
  ]);
});

test('the summary has funding separate from fees, the liquidation, and the payments of the insurance fund', () => {
  // The fund pays 1,359 + 0.9 - 1,000 = 359.9 of its 100.
  expect(summary).toMatchObject({
    startEquity: '1000',
    finalEquity: '0',
    totalFees: '9',
    totalFunding: '-0.9',
    liquidations: 1,
    closedTrades: 2,
    finalBalances: { USDT: '0' },
    finalPositions: {},
    insuranceFund: { USDT: '-259.9' },
  });
  expect(summary.statistics).toMatchObject({ insurancePaid: '359.9', liquidationFees: '0', longTrades: 2, shortTrades: 0 });
});

test('the change of equity is net profits plus the payments of the insurance fund', () => {
  const { record, trades } = figures;
  const net = [...trades.closed].reduce((sum, { netProfit }) => sum.plus(netProfit), new Decimal(0));
  const paid = record.futures?.insurancePaid ?? 0;
  expect(net.plus(paid).toFixed()).toBe(record.finalEquity.minus(record.startEquity).toFixed());
});

test('the most leverage and margin use are those after the entries', () => {
  // 9,000 over 1,000 less 9 of fees, and a tenth of it as margin; the funding came later.
  expect([figures.record.futures?.maxLeverage, figures.record.futures?.maxMarginUse]).toEqual([9_000 / 991, 900 / 991]);
});

test('the liquidation is a warning', () => {
  expect(runWarnings(run, figures)).toEqual([
    'the venue liquidated once for lack of margin: BTC-USDT-PERP; the insurance fund paid 359.9 USDT for losses beyond the collateral',
  ]);
});

test('every order is in the table, those of the venue as it names them', () => {
  expect(tables.orders.map(({ strategyId, type, status, filledQuantity }) => [strategyId, type, status, filledQuantity])).toEqual([
    ['one', 'market', 'filled', '60'],
    ['two', 'market', 'filled', '30'],
    ['one', 'burstLiquidation', 'filled', '60'],
    ['two', 'burstLiquidation', 'filled', '30'],
  ]);
});

test('a payment of the fund for a stop in a gap is a warning too', async () => {
  const stopped = plan({
    kind: 'futures',
    balances: { USDT: '105' },
    sources: [{ instrument: PERP, kind: 'ticker', open: () => series('ticker', tickers) }],
    script: {
      onTicker: (self) =>
        self.world.sequence > 1
          ? undefined
          : place({ symbol: PERP.symbol, side: 'buy', type: 'market', quantity: 10, exits: { stopLoss: 90 } }),
    },
  });
  const margins = new MarginRecorder(stopped.instruments, stopped.account.equityEveryMs);
  const result = await simulateRun(stopped, { observe: (engine) => margins.observe(engine) });
  // 105 - 1 - 150 - 0.85
  expect(result.state.portfolio.balance('USDT').total.toFixed()).toBe('0');
  expect(runWarnings(result, figuresOf(result, { margin: margins, annualDays: 365 }))).toContain(
    'the insurance fund paid 46.85 USDT: fills beyond bankruptcy, as of a stop in a gap',
  );
});
