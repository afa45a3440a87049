import { expect, test } from '@jest/globals';
import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { Intent } from '../../src/model/intents.ts';
import type { Ticker } from '../../src/model/market-events.ts';
import { place, protect } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { perpetual, plan, series } from '../builders.ts';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { POLL_MS, SPOT } from './random-recording.ts';
import { firstDifference } from './trace.ts';

const CONTRACT = { value: '0.0001', tiers: [{ maintenance: '0.005' }], liquidationFee: '0.001' };
const PERP = perpetual({ symbol: 'BTC-USDT-PERP', ...SPOT, makerFee: '0.0002', takerFee: '0.0006', contract: CONTRACT }, 0);
const BTC = new Instrument(1, { symbol: 'BTC-USDT', ...SPOT, makerFee: '0.001', takerFee: '0.001' });
const SECONDS = 40;

const perp = { symbol: PERP.symbol, type: 'market' } as const;
const spot = { symbol: BTC.symbol, type: 'market' } as const;

const STEPS = [
  { after: '0s', profit: 0.5 },
  { after: '3s', profit: -0.01 },
];

/** A size of each kind, for each side and several types. */
const SIZED: Readonly<Record<number, Intent>> = {
  3: place({ ...perp, side: 'buy', quantity: { percentOfEquity: 40 }, exits: { stopLoss: { percent: 30 } }, ref: 'share' }),
  6: place({ ...spot, side: 'buy', quantity: { notional: 250 }, ref: 'spot-buy' }),
  9: place({ ...spot, side: 'buy', quantity: { risk: 0.001 }, exits: { stopLoss: { percent: 5 } }, ref: 'spot-risk' }),
  12: place({ ...spot, side: 'sell', quantity: { notional: 100 }, ref: 'spot-sell' }),
  15: place({ ...perp, side: 'sell', quantity: { notional: 300 }, reduceOnly: true, ref: 'part' }),
  18: place({ ...perp, side: 'sell', positionSide: 'short', type: 'limit', price: 90, quantity: { percentOfEquity: '10' }, ref: 'short' }),
  21: place({ ...spot, side: 'buy', type: 'stop', stopPrice: 99, quantity: { notional: 60 }, ref: 'stop' }),
  24: place({ ...spot, side: 'buy', quantity: { notional: 0.001 }, ref: 'small' }),
};

/** A stop on the wrong side, and a stop with a wrong take profit. */
const WRONG: Readonly<Record<number, Intent>> = {
  27: place({ ...spot, side: 'buy', quantity: { notional: 50 }, exits: { stopLoss: 200 }, ref: 'wrong' }),
  30: protect({ symbol: BTC.symbol, side: 'sell', quantity: '0.5', stopLoss: 90, takeProfit: 'none', ref: 'half' }),
};

/** Exits that depend on the age of the position. */
const AGED: Readonly<Record<number, Intent>> = {
  4: place({ ...spot, side: 'buy', quantity: { notional: 50 }, exits: { steps: STEPS }, tag: 'steps' }),
  7: place({ ...spot, side: 'buy', quantity: { notional: 40 }, exits: { after: '5s', stopLoss: { percent: 20 } }, tag: 'age' }),
  10: place({ ...perp, side: 'buy', quantity: { notional: 45 }, exits: { after: '4s', stopLoss: { percent: 20 } }, tag: 'contract' }),
};

class Sizing extends Strategy {
  #tickers = 0;

  override onTicker({ symbol }: Ticker): Intents {
    if (symbol !== PERP.symbol) return undefined;
    this.#tickers++;
    return SIZED[this.#tickers] ?? WRONG[this.#tickers] ?? AGED[this.#tickers];
  }
}

function sizing(): BacktestPlan {
  const instruments = [PERP, BTC];
  const rows = Array.from({ length: SECONDS }, (_, second): [number, number] => [second, 100_00 - ((second * 37) % 11) * 10]);
  return plan({
    kind: 'futures',
    instruments,
    sources: instruments.map((instrument) => ({ instrument, kind: 'ticker', open: () => series('ticker', rows) })),
    balances: { USDT: '1000' },
    spotBalances: { USDT: '1000' },
    profile: 'exchange',
    polled: pollSettings(POLL_MS),
    strategies: [{ id: 'sizing', symbols: [PERP.symbol, BTC.symbol], params: {}, create: (context) => new Sizing(context) }],
    bars: { from: 'ticker', intervals: instruments.map(() => []), graceMs: 2_000 },
  });
}

test('sizes are computed, wrong stops denied and old positions closed over HTTP as in process', async () => {
  const backtest = await runBacktest(sizing());
  const { trace: paper } = await runPaper(sizing());
  expect(firstDifference(backtest, paper)).toBeUndefined();
  expect(paper.fills.length).toBeGreaterThanOrEqual(7);
  const codes = ['quantityBelowMinimum', 'stopOnWrongSide', 'priceInvalid'];
  expect(paper.denials.map((line) => codes.find((code) => line.includes(code)))).toEqual(codes);
});
