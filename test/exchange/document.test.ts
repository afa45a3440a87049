import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { decodeRequest, encodeRequest } from '../../src/exchange/operations/codecs.ts';
import type { Operation } from '../../src/exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../src/exchange/operations/operations.ts';
import { SHARED, sharedTest } from '../support/cli.ts';
import { PARAMETERS, RECORDS, SUMMARY } from './document.ts';
import { wireShape } from './wire-shape.ts';

const all: readonly Operation[] = Object.values(OPERATIONS);
const operation = (number: number): Operation => all.find((row) => row.number === number)!;

test('the table of operations is the summary of the document', () => {
  const rows = all
    .filter(({ extra }) => !extra)
    .map(({ number, method, path, host, envelope, weight, signed }) => [
      number,
      method,
      path,
      host,
      envelope,
      `${weight.ip} / ${signed ? weight.uid : '-'}`,
    ]);
  expect(rows).toEqual(SUMMARY);
  // Those beyond it, as the exchange's own pages have them: weights by IP and by UID.
  const beyond = all.filter(({ extra }) => extra);
  expect(beyond.map(({ method, path, weight, signed }) => `${method} ${path} ${weight.ip} / ${signed ? weight.uid : '-'}`)).toEqual([
    'GET /api/v2/public/time 1 / -',
    'GET /capi/v2/market/time 1 / -',
    'GET /capi/v2/market/ticker 1 / -',
    'GET /api/v2/market/candles 1 / -',
    'GET /capi/v2/market/candles 1 / -',
    'POST /capi/v2/order/placeOrder 2 / 5',
    'POST /capi/v2/order/batchOrders 5 / 10',
    'POST /capi/v2/order/cancel_batch_orders 5 / 10',
    'POST /capi/v2/order/cancel_plan 2 / 3',
    'POST /capi/v2/order/cancelAllOrders 40 / 50',
    'POST /capi/v2/order/closePositions 40 / 50',
    'POST /capi/v2/order/placeTpSlOrder 2 / 5',
    'POST /capi/v2/order/modifyTpSlOrder 2 / 5',
    'GET /capi/v2/order/fills 5 / 5',
    'GET /capi/v2/order/detail 2 / 2',
    'GET /capi/v2/order/history 10 / 10',
    'GET /capi/v2/order/currentPlan 3 / 3',
    'GET /capi/v2/order/historyPlan 5 / 10',
    'POST /capi/v2/account/bills 2 / 5',
    'GET /capi/v2/account/position/allPosition 10 / 15',
    'GET /capi/v2/account/settings 1 / 1',
    'POST /capi/v2/account/leverage 10 / 20',
    'GET /capi/v2/market/contracts 10 / -',
    'GET /capi/v2/market/depth 1 / -',
    'GET /capi/v2/market/currentFundRate 1 / -',
    'GET /capi/v2/market/getHistoryFundRate 5 / -',
  ]);
});

test('operations 1 to 4 are public, the others signed, and parameters of a POST are in the body', () => {
  for (const row of all.filter(({ extra }) => !extra)) {
    expect({ number: row.number, signed: row.signed }).toEqual({ number: row.number, signed: row.number! > 4 });
    expect(row.parameters).toBe(row.method === 'GET' ? 'query' : 'body');
  }
});

/** Fields of a page beside its records, from the endpoints' own paragraphs. */
const under = (prefix: string, record: string, choose: (type: string) => string = (type) => type) =>
  Object.entries(RECORDS[record]!).map(([field, type]): [string, string] => [`${prefix}${field}`, choose(type)]);
const FEE_SETTING: [string, string][] = [
  ['is_set_fee_rate', 'boolean'],
  ['taker_fee_rate', 'string'],
  ['maker_fee_rate', 'string'],
  ['is_set_fee_discount', 'boolean'],
  ['fee_discount', 'string'],
  ['is_set_taker_maker_fee_discount', 'boolean'],
  ['taker_fee_discount', 'string'],
  ['maker_fee_discount', 'string'],
];
const strings = (prefix: string, names: readonly string[]): [string, string][] => names.map((name) => [`${prefix}${name}`, 'string']);
const SETTINGS: [string, string][] = [
  ...FEE_SETTING.map(([name, type]): [string, string] => [`account.default_fee_setting.${name}`, type]),
  ...FEE_SETTING.map(([name, type]): [string, string] => [`account.contract_id_to_fee_setting.*.${name}`, type]),
  ['account.contract_id_to_fee_setting.*.contract_id', 'string maybe'],
  ['account.contract_id_to_mode_setting.*.contract_id', 'string maybe'],
  ...strings('account.contract_id_to_mode_setting.*.', ['margin_mode', 'separated_mode', 'position_mode']),
  ['account.contract_id_to_leverage_setting.*.contract_id', 'string maybe'],
  ...strings('account.contract_id_to_leverage_setting.*.', [
    'isolated_long_leverage',
    'isolated_short_leverage',
    'cross_leverage',
    'shared_leverage',
  ]),
];
const integers = (...names: string[]): [string, string][] => names.map((name) => [name, 'integer']);
const withoutProfit = under('[].', 'asset').filter(([path]) => !path.endsWith('unrealizePnl'));
/** In `singlePosition` the first of two types, in the account's list the second; the symbol may be missing in both. */
const position = (prefix: string, at: 0 | 1) =>
  under(prefix, 'position', (type) => type.split(' / ')[at] ?? type).map(([path, type]): [string, string] => [
    path,
    path.endsWith('.symbol') ? 'string maybe' : type,
  ]);

const REPLIES: Readonly<Record<number, readonly [string, string][]>> = {
  1: under('[].', 'currency'),
  2: under('[].', 'symbolInformation'),
  3: under('', 'ticker'),
  4: under('[].', 'ticker'),
  5: under('[].', 'spotOrder'),
  6: under('', 'cancelResult'),
  7: [
    ['resultList', 'array'],
    ['resultList[].orderId', 'long'],
    ['resultList[].clientOrderId', 'string'],
  ],
  8: [['fillsOrderResultList', 'array'], ...under('fillsOrderResultList[].', 'spotFill'), ['nextPage', 'boolean'], ['totals', 'integer']],
  9: withoutProfit,
  10: under('[].', 'asset'),
  11: under('[].', 'transfer'),
  12: under('', 'cancelResult'),
  13: under('', 'triggerAcknowledgement'),
  14: under('[].', 'futuresOrder'),
  15: position('[].', 0),
  16: [
    ['account', 'object'],
    ...under('account.', 'futuresAccount'),
    ...SETTINGS,
    ['collateral', 'array'],
    ...under('collateral[].', 'collateral'),
    ['position', 'array'],
    ...position('position[].', 1),
    ['version', 'string'],
  ],
  17: [['records', 'array'], ...under('records[].', 'subAffiliate'), ...integers('total', 'size', 'current', 'pages')],
  18: [
    ...integers('pages', 'pageSize', 'total'),
    ['channelUserInfoItemList', 'array'],
    ...under('channelUserInfoItemList[].', 'invitedUser'),
  ],
  19: [['id', 'string']],
  20: [...integers('total'), ['list', 'array'], ...under('list[].', 'internalWithdrawal')],
};

test.each(SUMMARY.map(([number]) => number))('operation %i answers the fields of the document, each in its type', (number) => {
  const fields = wireShape(operation(number).payload).map(({ path, wire, optional }) => [path, optional ? `${wire} maybe` : wire]);
  const sorted = (rows: readonly (readonly string[])[]) => rows.map(([path, type]) => `${path}: ${type}`).sort();
  expect(sorted(fields)).toEqual(sorted(REPLIES[number]!));
});

const SYMBOL = [{ name: 'symbol', type: 'string', required: 'yes' as const }];
const asked = (number: number) =>
  ({ 3: SYMBOL, 12: PARAMETERS[6], 15: SYMBOL, 16: [{ name: 'coinId', type: 'long', required: 'yes' as const }] })[number] ??
  PARAMETERS[number] ??
  [];

describe.each(SUMMARY.map(([number]) => number))('operation %i', (number) => {
  const { request, defaults } = operation(number);
  const list = number === 7 ? PARAMETERS[700]!.map((row) => ({ ...row, name: `orderList[].${row.name}` })) : [];
  const rows = [...asked(number), ...list];

  test('takes the parameters of the document, each in its type', () => {
    const fields = wireShape(request).map(({ path, wire, optional }) => `${path}: ${wire}${optional ? ' optional' : ''}`);
    expect(fields.sort()).toEqual(
      rows.map(({ name, type, required }) => `${name}: ${type}${required === 'yes' ? '' : ' optional'}`).sort(),
    );
  });

  test('puts in the defaults of the document', () => {
    expect(defaults).toEqual(Object.fromEntries(rows.flatMap(({ name, ...row }) => ('initial' in row ? [[name, row.initial]] : []))));
  });

  test('holds its maxima', () => {
    for (const { name, ...row } of rows) {
      if (!('most' in row) || typeof row.most !== 'number') continue;
      const complaints = (value: number) => {
        const result = encodeRequest(operation(number), { symbol: 'BTCUSDT_SPBL', [name]: value });
        return 'issues' in result ? result.issues : [];
      };
      expect(complaints(row.most)).toEqual([]);
      expect(complaints(row.most + 1)).toMatchObject([{ field: name, rule: expect.stringContaining(`at most ${row.most}`) }]);
      expect(complaints(-1)).toMatchObject([{ field: name }]);
    }
  });
});

test('pages start at 0 but for the affiliate operations, which start at 1', () => {
  const issues = (number: number, wire: object) => {
    const result = decodeRequest(operation(number), wire);
    return 'issues' in result ? result.issues.map(({ field }) => field) : [];
  };
  expect(issues(8, { symbol: 'x', pageIndex: 0 })).toEqual([]);
  expect(issues(14, { page: 0 })).toEqual([]);
  expect(issues(17, { productType: 'SPOT', pageNum: 0 })).toEqual(['pageNum']);
  expect(issues(18, { page: 0 })).toEqual(['page']);
  expect(issues(20, { page: 0 })).toEqual(['page']);
});

sharedTest('the transcription names every field and parameter that the document does', () => {
  const text = readFileSync(join(SHARED, 'spec/exchange-api.md'), 'utf8');
  const tables = [...text.matchAll(/^\| (Field|Parameter) \|.*\n\|[-|]+\n((?:\|.*\n)+)/gm)];
  const names = tables.flatMap(([, , rows]) => [...rows!.matchAll(/^\| ([\w[\].]+) \|/gm)].map(([, name]) => name!));
  const transcribed = [
    ...Object.values(RECORDS).flatMap(Object.keys),
    ...Object.values(PARAMETERS).flatMap((rows) => rows.map(({ name }) => name)),
  ];
  expect(names.length).toBeGreaterThan(250);
  expect([...names].sort()).toEqual([...transcribed].sort());
});
