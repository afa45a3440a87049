import { expect, test } from '@jest/globals';
import { fillReason } from '../../../../src/app/backtest/recorders/run-recorder.ts';

type Told = Parameters<typeof fillReason>[0];

test.each<[Told['type'], tag: string, reduceOnly: boolean, string]>([
  ['market', 'in', false, 'signal'],
  ['market', 'out', true, 'signal'],
  ['stop', 'in:stopLoss', true, 'stop'],
  ['stop', 'mine', false, 'stop'],
  ['stop', 'trailingStop', true, 'trailing'],
  ['stop', 'in:trailingStop', true, 'trailing'],
  ['limit', 'in:takeProfit', true, 'takeProfit'],
  // A strategy may give any tag to an order of its own, which reduces nothing.
  ['limit', 'takeProfit', false, 'signal'],
  ['market', 'dailyLoss', true, 'flatten'],
  ['market', 'endOfRun', true, 'endOfRun'],
  ['burstLiquidation', '', true, 'liquidation'],
])('a %s order tagged "%s" (reduce only: %s) ends a trade by %s', (type, tag, reduceOnly, reason) => {
  expect(fillReason({ type, tag, request: { reduceOnly } } as Told)).toBe(reason);
});
