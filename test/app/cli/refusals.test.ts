import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
import { CONFIG, workspace } from './workspace.ts';

const cross = (text: string, by: string) => ({ 'c.yaml': CONFIG.replace(text, by) });

describe('help and usage', () => {
  test.each([[['--help']], [['help', 'backtest']], [['backtest', '--help']], [['data', 'synth', '--help']], [['--version']]])(
    '%j exits 0',
    async (args) => {
      const { stdout, stderr } = await workspace().run(args);
      expect(stdout).not.toBe('');
      expect(stderr).toBe('');
    },
  );

  test.each([
    [[], 'Usage: tidegate'],
    [['backtst', 'c.yaml'], 'Did you mean backtest?'],
    [['backtest'], "missing required argument 'config'"],
    [['backtest', 'c.yaml', 'd.yaml'], 'too many arguments'],
    [['backtest', 'c.yaml', '--frob'], "unknown option '--frob'"],
    [['backtest', 'c.yaml', '--breakdown', 'minute'], 'Expected one of symbol, strategy, side, tag, exitReason, hour'],
    [['backtest', 'c.yaml', '--set', 'fast'], 'expected --set path.to.setting=value'],
  ])('%j exits 2', async (args, said) => {
    const { stdout, stderr } = await workspace().run(args, { code: 2 });
    expect(stderr).toContain(said);
    expect(stdout).toBe('');
  });

  test('with --json a wrong command line is one object on stdout as well', async () => {
    const { stdout, stderr } = await workspace().run(['backtest', 'c.yaml', '--json', '--frob'], { code: 2 });
    expect(stderr).toMatch(/^error USAGE: unknown option '--frob'/);
    expect(JSON.parse(stdout)).toEqual({ error: { code: 'USAGE', message: "unknown option '--frob'" } });
  });
});

describe('before anything runs, nothing is written', () => {
  test.each([
    ['no such config', {}, ['--set', 'name=x'], 2, 'nothing.yaml', 'CONFIG_NOT_FOUND'],
    [
      'a key that is none',
      cross('backtest:', 'bactest: {}\nbacktest:'),
      [],
      2,
      'c.yaml',
      'c.yaml:8:1: bactest: unknown key (did you mean "backtest"?)',
    ],
    [
      'a misspelt key of an instrument that lacks what it was meant for',
      cross('stepSize', 'stepSiz'),
      [],
      2,
      'c.yaml',
      'instruments.BTC-USDT.stepSiz: unknown key (did you mean "stepSize"?)',
    ],
    ['YAML that is none', cross('name: mine', 'name: [mine'), [], 2, 'c.yaml', 'c.yaml:'],
    [
      'a value of the wrong kind',
      cross('"0.01"', 'tiny'),
      [],
      2,
      'c.yaml',
      'c.yaml:5:25: instruments.BTC-USDT.tickSize: expected a positive decimal',
    ],
    [
      'slippage by volumes that the data do not tell',
      cross('to: 2025-01-02', 'to: 2025-01-02, use: ticker, fills: { slippage: { volumeShare: {} } }'),
      [],
      2,
      'c.yaml',
      'error CONFIG_INVALID: backtest.fills.slippage.volumeShare: needs the volume of bars',
    ],
    ['no such strategy', cross('./s.ts', './t.ts'), [], 2, 'c.yaml', 'STRATEGY_NOT_FOUND'],
    [
      'an asset that nothing prices',
      {},
      ['--set', 'account.balances.DOGE="5"'],
      2,
      'c.yaml',
      'account.balances.DOGE: no instrument gives its price in USDT',
    ],
    [
      'a parameter that is none',
      {},
      ['--set', 'strategies.0.params.sise=1'],
      2,
      'c.yaml',
      'params.sise: unknown key (did you mean "size"?)',
    ],
    ['a parameter of the wrong kind', {}, ['--set', 'strategies.0.params.size=true'], 2, 'c.yaml', 'params.size: expected text, not true'],
    ['no such recording', {}, ['--set', 'backtest.data=[smaple]'], 3, 'c.yaml', 'no recording "smaple"'],
    [
      'no such recording, and no dataDir',
      {},
      ['--set', 'backtest.data=[smaple]', '--set', 'dataDir=null'],
      3,
      'c.yaml',
      'dataDir is not set, so the nearest folder with recordings was looked for: /',
    ],
    ['no data in the period', {}, ['--set', 'backtest={ data: [sample], from: 2031-01-01 }'], 3, 'c.yaml', 'DATA_NOT_FOUND'],
  ])('%s', async (_, files, args, code, config, said) => {
    const work = workspace(files);
    const { stderr, stdout } = await work.run(['backtest', config, '--quiet', '--out', 'out', ...args], { code });
    expect(stderr).toContain(said);
    expect(stdout).toBe('');
    expect(work.has('out')).toBe(false);
  });
});

test('with --json a refusal is one object too', async () => {
  const { json } = await workspace().backtest(['--set', 'backtest.data=[smaple]'], { code: 3 });
  expect(json.error.code).toBe('DATA_NOT_FOUND');
  expect(json.error.message).toContain('smaple');
});

test('data that is damaged stops the run with 3 and is named', async () => {
  const work = workspace();
  cpSync(join(ROOT, 'data/sample'), work.path('data/sample'), { recursive: true });
  const file = work.path('data/sample/BTC-USDT/bar/1m/20250101T000000Z.parquet');
  const bytes = readFileSync(file);
  bytes.fill(0xff, 2_000, 2_100);
  writeFileSync(file, bytes);
  const { stderr } = await work.run(['backtest', 'c.yaml', '--quiet', '--set', 'dataDir=data'], { code: 3 });
  expect(stderr).toContain('DATA_CORRUPT');
  expect(stderr).toContain('data/sample/BTC-USDT/bar/1m/20250101T000000Z.parquet');
});

test('--set wins over the file, and the file over what it extends', async () => {
  const child =
    'extends: ./c.yaml\nname: child\nstrategies:\n  - { id: two, file: ./s.ts, symbols: [BTC-USDT], params: { size: "0.2" } }\n';
  const work = workspace({ 'child.yaml': child });
  const run = async (...set: string[]) => {
    const args = set.flatMap((setting) => ['--set', setting]);
    return JSON.parse((await work.run(['backtest', 'child.yaml', '--json', '--quiet', ...args])).stdout);
  };
  const [plain, sized] = await Promise.all([run(), run('strategies.0.params.size="0.3"', 'account.balances.USDT="50000"')]);
  expect(plain).toMatchObject({ name: 'child', strategies: ['two'], startEquity: '100000' });
  expect(sized.startEquity).toBe('50000');
  // 0.001 of 0.2 and of 0.3 times much the same price.
  expect(Number(sized.totalFees) / Number(plain.totalFees)).toBeCloseTo(1.5, 3);
});
