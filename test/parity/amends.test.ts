import { expect, test } from '@jest/globals';
import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { Ticker } from '../../src/model/market-events.ts';
import { amend, place } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { plan, series } from '../builders.ts';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { POLL_MS, SPOT } from './random-recording.ts';
import { firstDifference } from './trace.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', ...SPOT, makerFee: '0', takerFee: '0' });
const SECONDS = 40;

/** Keeps a bid one below the price, and asks once for more than there is money. */
class Following extends Strategy {
  #tickers = 0;

  override onTicker({ symbol, last }: Ticker): Intents {
    this.#tickers++;
    const [bid] = this.orders(symbol);
    if (this.#tickers === 1) return place({ symbol, side: 'buy', type: 'limit', price: last - 1, quantity: '1', ref: 'bid' });
    if (bid === undefined) return undefined;
    if (this.#tickers === 20) return amend({ ref: 'bid', quantity: '1000' });
    return this.#tickers % 4 === 0 ? amend({ ref: 'bid', price: last - 1, quantity: this.#tickers > 20 ? '2' : undefined }) : undefined;
  }
}

function following(): BacktestPlan {
  // The price rises by 0.1 a second, and falls by 3 at second 34.
  const rows = Array.from({ length: SECONDS }, (_, second): [number, number] => [second, 100_00 + second * 10 - (second > 33 ? 300 : 0)]);
  return plan({
    kind: 'spot',
    instruments: [BTC],
    sources: [{ instrument: BTC, kind: 'ticker', open: () => series('ticker', rows) }],
    balances: { USDT: '10000' },
    profile: 'exchange',
    polled: pollSettings(POLL_MS),
    limits: { maxPosition: new Map() },
    strategies: [{ id: 'following', symbols: [BTC.symbol], params: {}, create: (context) => new Following(context) }],
    bars: { from: 'ticker', intervals: [[]], graceMs: 2_000 },
  });
}

test('amended orders are canceled and replaced over HTTP as in process', async () => {
  const backtest = await runBacktest(following());
  const { trace: paper } = await runPaper(following());
  expect(firstDifference(backtest, paper)).toBeUndefined();
  expect(paper.orders.filter((line) => line.endsWith('orderCanceled amended')).length).toBeGreaterThan(5);
  expect(paper.denials.filter((line) => line.includes('balanceTooLow'))).toHaveLength(1);
  // Of the last total of 2, all fills when the price falls.
  expect(paper.fills).toHaveLength(1);
  expect(paper.fills[0]).toContain('BTC-USDT buy net 20000 ');
});
