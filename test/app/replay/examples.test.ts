import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { replayed, wrongInReplay } from '../../faults/replayed.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { CONFIG_FILE, type Example, runExample } from './example-runs.ts';

/** Every example that fits the exchange's profile; test/parity says of the others why they do not. */
const RUNS: readonly Example[] = [
  { name: 'sma-cross', params: '{ fast: 2, slow: 4, quantity: "0.05" }', pollMs: 10_000, looks: 60 },
  { name: 'market-maker', params: '{ quantity: 0.02, spreadBps: 5, skewBps: 4, requoteBps: 4 }', pollMs: 5_000, looks: 40 },
  { name: 'bracket-breakout', params: '{ channel: 2, fraction: 0.1, stop: 0.3, reward: 1 }', pollMs: 60_000, looks: 80 },
  { name: 'trend-follower', params: '{ channel: 2, stop: 0.3, reward: 1 }', pollMs: 120_000, looks: 60 },
  { name: 'grid', params: '{ cells: 10, below: 6, spacing: 0.002, quantity: 0.01, pauseMs: 60000 }', pollMs: 10_000, looks: 60 },
  { name: 'pair-reversion', params: '{ window: 20, enter: 0.8, leg: 0.2, tilt: 0.1 }', pollMs: 60_000, looks: 60 },
  {
    name: 'rebalancer',
    params: '{ weights: { BTC-USDT: 0.5, ETH-USDT: 0.3 }, everyHours: 0.25, band: 0.0005 }',
    pollMs: 60_000,
    looks: 50,
  },
  { name: 'volatility-breakout', params: '{ length: 2, breakout: 0.3, trail: 1.5 }', pollMs: 60_000, looks: 70 },
];

test.each(RUNS.map((example) => [example.name, example] as const))(
  '%s, killed and failed on its way, replays to the same state',
  async (_, example) => {
    const path = join(temporaryFolder('replay'), 'journal.sqlite');
    const world = await runExample(example, 1, path);
    const result = await replayed(path, world.plan);
    expect(wrongInReplay(result)).toEqual([]);
    expect(result.runs.length).toBeGreaterThanOrEqual(3);
  },
);

/** Sells a part of what it holds whenever its own position has grown, as the state after the turn shows, and logs the open orders. */
const FOLLOWER = `import { filter, map, merge, pairwise } from 'rxjs';
import { cancel, place, select$, Strategy } from 'tidegate';

export class Follower extends Strategy {
  static needs = { tickers: true };

  onTicker({ symbol, last }) {
    if (this.orders(symbol).length < 2) return place({ symbol, side: 'buy', type: 'limit', price: last * 0.9995, quantity: '0.02' });
  }

  intents$(_market$, _account$, state$) {
    const held$ = select$(state$, () => this.position('BTC-USDT').quantity);
    const sells$ = held$.pipe(
      pairwise(),
      filter(([before, now]) => now > before),
      map(([, quantity]) => place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity })),
    );
    const open$ = select$(this.state$, (state) => state.openOrders.size);
    return merge(sells$, open$.pipe(filter((open) => open > 4), map(() => cancel())));
  }
}
`;

test('a strategy that follows the state, killed and failed on its way, replays to the same state', async () => {
  const folder = temporaryFolder('replay');
  writeFileSync(join(folder, 'follower.js'), FOLLOWER);
  writeFileSync(join(folder, 'bot.yaml'), CONFIG_FILE('follower.js', '{}'));
  const path = join(folder, 'journal.sqlite');
  const example = { name: 'follower', params: '{}', pollMs: 10_000, looks: 60 };
  const world = await runExample(example, 1, path, join(folder, 'bot.yaml'));
  const result = await replayed(path, world.plan);
  expect(wrongInReplay(result)).toEqual([]);
  expect(result.runs.length).toBeGreaterThanOrEqual(3);
  expect(result.runs.reduce((requests, run) => requests + run.requests, 0)).toBeGreaterThan(20);
});
