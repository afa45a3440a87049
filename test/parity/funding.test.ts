import { expect, test } from '@jest/globals';
import type { Intent } from '../../src/model/intents.ts';
import type { Funding } from '../../src/model/market-events.ts';
import { Random } from '../../src/model/random.ts';
import { place } from '../../src/strategy/intents.ts';
import { Strategy } from '../../src/strategy/strategy.ts';
import { series, T0 } from '../builders.ts';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { randomContracts } from './random-contracts.ts';
import { walk } from './random-recording.ts';
import { firstDifference } from './trace.ts';

interface Seen {
  readonly now: number;
  readonly time: number;
  readonly rate: number;
  readonly market: number | undefined;
}

/** Sells a little whenever funding is paid, and writes down what it received. */
class Payee extends Strategy {
  static seen: Seen[] = [];

  onFunding({ symbol, time, rate }: Funding): Intent[] {
    Payee.seen.push({ now: this.now - T0, time: time - T0, rate, market: this.market(symbol).fundingRate });
    return [place({ symbol, side: 'sell', positionSide: 'short', type: 'market', quantity: '0.001', tag: String(rate) })];
  }
}

test('a strategy receives the funding of a contract on paper when its polled backtest does: at the first read after it was paid', async () => {
  const plan = randomContracts(1);
  const random = new Random(1, 'funding');
  const [btc, eth] = plan.instruments;
  const funding = [
    [60, 12],
    [120, -7],
  ] as const;
  const changed = {
    ...plan,
    sources: [
      { instrument: btc!, kind: 'ticker', open: () => series('ticker', rows[0]!) },
      { instrument: eth!, kind: 'ticker', open: () => series('ticker', rows[1]!) },
      { instrument: btc!, kind: 'funding', open: () => series('funding', funding, { priceDecimals: 5 }) },
    ],
    strategies: [{ ...plan.strategies[0]!, create: (context: ConstructorParameters<typeof Payee>[0]) => new Payee(context) }],
  } as typeof plan;
  const rows = [walk(random, 6_000_000, 150), walk(random, 300_000, 150)];

  Payee.seen = [];
  const backtest = await runBacktest(changed);
  const inBacktest = Payee.seen;
  Payee.seen = [];
  const { trace: paper } = await runPaper(changed);
  expect(inBacktest).toEqual([
    { now: 65_000, time: 60_000, rate: 0.00012, market: 0.00012 },
    { now: 125_000, time: 120_000, rate: -0.00007, market: -0.00007 },
  ]);
  expect(Payee.seen).toEqual(inBacktest);
  expect(backtest.fills).toHaveLength(2);
  expect(firstDifference(backtest, paper)).toBeUndefined();
});
