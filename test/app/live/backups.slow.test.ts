import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { journalAt } from '../../../src/journal/journal-reader.ts';
import type { RunStarted } from '../../../src/journal/journal-record.ts';
import type { BotWorkspace } from './bot-process.ts';
import { ACCOUNTS, ended, filled, guarded, type Traded } from './guarded.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

/** What a backup has: the journal alone, or also the mark beside it, as a copy of the folder does. */
type Backup = 'journal' | 'folder';
const ENDS = ['', '-wal', '-shm'];

const folder = (work: BotWorkspace, ...parts: string[]) => work.path('runs', 'once-live', ...parts);

function save(work: BotWorkspace): void {
  mkdirSync(work.path('backup'));
  for (const end of [...ENDS, '.mark']) {
    const file = `journal.sqlite${end}`;
    if (existsSync(folder(work, file))) copyFileSync(folder(work, file), work.path('backup', file));
  }
}

function restore(work: BotWorkspace, backup: Backup): void {
  for (const end of backup === 'folder' ? [...ENDS, '.mark'] : ENDS) {
    const file = `journal.sqlite${end}`;
    rmSync(folder(work, file), { force: true });
    if (existsSync(work.path('backup', file))) copyFileSync(work.path('backup', file), folder(work, file));
  }
}

function eras(work: BotWorkspace): (string | undefined)[] {
  const journal = journalAt(folder(work));
  try {
    return [...journal.records()].flatMap(({ kind, value }) => (kind === 'run' ? [(value as RunStarted).era] : []));
  } finally {
    journal.close();
  }
}

/** What the exchange's own records say: orders that filled, their client ids, and those of all orders. */
function records(local: WallExchange) {
  const { all } = local.behind.orders;
  const filledOrders = all.filter(({ fills }) => fills.length > 0);
  return {
    fills: filledOrders.map(({ request }) => `${request.side} ${request.steps}`),
    ids: all.map(({ clientOrderId }) => clientOrderId),
  };
}

const trading = async (work: BotWorkspace) => (await work.status()).trading;

test.each<[backup: Backup, foreign: string]>([
  ['journal', 'block'],
  ['journal', 'ignore'],
  ['folder', 'block'],
  ['folder', 'ignore'],
])('spot, an older %s restored, foreign: %s: a stop that was filled long ago sells nothing again', async (backup, foreign) => {
  const local = await wallExchange({ accounts: ACCOUNTS });
  local.price('BTC-USDT', '60000');
  const work = guarded(local, 'BTC-USDT', `, foreign: ${foreign}`);
  const first = work.launch('live', local.env);
  await filled(first);
  await ended(first);
  save(work);
  const second = work.launch('live', local.env);
  await second.said('ready');
  local.price('BTC-USDT', '50000');
  await filled(second);
  await ended(second);
  restore(work, backup);

  local.price('BTC-USDT', '60000');
  const again = work.launch('live', local.env);
  await again.said('the journal may lack its end: client ids get a new era');
  await again.said('ready');
  expect(await work.status()).toMatchObject({ trading: 'no', positions: {} });
  local.price('BTC-USDT', '50000');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { fills, ids } = records(local);
  expect(fills).toHaveLength(2);
  expect(new Set(ids).size).toBe(ids.length);
  await ended(again, 'SIGKILL');
  expect(eras(work).slice(-2)).toEqual([undefined, expect.stringMatching(/^[0-9a-z]{8}$/)]);

  // It stays halted over a start, until a person resets it. The era stays, too.
  const later = work.launch('live', local.env);
  await later.said('ready');
  expect(await trading(work)).toBe('no');
  await work.run(['reset', work.config]);
  expect(await trading(work)).toBe('yes');
  await ended(later);
  const [one, other] = eras(work).slice(-2);
  expect(one).toBe(other);
  await work.run(['replay', folder(work)]);
});

test.each<[symbol: Traded, backup: Backup, foreign: string]>([
  ['BTC-USDT', 'journal', 'ignore'],
  ['BTC-USDT', 'folder', 'block'],
  ['BTC-USDT-PERP', 'journal', 'block'],
  ['BTC-USDT-PERP', 'folder', 'block'],
  ['BTC-USDT-PERP', 'folder', 'ignore'],
])('%s, a %s of before the entry restored, foreign: %s: the strategy does not enter twice', async (symbol, backup, foreign) => {
  const local = await wallExchange({ accounts: ACCOUNTS });
  local.price(symbol, '80000');
  const work = guarded(local, symbol, `, foreign: ${foreign}`);
  const first = work.launch('live', local.env);
  await first.said('ready');
  await ended(first);
  save(work);
  local.price(symbol, '60000');
  const second = work.launch('live', local.env);
  await filled(second);
  await ended(second);
  restore(work, backup);

  const again = work.launch('live', local.env);
  await again.said('ready');
  expect(await trading(work)).toBe('no');
  await again.line(({ msg, code }) => msg === 'orderDenied' && code === 'instrumentHalted');
  expect(records(local).fills).toEqual(['buy 100']);
  await ended(again);
  const later = work.launch('live', local.env);
  await later.said('ready');
  expect(await trading(work)).toBe('no');
  await ended(later);
  // Whatever it was that showed it: no id of what is lost is given again.
  const [, ...renewed] = eras(work).slice(-3);
  expect(renewed).toEqual([expect.stringMatching(/^[0-9a-z]{8}$/), renewed[0]]);
});

test('a journal that lost the end of its write-ahead log assigns no client id twice, and doctor reports it', async () => {
  const local = await wallExchange({ accounts: ACCOUNTS });
  local.price('BTC-USDT', '60000');
  const work = guarded(local, 'BTC-USDT');
  const first = work.launch('live', local.env);
  await filled(first);
  await ended(first, 'SIGKILL');
  // One byte in the middle of it: SQLite reads the log up to there.
  const log = folder(work, 'journal.sqlite-wal');
  const bytes = readFileSync(log);
  bytes[Math.floor(bytes.length * 0.6)]! ^= 0xff;
  writeFileSync(log, bytes);
  const doctor = await work.run(['doctor', work.config, '--mode', 'live', '--only', 'journal', '--json'], { code: 8 });
  expect(JSON.parse(doctor.stdout).checks.at(-1).found).toContain('may lack its end');
  const again = work.launch('live', local.env);
  await again.said('the journal may lack its end: client ids get a new era');
  await again.said('ready');
  expect(await trading(work)).toBe('no');
  await work.run(['reset', work.config]);
  await ended(again);
  const { ids, fills } = records(local);
  expect(new Set(ids).size).toBe(ids.length);
  expect(fills.filter((one) => one.startsWith('buy'))).toHaveLength(1);
});

test('a start after kill -9 or a stop keeps the era, and is not halted', async () => {
  const local = await wallExchange({ accounts: ACCOUNTS });
  local.price('BTC-USDT', '60000');
  const work = guarded(local, 'BTC-USDT');
  const first = work.launch('live', local.env);
  await filled(first);
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
    const bot = signal === 'SIGKILL' && eras(work).length === 1 ? first : work.launch('live', local.env);
    await bot.said('ready');
    expect(await trading(work)).toBe('yes');
    await ended(bot, signal);
  }
  expect(eras(work)).toEqual([undefined, undefined, undefined]);
});
