import { expect, test } from '@jest/globals';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { BTC, ETH, filled, open, state } from './builders.ts';

let count = 0;
function trade(target: State, side: 'buy' | 'sell', steps: number, ticks: number, strategyId = 's', of = BTC): void {
  const order = { clientOrderId: `o${++count}`, strategyId, side, steps, instrument: of };
  open(target, order);
  applyAccount(target, filled(order, steps, ticks, true));
}
const followed = () => state('netting', [BTC, ETH], { results: { stopsWithinMs: 0 } });
const losses = ({ results }: State) => [results!.lossesInARow('s'), results!.lossesInARow('t'), results!.lossesInARow()];

test('a trade is from flat to flat, and a winning one ends the row', () => {
  const target = followed();
  trade(target, 'buy', 2, 100);
  trade(target, 'sell', 1, 90);
  expect(losses(target)).toEqual([0, 0, 0]);
  trade(target, 'sell', 1, 95);
  expect(losses(target)).toEqual([1, 0, 1]);
  // 10 lost and 20 won are one winning trade.
  trade(target, 'buy', 2, 100);
  trade(target, 'sell', 1, 90);
  trade(target, 'sell', 1, 120);
  expect(losses(target)).toEqual([0, 0, 0]);
});

test('turning the position ends one trade and begins another', () => {
  const target = followed();
  trade(target, 'buy', 2, 100);
  trade(target, 'sell', 5, 90);
  expect(losses(target)).toEqual([1, 0, 1]);
  trade(target, 'buy', 3, 91);
  expect(losses(target)).toEqual([2, 0, 2]);
});

test('each strategy counts its own, the account those of all', () => {
  const target = followed();
  for (const [id, of] of [
    ['s', BTC],
    ['t', BTC],
    ['s', ETH],
  ] as const) {
    trade(target, 'sell', 1, 10, id, of);
    trade(target, 'buy', 1, 11, id, of);
  }
  expect(losses(target)).toEqual([2, 1, 3]);
});

test('a cooldown that is reset counts from zero', () => {
  const target = followed();
  trade(target, 'sell', 1, 10);
  trade(target, 'buy', 1, 11);
  applyAccount(target, { kind: 'riskLatched', time: 0, rule: 'cooldown', strategyId: 's', drawdown: 0, limit: 1, count: 1, until: 9 });
  expect(losses(target)).toEqual([0, 0, 1]);
});
