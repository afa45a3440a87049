import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import { loadConfig } from '../../../src/app/config/load-config.ts';
import { planBot } from '../../../src/app/live/plan-bot.ts';
import { planBacktest } from '../../../src/app/planning/plan-backtest.ts';
import { writeSignals } from '../../../src/recording/signals/signal-file.ts';
import { HOUR, hours, T0, written } from './workbench.ts';

const LOG = { debug() {}, info() {}, warn() {} };
const SPOT = 'BTC-USDT';
const ACCOUNT = {
  account: { kind: 'spot', balances: { USDT: '1000' } },
  instruments: { [SPOT]: { tickSize: '0.1', stepSize: '0.001', takerFee: '0.001' } },
  symbols: [SPOT],
};
const bars = { symbol: SPOT, kind: 'bar', times: hours(1) } as const;

/** A config with these signals, and a recording `preds` with a row at each of the first three hours. */
async function config(signals: object | undefined, members: string) {
  const file = await written([bars], { ...ACCOUNT, ...(signals && { signals }) }, members);
  const loaded = loadConfig(file);
  const target = { dataDir: loaded.config.dataDir, name: 'preds', replace: true, source: [] };
  const times = [1, 2, 3].map((hour) => T0 + hour * HOUR);
  await writeSignals(target, {
    columns: [{ name: 'up', type: 'number' }],
    times,
    symbols: times.map(() => SPOT),
    values: [[0.1, 0.2, 0.3]],
  });
  return loaded;
}

const HEARS =
  "static needs = { bars: '1h', signals: 'preds' }; onSignal({ time, values }) { this.log.info([(time - 1735689600000) / 60000, values.up].join(' ')); }";

test('a backtest delivers the signals of its config, later by `availableAfter`', async () => {
  const { plan } = await planBacktest(await config({ preds: { availableAfter: '5m' } }, HEARS), LOG);
  const lines: string[] = [];
  const { failure } = await simulateRun({ ...plan, log: { ...LOG, info: (line: string) => lines.push(line) } });
  expect(failure).toBeUndefined();
  expect(lines).toEqual(['65 0.1', '125 0.2', '185 0.3']);
});

test.each<[string, object | undefined, string, string]>([
  ['has no signals', undefined, HEARS, 'strategy "s" needs the signal "preds", but the config has no `signals`'],
  [
    'lacks the name',
    { other: { recording: 'preds' } },
    HEARS,
    'strategy "s" needs the signal "preds", but the config has only other in `signals`',
  ],
  [
    'has none for onSignal',
    undefined,
    "static needs = { bars: '1h' }; onSignal() {}",
    'strategy "s" has onSignal, but the config has no `signals`',
  ],
])('a config that %s is refused with the place of the strategy', async (_, signals, members, message) => {
  const refused = planBacktest(await config(signals, members), LOG);
  await expect(refused).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) });
});

test('a recording without signals is refused, and one with signals named', async () => {
  const refused = planBacktest(await config({ preds: { recording: 'r' } }, HEARS), LOG);
  await expect(refused).rejects.toMatchObject({
    code: 'DATA_NOT_FOUND',
    message: expect.stringMatching(/recording "r" has no signals in .*; recordings with signals: preds/),
  });
});

test('a bot reads signals from files, and is refused without one', async () => {
  const plan = async (signals: object) => {
    const loaded = await config(signals, HEARS);
    const poll = { tickerMs: 1000, accountMs: 1000, lookupMs: 1000, idleMs: 1000, staleMs: 10_000 };
    const section = { dir: '/runs', warmup: 'cold', start: 'all', candles: false, poll, graceMs: 1 };
    const paper = { ...loaded, config: { ...loaded.config, paper: section } } as unknown as typeof loaded;
    return { loaded, planned: planBot(paper, 'paper', LOG, { start: T0, speed: 1 }) };
  };
  const { loaded, planned } = await plan({ preds: { file: './preds.jsonl', availableAfter: '5s' } });
  const file = join(dirname(loaded.file), 'preds.jsonl');
  expect((await planned).plan.signalFiles).toEqual([{ name: 'preds', file, delayMs: 5_000, maxAheadMs: 86_400_000 }]);
  const posted = await plan({ preds: { post: true }, preds2: { file: './preds.jsonl', post: true, maxAhead: '2h' } });
  expect((await posted.planned).plan.signalFiles).toEqual([
    { name: 'preds', file: `/runs/${posted.loaded.config.name}-paper/signals-preds.jsonl`, delayMs: 0, maxAheadMs: 86_400_000, post: true },
    { name: 'preds2', file: join(dirname(posted.loaded.file), 'preds.jsonl'), delayMs: 0, maxAheadMs: 7_200_000, post: true },
  ]);
  await expect((await plan({ preds: {} })).planned).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('signals.preds: paper needs `file`'),
  });
});

test.each<[string, object, readonly [string, ...(string | undefined)[]], number, string[]]>([
  ['the last price', {}, [SPOT], 24, []],
  ['no symbol', {}, ['?', undefined], 2, []],
  [
    'another symbol',
    {},
    ['BTC-USDT-PERP', 'BTC-USDT-PERP', 'ETH-USDT'],
    2,
    ['BTC-USDT-PERP, ETH-USDT, from 2025-01-01T02:00:00Z to 2025-01-01T04:00:00Z'],
  ],
  ['a time after the run', {}, [SPOT], 25, ['BTC-USDT, from 2025-01-02T01:00:00Z to 2025-01-02T01:00:00Z']],
  [
    'a time that the delay puts after the run',
    { availableAfter: '1d' },
    [SPOT],
    1,
    ['BTC-USDT, from 2025-01-01T01:00:00Z to 2025-01-01T01:00:00Z'],
  ],
])('a run warns if none of its signals is delivered: rows of %s', async (_, settings, symbols, hour, rows) => {
  const loaded = await config({ preds: settings }, HEARS);
  const own = symbols.map((symbol) => (symbol === '?' ? 'ETH-USDT' : symbol));
  await writeSignals(
    { dataDir: loaded.config.dataDir, name: 'preds', replace: true, source: [] },
    {
      columns: [{ name: 'up', type: 'number' }],
      times: own.map((__, row) => T0 + (hour + row) * HOUR),
      symbols: own,
      values: [own.map(() => 1)],
    },
  );
  const { warnings } = await planBacktest(loaded, LOG);
  expect(warnings).toEqual(
    rows.map(
      (text) =>
        `signals.preds: no row is delivered; its rows are of ${text}, and the run has BTC-USDT, from 2025-01-01T00:00:00Z to 2025-01-02T00:00:00Z`,
    ),
  );
});
