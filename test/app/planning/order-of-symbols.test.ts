import { expect, test } from '@jest/globals';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import type { PlannedStrategy } from '../../../src/app/planning/run-plans.ts';
import { HOUR, planned, T0 } from './workbench.ts';

const SPEC = { tickSize: '0.1', stepSize: '0.001' };

/** In which order a strategy with these symbols receives the bars of its first moment. */
async function received(instruments: readonly string[], symbols: readonly string[]): Promise<string[]> {
  const times = [T0, T0 + HOUR];
  // The recordings are stored in a third order.
  const recorded = ['SOL-USDT', 'BTC-USDT', 'ETH-USDT'].map((symbol) => ({ symbol, kind: 'bar', times }) as const);
  const run = await planned(recorded, {
    account: { kind: 'spot', balances: { USDT: '1000' } },
    instruments: Object.fromEntries(instruments.map((symbol) => [symbol, SPEC])),
    symbols: [...symbols],
  });
  const [one] = run.plan.strategies as [PlannedStrategy];
  const seen: string[] = [];
  const watched: PlannedStrategy = {
    ...one,
    create: (context) =>
      Object.assign(one.create(context), {
        onBar: ({ symbol, time }: { symbol: string; time: number }) => {
          if (time === T0 + HOUR) seen.push(symbol);
        },
      }),
  };
  await simulateRun({ ...run.plan, strategies: [watched] });
  return seen;
}

test('within one moment symbols come in the order of `instruments`, whatever the order of the recordings and of the strategy’s symbols', async () => {
  const symbols = ['ETH-USDT', 'SOL-USDT', 'BTC-USDT'];
  const first = ['BTC-USDT', 'ETH-USDT', 'SOL-USDT'];
  const second = ['SOL-USDT', 'BTC-USDT', 'ETH-USDT'];
  expect(await received(first, symbols)).toEqual(first);
  expect(await received(second, symbols)).toEqual(second);
});
