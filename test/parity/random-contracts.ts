import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import type { BacktestPlan, PlannedSource } from '../../src/app/planning/run-plans.ts';
import { Instrument } from '../../src/model/instrument.ts';
import { Random } from '../../src/model/random.ts';
import { perpetual, plan, type Row, series } from '../builders.ts';
import { ContractTrader } from './contract-trader.ts';
import { POLL_MS, SPOT, walk } from './random-recording.ts';

const SECONDS = 60;

/**
 * One seed of contracts: two of them, one with marks and funding beside its tickers and one without, on shared or isolated
 * margin, combined or separated, and for some seeds a spot pair in the wallet beside.
 */
export function randomContracts(seed: number, change: Partial<BacktestPlan> = {}): BacktestPlan {
  const random = new Random(seed, 'parity of contracts');
  const fees = { makerFee: '0.0002', takerFee: '0.0006' };
  const contract = { value: '0.0001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001' };
  const perpetuals = [
    perpetual({ symbol: 'BTC-USDT-PERP', ...SPOT, ...fees, contract }, 0),
    perpetual({ symbol: 'ETH-USDT-PERP', ...SPOT, ...fees, contract }, 1),
  ];
  const spot = seed % 3 === 0 ? [new Instrument(2, { symbol: 'BTC-USDT', ...SPOT, makerFee: '0.001', takerFee: '0.001' })] : [];
  const [btc] = perpetuals;
  const starts = [6_000_000, 300_000, 6_000_000];
  const instruments = [...perpetuals, ...spot];
  const rows = instruments.map((_, index) => walk(random, starts[index]!, SECONDS));
  const marks = walk(random, 60_000_000, SECONDS - 5);
  const funding: Row[] = [15, 30, 45].map((seconds) => [seconds, Math.round(random.between(-20, 20))]);
  const sources: PlannedSource[] = [
    ...instruments.map((instrument, index): PlannedSource => ({ instrument, kind: 'ticker', open: () => series('ticker', rows[index]!) })),
    { instrument: btc!, kind: 'mark', open: () => series('mark', marks, { priceDecimals: 3 }) },
    { instrument: btc!, kind: 'funding', open: () => series('funding', funding, { priceDecimals: 5 }) },
  ];
  const symbols = instruments.map(({ symbol }) => symbol);
  const isolated = seed % 2 === 0;
  return {
    ...plan({
      kind: 'futures',
      instruments,
      sources,
      fills: {
        limit: random.uniform() < 0.5 ? 'touch' : 'strictCross',
        halfSpreadTicks: random.uniform() < 0.5 ? 0 : 3,
        slippageBps: random.uniform() < 0.7 ? 0 : 2,
        tickerQuantity: random.uniform() < 0.5 ? undefined : '0.03',
      },
      balances: { USDT: '3000' },
      spotBalances: spot.length > 0 ? { USDT: '5000', BTC: '0.05' } : {},
      margin: { mode: isolated ? 'isolated' : 'shared', separated: seed % 4 === 0 },
      profile: 'exchange',
      polled: pollSettings(POLL_MS),
      strategies: [{ id: 'mixed', symbols, params: { seed }, create: (context) => new ContractTrader(context) }],
      limits: { maxPosition: new Map(), maxOpenOrders: 12 },
      bars: { from: 'ticker', intervals: instruments.map(() => []), graceMs: 2_000 },
    }),
    ...change,
  };
}
