import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loadConfig, withoutKeys } from '../../../src/app/config/load-config.ts';
import { loadText, MINIMAL, refusal, writeConfigs } from './config-files.ts';

function load(files: Record<string, string>, name: string, set: string[] = [], env: Record<string, string> = {}) {
  return loadConfig(join(writeConfigs(files), name), { set, env });
}

describe('extends', () => {
  test('maps merge over a chain, lists and values are replaced, null takes away', () => {
    const { config } = load(
      {
        'bots/a.yaml':
          'extends: ../mid.yaml\nname: top\nrisk: { account: { maxOpenOrders: 3 }, positions: null }\nbacktest: { data: [other] }\n',
        'mid.yaml': 'extends: ./lib/base.yaml\nbacktest: { barGraceMs: 7, to: 2025-01-02 }\nreport: { annualDays: 252 }\n',
        'lib/base.yaml': `${MINIMAL.replace('data: [sample]', 'data: [sample, more], from: 2025-01-01')}risk: { account: { maxDrawdown: 0.20 }, positions: { BTC-USDT: 2 } }\ndataDir: ./rec\n`,
      },
      'bots/a.yaml',
    );
    expect(config.name).toBe('top');
    expect(config.risk).toEqual({ account: { maxDrawdown: '0.20', maxOpenOrders: 3 }, strategies: {}, orders: {}, positions: {} });
    expect(config.backtest).toMatchObject({ data: ['other'], barGraceMs: 7, from: 1735689600000, to: 1735776000000 });
    expect(config.report).toMatchObject({ equityEvery: '1h', annualDays: 252 });
    expect(config.dataDir).toMatch(/\/lib\/rec$/);
    expect(config.strategies[0]?.file).toMatch(/\/lib\/one\.ts$/);
  });

  test('errors name the file of the value, for all files together', () => {
    const message = refusal(() =>
      load({ 'a.yaml': 'extends: ./base.yaml\nname: A\n', 'base.yaml': MINIMAL.replace('"0.01"', '0') }, 'a.yaml'),
    );
    expect(message).toContain('a.yaml:2:7: name: expected');
    expect(message).toContain('base.yaml:4:25: instruments.BTC-USDT.tickSize: expected');
  });

  test.each([
    ['itself', { 'a.yaml': 'extends: a.yaml\n' }, 'a.yaml:1:10: extends: a.yaml extends itself, directly or through other files'],
    [
      'a circle',
      { 'a.yaml': 'extends: b.yaml\n', 'b.yaml': '\nextends: ./a.yaml\n' },
      'b.yaml:2:10: extends: ./a.yaml extends itself, directly or through other files',
    ],
    ['a missing file', { 'a.yaml': 'name: x\nextends: none.yaml\n' }, 'a.yaml:2:10: extends: cannot read none.yaml (no such file)'],
    ['a list', { 'a.yaml': 'extends: [b.yaml]\n' }, 'a.yaml:1:10: extends: expected the path of a config file'],
    ['a broken file', { 'a.yaml': 'extends: b.yaml\n', 'b.yaml': 'name: [\n' }, 'b.yaml:2:1: invalid YAML'],
    ['an unset variable', { 'a.yaml': `extends: \${BASE}/b.yaml\n` }, 'a.yaml:1:10: extends: the environment variable BASE is not set'],
  ])('refuses to extend %s', (_, files, expected) => {
    expect(refusal(() => load(files as Record<string, string>, 'a.yaml'))).toContain(expected);
  });

  test('the path may come from the environment', () => {
    const { config } = load({ 'a.yaml': `extends: ./\${WHICH}.yaml\n`, 'base.yaml': MINIMAL }, 'a.yaml', [], { WHICH: 'base' });
    expect(config.name).toBe('minimal');
  });
});

describe('environment variables', () => {
  const env = { NAME: 'from-env', AMOUNT: '12.50', ENTRY: '9', EMPTY: '' };

  test.each([
    [`\${NAME}`, 'from-env'],
    [`"\${NAME}"`, 'from-env'],
    [`a-\${NAME}-\${ENTRY}`, 'a-from-env-9'],
    [`\${MISSING:-fallback}`, 'fallback'],
    [`\${EMPTY:-fallback}`, 'fallback'],
    [`\${NAME:-fallback}`, 'from-env'],
    [`a\${EMPTY}b`, 'ab'],
  ])('a name written %s is %s', (written, name) => {
    expect(loadText(MINIMAL.replace('minimal', written), { env }).config.name).toBe(name);
  });

  test('numbers and decimals may come from the environment, inside flow maps as well', () => {
    const text = MINIMAL.replace('"1000"', `\${AMOUNT}`).replace(
      'data: [sample]',
      `data: [sample], latency: { entryMs: \${ENTRY} }, barGraceMs: \${GRACE:-500}`,
    );
    const { config } = loadText(text, { env });
    expect(config.account.balances.USDT).toBe('12.50');
    expect(config.backtest).toMatchObject({ latency: { entryMs: 9 }, barGraceMs: 500 });
  });

  test('$${ is an escaped ${', () => {
    const text = MINIMAL.replace('symbols:', () => 'params: { a: "x $${NAME} $5" }, symbols:');
    expect(loadText(text, { env }).config.strategies[0]?.params).toEqual({ a: `x \${NAME} $5` });
  });

  test.each([
    [`\${MISSING}`, 'a.yaml:1:7: name: the environment variable MISSING is not set'],
    [`"x \${toString}"`, 'a.yaml:1:7: name: the environment variable toString is not set'],
    [`"\${1}"`, `a.yaml:1:7: name: expected \${NAME} or \${NAME:-default}; for a literal \${ write $\${`],
    [`"\${NAME"`, `a.yaml:1:7: name: expected \${NAME} or \${NAME:-default}; for a literal \${ write $\${`],
  ])('a name written %s is refused, once', (written, expected) => {
    const message = refusal(() => loadText(MINIMAL.replace('minimal', written), { env }));
    expect(message.startsWith(expected)).toBe(true);
    expect(message.split('\n')).toHaveLength(3);
  });

  test('a variable in a value that is overlaid need not be set', () => {
    expect(
      load({ 'a.yaml': 'extends: b.yaml\nname: mine\n', 'b.yaml': MINIMAL.replace('minimal', `\${MISSING}`) }, 'a.yaml').config.name,
    ).toBe('mine');
  });
});

describe('--set', () => {
  test('changes values, list items and whole maps, in order', () => {
    const { config } = loadText(MINIMAL, {
      set: [
        'strategies.0.params.fast=10',
        'strategies.0.params.fast=11',
        'risk.account.maxDrawdown=0.10',
        'backtest.fills={ limit: touch }',
        'instruments.BTC-USDT.takerFee=null',
        `name=\${NAME}`,
      ],
      env: { NAME: 'set-name' },
    });
    expect(config.name).toBe('set-name');
    expect(config.strategies[0]?.params).toEqual({ fast: 11 });
    expect(config.risk.account.maxDrawdown).toBe('0.10');
    expect(config.backtest.fills.limit).toBe('touch');
    expect(config.instruments['BTC-USDT']?.takerFee).toBe('0');
  });

  test('paths start from the current folder', () => {
    expect(loadText(MINIMAL, { set: ['dataDir=s3://bucket/p'] }).config.dataDir).toBe('s3://bucket/p');
    expect(loadText(MINIMAL, { set: ['dataDir=./here'] }).config.dataDir).toBe(join(process.cwd(), 'here'));
  });

  test.each([
    ['backtest.form=1', '--set:1:10: backtest.form: unknown key (did you mean "from"?)\n  backtest.form=1\n           ^'],
    ['report.annualDays=x', '--set:1:19: report.annualDays: expected a whole number of at least 1, not "x"'],
    ['strategies.1.id=b', '--set:1:12: expected the number of a list item, below 1, not "1"'],
    ['strategies.x.id=b', '--set:1:12: expected the number of a list item, below 1, not "x"'],
    ['name.first=b', '--set:1:6: there is no "first" here: the setting above it is a plain value, not a map'],
    ['name', '--set:1:1: expected --set path.to.setting=value'],
    ['=5', '--set:1:1: expected --set path.to.setting=value'],
    ['a..b=5', '--set:1:1: expected --set path.to.setting=value'],
    ['__proto__.x=5', '--set:1:1: expected --set path.to.setting=value'],
    ['extends=b.yaml', '--set:1:1: `extends` cannot be set from the command line'],
    ['backtest.data=[a', 'invalid YAML'],
  ])('%s is refused by name', (argument, expected) => {
    expect(refusal(() => loadText(MINIMAL, { set: [argument] }))).toContain(expected);
  });
});

describe('secrets', () => {
  const withKeys = (keys: string, more = '') => `${MINIMAL}live: { keys: { ${keys} }${more} }\n`;

  test('stay references, in the config and in its text, and need not be set', () => {
    const { config, text } = loadText(withKeys(`key: \${API_KEY}, secret: "\${API_SECRET}", passphrase: { file: ./pass }`), {
      env: { API_SECRET: 'hunter2' },
    });
    expect(config.live?.keys).toEqual({
      key: { env: 'API_KEY' },
      secret: { env: 'API_SECRET' },
      passphrase: { file: expect.stringMatching(/\/pass$/) },
    });
    expect(text).toContain(`key: \${API_KEY}\n`);
    expect(text).toContain('file: pass\n');
    expect(text).not.toContain('hunter2');
  });

  test('the token of posted signals stays a reference, and only a bot that receives them needs it', () => {
    const text = `paper: { prices: { recording: sample }, post: { token: { file: ./token } } }\nlive: { enabled: true, post: { token: "\${POSTED}" } }\n`;
    const loaded = loadText(`${MINIMAL}${text}`);
    expect(loaded.config.live?.post.token).toEqual({ env: 'POSTED' });
    expect(loaded.config.paper?.post.token).toEqual({ file: expect.stringMatching(/\/token$/) });
    expect(loaded.text).toContain(`token: \${POSTED}\n`);
    expect(loaded.text).toContain('file: token\n');
    expect(withoutKeys(loaded.text)).not.toMatch(/POSTED|file: token/);
  });

  test('must be set once live is enabled', () => {
    expect(refusal(() => loadText(withKeys(`key: \${API_KEY}`, ', enabled: true')))).toContain(
      'a.yaml:8:22: live.keys.key: the environment variable API_KEY is not set',
    );
  });

  test.each([
    ['key: hunter2', `live.keys.key: expected a reference to a secret, \${NAME} or { file: path }, and not the secret itself`],
    ['key: 12345678', 'live.keys.key: expected a reference'],
    [`secret: "x-\${A}"`, 'live.keys.secret: expected a reference'],
    [`key: "\${A:-hunter2}"`, 'live.keys.key: expected a reference'],
    ['passphrase: [hunter2]', 'live.keys.passphrase: expected a reference'],
    ['secert: hunter2', 'live.keys.secert: unknown key (did you mean "secret"?)'],
    ['key: { fiel: hunter2 }', 'live.keys.key'],
  ])('%s is refused without showing it', (written, expected) => {
    const message = refusal(() => loadText(withKeys(written), { env: { A: 'b' } }));
    expect(message).toContain(expected);
    expect(message).not.toMatch(/hunter2|12345678/);
  });

  test('are not shown in a --set either', () => {
    expect(refusal(() => loadText(MINIMAL, { set: ['live.keys.secret=hunter2'] }))).not.toContain('hunter2');
  });
});
