import { describe, expect, test } from '@jest/globals';
import { marginSettings } from '../../../src/app/config/account-settings.ts';
import { blocksOf } from '../../docs/markdown.ts';
import { loadText, MINIMAL, refusal } from './config-files.ts';

/** The smallest futures config that loads. */
const FUTURES = `name: perp
account: { kind: futures, balances: { USDT: "1000" } }
instruments:
  BTC-USDT-PERP: { tickSize: "0.1", stepSize: "0.0001" }
strategies:
  - { id: one, file: ./one.ts, symbols: [BTC-USDT-PERP] }
backtest: { data: [sample] }
`;

/** The first line of the refusal; `^` in the text marks the place that it should name, and it then comes without it. */
function said(text: string): string | undefined {
  const message = refusal(() => loadText(text.replace('^', ''))).split('\n')[0];
  if (!text.includes('^')) return message;
  const before = text.slice(0, text.indexOf('^')).split('\n');
  const place = `a.yaml:${before.length}:${before.at(-1)!.length + 1}: `;
  expect(message).toContain(place);
  return message?.slice(place.length);
}
const changed = (from: string, to: string) => {
  expect(FUTURES).toContain(from);
  return FUTURES.replace(from, to);
};
const withContract = (contract: string) => changed('"0.0001" }', `"0.0001", contract: ${contract} }`);
const withMargin = (margin: string) => changed('"1000" } }', `"1000" }, margin: ${margin} }`);

test('a futures account uses the settings of the exchange by default', () => {
  const { config, text } = loadText(FUTURES);
  expect(config.account.margin).toEqual({ mode: 'shared', separated: false, leverage: '5', autoAppend: false });
  expect(config.instruments['BTC-USDT-PERP']?.contract).toEqual({
    value: '0.000001',
    maintenance: '0.005',
    liquidationFee: '0.001',
    triggerBy: 'last',
  });
  expect(config.backtest).toMatchObject({ profile: 'exchange' });
  expect(config.backtest.futures).toEqual({ markMaxAge: '1m', liquidation: true, insuranceFund: {} });
  // What the resolved text shows loads to the same again.
  expect(loadText(text.replace(/file: .*/, 'file: ./one.ts')).config.backtest).toEqual(config.backtest);
});

test('a spot account has none of them', () => {
  const { config, text } = loadText(MINIMAL);
  expect(Object.keys(config.account)).toEqual(['kind', 'balances']);
  expect(Object.keys(config.instruments['BTC-USDT']!)).not.toContain('contract');
  expect(text).not.toMatch(/margin|contract|futures/);
});

test('tiers replace the one rate', () => {
  const { config } = loadText(withContract('{ tiers: [{ upTo: 50000, maintenance: 0.004, maxLeverage: 125 }, { maintenance: 0.05 }] }'));
  expect(config.instruments['BTC-USDT-PERP']?.contract).toMatchObject({
    tiers: [{ upTo: '50000', maintenance: '0.004', maxLeverage: '125' }, { maintenance: '0.05' }],
  });
  expect(config.instruments['BTC-USDT-PERP']?.contract).not.toHaveProperty('maintenance');
});

test("a contract's own margin settings take precedence over those of the account, one by one", () => {
  const { config } = loadText(
    withContract('{ margin: { mode: isolated, leverage: { long: 3, short: "2.5" } } }').replace(
      '"1000" } }',
      '"1000" }, margin: { separated: true, leverage: 10, autoAppend: true } }',
    ),
  );
  const own = config.instruments['BTC-USDT-PERP']?.contract?.margin;
  const { longLeverage, shortLeverage, ...rest } = marginSettings(config.account.margin!, own);
  expect(rest).toEqual({ mode: 'isolated', separated: true, autoAppend: true });
  expect([longLeverage.toFixed(), shortLeverage.toFixed()]).toEqual(['3', '2.5']);
  const account = marginSettings(config.account.margin!);
  expect([account.mode, account.longLeverage.toFixed(), account.shortLeverage.toFixed()]).toEqual(['shared', '10', '10']);
});

test.each([
  ['funding: recorded, marks: last', { funding: 'recorded', marks: 'last' }],
  ['funding: { rate: -0.0001, every: 8h }', { funding: { rate: '-0.0001', every: '8h' } }],
  [
    'markMaxAge: 5s, liquidation: false, insuranceFund: { USDT: 1e6 }',
    { markMaxAge: '5s', liquidation: false, insuranceFund: { USDT: '1e6' } },
  ],
])('backtest.futures takes %s', (written, expected) => {
  expect(loadText(changed('[sample]', `[sample], futures: { ${written} }`)).config.backtest.futures).toMatchObject(expected);
});

test('the futures account of docs/reference/config.md loads', () => {
  const [example] = blocksOf('docs/reference/config.md').filter(({ text }) => text.startsWith('name: perpetuals'));
  const { account, instruments } = loadText(example!.text).config;
  expect(account).toMatchObject({ kind: 'futures', margin: { mode: 'shared', leverage: '5', separated: false } });
  expect(instruments['BTC-USDT-PERP']?.contract?.tiers).toHaveLength(3);
});

describe('points at', () => {
  test.each([
    [
      'a leverage below 1',
      withMargin('{ leverage: ^0.5 }'),
      'account.margin.leverage: expected a leverage of at least 1, such as "10", not "0.5"',
    ],
    [
      'the leverage of one side',
      withMargin('{ leverage: { long: 2, short: ^x } }'),
      'account.margin.leverage.short: expected a leverage of at least 1, such as "10", not "x"',
    ],
    [
      'a missing side',
      withMargin('{ ^leverage: { long: 2 } }'),
      'account.margin.leverage.short: missing, expected a leverage of at least 1, such as "10"',
    ],
    ['an unknown margin mode', withMargin('{ mode: ^cross }'), 'account.margin.mode: expected shared or isolated, not "cross"'],
    [
      'a maintenance rate of 1',
      withContract('{ maintenance: ^1 }'),
      'instruments.BTC-USDT-PERP.contract.maintenance: expected a rate of at least 0 and below 1, such as "0.005", not "1"',
    ],
    [
      'a funding interval',
      changed('[sample]', '[sample], futures: { funding: { rate: 0.0001, every: ^8 } }'),
      'backtest.futures.funding.every: expected an interval such as 30s, 1m, 4h or 1d, not "8"',
    ],
    [
      'a word for funding',
      changed('[sample]', '[sample], futures: { funding: ^off }'),
      'backtest.futures.funding: expected recorded, none or a map, not "off"',
    ],
    [
      'marks among the kinds of price',
      changed('[sample]', '[sample], use: ^mark'),
      'backtest.use: expected bar, depth, quote, trade, ticker or a list, not "mark"',
    ],
  ])('%s', (_, text, expected) => {
    expect(said(text)).toContain(expected);
  });
});

describe('a futures account', () => {
  test.each([
    [
      'needs a perpetual',
      FUTURES.replaceAll('BTC-USDT-PERP', 'BTC-USDT').replace('kind: ', 'kind: ^'),
      'account.kind: a futures account needs a futures instrument, such as BTC-USDT-PERP',
    ],
    [
      'has collateral for what it trades',
      changed('balances: { USDT: "1000" }', 'balances: {}')
        .replace('kind: futures', 'kind: futures, currency: USDT')
        .replace('[BTC', '[^BTC'),
      'strategies[0].symbols[0]: its collateral is USDT: set account.balances.USDT',
    ],
    [
      'has no idle collateral',
      changed('USDT: "1000"', 'USDT: 1, ^BTC: 1'),
      'account.balances.BTC: no contract uses BTC as its collateral: spot balances belong in account.spot',
    ],
    [
      'trades spot from a wallet of its own',
      changed('strategies:', '  BTC-USDT: { tickSize: 1, stepSize: 1 }\nstrategies:').replace(
        '[BTC-USDT-PERP]',
        '[BTC-USDT-PERP, ^BTC-USDT]',
      ),
      'strategies[0].symbols[1]: a futures account trades spot from its spot wallet: set account.spot',
    ],
    [
      'has a price for all of its spot wallet',
      changed('"1000" } }', '"1000" }, spot: { ^BTC: 1 } }'),
      'account.spot.BTC: no instrument gives its price in USDT: add an instrument BTC-USDT, or remove this balance',
    ],
    [
      'says what its equity is counted in, where that is not clear',
      changed('strategies:', '  ETH-BTC-PERP: { tickSize: 1, stepSize: 1 }\nstrategies:').replace('account:', '^account:'),
      'account.currency: missing: the instruments are quoted in USDT and BTC; set the one in which equity is computed',
    ],
    [
      'has an insurance fund in its collateral alone',
      changed('[sample]', '[sample], futures: { insuranceFund: { ^BTC: 1 } }'),
      'backtest.futures.insuranceFund.BTC: no contract uses BTC as its collateral',
    ],
    [
      'has no contract on spot',
      changed('strategies:', '  BTC-USDT: { tickSize: 1, stepSize: 1, ^contract: {} }\nstrategies:'),
      'instruments.BTC-USDT.contract: only futures instruments (-PERP) have a contract',
    ],
    [
      'appends margin to isolated positions alone',
      withMargin('{ autoAppend: ^true }'),
      'account.margin.autoAppend: only isolated positions take margin from the shared collateral, and there are no isolated positions',
    ],
    [
      'appends none to a contract with shared margin',
      withContract('{ margin: { autoAppend: ^true } }'),
      'instruments.BTC-USDT-PERP.contract.margin.autoAppend: only isolated positions take margin from the shared collateral',
    ],
    [
      'has a leverage that the first tier allows',
      withContract('{ tiers: [{ maintenance: 0.004, maxLeverage: 4 }] }').replace('account:', '^account:'),
      'account.margin.leverage: expected at most 4, the limit of the first tier of BTC-USDT-PERP, not 5',
    ],
    [
      // 100 x 0.01 = 1: the initial margin is the maintenance margin.
      'has a leverage that leaves a margin',
      withContract('{ maintenance: "0.01", margin: { leverage: ^100 } }'),
      'instruments.BTC-USDT-PERP.contract.margin.leverage: positions of BTC-USDT-PERP would be liquidated as soon as they open: at a leverage of 100 their margin is not above the maintenance margin of 0.01',
    ],
  ])('%s', (_, text, expected) => {
    expect(said(text)).toBe(expected);
  });

  test.each([
    ['an instrument for its price alone needs no wallet', changed('strategies:', '  BTC-USDT: { tickSize: 1, stepSize: 1 }\nstrategies:')],
    [
      'collateral may be priced by the inverse',
      changed('strategies:', '  EUR-USDT: { tickSize: 1, stepSize: 1 }\nstrategies:').replace(
        'kind: futures',
        'kind: futures, currency: EUR',
      ),
    ],
    ['a leverage just below that is its own', withContract('{ maintenance: "0.01", margin: { leverage: "99.9" } }')],
    ['an opening balance may be nothing', changed('"1000"', '0')],
  ])('%s', (_, text) => {
    expect(loadText(text).config.account.kind).toBe('futures');
  });
});

describe('tiers', () => {
  const tiers = (...list: string[]) => withContract(`{ tiers: [${list.join(', ')}] }`);
  const at = 'instruments.BTC-USDT-PERP.contract';
  test.each([
    [
      'rise in value',
      tiers('{ upTo: 5, maintenance: 0.01 }', '{ upTo: 5, maintenance: 0.02 }', '{ maintenance: 0.03 }'),
      `${at}.tiers[1].upTo: expected more than 5, the value of the tier below, not 5`,
    ],
    [
      'rise in rate',
      tiers('{ upTo: 5, maintenance: 0.01 }', '{ maintenance: 0.01 }'),
      `${at}.tiers[1].maintenance: expected more than 0.01, the value of the tier below, not 0.01`,
    ],
    ['end open', tiers('{ upTo: 5, maintenance: 0.01 }'), `${at}.tiers[0].upTo: the last tier has no upper end: remove upTo`],
    [
      'are open at the end alone',
      tiers('{ maintenance: 0.01 }', '{ maintenance: 0.02 }'),
      `${at}.tiers[0].upTo: missing: only the last tier has no upper end`,
    ],
    [
      'leave no room for one rate',
      withContract('{ maintenance: 0.01, tiers: [{ maintenance: 0.02 }] }'),
      `${at}.maintenance: the tiers already define the maintenance margin: remove \`maintenance\` or \`tiers\``,
    ],
    ['are not nothing', tiers(), `${at}.tiers: expected at least one tier, not an empty list`],
  ])('%s', (_, text, expected) => {
    expect(said(text)).toContain(expected);
  });
});

describe.each([
  ['spot', 'spot', 'BTC-USDT'],
  ['netting', 'netting', 'BTC-USDT-PERP'],
])('settings of futures accounts are refused on a %s account', (_, kind, symbol) => {
  const base = MINIMAL.replace('spot', kind).replaceAll('BTC-USDT', symbol);
  test.each([
    ['account.spot', '"1000" } }', '"1000" }, spot: {} }'],
    ['account.margin', '"1000" } }', '"1000" }, margin: {} }'],
    ['backtest.futures', '[sample]', '[sample], futures: {}'],
    [`instruments.${symbol}.contract`, '"0.001" }', '"0.001", contract: {} }'],
    ['risk.account.maxMarginUse', 'backtest:', 'risk: { account: { maxMarginUse: "0.5" } }\nbacktest:'],
    ['risk.account.minLiquidationDistance', 'backtest:', 'risk: { account: { minLiquidationDistance: "0.1" } }\nbacktest:'],
  ])('%s', (path, from, to) => {
    expect(base).toContain(from);
    expect(said(base.replace(from, to))).toContain(
      `${path}: only a futures account can have this setting: a ${kind} account has no margin`,
    );
  });
});

describe('every held asset needs a price in the currency of the account', () => {
  test.each([
    [
      'a traded pair of two other assets',
      MINIMAL.replaceAll('BTC-USDT', 'ETH-BTC')
        .replace('kind: spot', 'kind: spot, currency: USDT')
        .replace('USDT: "1000"', '')
        .replace('[ETH', '[^ETH'),
      'strategies[0].symbols[0]: ETH is traded here, but no instrument gives its price in USDT: add an instrument ETH-USDT',
    ],
    [
      'a second quote of a netting account',
      MINIMAL.replace('spot', 'netting, currency: USDT').replace('strategies:', '  ^ETH-BTC: { tickSize: 1, stepSize: 1 }\nstrategies:'),
      'instruments.ETH-BTC: a netting account has only one currency, USDT: remove what is quoted in another',
    ],
  ])('%s', (_, text, expected) => {
    expect(said(text)).toBe(expected);
  });
});
