import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { instrument, perpetual } from '../builders.ts';
import { check } from './check.ts';
import type { Here } from './here.ts';
import type { There } from './there.ts';

// One order of 5 steps in two fills, told of as it happened: then with one thing at a time told otherwise.
const figures = (total: number) => ({ total: new Decimal(total), frozen: new Decimal(0) });
const here = {
  state: { openOrders: new Map(), latches: new Map(), portfolio: { balance: () => figures(10) } },
  submitted: new Set(['a']),
  requested: new Map([['a', 1]]),
  fills: new Map([
    ['1', 1],
    ['2', 1],
  ]),
  filled: new Map([['a', 5]]),
  ends: new Map([['a', 'filled']]),
  halts: [],
  unexplained: [],
} as unknown as Here;
const entry = { clientOrderId: 'a', fills: [{ fill: { steps: 2 } }, { fill: { steps: 3 } }], end: { how: 'filled' } };
const SPOT = instrument({ symbol: 'BTC-USDT' });
const CONTRACT = perpetual({}, 1);
const there = {
  instruments: [SPOT],
  coins: ['USDT'],
  arrived: ['a', 'a'],
  account: { orders: { all: [entry], fills: [{ fillId: '1' }, { fillId: '2' }] }, spot: { ledger: { balance: () => figures(10) } } },
} as unknown as There;
const account = (orders: object) => ({ account: { ...there.account, orders: { ...there.account.orders, ...orders } } as There['account'] });

test('an order reported as it happened is correct', () => {
  expect(check(here, there)).toEqual([]);
});

test.each<[what: string, here: Partial<Here>, there: Partial<There>, wrong: string]>([
  ['an order without a submission', { submitted: new Set() }, {}, 'a arrived at the exchange, and the journal does not know it'],
  ['an order without a request', { requested: new Map() }, {}, 'a arrived at the exchange, and the journal knows no request of it'],
  ['an order sent twice', { requested: new Map([['a', 2]]) }, {}, 'a was sent 2 times'],
  ['an order there twice', {}, account({ all: [entry, entry] }), 'a is at the exchange 2 times'],
  ['another quantity', { filled: new Map([['a', 4]]) }, {}, 'a: 4 steps filled here, 5 there'],
  ['another end', { ends: new Map([['a', 'orderCanceled']]) }, {}, 'a: orderCanceled here, filled there'],
  ['no end', { ends: new Map() }, {}, 'a has not ended here'],
  ['an order that still rests', {}, account({ all: [{ ...entry, end: undefined }] }), 'a is filled here, open there'],
  ['a fill counted twice', { fills: new Map([...here.fills, ['2', 2]]) }, {}, 'fill 2 was counted 2 times'],
  ['a fill not counted', { fills: new Map([['1', 1]]) }, {}, 'fill 2 was counted 0 times'],
  ['a fill that never was', { fills: new Map([...here.fills, ['3', 1]]) }, {}, '3 fills here, 2 there'],
  ['fills of an order that never was', { filled: new Map([...here.filled, ['b', 1]]) }, {}, 'b is filled here and not at the exchange'],
  ['a halt', { halts: ['BTC-USDT: why'] }, {}, 'halted: BTC-USDT: why'],
  ['money of its own', { unexplained: ['unexplained x of USDT'] }, {}, 'unexplained: unexplained x of USDT'],
])('%s is found', (_, ours, theirs, wrong) => {
  expect(check({ ...here, ...ours }, { ...there, ...theirs })).toContain(wrong);
});

test('a balance that is off by one digit is found', () => {
  const off = { total: new Decimal('10.00000000000000000001'), frozen: new Decimal(1) };
  const state = { ...here.state, portfolio: { balance: () => off } } as unknown as Here['state'];
  expect(check({ ...here, state }, there)).toEqual(['USDT total: 10.00000000000000000001 here, 10 there', 'USDT frozen: 1 here, 0 there']);
});

describe('futures', () => {
  const held = (steps: number) => ({ heldSteps: (_: unknown, side: string) => (side === 'long' ? steps : 0) });
  const futures = (steps: number, total = 10) => {
    const account = { ...there.account, futures: { ...held(steps), ledger: { balance: () => figures(total) } } };
    return { ...there, instruments: [SPOT, CONTRACT], account: account as unknown as There['account'] };
  };
  const ours = {
    ...here,
    state: { ...here.state, position: (_: unknown, side: string) => ({ steps: side === 'long' ? 3 : 0 }) } as unknown as Here['state'],
  };

  test('a position and a wallet as reported are correct', () => {
    expect(check(ours, futures(3))).toEqual([]);
  });

  test('another position is found', () => {
    expect(check(ours, futures(4))).toEqual(['BTC-USDT-PERP long: 3 steps here, 4 there']);
  });

  test('other money is found', () => {
    expect(check(ours, futures(3, 9))).toEqual(['futures USDT total: 10 here, 9 there']);
  });
});
