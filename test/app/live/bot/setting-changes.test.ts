import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { limitCommand, rememberChange, rememberChanges, withChanges } from '../../../../src/app/live/bot/setting-changes.ts';
import { botFolder, makeBotFolder } from '../../../../src/app/planning/bot-folder.ts';
import { riskLimits } from '../../../../src/app/planning/risk-limits.ts';
import type { BotPlan } from '../../../../src/app/planning/run-plans.ts';
import { BotJournal } from '../../../../src/journal/bot-journal.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import type { SettingChange } from '../../../../src/ports/market-feed.ts';
import { troubleOf } from '../../../journal/builders.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { INSTRUMENTS } from '../bot-process.ts';

const configOf = (risk: string) => `name: mine
dataDir: .
account: { kind: spot, balances: { USDT: "100000" } }
${INSTRUMENTS}strategies:
  - { id: one, file: ./once.ts, symbols: [BTC-USDT] }
paper: { dir: runs, prices: { exchange: { spotBaseUrl: "https://a.example", contractBaseUrl: "https://b.example" } } }
risk: ${risk}
`;

function bot(risk: string) {
  const folder = temporaryFolder('changes');
  const path = join(folder, 'c.yaml');
  const write = (text: string) => writeFileSync(path, configOf(text));
  write(risk);
  return { folder, path, write, start: (set: readonly string[] = []) => withChanges(path, set, 'paper') };
}

/** A change as the bot of a config makes it. */
function command(assignment: string, risk: string, changes: readonly SettingChange[] = []) {
  const { loaded } = bot(risk).start();
  const plan = { origin: { version: '', mode: 'paper', text: loaded.text, file: loaded.file } } as unknown as BotPlan;
  return limitCommand(assignment, { plan, present: { ...riskLimits(loaded.config.risk), maxQueuedOrders: 7 }, changes });
}

const RISK = '{ account: { maxDrawdown: 0.2 }, orders: { maxNotional: 1000 }, strategies: { one: { maxOpenOrders: 3 } } }';

test('a change has all limits, and the value of the config', () => {
  const { limits, change } = command('risk.orders.maxNotional=500', RISK);
  expect(change).toEqual({ setting: 'risk.orders.maxNotional', value: '500', was: '"1000"' });
  expect(limits).toMatchObject({ maxNotional: new Decimal(500), maxQueuedOrders: 7, maxDrawdown: { share: 0.2 } });
  const again = command('risk.strategies.one.maxOpenOrders=null', RISK, [change]);
  expect(again.change.was).toBe('3');
  expect(again.limits).toMatchObject({ maxNotional: new Decimal(500) });
  expect((again.limits as ReturnType<typeof riskLimits>).strategies!.get('one')!.maxOpenOrders).toBeUndefined();
  // The config's value stays, however often the setting is changed.
  expect(command('risk.orders.maxNotional=400', RISK, [change]).change).toEqual({ ...change, value: '400' });
});

test.each([
  ['live.enabled=true', 'expected a limit'],
  ['risk.orders.maxNotional', 'expected a limit'],
  ['risk.orders.maxNotional=-1', 'expected a positive decimal'],
  ['risk.orders.maxNotonal=1', 'maxNotonal'],
  ['risk.strategies.two.maxOpenOrders=1', 'two'],
  ['risk.account.maxOpenOrders=1.5', 'risk.account.maxOpenOrders'],
  ['risk.account.dailyLoss=0.1', 'needs figures that the bot does not measure since its start'],
  ['risk.account.capital=100', 'needs figures that the bot does not measure since its start'],
  ['risk.account={ maxDrawdown: 0.1 }', 'risk.account.maxDrawdown was changed before'],
])('%s is refused: %s', (assignment, why) => {
  const before = { setting: 'risk.account.maxDrawdown', value: '0.3', was: '"0.2"' };
  expect(troubleOf(() => command(assignment, RISK, [before]))).toContain(why);
});

test.each<[what: string, risk: string, set: string[], value: string | undefined, note: string | undefined]>([
  ['the same value', '{ orders: { maxNotional: "1000" } }', [], '500', 'CHANGED in an earlier run: risk.orders.maxNotional is 500'],
  ['another value', '{ orders: { maxNotional: 800 } }', [], '800', 'the config has "800" now, and had "1000". The config wins'],
  ['no value', '{}', [], undefined, 'the config has null now'],
  ['another value by --set', '{ orders: { maxNotional: 1000 } }', ['risk.orders.maxNotional=700'], '700', 'The config wins'],
])('after a change from 1000 to 500 a start with %s in the config has %j', (_, risk, set, value, note) => {
  const { folder, write, start } = bot(risk);
  const place = botFolder(join(folder, 'runs'), 'mine', 'paper');
  makeBotFolder(place);
  const journal = BotJournal.open(place.journal, { bot: 'mine', now: () => 1, instruments: [] });
  rememberChange(journal, { setting: 'risk.orders.maxNotional', value: '600', was: '"1000"' });
  rememberChange(journal, { setting: 'risk.orders.maxNotional', value: '500', was: '"1000"' });
  journal.commit();
  journal.close();
  write(risk);
  const { loaded, changes, notes } = start(set);
  expect(loaded.config.risk.orders.maxNotional).toBe(value);
  expect([changes.length, notes.join()]).toEqual([value === '500' ? 1 : 0, expect.stringContaining(note!)]);
});

test('a journal with nothing to remember, and none at all, change nothing', () => {
  const { folder, start } = bot(RISK);
  expect(start().changes).toEqual([]);
  const place = botFolder(join(folder, 'runs'), 'mine', 'paper');
  makeBotFolder(place);
  const journal = BotJournal.open(place.journal, { bot: 'mine', now: () => 1, instruments: [] });
  rememberChanges(journal, []);
  journal.close();
  expect(start()).toMatchObject({ changes: [], notes: [] });
});
