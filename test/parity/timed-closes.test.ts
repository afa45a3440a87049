import { expect, test } from '@jest/globals';
import type { z } from 'zod';
import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { Exits } from '../../src/model/intents.ts';
import type { Ticker } from '../../src/model/market-events.ts';
import { place, protect } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { plan, series } from '../builders.ts';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { POLL_MS, SPOT } from './random-recording.ts';
import { firstDifference } from './trace.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', ...SPOT, makerFee: '0', takerFee: '0' });
const SECONDS = 40;

/** Buys 1 with its exits at the second ticker, once. */
class Once extends Strategy<z.ZodType<{ exits: Exits }>> {
  #tickers = 0;

  override onTicker({ symbol }: Ticker): Intents {
    this.#tickers++;
    const { exits } = this.params;
    return this.#tickers === 2 ? place({ symbol, side: 'buy', type: 'market', quantity: '1', exits }) : undefined;
  }
}

/** Buys without exits, then protects the position with a stop loss above the price beside a good take profit. */
class HalfGood extends Strategy {
  #tickers = 0;

  override onTicker({ symbol, last }: Ticker): Intents {
    this.#tickers++;
    if (this.#tickers === 2) return place({ symbol, side: 'buy', type: 'market', quantity: '1' });
    if (this.#tickers !== 6) return undefined;
    return protect({ symbol, side: 'sell', quantity: '1', stopLoss: last + 1, takeProfit: last + 2 });
  }
}

/** From 100.00 by 0.10 a second. */
function rising(): BacktestPlan {
  const rows = Array.from({ length: SECONDS }, (_, second): [number, number] => [second, 100_00 + second * 10]);
  const once = (id: string, exits: Exits) => ({
    id,
    symbols: [BTC.symbol],
    params: {},
    create: (context: ConstructorParameters<typeof Once>[0]) => new Once({ ...context, params: { exits } }),
  });
  return plan({
    kind: 'spot',
    instruments: [BTC],
    sources: [{ instrument: BTC, kind: 'ticker', open: () => series('ticker', rows) }],
    balances: { USDT: '10000' },
    profile: 'exchange',
    polled: pollSettings(POLL_MS),
    strategies: [
      once('aged', { after: '10s' }),
      once('stepped', {
        steps: [
          { after: '0s', profit: 0.05 },
          { after: '20s', profit: 0.01 },
        ],
      }),
      once('wrong', { stopLoss: '150' }),
      { id: 'half', symbols: [BTC.symbol], params: {}, create: (context) => new HalfGood(context) },
    ],
    bars: { from: 'ticker', intervals: [[]], graceMs: 2_000 },
  });
}

test('closes by age and by falling profits come at the same moment over HTTP as in process, and a stop on the wrong side is denied alike', async () => {
  const backtest = await runBacktest(rising());
  const { trace: paper } = await runPaper(rising());
  expect(firstDifference(backtest, paper)).toBeUndefined();
  // All buy at 100.10 in the second second, but "wrong", whose stop loss of 150 would sell at once.
  const sold = paper.fills.filter((line) => line.includes(' sell '));
  expect(sold).toHaveLength(3);
  // Ten seconds after the fill; at age 20 s, when 1 % is enough; and the take profit that was good beside a bad stop.
  expect(sold[0]).toMatch(/ at 10110 .* "after" .* @1700006411000$/);
  expect(sold[1]).toMatch(/ at 10210 .* "takeProfit" .* @1700006421000$/);
  expect(sold[2]).toMatch(/ at 10250 .* "takeProfit" /);
  expect(paper.denials.map((line) => line.replace(/^.*?\{/, '{'))).toEqual([
    '{"code":"stopOnWrongSide","side":"long","stop":"150","price":"100.1"}',
    '{"code":"stopOnWrongSide","side":"long","stop":"101.5","price":"100.5"}',
  ]);
});
