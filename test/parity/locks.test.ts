import { expect, test } from '@jest/globals';
import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { Ticker } from '../../src/model/market-events.ts';
import { lock, place } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { plan, series } from '../builders.ts';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { POLL_MS, SPOT } from './random-recording.ts';
import { firstDifference } from './trace.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', ...SPOT, makerFee: '0', takerFee: '0' });
const SECONDS = 40;

/** Buys whenever it is flat, and sells three tickers later. */
class Turning extends Strategy {
  #tickers = 0;

  override onTicker({ symbol }: Ticker): Intents {
    this.#tickers++;
    const { quantity } = this.position(symbol);
    if (quantity === 0) return place({ symbol, side: 'buy', type: 'market', quantity: '1' });
    return this.#tickers % 3 === 0 ? place({ symbol, side: 'sell', type: 'market', quantity }) : undefined;
  }
}

/** Rests a bid, locks its symbol for ten seconds, and bids at each ticker. */
class Locking extends Strategy {
  #tickers = 0;

  override onTicker({ symbol }: Ticker): Intents {
    this.#tickers++;
    if (this.#tickers === 5) return lock({ symbol, until: this.now + 10_000 });
    if (this.orders(symbol).length > 0) return undefined;
    return place({ symbol, side: 'buy', type: 'limit', price: '50', quantity: '1' });
  }
}

function turning(): BacktestPlan {
  const rows = Array.from({ length: SECONDS }, (_, second): [number, number] => [second, 100_00 - second * 10]);
  const strategies: [string, typeof Turning | typeof Locking][] = [
    ['turning', Turning],
    ['locking', Locking],
  ];
  return plan({
    kind: 'spot',
    instruments: [BTC],
    sources: [{ instrument: BTC, kind: 'ticker', open: () => series('ticker', rows) }],
    balances: { USDT: '10000' },
    profile: 'exchange',
    polled: pollSettings(POLL_MS),
    limits: {
      maxPosition: new Map(),
      maxOpenPositions: 2,
      strategies: new Map([['turning', { maxPosition: new Map(), symbolCooldown: { after: 'loss', forMs: 12_000 } }]]),
    },
    strategies: strategies.map(([id, Class]) => ({ id, symbols: [BTC.symbol], params: {}, create: (context) => new Class(context) })),
    bars: { from: 'ticker', intervals: [[]], graceMs: 2_000 },
  });
}

test('locks of a symbol deny and cancel over HTTP as in process, until the same moment', async () => {
  const backtest = await runBacktest(turning());
  const { trace: paper } = await runPaper(turning());
  expect(firstDifference(backtest, paper)).toBeUndefined();
  const denied = (by: string) => paper.denials.filter((line) => line.includes('symbolLocked') && line.includes(by));
  expect(denied('symbolCooldown').length).toBeGreaterThan(5);
  expect(denied('lock').length).toBeGreaterThan(5);
  expect(paper.orders.filter((line) => line.endsWith('orderCanceled riskLatch'))).toHaveLength(1);
  expect(paper.fills.filter((line) => line.includes('buy')).length).toBeGreaterThan(1);
});
