import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import { completeInstruments } from '../../../src/app/config/complete-instruments.ts';
import { readConfig } from '../../../src/app/config/load-config.ts';
import { planBacktest } from '../../../src/app/planning/plan-backtest.ts';
import { HEADERS, Workshop } from '../../recording/builders.ts';

const shop = new Workshop();

const DAY_S = 86_400;
const LOG = { debug() {}, info() {}, warn() {} };

/** Four days from 2025-01-01 on: the first two on a tick of 0.1, the others on one of 0.01. */
beforeAll(async () => {
  const start = Date.UTC(2025, 0, 1) / 1_000;
  const rows = ['100.1', '100.2', '100.33', '100.4'].map((price, day) => `${start + day * DAY_S},${price},${price},${price},${price},1`);
  await shop.keep(`${HEADERS.bar}\n${rows.join('\n')}\n`, { kind: 'bar', intervalMs: DAY_S * 1_000 });
  shop.write(
    's.js',
    "import { Strategy } from 'tidegate';\nexport class S extends Strategy { static needs = { bars: '1d' }; onBar() {} }\n",
  );
  terms(`
- { symbol: BTC-USDT, from: 2024-01-01, tickSize: 0.1, stepSize: "0.001", makerFee: "0.002", takerFee: "0.003", minQuantity: "0.01" }
- { symbol: BTC-USDT, from: 2025-01-03, tickSize: 0.01, stepSize: "0.001", makerFee: "0.001", takerFee: "0.003" }
`);
});

function terms(text: string): void {
  mkdirSync(join(shop.dataDir, 'r'), { recursive: true });
  writeFileSync(join(shop.dataDir, 'r', 'instruments.yaml'), text);
}

interface Case {
  readonly instruments?: string;
  readonly account?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Loads a config over the recording, completed as a backtest does. */
async function load({ instruments = 'instruments: { BTC-USDT: {} }', account = 'kind: spot', from, to }: Case = {}) {
  const period = `${from === undefined ? '' : `, from: ${from}`}${to === undefined ? '' : `, to: ${to}`}`;
  const path = shop.write(
    'c.yaml',
    `name: c
account: { ${account}, balances: { USDT: "1000" } }
dataDir: ./data
${instruments}
strategies: [{ id: s, file: ./s.js, symbols: [BTC-USDT] }]
backtest: { data: [r], warmup: cold${period} }
`,
  );
  const read = readConfig(path);
  const completed = await completeInstruments(read.value);
  const loaded = read.check(completed);
  const [instrument] = Object.values(loaded.config.instruments);
  return { loaded, instrument, ...completed };
}

test('missing terms come from the recording, as of the start of the run', async () => {
  expect((await load({ from: '2025-01-01', to: '2025-01-03' })).instrument).toEqual({
    tickSize: '0.1',
    stepSize: '0.001',
    makerFee: '0.002',
    takerFee: '0.003',
    minQuantity: '0.01',
  });
  expect((await load({ from: '2025-01-03' })).instrument).toEqual({
    tickSize: '0.01',
    stepSize: '0.001',
    makerFee: '0.001',
    takerFee: '0.003',
  });
});

test("without `from` the first recorded time counts; without `instruments` the strategies' symbols", async () => {
  expect((await load()).instrument?.makerFee).toBe('0.002');
  const { config } = (await load({ instruments: '' })).loaded;
  expect(Object.keys(config.instruments)).toEqual(['BTC-USDT']);
});

test('the config takes precedence', async () => {
  const instruments = 'instruments: { BTC-USDT: { tickSize: "0.01", makerFee: "0" } }';
  const { instrument, datedTicks } = await load({ instruments });
  expect(instrument).toMatchObject({ tickSize: '0.01', makerFee: '0', takerFee: '0.003' });
  expect(datedTicks.size).toBe(0);
});

test('terms that change inside the run are a warning, others are not', async () => {
  const file = /^BTC-USDT: tickSize, makerFee, minQuantity changed at 2025-01-03T00:00:00Z, during the run \(\S+instruments.yaml\): /;
  expect((await load({ from: '2025-01-01' })).warnings).toEqual([expect.stringMatching(file)]);
  expect((await load({ from: '2025-01-01', to: '2025-01-03' })).warnings).toEqual([]);
  expect((await load({ from: '2025-01-03' })).warnings).toEqual([]);
  const own = 'instruments: { BTC-USDT: { tickSize: "0.01", makerFee: "0", minQuantity: "1" } }';
  expect((await load({ instruments: own, from: '2025-01-01' })).warnings).toEqual([]);
});

test('for a contract, each missing key is completed; its own margin rate is not mixed with recorded tiers', async () => {
  terms(`
- symbol: BTC-USDT-PERP
  from: 2024-01-01
  tickSize: "0.1"
  stepSize: "0.001"
  contract: { liquidationFee: "0.002", tiers: [{ upTo: "1000", maintenance: "0.01" }, { maintenance: "0.02" }] }
`);
  const perp = async (contract: string) => {
    const instruments = `instruments: { BTC-USDT-PERP: { ${contract} }, BTC-USDT: { tickSize: "0.01", stepSize: "0.001" } }`;
    return (await load({ instruments, account: 'kind: futures, spot: { USDT: "1" }' })).instrument?.contract;
  };
  expect(await perp('')).toMatchObject({
    liquidationFee: '0.002',
    tiers: [{ upTo: '1000', maintenance: '0.01' }, { maintenance: '0.02' }],
  });
  const own = await perp('contract: { maintenance: "0.03" }');
  expect(own).toMatchObject({ liquidationFee: '0.002', maintenance: '0.03' });
  expect(own?.tiers).toBeUndefined();
});

test.each([
  [
    'terms that begin later',
    '- { symbol: BTC-USDT, from: 2025-01-02, tickSize: "0.1", stepSize: "1" }',
    /c\.yaml:4:16: instruments\.BTC-USDT: tickSize and stepSize missing, and \S+instruments\.yaml has no terms of BTC-USDT for 2025-01-01T00:00:00Z: /,
  ],
  ['no terms at all', '', /\S+instruments\.yaml has no terms of BTC-USDT for 2025-01-01T00:00:00Z/],
  [
    'terms without a step',
    '- { symbol: BTC-USDT, from: 2025-01-01, tickSize: "0.1" }',
    /instruments\.yaml:1:3: \S*0\S*\.stepSize: missing/,
  ],
  [
    'an unknown key',
    '- { symbol: BTC-USDT, from: 2025-01-01, tickSize: "0.1", stepSize: "1", tik: 1 }',
    /instruments\.yaml:1:\d+: .*unknown key/,
  ],
  [
    'the same time twice',
    '- { symbol: BTC-USDT, from: 2025-01-01, tickSize: "0.1", stepSize: "1" }\n- { symbol: BTC-USDT, from: 2025-01-01T00:00, tickSize: "1", stepSize: "1" }',
    /instruments\.yaml:2:.*there are two terms of BTC-USDT from the same time/,
  ],
])('%s are refused', async (_, text, message) => {
  terms(text);
  await expect(load()).rejects.toMatchObject({ code: 'CONFIG_INVALID', message: expect.stringMatching(message) });
});

test('a run with the tick of its time ignores earlier prices on another tick, and refuses those inside its period', async () => {
  terms('- { symbol: BTC-USDT, from: 2024-01-01, tickSize: "0.1", stepSize: "0.001" }');
  const run = async (to: string) => {
    const { loaded, datedTicks } = await load({ from: '2025-01-01', to });
    return simulateRun((await planBacktest(loaded, LOG, undefined, datedTicks)).plan);
  };
  expect(await run('2025-01-03')).toMatchObject({ marketEvents: 2, failure: undefined });
  await expect(run('2025-01-04')).rejects.toMatchObject({
    code: 'DATA_INVALID',
    message: expect.stringMatching(/the price 100\.33 at 2025-01-03T00:00:00Z of \S+ is not a multiple of 0\.1/),
  });
});
