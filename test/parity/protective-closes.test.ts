import { expect, test } from '@jest/globals';
import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { Ticker } from '../../src/model/market-events.ts';
import { place } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { plan, series } from '../builders.ts';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { POLL_MS, SPOT } from './random-recording.ts';
import { firstDifference } from './trace.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', ...SPOT, makerFee: '0', takerFee: '0' });

/** Buys 1 with a stop loss, then rests sells that hold all it has. */
class Guarded extends Strategy {
  #tickers = 0;

  override onTicker({ symbol }: Ticker): Intents {
    this.#tickers++;
    if (this.#tickers === 2) return place({ symbol, side: 'buy', type: 'market', quantity: '1', exits: { stopLoss: '95' } });
    if (this.#tickers !== 6) return undefined;
    return ['110', '120'].map((price) => place({ symbol, side: 'sell', type: 'limit', price, quantity: '0.5' }));
  }
}

/** Buys as much, and rests a sell that holds it: it is not in the way. */
class Beside extends Strategy {
  #tickers = 0;

  override onTicker({ symbol }: Ticker): Intents {
    this.#tickers++;
    if (this.#tickers === 2) return place({ symbol, side: 'buy', type: 'market', quantity: '1' });
    return this.#tickers === 5 ? place({ symbol, side: 'sell', type: 'limit', price: '130', quantity: '1' }) : undefined;
  }
}

const PRICES = [100, 101, 100, 101, 100, 101, 100, 99, 97, 94, 93, 92, 91, 90, 89, 88, 87, 86, 85, 84];

function falling(): BacktestPlan {
  const rows = PRICES.map((price, second): [number, number] => [second, price * 100]);
  return plan({
    kind: 'spot',
    instruments: [BTC],
    sources: [{ instrument: BTC, kind: 'ticker', open: () => series('ticker', rows) }],
    balances: { USDT: '10000' },
    profile: 'exchange',
    polled: pollSettings(POLL_MS),
    strategies: [
      { id: 'guarded', symbols: [BTC.symbol], params: {}, create: (context) => new Guarded(context) },
      { id: 'beside', symbols: [BTC.symbol], params: {}, create: (context) => new Beside(context) },
    ],
    bars: { from: 'ticker', intervals: [[]], graceMs: 2_000 },
  });
}

test('a stop on spot cancels the sells that hold its coins, over HTTP as in process, and is sent after the confirmation', async () => {
  const backtest = await runBacktest(falling());
  const { trace: paper } = await runPaper(falling());
  expect(firstDifference(backtest, paper)).toBeUndefined();
  expect(paper.denials).toEqual([]);
  const sold = paper.fills.filter((line) => line.includes('sell'));
  expect(sold).toHaveLength(1);
  expect(sold[0]).toContain('sell net 10000 at 9400');
  expect(paper.orders.filter((line) => line.endsWith('orderCanceled outranked'))).toHaveLength(2);
});
