import { expect, test } from '@jest/globals';
import { ClientIds } from '../../../src/engine/orders/client-ids.ts';

test('without an era ids are bot, strategy and a running number, as ever', () => {
  const ids = new ClientIds('my bot of many words');
  expect([ids.next('strat_egy'), ids.next('a-very-long-strategy-name')]).toEqual([
    'mybotofmanyw-strategy-1',
    'mybotofmanyw-averylongstrateg-2',
  ]);
});

test('an era distinguishes the ids of one journal, and a restart continues the numbers', () => {
  const ids = new ClientIds('my bot of many words', { era: 'mi8k2x0a' });
  ids.next('s');
  expect(ids.nextNumber).toBe(2);
  const again = new ClientIds('my bot of many words', { era: 'mi8k2x0a', from: ids.nextNumber });
  expect(again.next('a-very-long-strategy-name')).toBe('mybotofman-averylongstr-mi8k2x0a-2');
});

test('no id is longer than the exchange takes', () => {
  const longest = new ClientIds('b'.repeat(50), { era: 'mi8k2x0a', from: 9_999_999 });
  expect(longest.next('s'.repeat(50))).toHaveLength(40);
  expect(() => longest.next('s'.repeat(50))).toThrow('at most 40 characters');
});
