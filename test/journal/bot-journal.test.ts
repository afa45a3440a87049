import { renameSync, statSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import Database from 'libsql';
import type { BotJournal } from '../../src/journal/bot-journal.ts';
import { RecordedJournal } from '../../src/journal/journal-reader.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Ticker } from '../../src/model/market-events.ts';
import { place } from '../../src/strategy/intents.ts';
import { accountEvents, INSTRUMENTS, marketEvents } from './arbitrary.ts';
import { newPath, open, troubleOf } from './builders.ts';

const [BTC] = INSTRUMENTS as [(typeof INSTRUMENTS)[number]];
const kinds = (journal: BotJournal) => [...journal.records()].map(({ kind }) => kind);

test('records are read in the order of writing, each with its time and value', () => {
  const path = newPath();
  const journal = open(path);
  const ticker = new Ticker(BTC, 5.25, 7, 100);
  const intent = place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: '1' });
  const event = { kind: 'timerFired', time: 6, strategyId: 's', name: 't' } as const;
  journal.append('start', { version: 1 });
  journal.market(ticker);
  journal.intent(7, 5.5, 's', intent);
  journal.event(7, event);
  journal.request('placeOrder', ['c1'], { symbol: 'BTCUSDT_SPBL' });
  journal.reply('placeOrder', ['c1'], 'accepted', { orderId: '1' });
  journal.reply('cancelOrder', ['c1'], 'unknown', 'no reply', { sentAt: 900.5, tookMs: 70.25 });
  journal.heartbeat(8);
  journal.commit();
  journal.close();

  const again = open(path);
  expect([...again.records()]).toEqual([
    { id: 1, time: 1000, kind: 'start', value: { version: 1 } },
    { id: 2, time: 5.25, kind: 'market', value: ticker },
    { id: 3, time: 5.5, kind: 'intent', value: { sequence: 7, strategyId: 's', intent } },
    { id: 4, time: 6, kind: 'event', value: { sequence: 7, event } },
    { id: 5, time: 1000, kind: 'request', value: { operation: 'placeOrder', clientOrderIds: ['c1'], body: { symbol: 'BTCUSDT_SPBL' } } },
    {
      id: 6,
      time: 1000,
      kind: 'reply',
      value: { operation: 'placeOrder', clientOrderIds: ['c1'], outcome: 'accepted', body: { orderId: '1' } },
    },
    {
      id: 7,
      time: 1000,
      kind: 'reply',
      value: { operation: 'cancelOrder', clientOrderIds: ['c1'], outcome: 'unknown', body: 'no reply', sentAt: 900.5, tookMs: 70.25 },
    },
    { id: 8, time: 8, kind: 'heartbeat', value: null },
  ]);
  expect([...again.records(7)].map(({ id }) => id)).toEqual([7, 8]);
  again.close();
});

test('every record is read back equal, over more than a page', () => {
  const path = newPath();
  const told = fc.sample(accountEvents, { numRuns: 600, seed: 1 });
  const market = fc.sample(marketEvents, { numRuns: 600, seed: 1 });
  const journal = open(path, { synchronous: 'off' });
  told.forEach((event, index) => {
    journal.event(index, event);
    journal.market(market[index]!);
  });
  journal.commit();
  journal.close();
  const again = open(path);
  const values = [...again.records()].map(({ value }) => value);
  expect(values).toEqual(told.flatMap((event, index) => [{ sequence: index, event }, market[index]]));
  again.close();
});

test('closing drops uncommitted memory and records; a request commits by itself', () => {
  const path = newPath();
  const journal = open(path);
  journal.remember('cursor', 1);
  journal.append('note', 'before');
  journal.request('placeOrder', ['c1'], {});
  journal.remember('cursor', 2);
  journal.reply('placeOrder', ['c1'], 'accepted', {});
  expect(journal.recall('cursor')).toBe(2);
  expect(kinds(journal)).toEqual(['note', 'request', 'reply']);
  journal.close();
  const again = open(path);
  expect(again.recall('cursor')).toBe(1);
  expect(kinds(again)).toEqual(['note', 'request']);
  again.close();
});

test('the memory keeps the last value of a key until it is forgotten', () => {
  const path = newPath();
  const journal = open(path);
  expect(journal.recall('a')).toBeUndefined();
  journal.remember('a', { list: [1, null, 'x'], money: new Decimal('1.5') });
  journal.remember('b', 1);
  journal.remember('b', undefined);
  journal.commit();
  journal.close();
  const again = open(path);
  expect(again.recall('a')).toEqual({ list: [1, null, 'x'], money: new Decimal('1.5') });
  expect(again.recall('b')).toBeUndefined();
  expect(troubleOf(() => again.remember('a\u0000b', 1))).toMatch(/^INVARIANT_BROKEN: .*printable/);
  again.close();
});

test('records that belong to a commit are written inside it, and only if there is something to commit', () => {
  const path = newPath();
  const journal = open(path);
  let calls = 0;
  journal.beforeCommit = () => journal.append('held', { calls: ++calls });
  journal.commit();
  expect(calls).toBe(0);
  journal.heartbeat(1);
  journal.commit();
  journal.commit();
  journal.request('cancelOrder', [], {});
  expect(kinds(journal)).toEqual(['heartbeat', 'held', 'request', 'held']);
  expect(journal.lastOf('held')?.value).toEqual({ calls: 2 });
  expect(journal.lastOf('save')).toBeUndefined();

  journal.beforeCommit = () => {
    throw new Error('no snapshot');
  };
  journal.append('note', 'waits');
  expect(() => journal.commit()).toThrow('no snapshot');
  journal.beforeCommit = () => journal.commit();
  expect(troubleOf(() => journal.commit())).toMatch(/^INVARIANT_BROKEN/);
  journal.beforeCommit = undefined;
  journal.commit();
  journal.close();
  const again = open(path);
  expect(again.lastOf('note')?.value).toBe('waits');
  again.close();
});

test('a value that cannot be stored is refused at the call, and the journal continues', () => {
  const journal = open(newPath());
  expect(troubleOf(() => journal.append('save', { sma: new Date(0) }))).toMatch(/^INVARIANT_BROKEN: .*value\.sma.*Date/);
  journal.append('note', 1);
  journal.commit();
  expect(kinds(journal)).toEqual(['note']);
  journal.close();
});

test('the journal keeps its creation time, also when it is opened later', () => {
  const path = newPath();
  const journal = open(path, { now: () => 1234 });
  expect(journal.createdAt).toBe(1234);
  journal.close();
  const again = open(path, { now: () => 9999 });
  expect(again.createdAt).toBe(1234);
  again.close();
});

test('a closed journal refuses every call, and is one whole file', () => {
  const path = newPath();
  const journal = open(path);
  journal.append('note', 1);
  journal.commit();
  journal.close();
  journal.close();
  const calls = [
    () => journal.heartbeat(1),
    () => journal.commit(),
    () => journal.remember('a', 1),
    () => journal.recall('a'),
    () => journal.lastOf('note'),
    () => [...journal.records()],
  ];
  for (const call of calls) expect(troubleOf(call)).toMatch(/^JOURNAL_FAILED: .*is closed/);
  expect(statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
});

test('a journal that is moved away while the bot runs stops it', () => {
  const path = newPath();
  const journal = open(path);
  journal.append('note', 1);
  journal.commit();
  renameSync(path, `${path}.old`);
  journal.append('note', 2);
  const said = troubleOf(() => journal.commit());
  expect(said).toMatch(/^JOURNAL_FAILED: .*moved or deleted/);
  expect(said).toContain(path);
  expect(troubleOf(() => journal.heartbeat(1))).toBe(said);
  journal.close();
});

test.each([
  [3, 'an earlier'],
  [5, 'a newer'],
])('a journal of version %i of the format is refused, by a bot and by a reader, and is not changed', (version, which) => {
  const path = newPath();
  open(path).close();
  const other = new Database(path);
  other.exec(`PRAGMA user_version = ${version}`);
  other.close();
  const said = `JOURNAL_DAMAGED: journal ${path} is of ${which} Tidegate (version ${version} of its format, expected 4): run the bot with the Tidegate that wrote it, or close its positions there and begin a new journal: --new-journal`;
  expect(troubleOf(() => open(path))).toBe(said);
  expect(troubleOf(() => RecordedJournal.open(path))).toBe(said);
  const after = new Database(path);
  expect(after.prepare('PRAGMA user_version').raw().get()).toEqual([version]);
  after.close();
});
