import { expect, test } from '@jest/globals';
import { runBacktest } from './backtest-run.ts';
import { runPaper } from './paper-run.ts';
import { randomContracts } from './random-contracts.ts';
import { firstDifference, type Trace } from './trace.ts';

const SEEDS = Array.from({ length: Number(process.env.PARITY_SEEDS ?? 4) }, (_, index) => index + Number(process.env.PARITY_FROM ?? 1));

test.each(SEEDS)(
  'a strategy that does a bit of everything with contracts does on paper what its polled backtest says, seed %i',
  async (seed) => {
    const plan = randomContracts(seed);
    const backtest = await runBacktest(plan);
    const { trace: paper, requests } = await runPaper(plan);
    if (process.env.PARITY_TALK)
      console.log(
        seed,
        backtest.intents.length,
        backtest.fills.length,
        backtest.denials.length,
        requests,
        JSON.stringify(kindsIn(backtest)),
      );
    expect(firstDifference(backtest, paper)).toBeUndefined();
  },
);

/** How often each thing happened to orders. */
function kindsIn({ orders }: Trace): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of orders) {
    const kind = line.split(' ').slice(2).join(' ');
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
