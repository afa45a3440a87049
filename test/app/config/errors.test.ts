import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { complaints } from '../../../src/app/config/reading/problems.ts';
import { loadText, MINIMAL, refusal } from './config-files.ts';

/** A change of the minimal config and the whole of what is said about it. */
const cases: [title: string, from: string, to: string, expected: string][] = [
  [
    'an unknown key at the top',
    'name: minimal',
    'name: minimal\nacount: 1',
    'a.yaml:2:1: acount: unknown key (did you mean "account"?)\n  acount: 1\n  ^',
  ],
  [
    'an unknown key in a map of one line',
    'stepSize: "0.001"',
    'stepSize: "0.001", maker_fee: 1',
    'a.yaml:4:52: instruments.BTC-USDT.maker_fee: unknown key (did you mean "makerFee"?)\n    BTC-USDT: { tickSize: "0.01", stepSize: "0.001", maker_fee: 1 }\n                                                     ^',
  ],
  [
    'an unknown key like no other',
    'data: [sample]',
    'data: [sample], latency: { zzz: 1 }',
    'a.yaml:7:40: backtest.latency.zzz: unknown key (known: feedMs, entryMs, responseMs, cancelMs, seed, recorded, model, overload)',
  ],
  [
    'other data than tickers for who polls',
    'data: [sample]',
    'data: [sample], observation: polled, use: bar',
    'a.yaml:7:55: backtest.use: expected ticker: with `observation: polled` the bot polls tickers, the only prices of the exchange',
  ],
  [
    'a latency for who polls',
    'data: [sample]',
    'data: [sample], observation: polled, latency: { entryMs: 5 }',
    'a.yaml:7:70: backtest.latency.entryMs: expected 0: with `observation: polled` the delay comes from backtest.pollMs',
  ],
  [
    'a feed leg for who polls',
    'data: [sample]',
    'data: [sample], observation: polled, latency: { feedMs: { uniform: [1, 2] } }',
    'a.yaml:7:61: backtest.latency.feedMs: expected 0: with `observation: polled` the delay comes from backtest.pollMs',
  ],
  [
    'a busy exchange for who polls',
    'data: [sample]',
    'data: [sample], observation: polled, latency: { overload: { probability: 0.5 } }',
    'a.yaml:7:61: backtest.latency.overload: is not simulated with `observation: polled`: remove it',
  ],
  [
    'limits for who polls',
    'data: [sample]',
    'data: [sample], observation: polled, limits: exchange',
    'a.yaml:7:58: backtest.limits: expected none: limits are not simulated with `observation: polled`',
  ],
  [
    'a leg beside the rows that tell of it',
    'data: [sample]',
    'data: [sample], latency: { recorded: rows.csv, cancelMs: 5 }',
    'a.yaml:7:70: backtest.latency.cancelMs: expected 0 with `recorded`: its rows have this latency',
  ],
  [
    'a distribution of a leg that is none',
    'data: [sample]',
    'data: [sample], latency: { entryMs: { uniform: [2, 1] } }',
    'a.yaml:7:51: backtest.latency.entryMs.uniform: expected the least first: [least, most]',
  ],
  [
    'a mean below the least',
    'data: [sample]',
    'data: [sample], latency: { feedMs: { exponential: { least: 3, mean: 2 } } }',
    'backtest.latency.feedMs.exponential: expected a mean of at least `least`',
  ],
  ['an unknown distribution', 'data: [sample]', 'data: [sample], latency: { feedMs: { gamma: 3 } }', 'backtest.latency.feedMs'],
  [
    'public prices of which a base URL is missing',
    'data: [sample] }',
    'data: [sample] }\npaper: { prices: { exchange: { contractBaseUrl: "https://b.example" } } }',
    'a.yaml:8:20: paper.prices.exchange.spotBaseUrl: missing: the price of BTC-USDT is requested there\n  paper: { prices: { exchange: { contractBaseUrl: "https://b.example" } } }\n                     ^',
  ],
  [
    'an unknown key in a choice',
    'data: [sample]',
    'data: [sample], fills: { limit: { penetrateTicks: 1, x: 1 } }',
    'a.yaml:7:66: backtest.fills.limit.x: unknown key',
  ],
  [
    'a wrong choice',
    'kind: spot',
    'kind: spto',
    'a.yaml:2:18: account.kind: expected spot, netting or futures, not "spto" (did you mean "spot"?)',
  ],
  ['a wrong item', 'data: [sample]', 'data: [sample, "../x"]', 'a.yaml:7:28: backtest.data[1]: expected the name of a recording'],
  [
    'a wrong choice or list',
    'data: [sample]',
    'data: [sample], use: tick',
    'a.yaml:7:34: backtest.use: expected bar, depth, quote, trade, ticker or a list, not "tick"',
  ],
  [
    'a wrong word for a choice or map',
    'data: [sample]',
    'data: [sample], fills: { limit: tuch }',
    'expected touch, strictCross or a map, not "tuch" (did you mean "touch"?)',
  ],
  [
    'two forms of a setting at once',
    'data: [sample]',
    'data: [sample], fills: { slippage: { squareRoot: {}, file: x.ts } }',
    'a.yaml:7:66: backtest.fills.slippage.file: cannot be used with squareRoot: use one of them\n',
  ],
  [
    'a misspelt form of a setting',
    'data: [sample]',
    'data: [sample], fills: { slippage: { volumeShar: {} } }',
    'a.yaml:7:50: backtest.fills.slippage.volumeShar: unknown key (did you mean "volumeShare"?)\n',
  ],
  [
    'a wrong word in a form that is not the first',
    'data: [sample]',
    'data: [sample], fills: { limit: { queue: powr } }',
    'a.yaml:7:54: backtest.fills.limit.queue: expected riskAverse, power or log, not "powr" (did you mean "power"?)\n',
  ],
  [
    'a list where a map belongs',
    'backtest: { data: [sample] }',
    'backtest: [1]',
    'a.yaml:7:1: backtest: expected a map with data, from, to,',
  ],
  ['a map where a value belongs', 'name: minimal', 'name: { a: 1 }', 'a.yaml:1:1: name: expected 1 to 40 of a-z, 0-9 and "-", not a map'],
  [
    'a name too long',
    'id: one',
    `id: ${'x'.repeat(17)}`,
    'a.yaml:6:11: strategies[0].id: expected 1 to 16 of a-z, 0-9 and "-", not "xxxxxxxxxxxxxxxxx"',
  ],
  ['a missing key', 'id: one, ', '', 'a.yaml:6:5: strategies[0].id: missing, expected 1 to 16 of a-z, 0-9 and "-"'],
  ['a missing section', 'backtest: { data: [sample] }', '', 'a.yaml:7:1: backtest: missing, expected a map with data, from, to,'],
  ['an empty list', '[sample]', '[]', 'a.yaml:7:13: backtest.data: expected at least one recording, not an empty list'],
  [
    'a tick of zero',
    '"0.01"',
    '0',
    'a.yaml:4:25: instruments.BTC-USDT.tickSize: expected a positive decimal of at most 15 places, such as "0.01", not "0"',
  ],
  [
    'the symbol of another platform',
    'symbols: [BTC-USDT]',
    'symbols: [BTC/USDT]',
    'strategies[0].symbols[0]: expected a symbol such as BTC-USDT or BTC-USDT-PERP, not "BTC/USDT" (did you mean "BTC-USDT"?)',
  ],
  [
    'a perpetual without its quote',
    '  BTC-USDT: {',
    '  BTC-PERP: {',
    'a.yaml:4:3: instruments.BTC-PERP: expected a symbol such as BTC-USDT or BTC-USDT-PERP, not "BTC-PERP" (did you mean "BTC-USDT-PERP"?)',
  ],
  [
    'a wrong symbol',
    '  BTC-USDT: {',
    '  BTCUSDT: {',
    'a.yaml:4:3: instruments.BTCUSDT: expected a symbol such as BTC-USDT or BTC-USDT-PERP, not "BTCUSDT"',
  ],
  [
    'a fraction above 1',
    'backtest:',
    'risk: { account: { maxDrawdown: 20 } }\nbacktest:',
    'a.yaml:7:33: risk.account.maxDrawdown: expected a fraction above 0 and at most 1, such as "0.2", not "20"',
  ],
  [
    'a fraction of an order',
    'backtest:',
    'risk: { account: { maxOpenOrders: 1.5 } }\nbacktest:',
    'risk.account.maxOpenOrders: expected a whole number of at least 1, not 1.5',
  ],
  [
    'a wrong interval',
    'backtest:',
    'report: { equityEvery: 1 hour }\nbacktest:',
    'report.equityEvery: expected an interval such as 30s, 1m, 4h or 1d, not "1 hour"',
  ],
  [
    'an unknown benchmark',
    'backtest:',
    'report: { benchmark: BTC-USD }\nbacktest:',
    'report.benchmark: expected buyAndHold, none or a symbol of `instruments`, not "BTC-USD" (did you mean "BTC-USDT"?)',
  ],
  [
    'a futures instrument on spot',
    'BTC-USDT: {',
    'BTC-USDT: { tickSize: 1, stepSize: 1 }\n  BTC-USDT-PERP: {',
    'a.yaml:5:3: instruments.BTC-USDT-PERP: a spot account cannot trade a futures instrument: set account.kind to futures, or list it only in `references` of strategies',
  ],
  [
    'an unknown reference',
    'symbols: [BTC-USDT]',
    'symbols: [BTC-USDT], references: [BTC-USD]',
    'a.yaml:6:66: strategies[0].references[0]: no such instrument (did you mean "BTC-USDT"?)',
  ],
  [
    'a reference to a symbol that the strategy trades',
    'symbols: [BTC-USDT]',
    'symbols: [BTC-USDT], references: [BTC-USDT]',
    'strategies[0].references[0]: the strategy trades BTC-USDT, and so receives its prices: remove it here',
  ],
  [
    'an unknown instrument',
    'symbols: [BTC-USDT]',
    'symbols: [BTC-USD]',
    'a.yaml:6:42: strategies[0].symbols[0]: no such instrument (did you mean "BTC-USDT"?)',
  ],
  [
    'one instrument twice',
    'symbols: [BTC-USDT]',
    'symbols: [BTC-USDT, BTC-USDT]',
    'a.yaml:6:52: strategies[0].symbols[1]: BTC-USDT is listed twice',
  ],
  [
    'a limit for an unknown instrument',
    'backtest:',
    'risk: { positions: { ETH-USDT: 1 } }\nbacktest:',
    'a.yaml:7:22: risk.positions.ETH-USDT: no such instrument',
  ],
  [
    'one id twice',
    'backtest:',
    '  - { id: one, file: b.ts, symbols: [BTC-USDT] }\nbacktest:',
    'a.yaml:7:11: strategies[1].id: expected a unique name: strategies[0] is already "one"',
  ],
  [
    'an end before the start',
    'data: [sample]',
    'data: [sample], from: 2025-01-02, to: 2025-01-01',
    'a.yaml:7:51: backtest.to: expected a time after backtest.from',
  ],
  [
    'a minimum above the maximum',
    'stepSize: "0.001"',
    'stepSize: "0.001", minQuantity: 10, maxQuantity: 9',
    'minQuantity: expected at most maxQuantity (9), not 10',
  ],
  ['a key twice', 'name: minimal', 'name: minimal\nname: other', 'a.yaml:2:1: this key is written twice in its section'],
  ['a broken bracket', '[sample]', '[sample', 'a.yaml:7:27: invalid YAML: Flow sequence'],
  ['a tab as indent', '  BTC-USDT: {', '\tBTC-USDT: {', 'a.yaml:4:1: invalid YAML: Tabs are not allowed as indentation'],
  ['a merge key', 'name: minimal', 'name: minimal\n<<: { a: 1 }', 'a.yaml:2:1: merge keys (<<) are not supported: use `extends`'],
  ['an unknown tag', 'name: minimal', 'name: !secret minimal', 'a.yaml:1:7: invalid YAML: Unresolved tag: !secret'],
  ['a list as file', MINIMAL, '- a\n- b\n', 'a.yaml:1:1: expected a map of settings'],
  ['two documents', 'backtest:', '---\nbacktest:', 'a second document begins here'],
];

test.each(cases)('points at %s', (_, from, to, expected) => {
  expect(MINIMAL).toContain(from);
  expect(refusal(() => loadText(MINIMAL.replace(from, to)))).toContain(expected);
});

test.each(['{ squareRoot: {}, file: x.ts }', '{ volumeShar: {} }'])('names nothing but the wrong key of %s', (slippage) => {
  const config = MINIMAL.replace('data: [sample]', `data: [sample], fills: { slippage: ${slippage} }`);
  expect(refusal(() => loadText(config)).match(/a\.yaml:/g)).toHaveLength(1);
});

const REFERENCE = MINIMAL.replace('instruments:', 'instruments:\n  BTC-USDT-PERP: { tickSize: 1, stepSize: 1 }').replace(
  '[BTC-USDT] }',
  '[BTC-USDT], references: [BTC-USDT-PERP] }',
);

test('a spot account may refer to a futures instrument, as long as no strategy trades it', () => {
  expect(loadText(REFERENCE).config.strategies[0]!.references).toEqual(['BTC-USDT-PERP']);
  const traded = REFERENCE.replace('backtest:', '  - { id: two, file: b.ts, symbols: [BTC-USDT-PERP] }\nbacktest:');
  expect(refusal(() => loadText(traded))).toContain('a.yaml:4:3: instruments.BTC-USDT-PERP: a spot account cannot trade');
});

test('references neither make the currency ambiguous nor are a contract that a futures account trades', () => {
  const euro = REFERENCE.replaceAll('BTC-USDT-PERP', 'BTC-EUR');
  for (const kind of ['spot', 'netting']) expect(() => loadText(euro.replace('kind: spot', `kind: ${kind}`))).not.toThrow();
  expect(refusal(() => loadText(euro.replace('[BTC-USDT], references: [BTC-EUR]', '[BTC-USDT]')))).toContain(
    'account.currency: missing: the instruments are quoted in EUR and USDT',
  );
  expect(refusal(() => loadText(REFERENCE.replace('kind: spot', 'kind: futures')))).toContain(
    'a futures account needs a futures instrument, such as BTC-USDT-PERP',
  );
});

test('a netting account refuses the exchange profile', () => {
  const text = MINIMAL.replace('spot', 'netting').replace('data: [sample]', 'data: [sample], profile: exchange');
  expect(refusal(() => loadText(text))).toContain('a.yaml:7:38: backtest.profile: expected full with a netting account');
});

test('all errors of a file are reported together, in the order of its lines', () => {
  const text = MINIMAL.replace('minimal', 'Not A Name')
    .replace('spot', 'future')
    .replace('"0.01"', '-1')
    .replace('[sample]', '[]')
    .replace('id: one', 'id: one, fiel: x');
  const lines = refusal(() => loadText(text))
    .split('\n')
    .filter((line) => line.startsWith('a.yaml'));
  expect(lines.map((line) => line.split(': ').slice(0, 2).join(' '))).toEqual([
    'a.yaml:1:7 name',
    'a.yaml:2:18 account.kind',
    'a.yaml:4:25 instruments.BTC-USDT.tickSize',
    'a.yaml:6:16 strategies[0].fiel',
    'a.yaml:7:13 backtest.data',
  ]);
});

test('the caret is under the column, also after tabs', () => {
  const message = refusal(() => loadText(`${MINIMAL}report: {\t\tequityEvry: 1h }\n`));
  expect(message.split('\n').slice(1)).toEqual(['  report: {\t\tequityEvry: 1h }', '           \t\t^']);
});

test.each([
  [
    'a key that another section has',
    'data: [sample]',
    'data: [sample], slippageBps: 2',
    'a.yaml:7:29: backtest.slippageBps: unknown key: it belongs in backtest.fills',
  ],
  [
    'a key of an instrument at the top',
    'name: minimal',
    'name: minimal\ntakerFee: 1',
    'a.yaml:2:1: takerFee: unknown key: it belongs in instruments.<name>',
  ],
  [
    'a key written twice',
    'name: minimal',
    'name: minimal\nname: other',
    'a.yaml:2:1: this key is written twice in its section: remove one of the two',
  ],
  [
    'seconds',
    'data: [sample]',
    'data: [sample], from: 1735689600',
    'in epoch milliseconds: if these are seconds, write 2025-01-01T00:00:00Z or 1735689600000',
  ],
  [
    'a year',
    'data: [sample]',
    'data: [sample], to: 2025',
    'backtest.to: 2025 is 1970-01-01T00:00:02.025Z in epoch milliseconds: write a date, such as 2025-01-31',
  ],
])('%s has our own words', (_, from, to, expected) => {
  expect(refusal(() => loadText(MINIMAL.replace(from, to)))).toContain(expected);
});

test('a second document is named at its beginning', () => {
  const lines = MINIMAL.trimEnd().split('\n').length;
  const message = refusal(() => loadText(`${MINIMAL.trimEnd()}\n---\nname: other\n`));
  expect(message).toBe(
    `a.yaml:${lines + 1}:1: a second document begins here: a config is one, so remove \`---\`, or put the rest into another file\n  ---\n  ^`,
  );
});

test('a missing section is named at the line where it would be', () => {
  const text = MINIMAL.replace(/^account:.*\n/m, '').trimEnd();
  const below = text.split('\n').length + 1;
  expect(refusal(() => loadText(text))).toBe(
    `a.yaml:${below}:1: account: missing, expected a map with kind, currency, balances, spot, margin`,
  );
});

test.each([
  [20250105, '2025-01-05T00:00:00Z'],
  ['20250105', '2025-01-05T00:00:00Z'],
  [1736035200000, '2025-01-05T00:00:00Z'],
  [0, '1970-01-01T00:00:00Z'],
])('a date as the number %j is read as %s', (written, time) => {
  expect(loadText(MINIMAL.replace('data: [sample]', `data: [sample], from: ${JSON.stringify(written)}`)).config.backtest.from).toBe(
    Date.parse(time),
  );
});

test('bounds of a schema of zod have our own words', () => {
  const schema = z.object({
    fast: z.int().min(2),
    slow: z.number().lt(9),
    ids: z.array(z.string()).max(1),
    name: z.string().min(3),
    pair: z.array(z.int()).length(2),
  });
  const value = { fast: 1, slow: 9, ids: ['a', 'b'], name: 'x', pair: [1] };
  expect(complaints(schema.safeParse(value).error!.issues, schema, value).map(({ message }) => message)).toEqual([
    'expected at least 2, not 1',
    'expected less than 9, not 9',
    'expected at most 1 items, not a list',
    'expected at least 3 characters, not "x"',
    'expected exactly 2 items, not a list',
  ]);
});

describe('hostile YAML', () => {
  test.each([
    ['an alias within itself', 'name: &a [*a]', 'an alias within itself'],
    [
      'aliases of aliases',
      ['a0: &a0 [x]', ...Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(', ')}]`)].join('\n'),
      'more than 20000 values',
    ],
    ['deep nesting', `name: ${'['.repeat(200)}${']'.repeat(200)}`, 'nested deeper than 64 levels'],
    ['very deep nesting', '['.repeat(20_000), 'nested deeper than 64 levels'],
    ['a key that is a prototype', '__proto__: { a: 1 }', 'expected a plain name as key'],
    ['a key that is a map', '? { a: 1 }\n: 2', 'expected a plain name as key'],
    ['bytes', '\u0000\u0001\ufffd', ''],
    ['an old version of YAML', '%YAML 1.1\n---\nname: 2025-01-01', ''],
  ])('refuses %s', (_, text, expected) => {
    expect(refusal(() => loadText(text))).toContain(expected);
  });
});
