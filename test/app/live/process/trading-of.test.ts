import { expect, test } from '@jest/globals';
import { tradingOf } from '../../../../src/app/live/process/bot-status.ts';
import type { LatchRule, RiskLatched } from '../../../../src/model/account-events.ts';
import { BTC, ETH } from '../../../state/builders.ts';

const instruments = [BTC, ETH];
const [btc, eth] = instruments.map(({ symbol }) => symbol) as [string, string];
const create = () => {
  throw new Error('not built here');
};
const plan = {
  instruments,
  strategies: [
    { id: 'one', symbols: [btc], params: {}, create },
    { id: 'two', symbols: [btc, eth], params: {}, create },
  ],
};

const latch = (rule: LatchRule, of: Partial<RiskLatched>): RiskLatched => ({
  ...{ kind: 'riskLatched', time: 0, rule, drawdown: 0, limit: 0 },
  ...of,
});

test.each<[what: string, latches: readonly RiskLatched[], trading: string]>([
  ['no latch', [], 'yes'],
  ['a latch of all', [latch('reduce', {})], 'no'],
  ['a latch of one strategy', [latch('reduce', { strategyId: 'one' })], 'in part'],
  ['a pause of both strategies', [latch('paused', { strategyId: 'one' }), latch('paused', { strategyId: 'two' })], 'no'],
  ['a lock of one symbol of two', [latch('symbolCooldown', { symbol: btc })], 'in part'],
  ['locks of both symbols', [latch('symbolCooldown', { symbol: btc }), latch('lock', { symbol: eth })], 'no'],
  ['a lock of one strategy in a symbol that it does not trade', [latch('lock', { strategyId: 'one', symbol: eth })], 'yes'],
])('with %s a bot trades accordingly: %#', (_, latches, trading) => {
  const state = { latches: new Map(latches.map((one, index) => [String(index), one])), health: new Map() };
  expect(tradingOf(state, plan)).toBe(trading);
});
