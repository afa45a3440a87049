import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BOT_STATES, ofStatus, type SeenBot } from '../../../src/app/fleet/bot-state.ts';
import { totalsOf } from '../../../src/app/fleet/list-bots.ts';
import type { BotStatus } from '../../../src/app/live/process/bot-status.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { ROOT } from '../../support/cli.ts';

const FREE = { phase: 'running', trading: 'yes', latches: [], health: [], positions: {}, openOrders: {} } as const;
const halt = (symbol: string) => ({ subject: 'instrument', symbol, condition: 'halted', reason: 'no answer' });
const stale = (symbol: string) => ({ subject: 'instrument', symbol, condition: 'stale', reason: 'no price for 12 s' });
const latch = (of: object = {}) => ({ rule: 'maxDrawdown', time: 1, reason: 'of 25 %', ...of });

test.each<[string, Partial<BotStatus>, string, string]>([
  [
    'starts',
    { phase: 'starting', trading: 'no', health: [{ ...halt(''), subject: 'start', condition: 'waiting' }] },
    'starting',
    'start: no answer',
  ],
  ['is being stopped', { phase: 'stopping', trading: 'no', health: [] }, 'stopping', ''],
  ['is flat', {}, 'ready', ''],
  ['holds something', { positions: { A: '1' } }, 'trading', ''],
  ['has an order', { openOrders: { accepted: 1 } }, 'trading', ''],
  // A problem that keeps nobody from opening is no halt.
  ['has another problem', { health: [{ ...halt('A'), condition: 'without its stop' }] }, 'ready', ''],
  ['is halted in one of two', { trading: 'in part', health: [halt('A')] }, 'partly halted', 'A: no answer'],
  ['has one strategy latched', { trading: 'in part', latches: [latch({ strategy: 's' })] }, 'partly halted', 's: maxDrawdown (of 25 %)'],
  [
    'has one strategy paused',
    { trading: 'in part', latches: [latch({ rule: 'paused', strategy: 's' })] },
    'partly halted',
    's: paused (of 25 %)',
  ],
  ['is latched', { trading: 'no', latches: [latch()], health: [halt('A')] }, 'latched', 'maxDrawdown (of 25 %); A: no answer'],
  ['has all strategies latched', { trading: 'no', latches: [latch({ strategy: 's' })] }, 'latched', 's: maxDrawdown (of 25 %)'],
  ['is halted in all', { trading: 'no', health: [halt('A'), halt('B')] }, 'halted', 'A: no answer; B: no answer'],
  ['has no fresh price', { trading: 'no', health: [stale('A'), halt('B')] }, 'stale', 'B: no answer'],
])('a bot that %s', (_, change, state, why) => {
  const seen = ofStatus({ ...FREE, ...change } as BotStatus);
  expect(seen.state).toBe(state);
  expect(seen.why).toContain(why);
});

test('the page of a running bot has each state with its proof, in the order in which they are tried', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/live.md'), 'utf8');
  const table = page.slice(page.indexOf('### States of a bot'), page.indexOf('### A bot that does not answer'));
  const rows = [...table.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, state, proof]) => [state, proof]);
  expect(rows).toEqual(Object.entries(BOT_STATES));
});

const money = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((cents) => new Decimal(cents).div(100).toFixed());
const bots = fc.array(
  fc.record({
    mode: fc.constantFrom('paper', 'live'),
    currency: fc.constantFrom('USDT', 'USD', 'BTC'),
    equity: money,
    today: money,
    answers: fc.boolean(),
  }),
);

test('each sum is that of the rows with figures of its mode and currency, and no row counts twice', () => {
  fc.assert(
    fc.property(bots, (rows) => {
      const seen = rows.map(({ mode, currency, equity, today, answers }) => {
        const status = answers ? ({ mode, currency, equity, profit: { today, total: '0' } } as BotStatus) : undefined;
        return { name: 'x', mode, state: answers ? 'ready' : 'unreachable', status } as unknown as SeenBot;
      });
      const totals = totalsOf(seen);
      const answering = rows.filter(({ answers }) => answers);
      expect(totals.reduce((sum, { bots: count }) => sum + count, 0)).toBe(answering.length);
      for (const { mode, currency, bots: count, equity, today } of totals) {
        const own = answering.filter((one) => one.mode === mode && one.currency === currency);
        const sum = (figure: 'equity' | 'today') => own.reduce((all, one) => all.plus(one[figure]), new Decimal(0)).toFixed();
        expect([count, equity, today]).toEqual([own.length, sum('equity'), sum('today')]);
      }
    }),
  );
});
