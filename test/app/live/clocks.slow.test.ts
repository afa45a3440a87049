import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { clockTrouble } from '../../../src/app/live/clock-checks.ts';
import { SystemClock } from '../../../src/venues/rest/real-clock.ts';
import { until } from '../../support/until.ts';
import { ended, envOf, filled, guarded } from './guarded.ts';
import { wallExchange } from './wall-exchange.ts';

const measured = (...found: [offsetMs: number, errorMs: number][]) => ({
  measureClock: async () => {
    const [offsetMs, errorMs] = found.length > 1 ? found.shift()! : found[0]!;
    return { offsetMs, errorMs };
  },
});

test.each<[what: string, found: [number, number][], wrong: boolean]>([
  // A reply that takes 3 s shows the clock within 1500 ms.
  ['an offset within the error of a slow round trip', [[-1_459, 1_500]], false],
  ['1000 ms and the error of the round trip', [[1_020, 20]], false],
  ['more than that', [[1_021, 20]], true],
  [
    'a precise one among slow ones',
    [
      [100, 3_000],
      [5_000, 10],
      [100, 3_000],
    ],
    true,
  ],
])('the clock is blamed for what it certainly is: %s', async (_, found, wrong) => {
  const { trouble } = await clockTrouble(measured(...found));
  expect(trouble !== undefined).toBe(wrong);
});

/** Date.now of the bot's process is an hour ahead while a file of this name is beside the config. */
const SHIM = `const { existsSync } = require('node:fs');
const now = Date.now;
Date.now = () => now() + (existsSync(process.env.JUMP_IF) ? 3_600_000 : 0);
`;

const BOTH_CLOCKS =
  /^this machine's clock was set by (35999\d\d|3600\d{3}) ms: it shows .*, the exchange's .*; nothing opens until the exchange's time is measured again$/;

test('a clock that is set by an hour while the bot runs: nothing opens until the offset is measured again, and status has both clocks', async () => {
  const local = await wallExchange();
  local.price('BTC-USDT', '60000');
  const work = guarded(local, 'BTC-USDT');
  writeFileSync(work.path('shim.cjs'), SHIM);
  const bot = work.launch('live', { ...local.env, NODE_OPTIONS: `--require ${work.path('shim.cjs')}`, JUMP_IF: work.path('JUMP') });
  await filled(bot);
  expect((await work.status()).health).toEqual([]);
  writeFileSync(work.path('JUMP'), '');
  const stale = await bot.said('clock stale');
  expect(stale.reason).toMatch(BOTH_CLOCKS);
  await bot.said('clock fresh');
  const { health, trading } = await work.status();
  expect(health).toEqual([expect.objectContaining({ subject: 'clock', condition: 'wrong' })]);
  expect(health[0]!.reason).toMatch(
    /^this machine's clock shows \S+, the exchange's \S+: it is 3[56]\d{5} ms ahead of the exchange's; synchronize/,
  );
  expect(trading).toBe('yes');
  rmSync(work.path('JUMP'));
  await until(work.status, (status) => status.health.length === 0);
  await ended(bot);
});

/** Buys at each new price. */
const EAGER = `import { type Intents, place, Strategy, type Ticker } from 'tidegate';
export class Eager extends Strategy {
  static needs = { tickers: true };
  seen = 0;
  onTicker({ symbol, last }: Ticker): Intents {
    if (last === this.seen) return undefined;
    this.seen = last;
    return place({ symbol, side: 'buy', type: 'market', quantity: '0.001' });
  }
}
`;

test('openings are denied for as long as the offset of a clock that was set is unknown, and health has both clocks meanwhile', async () => {
  const local = await wallExchange();
  local.price('BTC-USDT', '60000');
  const work = guarded(local, 'BTC-USDT');
  writeFileSync(work.path('once.ts'), EAGER);
  writeFileSync(work.path('shim.cjs'), SHIM);
  const bot = work.launch('live', { ...local.env, NODE_OPTIONS: `--require ${work.path('shim.cjs')}`, JUMP_IF: work.path('JUMP') });
  await filled(bot);
  local.exchange.control.setFaults({ rules: [{ fault: 'failBefore', operations: ['spotTime', 'futuresTime'] }] });
  writeFileSync(work.path('JUMP'), '');
  await bot.said('clock stale');
  local.price('BTC-USDT', '60100');
  expect(await bot.said('orderDenied')).toMatchObject({ side: 'buy', code: 'dataStale', reason: expect.stringMatching(BOTH_CLOCKS) });
  const { health, trading } = await work.status();
  expect(trading).toBe('no');
  expect(health).toContainEqual(
    expect.objectContaining({ subject: 'clock', condition: 'stale', reason: expect.stringMatching(BOTH_CLOCKS) }),
  );
  expect(local.behind.orders.all.length).toBe(1);
  local.exchange.control.setFaults({ rules: [] });
  await bot.said('clock fresh');
  local.price('BTC-USDT', '60200');
  await bot.line(({ msg, price }) => msg === 'orderFilled' && price === '60200');
  await ended(bot);
});

test('a start that waits because the clock is wrong says so, trades nothing, and obeys a kill that flattens', async () => {
  const real = new SystemClock();
  let aheadMs = 0;
  const clock = { now: () => real.now() + aheadMs, schedule: (time: number, act: () => void) => real.schedule(time - aheadMs, act) };
  const local = await wallExchange({ clock });
  local.price('BTC-USDT', '60000');
  const work = guarded(local, 'BTC-USDT');
  const env = envOf(local, 'bot');
  const first = work.launch('live', env);
  await filled(first);
  await ended(first, 'SIGKILL');
  aheadMs = 5_000;
  const bot = work.launch('live', env);
  await bot.said('the bot cannot start yet: trying again');
  const { phase, trading, health } = await work.status();
  expect([phase, trading]).toEqual(['starting', 'no']);
  expect(health[0]).toMatchObject({ subject: 'start', condition: 'waiting', since: expect.any(Number) });
  expect(health[0]!.reason).toMatch(/^waits for the checks of the config at the exchange \(this machine's clock is [45]\d{3} ms behind/);
  const { stdout } = await work.run(['kill', work.config, '--flatten', '--wait', '300']);
  expect(stdout).toMatch(/^closed +sell 0\.0\d+ BTC-USDT/m);
  await ended(bot);
});
