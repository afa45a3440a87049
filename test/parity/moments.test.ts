import { expect, test } from '@jest/globals';
import { ROC } from 'trading-signals';
import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import { Instrument } from '../../src/model/instrument.ts';
import { Bar } from '../../src/model/market-events.ts';
import { place } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { plan, series, T0 } from '../builders.ts';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { POLL_MS, SPOT } from './random-recording.ts';
import { firstDifference } from './trace.ts';

const NAMES = ['BTC-USDT', 'ETH-USDT', 'SOL-USDT'];
const COINS = NAMES.map((symbol, index) => new Instrument(index, { symbol, ...SPOT, makerFee: '0', takerFee: '0' }));
const SECONDS = 120;
const LENGTH_MS = 10_000;

/** Holds the coin that rose most over its last three bars, and ranks once for each moment. */
class Ranking extends Strategy {
  static override readonly needs = { bars: '10s', history: 3 };
  readonly #rises = new Map(this.symbols.map((symbol) => [symbol, this.indicator(new ROC(2), { symbol, bars: '10s' })]));

  override onBars(bars: readonly Bar[]): Intents {
    if (bars.length < this.symbols.length) return [];
    const gain = (symbol: string) => {
      const [first, , last] = this.bars(symbol, '10s', 3);
      if (last === undefined) return 0;
      const rise = last.close / first!.close - 1;
      const { value } = this.#rises.get(symbol)!;
      if (!(Math.abs(value! - rise) < 1e-12)) throw new Error(`the indicator of ${symbol} has ${value}, its bars ${rise}`);
      return rise;
    };
    const best = bars.map(({ symbol }) => symbol).sort((a, b) => gain(b) - gain(a))[0]!;
    const sells = this.symbols
      .filter((symbol) => symbol !== best && this.position(symbol).quantity > 0)
      .map((symbol) => place({ symbol, side: 'sell', type: 'market', quantity: this.position(symbol).quantity }));
    const buys = this.position(best).quantity > 0 ? [] : [place({ symbol: best, side: 'buy', type: 'market', quantity: '1' })];
    return [...sells, ...buys];
  }
}

/** Each coin has its own rhythm and its own seconds without a change. */
function ranked(): BacktestPlan {
  const prices = (coin: number) =>
    Array.from({ length: SECONDS }, (_, second): [number, number] => [
      second,
      100_00 + Math.round(500 * Math.sin((second + 7 * coin) / (4 + coin))),
    ]).filter(([second]) => second % (coin + 2) !== 1);
  const past = (symbol: string) =>
    [1, 2, 3].map(
      (count) => new Bar(COINS[NAMES.indexOf(symbol)]!, (count - 3) * LENGTH_MS, 0, LENGTH_MS, 100_00, 100_00, 100_00, 100_00, 0),
    );
  return plan({
    kind: 'spot',
    instruments: COINS,
    sources: COINS.map((instrument, coin) => ({ instrument, kind: 'ticker', open: () => series('ticker', prices(coin)) })),
    balances: { USDT: '10000' },
    profile: 'exchange',
    polled: pollSettings(POLL_MS),
    strategies: [{ id: 'ranking', symbols: NAMES, params: {}, create: (context) => new Ranking(context) }],
    bars: { from: 'ticker', intervals: COINS.map(() => [LENGTH_MS]), graceMs: 2_000 },
    history: (_, symbol) => past(symbol),
  });
}

test('bars of one moment and the last bars are the same over HTTP as in process', async () => {
  const backtest = await runBacktest(ranked());
  const { trace: paper } = await runPaper(ranked());
  expect(firstDifference(backtest, paper)).toBeUndefined();
  expect(paper.fills.length).toBeGreaterThan(8);
});

test('a symbol without history begins over HTTP at the same bar as in process', async () => {
  const joining = (): BacktestPlan => {
    const run = ranked();
    const [ranking] = run.strategies;
    const joins = { intervals: [LENGTH_MS], history: 3 };
    return {
      ...run,
      strategies: [{ ...ranking!, joins }],
      history: (id, symbol, ms) => (symbol === 'SOL-USDT' ? [] : run.history(id, symbol, ms)),
    };
  };
  const backtest = await runBacktest(joining());
  const { trace: paper } = await runPaper(joining());
  expect(firstDifference(backtest, paper)).toBeUndefined();
  // With all three it begins a moment later than SOL's third bar, which closes at 30 s.
  const first = Number(paper.intents[0]!.split(' ')[0]) - T0;
  expect(first).toBeGreaterThanOrEqual(40_000);
  expect(first).toBeLessThan(43_000);
});
