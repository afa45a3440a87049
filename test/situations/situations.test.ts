import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';
import { bareIn } from './drive.ts';
import { CELLS, COMMANDS, MARKETS, SHORT, SITUATIONS } from './list.ts';
import { expected } from './rules.ts';
import { countText, tableText } from './table.ts';

test('the table is each situation with each command, on each market where the situation can be', () => {
  const onOne = SITUATIONS.filter((one) => 'markets' in one).length;
  expect(CELLS).toHaveLength(COMMANDS.length * (2 * SITUATIONS.length - onOne));
  expect(new Set(CELLS.map(({ situation, command, market }) => `${situation.name} ${command} ${market}`)).size).toBe(CELLS.length);
});

test('the short form has each situation once, and each command and market', () => {
  expect(SHORT.map(({ situation }) => situation.name)).toEqual(SITUATIONS.map(({ name }) => name));
  expect(new Set(SHORT.map(({ command }) => command)).size).toBe(COMMANDS.length);
  expect(new Set(SHORT.map(({ market }) => market)).size).toBe(MARKETS.length);
});

test('the documentation has this table, and its number of cells', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/bot-situations.md'), 'utf8');
  expect(page).toContain(tableText());
  expect(page).toContain(countText());
});

describe('the rules', () => {
  const of = (name: string, command: string) =>
    expected(CELLS.find((cell) => cell.situation.name === name && cell.command === command && cell.market === 'spot')!);

  test.each([
    ['ready', 'kill --flatten', 0, { position: 'closed', orders: 'none' }, undefined],
    ['ready', 'watchdog, flatten', undefined, { position: 'open', orders: 'all' }, undefined],
    ['hung', 'kill --flatten', 11, { position: 'open', orders: 'all' }, { position: 'closed', orders: 'none' }],
    ['hung', 'watchdog', undefined, { position: 'open', orders: 'none' }, { position: 'open', orders: 'none' }],
    ['gone', 'kill --flatten', 2, { position: 'open', orders: 'all' }, { position: 'open', orders: 'all' }],
    ['clock', 'kill --flatten', 0, { position: 'closed', orders: 'none' }, { position: 'closed', orders: 'none' }],
    ['clock', 'reduce', 0, { position: 'open', orders: 'all' }, { position: 'open', orders: 'exits' }],
    ['network', 'kill --flatten', 11, { position: 'open', orders: 'all' }, { position: 'closed', orders: 'none' }],
    ['network', 'stop', 0, { position: 'open', orders: 'all' }, { position: 'open', orders: 'all' }],
    ['reduced', 'reduce', 0, { position: 'open', orders: 'exits' }, undefined],
    ['closing', 'status', 0, { position: 'open', orders: 'none' }, { position: 'closed', orders: 'none' }],
    ['stopping', 'status', 0, { position: 'open', orders: 'all' }, { position: 'open', orders: 'none' }],
    ['stopping', 'kill --flatten', 11, { position: 'closed', orders: 'all' }, { position: 'closed', orders: 'none' }],
    ['fills', 'kill --flatten', 11, { position: 'open', orders: 'none' }, { position: 'closed', orders: 'none' }],
  ])('%s x %s: exit code %s', (name, command, code, left, later) => {
    expect(of(name, command)).toMatchObject({ code, left });
    expect(of(name, command).later).toEqual(later);
  });
});

describe('a status with an open position is wrong with an empty health', () => {
  const status = { health: [], openOrders: {}, phase: 'running', trading: 'no' } as const;
  test.each([
    ['without any order', status, 'none', 1],
    ['while it starts, whatever its orders', { ...status, phase: 'starting' as const }, 'all', 1],
    ['not if the engine holds a stop', { ...status, openOrders: { held: 1 } }, 'none', 0],
    ['not if health says something', { ...status, health: [{ subject: 'x', symbol: '', condition: 'halted', reason: '' }] }, 'none', 0],
  ] as const)('%s', (_, one, orders, wrong) => {
    expect(bareIn(one, { position: 'open', orders })).toHaveLength(wrong);
  });
});
