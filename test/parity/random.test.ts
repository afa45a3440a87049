import { expect, test } from '@jest/globals';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { foreignOrder, randomPlan } from './random-recording.ts';
import { firstDifference, type Trace } from './trace.ts';

const SEEDS = Array.from({ length: Number(process.env.PARITY_SEEDS ?? 5) }, (_, index) => index + Number(process.env.PARITY_FROM ?? 1));

test.each(SEEDS)('a random strategy trades on paper like its polled backtest, seed %i', async (seed) => {
  const plan = randomPlan(seed);
  const foreign = seed % 2 === 0 ? foreignOrder(plan) : undefined;
  const backtest = await runBacktest(plan, foreign);
  const { trace: paper, requests } = await runPaper(plan, { foreign });
  if (process.env.PARITY_TALK)
    console.log(seed, backtest.intents.length, backtest.fills.length, backtest.denials.length, requests, JSON.stringify(kindsIn(backtest)));
  expect(firstDifference(backtest, paper)).toBeUndefined();
});

/** How often each thing happened to orders. */
function kindsIn({ orders }: Trace): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of orders) {
    const kind = line.split(' ').slice(2).join(' ');
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
