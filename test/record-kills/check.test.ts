import { expect, test } from '@jest/globals';
import type { LoggedPoll } from '../../src/recording/log/log-record.ts';
import { check, type Told } from './check.ts';
import type { Recorded } from './record.ts';

// Two lives of two polls each, a kill between them, told of as it happened: then with one thing at a time told otherwise.
const told: Told = { acknowledged: [1, 2, 8, 9], kills: [2] };
const poll = (time: number, price: string): LoggedPoll => ({
  kind: 'poll',
  time,
  prices: [
    ['BTC-USDT', price, 0],
    ['ETH-USDT', '7', 0],
  ],
});
const polls = [poll(1, '5'), poll(2, '6'), poll(8, '5'), { kind: 'poll', time: 9 } as const];
const rows = (symbol: string) =>
  [
    [1, 5],
    [2, 6],
    [8, 5],
  ].map(([time, price]) => [time!, symbol === 'BTC-USDT' ? price! : 7] as const);
const cut = { symbols: ['BTC-USDT', 'ETH-USDT'], from: 2, to: 8, reason: 'the recorder was cut off: killed, or without power', polls: 0 };
const covered = (gaps: readonly (typeof cut)[]) => [
  { log: 'a', from: 1, to: 9, polls: 4, rows: 6, end: 'cut', tornBytes: 0, damaged: 0, gaps },
];
const recorded = { polls, rows, coverage: covered([cut]), broken: 0, left: [] } as unknown as Recorded;

test('a record as reported is correct', () => {
  expect(check(told, recorded)).toEqual([]);
});

test.each<[what: string, told: Partial<Told>, recorded: Partial<Recorded>, wrong: string]>([
  ['an acknowledged poll that is not there', { acknowledged: [1, 2, 8, 9, 10] }, {}, 'the poll of 10 was acknowledged, and is not there'],
  ['a poll twice', {}, { polls: [...polls, polls[3]!] }, 'the poll of 9 is there twice'],
  ['polls out of order', {}, { polls: [polls[1]!, polls[0]!, polls[2]!, polls[3]!] }, 'the poll of 1 is behind that of 2'],
  ['an acknowledgement out of order', { acknowledged: [2, 1, 8, 9] }, {}, '1 was acknowledged after 2'],
  ['a row too few', {}, { rows: (symbol) => rows(symbol).slice(1) }, 'BTC-USDT: 3 prices in the logs, 2 rows; they part at [[1,5],[2,6]]'],
  [
    'a row too many',
    {},
    { rows: (symbol) => [...rows(symbol), [9, 5]] },
    'ETH-USDT: 3 prices in the logs, 4 rows; they part at [null,[9,5]]',
  ],
  ['a kill without a gap', {}, { coverage: covered([]) as unknown as Recorded['coverage'] }, 'no gap after the kill at 2'],
  ['a torn tail', {}, { broken: 1 }, '1 broken places in packed logs'],
  ['a log that was left', {}, { left: ['b.log'] }, 'b.log was left'],
])('%s is found', (_, otherReported, otherRecorded, wrong) => {
  expect(check({ ...told, ...otherReported }, { ...recorded, ...otherRecorded })).toContain(wrong);
});
