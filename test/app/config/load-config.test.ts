import { readFileSync } from 'node:fs';

import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadConfig, readConfig } from '../../../src/app/config/load-config.ts';
import { loadText, MINIMAL, refusal, writeConfigs } from './config-files.ts';

/** The example of the design, word for word. */
const EXAMPLE = `# configs/sma-cross.yaml: one file, three modes; paths are relative to this file
name: sma-cross
account: { kind: spot, balances: { USDT: "100000" } }
instruments:
  BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0.001", takerFee: "0.001" }
strategies:
  - { id: sma, file: ../strategies/sma-cross.ts, symbols: [BTC-USDT], params: { fast: 20, slow: 50 } }
risk: { account: { maxDrawdown: "0.2" } }
backtest: { data: [sample], from: 2025-01-01, fills: { market: nextOpen, limit: strictCross } }
paper: { prices: { recording: sample, speed: 60 }, poll: { tickerMs: 1000 } }
`;

test.each([
  ['in the folder of the config', { 'data/r/BTC-USDT/trade/x.parquet': '', '../data/r/BTC-USDT/trade/x.parquet': '' }, 'data'],
  ['above it', { '../data/r/BTC-USDT/trade/x.parquet': '' }, '../data'],
  ['far above it', { '../../data/r/BTC-USDT/trade/x.parquet': '' }, '../../data'],
  ['above a folder without recordings', { 'data/notes.csv': '', '../data/r/BTC-USDT/trade/x.parquet': '' }, '../data'],
  ['without recordings', { 'data/notes.csv': '' }, 'data'],
  ['where there is none', {}, '../data'],
])('the recordings are in the nearest folder data %s', (_, files, expected) => {
  const inProject = Object.entries(files).map(([path, content]) => [join('a/b/configs', path), content] as const);
  const folder = writeConfigs({ 'a/b/configs/c.yaml': MINIMAL, ...Object.fromEntries(inProject) });
  const { config, text, dataFolders } = loadConfig(join(folder, 'a/b/configs/c.yaml'));
  expect(config.dataDir).toBe(join(folder, 'a/b/configs', expected));
  expect(text).toContain(`dataDir: ${expected}\n`);
  expect(dataFolders.slice(0, 3)).toEqual(['a/b/configs/data', 'a/b/data', 'a/data'].map((path) => join(folder, path)));
});

test('a config with dataDir searches no other folder', () => {
  const folder = writeConfigs({ 'configs/c.yaml': `${MINIMAL}dataDir: ../other\n`, 'configs/data/r/BTC-USDT/trade/x.parquet': '' });
  expect(loadConfig(join(folder, 'configs/c.yaml'))).toMatchObject({ config: { dataDir: join(folder, 'other') }, dataFolders: [] });
});

test('the example loads, with every default filled in', () => {
  const folder = writeConfigs({ 'configs/sma-cross.yaml': EXAMPLE });
  const { config, file } = loadConfig(join(folder, 'configs/sma-cross.yaml'));
  expect(file).toBe(join(folder, 'configs/sma-cross.yaml'));
  expect(config).toEqual({
    name: 'sma-cross',
    dataDir: join(folder, 'data'),
    account: { kind: 'spot', balances: { USDT: '100000' } },
    instruments: { 'BTC-USDT': { tickSize: '0.01', stepSize: '0.00001', makerFee: '0.001', takerFee: '0.001' } },
    signals: {},
    strategies: [{ id: 'sma', file: join(folder, 'strategies/sma-cross.ts'), symbols: ['BTC-USDT'], params: { fast: 20, slow: 50 } }],
    risk: { account: { maxDrawdown: '0.2' }, strategies: {}, orders: {}, positions: {} },
    backtest: {
      data: ['sample'],
      from: 1735689600000,
      observation: 'events',
      pollMs: 1000,
      profile: 'exchange',
      warmup: 'require',
      start: 'all',
      marketBuyCollar: '0.05',
      barGraceMs: 2000,
      fills: {
        market: 'nextOpen',
        limit: 'strictCross',
        restingBy: 'both',
        impact: 'kept',
        gapFill: 'limit',
        path: 'worst',
        exits: 'entryBar',
        liquidity: 'recorded',
        halfSpreadTicks: 0,
        slippageBps: 0,
      },
      latency: { feedMs: 0, entryMs: 0, responseMs: 0, cancelMs: 0, seed: 1 },
      limits: 'none',
      atEnd: 'mark',
    },
    report: { equityEvery: '1h', dayZone: 'UTC', benchmark: 'buyAndHold', trades: 'flat' },
    paper: {
      prices: { recording: 'sample', use: 'ticker', speed: 60, loop: false },
      poll: { tickerMs: 1000, accountMs: 1000, lookupMs: 30_000, idleMs: 5_000, staleMs: 10_000 },
      dir: join(folder, 'runs'),
      warmup: 'require',
      start: 'all',
      candles: false,
      onStop: 'cancel',
      graceMs: 15_000,
      maxSendDelayMs: 5_000,
      maxQueuedOrders: 200,
      visibilityLagMs: 5_000,
      unknownLimitMs: 180_000,
      fillGapMs: 30_000,
      lostExit: 'restore',
      leverage: 'compare',
      foreign: 'block',
      post: { port: 8790 },
      watchdog: { afterMs: 30_000, flatten: false },
      unexplained: 'accept',
    },
  });
});

describe('decimals', () => {
  test.each([
    ['1000.10', '1000.10'],
    ['"1000.10"', '1000.10'],
    ['0.2', '0.2'],
    ['100000', '100000'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['9007199254740993', '9007199254740993'],
    ['1e3', '1e3'],
    ['.5', '.5'],
  ])('a balance written %s is the text %s', (written, text) => {
    expect(loadText(MINIMAL.replace('"1000"', written)).config.account.balances.USDT).toBe(text);
  });

  test.each(['0x10', '.inf', '.nan', '-1', '1_000', '1,000', '""', 'true', '1e999', '9'.repeat(41)])(
    'a balance written %s is refused',
    (written) => {
      expect(
        refusal(() => loadText(MINIMAL.replace('USDT: "1000"', `USDT: ${written.includes(',') ? `"${written}"` : written}`))),
      ).toContain('a.yaml:2:42: account.balances.USDT: expected a decimal of at least 0, such as "100000"');
    },
  );
});

describe('times', () => {
  test.each([
    ['2025-01-01', 1735689600000],
    ['"2025-01-01"', 1735689600000],
    ['2025-01-01T00:00', 1735689600000],
    ['2025-01-01 12:30:00', 1735734600000],
    ['2025-01-01T02:00:00+02:00', 1735689600000],
    ['2025-01-01T00:00:00.000125Z', 1735689600000.125],
    ['1735689600000', 1735689600000],
  ])('%s is %d', (written, time) => {
    expect(loadText(MINIMAL.replace('data: [sample]', `data: [sample], from: ${written}`)).config.backtest.from).toBe(time);
  });

  test.each(['2025-02-30', '2025-13-01', 'yesterday', '2025', '-5', '2025-01-01T25:00', '.inf', '1e300'])('%s is refused', (written) => {
    const load = () =>
      loadText(MINIMAL.replace('data: [sample]', `data: [sample], from: "${written}"`.replace(/"(-5|\.inf|1e300)"/, '$1')));
    expect(refusal(load)).toContain('a.yaml:7:35: backtest.from: expected an ISO date or date-time (UTC)');
  });
});

describe('choices', () => {
  test.each([
    ['use: bar', { use: 'bar' }],
    ['use: [quote, ticker]', { use: ['quote', 'ticker'] }],
    ['fills: { limit: { penetrateTicks: 3 } }', { fills: expect.objectContaining({ limit: { penetrateTicks: 3 } }) }],
    ['fills: { barVolumeShare: 0.10 }', { fills: expect.objectContaining({ barVolumeShare: '0.10' }) }],
    ['atEnd: null', { atEnd: 'mark' }],
  ])('backtest takes %s', (written, expected) => {
    expect(loadText(MINIMAL.replace('data: [sample]', `data: [sample], ${written}`)).config.backtest).toMatchObject(expected);
  });

  test('a netting account has the full profile and may hold futures instruments', () => {
    const { config } = loadText(MINIMAL.replace('spot', 'netting').replaceAll('BTC-USDT', 'BTC-USDT-PERP'));
    expect(config.backtest.profile).toBe('full');
  });
});

describe('the resolved text', () => {
  test('loads again to the same config', () => {
    const folder = writeConfigs({ 'configs/a.yaml': EXAMPLE.replace('fast: 20', () => 'fast: 20, note: "a $${b} c"') });
    const first = loadConfig(join(folder, 'configs/a.yaml'), {
      set: ['backtest.to=2025-01-02T00:00:00.000125Z', `live={ keys: { key: "\${KEY}", secret: { file: ./s } } }`],
    });
    expect(first.config.strategies[0]?.params.note).toBe(`a \${b} c`);
    const copy = join(writeConfigs({ 'configs/b.yaml': first.text }), 'configs/b.yaml');
    const second = loadConfig(copy);
    expect(second.text).toBe(first.text);
    expect(second.config.backtest).toEqual(first.config.backtest);
    expect(second.config.strategies[0]?.params).toEqual(first.config.strategies[0]?.params);
  });

  test('shows paths as relative to the config, absolute ones as they were given', () => {
    const folder = writeConfigs({
      'bots/a.yaml': `extends: ../shared/base.yaml\n${MINIMAL.replace('./one.ts', '/opt/one.ts')}`,
      'shared/base.yaml': 'dataDir: ./recordings\n',
    });
    const { config, text } = loadConfig(join(folder, 'bots/a.yaml'));
    expect(config.dataDir).toBe(join(folder, 'shared/recordings'));
    expect(text).toContain('dataDir: ../shared/recordings\n');
    expect(text).toContain('file: /opt/one.ts\n');
    expect(text).not.toContain(folder);
  });
});

test('the packed text has digits as they were written, the files of the reader, and neither the data directory nor bots', () => {
  const folder = writeConfigs({
    'configs/a.yaml': EXAMPLE.replace('fast: 20', () => 'fast: 2.50, on: true, none: null, note: "a $${b} \\"c\\""'),
  });
  const read = readConfig(join(folder, 'configs/a.yaml'), { set: ['name=packed', 'backtest.fills=null'] });
  expect(read.packedText((path) => path.replace(join(folder, 'strategies'), 'code'))).toBe(
    '{"name": "packed", "account": {"kind": "spot", "balances": {"USDT": "100000"}}, "instruments": {"BTC-USDT": {"tickSize": "0.01", "stepSize": "0.00001", "makerFee": "0.001", "takerFee": "0.001"}}, ' +
      '"strategies": [{"id": "sma", "file": "code/sma-cross.ts", "symbols": ["BTC-USDT"], "params": {"fast": 2.50, "on": true, "none": null, "note": "a $${b} \\"c\\"", "slow": 50}}], ' +
      '"risk": {"account": {"maxDrawdown": "0.2"}}, "backtest": {"data": ["sample"], "from": "2025-01-01"}}',
  );
});

describe('a config without what only a backtest requires', () => {
  const plain = MINIMAL.replace(/backtest: .*\n/, '');
  const options = { withoutBacktest: true };

  test('loads for other modes with the defaults of the settings that they share, and its text loads again', () => {
    const { config, text } = loadText(plain, options);
    expect(config.backtest).toMatchObject({ data: [], marketBuyCollar: '0.05', barGraceMs: 2000 });
    expect(loadText(text, options).config.backtest).toEqual(config.backtest);
    expect(loadText(`${plain}backtest: { fills: { limit: touch } }`, options).config.backtest.fills.limit).toBe('touch');
    const futures = plain.replace('kind: spot', 'kind: futures').replaceAll('BTC-USDT', 'BTC-USDT-PERP');
    expect(loadText(futures, options).config.backtest.futures).toMatchObject({ liquidation: true });
  });

  test('is refused for a backtest, and recordings that are named must be names', () => {
    expect(refusal(() => loadText(plain))).toContain('a.yaml:7:1: backtest: missing, expected a map with data');
    expect(refusal(() => loadText(`${plain}backtest: {}`))).toContain('backtest.data: missing, expected a list of recordings');
    expect(refusal(() => loadText(`${plain}backtest: { data: [] }`, options))).toContain(
      'expected at least one recording, not an empty list',
    );
  });
});

test('a file that is not there, or a folder, is CONFIG_NOT_FOUND', () => {
  const folder = writeConfigs({ 'a.yaml': '' });
  expect(refusal(() => loadConfig(join(folder, 'none.yaml')), 'CONFIG_NOT_FOUND')).toBe(
    'none.yaml: cannot read this config file (no such file)',
  );
  expect(refusal(() => loadConfig(folder), 'CONFIG_NOT_FOUND')).toContain('it is a folder');
});

test('locate finds where a setting was written, or the nearest above it', () => {
  const { locate, file } = loadText(MINIMAL);
  const text = readFileSync(file, 'utf8').split('\n')[5];
  expect(locate(['strategies', 0, 'file'])).toEqual({ file, line: 6, column: 22, text });
  expect(locate(['strategies', 0, 'params', 'fast'])).toEqual({ file, line: 6, column: 5, text });
  expect(locate(['strategies', 0, 'file'], true).column).toBe(16);
});

test('the error that docs/reference/config.md shows is the one that comes', () => {
  const docs = readFileSync(new URL('../../../docs/reference/config.md', import.meta.url), 'utf8');
  const folder = writeConfigs({ 'configs/sma-cross.yaml': EXAMPLE.replace('maxDrawdown', 'maxDrawdwn') });
  const message = refusal(() => loadConfig(join(folder, 'configs/sma-cross.yaml')));
  expect(docs).toContain(`${message}\n`);
});
