import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import type { BacktestPlan, PlannedSource } from '../../src/app/planning/run-plans.ts';
import type { FillSettings } from '../../src/matching/settings.ts';
import { Instrument } from '../../src/model/instrument.ts';
import { Random } from '../../src/model/random.ts';
import { plan, type Row, series, T0 } from '../builders.ts';
import type { ForeignOrder } from './foreign-order.ts';
import { MixedTrader } from './mixed-trader.ts';

export const SPOT = { tickSize: '0.01', stepSize: '0.0001' };
export const POLL_MS = 1_000;
const SECONDS = 120;

/** Binds most of the account's quote, as an order does that somebody else has placed on it. */
export function foreignOrder({ instruments }: BacktestPlan): ForeignOrder {
  return { instrument: instruments[0]!, time: T0 + 20_377, priceTicks: 3_000_000, steps: 2_500 };
}

/** A walk whose first price comes at once, the others whenever they do: some with those of other walks, some on the grid. */
export function walk(random: Random, start: number, seconds = SECONDS): Row[] {
  const rows: Row[] = [[0, start]];
  let ticks = start;
  for (let ms = 0; ms < seconds * 1_000; ) {
    ms += random.uniform() < 0.2 ? 1_000 - (ms % 1_000) : Math.ceil(random.between(1, 12)) * 100;
    ticks = Math.round(ticks * (1 + (random.uniform() - 0.5) * 0.0014));
    rows.push([ms / 1_000, ticks]);
  }
  return rows;
}

/** One seed: two symbols, rules of filling, and a strategy that does a bit of everything. The same seed makes the same plan. */
export function randomPlan(seed: number, change: Partial<BacktestPlan> = {}): BacktestPlan {
  const random = new Random(seed, 'parity');
  const sameFees = random.uniform() < 0.3;
  const fees = { makerFee: '0.001', takerFee: sameFees ? '0.001' : '0.0015' };
  const instruments = [
    new Instrument(0, { symbol: 'BTC-USDT', ...SPOT, ...fees }),
    new Instrument(1, { symbol: 'ETH-USDT', ...SPOT, ...fees }),
  ];
  const rows = [walk(random, 6_000_000), walk(random, 300_000)];
  const fills: Partial<FillSettings> = {
    limit: random.uniform() < 0.5 ? 'touch' : 'strictCross',
    halfSpreadTicks: random.uniform() < 0.5 ? 0 : 3,
    slippageBps: random.uniform() < 0.7 ? 0 : 2,
    // Little enough for orders to fill in parts.
    tickerQuantity: random.uniform() < 0.5 ? undefined : '0.012',
  };
  const sources = instruments.map((instrument, index): PlannedSource => {
    return { instrument, kind: 'ticker', open: () => series('ticker', rows[index]!) };
  });
  const symbols = instruments.map(({ symbol }) => symbol);
  const made = plan({
    kind: 'spot',
    instruments,
    sources,
    fills,
    balances: { USDT: '10000', BTC: '0.1', ETH: '1' },
    profile: 'exchange',
    polled: pollSettings(POLL_MS),
    strategies: [{ id: 'mixed', symbols, params: { seed }, create: (context) => new MixedTrader(context) }],
    limits: { maxPosition: new Map(), maxOpenOrders: 12 },
    bars: { from: 'ticker', intervals: instruments.map(() => []), graceMs: 2_000 },
  });
  return { ...made, ...change };
}
