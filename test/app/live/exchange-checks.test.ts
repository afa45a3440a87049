import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkExchange, withKeys } from '../../../src/app/live/exchange-checks.ts';
import { readingReserve } from '../../../src/app/planning/reading-weight.ts';
import { Credentials } from '../../../src/exchange/client/credentials.ts';
import { ExchangeClient } from '../../../src/exchange/client/exchange-client.ts';
import { WeightBudget } from '../../../src/exchange/client/weight-budget.ts';
import { ExchangeError } from '../../../src/exchange/errors.ts';
import { OPERATION_TABLE } from '../../../src/exchange/operations/operation-table.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { Instrument } from '../../../src/model/instrument.ts';
import { failure, INSTRUMENTS, type Local, startLocal } from '../../local-exchange/local.ts';
import { type FaultProxy, faultProxy } from './fault-proxy.ts';
import { NEEDED, NOT_FOUND, OTHER_SHAPE } from './lacking.ts';

const [BTC, , PERP] = INSTRUMENTS;
let local: Local;
beforeAll(async () => {
  local = await startLocal();
  local.price('BTC-USDT', '100');
  local.price('BTC-USDT-PERP', '100');
});
afterAll(() => local.close());

/** Asks with keys of which some are not the exchange's. */
async function refusal(instruments: typeof INSTRUMENTS, keys: { readonly secret?: string; readonly passphrase?: string }): Promise<Error> {
  const { clock, exchange } = local;
  const client = new ExchangeClient({
    clock,
    budget: new WeightBudget(clock, { ipWeight: 1e9, uidWeight: 1e9, actionsPerSecond: 1e9 }),
    credentials: new Credentials({ ...local.account('guest'), ...keys }),
    random: () => 0,
    settings: { spotBaseUrl: exchange.spot, contractBaseUrl: exchange.futures, readAttempts: 1, clockSyncMs: 0 },
  });
  const said = await failure(checkExchange(client, instruments));
  await client.close();
  return said;
}

test.each([
  ['of spot', [BTC!]],
  ['of futures alone', [PERP!]],
  ['of both', [BTC!, PERP!]],
])('wrong keys of a bot %s are KEYS_INVALID', async (_, instruments) => {
  expect(await refusal(instruments, { secret: 'no' })).toMatchObject({ code: 'KEYS_INVALID', retryable: false });
  expect(await refusal(instruments, { passphrase: 'no' })).toMatchObject({ code: 'KEYS_INVALID' });
});

/** References on another step, with other limits and without contract terms. */
const [SPOT_REFERENCE, PERP_REFERENCE] = ['BTC-USDT', 'BTC-USDT-PERP'].map(
  (symbol, index) =>
    new Instrument(index, { symbol, tickSize: [BTC!, PERP!][index]!.tick.text, stepSize: '7', minQuantity: '7', reference: true }),
);

test('a reference needs a price and its tick at the exchange, and no keys', async () => {
  const both = [SPOT_REFERENCE!, PERP_REFERENCE!];
  expect((await refusal(both, { secret: 'no' })).message).toBe('the call went through');
  const coarse = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '7', stepSize: '7', reference: true });
  expect(await refusal([coarse], {})).toMatchObject({
    code: 'START_REFUSED',
    message: expect.stringContaining('instruments.BTC-USDT.tickSize: 7'),
  });
  const unlisted = new Instrument(0, { symbol: 'SOL-USDT-PERP', tickSize: '1', stepSize: '1', reference: true });
  expect(await refusal([unlisted], {})).toMatchObject({
    code: 'START_REFUSED',
    message: expect.stringContaining('instruments.SOL-USDT-PERP'),
  });
});

const OTHER = [
  new Instrument(0, { ...BTC!.spec, stepSize: '0.00001', minQuantity: '0.0001' }),
  new Instrument(1, { ...PERP!.spec, tickSize: '0.01', minQuantity: '0.00001' }),
];

test('a start on another grid than the exchange has is refused with the line to write', async () => {
  const { message } = await refusal(OTHER, {});
  expect(message.split('\n')).toEqual([
    'not started:',
    '- instruments.BTC-USDT.stepSize: 0.00001 in the config, 0.0001 at the exchange: write `stepSize: "0.0001"`',
    '- instruments.BTC-USDT-PERP.tickSize: 0.01 in the config, 0.1 at the exchange: write `tickSize: "0.1"`',
    '- instruments.BTC-USDT-PERP.minQuantity: the exchange\'s minimum is 0.0001, but the config allows 0.00001: write `minQuantity: "0.0001"`',
  ]);
});

test('a bot with a position or orders there starts on another grid, and says so', async () => {
  const end = ': the bot starts because it has a position or orders there; it rounds exits, and opens nothing';
  expect(await checkExchange(local.client(), OTHER, () => true)).toEqual([
    `instruments.BTC-USDT.stepSize: 0.00001 in the config, 0.0001 at the exchange${end}`,
    `instruments.BTC-USDT-PERP.tickSize: 0.01 in the config, 0.1 at the exchange${end}`,
    `instruments.BTC-USDT-PERP.minQuantity: the exchange's minimum is 0.0001, but the config allows 0.00001${end}`,
  ]);
  const spotOnly = ({ contract }: Instrument) => contract === undefined;
  expect(await failure(checkExchange(local.client(), OTHER, spotOnly))).toMatchObject({ code: 'START_REFUSED' });
});

test('the weight of an account is read for what it trades, that of prices for references too', () => {
  const reserve = (...instruments: typeof INSTRUMENTS) =>
    readingReserve(
      { instruments, poll: { tickerMs: 1_000, accountMs: 1_000 } as never },
      { ipWeight: 1e9, uidWeight: 1e9, windowMs: 1_000 },
    );
  const alone = reserve(BTC!);
  const withIt = reserve(BTC!, PERP_REFERENCE!);
  expect(withIt.account).toEqual(alone.account);
  // Funding is read once a minute, and never twice in one window.
  const { futuresTicker, fundingHistory } = OPERATION_TABLE;
  expect(withIt.market.ip).toBe(alone.market.ip + 1.5 * (futuresTicker.weight.ip + fundingHistory.weight.ip));
});

test('keys that work are taken for futures alone', async () => {
  expect(await checkExchange(local.client(), [PERP!])).toEqual([]);
});

const margin = { mode: 'shared', separated: false, longLeverage: new Decimal(10), shortLeverage: new Decimal(10) } as const;
const expected = (instrument: Instrument, own = {}) => [{ instrument, contractId: '10000001', margin: { ...margin, ...own } }];

/** The exchange with other values in its list of contracts, or other fees of the account. */
async function listing(change: object, fees?: object): Promise<ExchangeClient> {
  const proxy = await faultProxy(local.exchange.futures);
  const client = local.client('guest', { contractBaseUrl: proxy.url });
  const [record] = await client.contracts();
  const account = await client.futuresAccount({ coinId: '2' });
  const setting = { ...account.account.contract_id_to_fee_setting['10000001']!, ...fees };
  return Object.assign(Object.create(client) as ExchangeClient, {
    measureClock: () => client.measureClock(),
    contracts: () => Promise.resolve([{ ...record!, ...change }]),
    futuresTicker: () => Promise.resolve({}),
    futuresAccount: () =>
      Promise.resolve({ ...account, account: { ...account.account, contract_id_to_fee_setting: { 10000001: setting } } }),
    ...Object.fromEntries(
      (['futuresOrders', 'futuresOrder', 'futuresHistory', 'triggers', 'triggerHistory', 'futuresFills', 'futuresBills'] as const).map(
        (name) => [name, () => Promise.resolve([])],
      ),
    ),
  });
}

const PERP_WITH = (spec: object) => new Instrument(0, { ...PERP!.spec, ...spec });

test.each([
  [
    'maxQuantity',
    PERP_WITH({ maxQuantity: '5' }),
    { maxOrderSize: '2' },
    {},
    "instruments.BTC-USDT-PERP.maxQuantity: the exchange's maximum is 2, but the config allows 5",
  ],
  ['leverage above', PERP!, { maxLeverage: '8' }, {}, 'BTC-USDT-PERP: leverage 10 in the config, 1 to 8 at the exchange'],
  [
    'leverage below',
    PERP!,
    { minLeverage: '12', maxLeverage: '50' },
    {},
    'BTC-USDT-PERP: leverage 10 in the config, 12 to 50 at the exchange',
  ],
  [
    'position',
    PERP!,
    { maxPositionSize: '3' },
    { positions: { 'BTC-USDT-PERP': '4' } },
    "risk.positions.BTC-USDT-PERP: the exchange's maximum is 3, but the config allows 4",
  ],
])('a config with a wider %s than the exchange is refused with both values', async (_, instrument, change, terms, text) => {
  const client = await listing(change);
  const refused = await failure(checkExchange(client, [instrument], () => false, { expected: expected(instrument), ...terms }));
  expect(refused).toMatchObject({ code: 'START_REFUSED', message: `not started:\n- ${text}` });
});

test.each([
  [
    'fees above those of the config are refused',
    {},
    { maker_fee_rate: '0.0004', taker_fee_rate: '0.0008' },
    ['makerFee: 0.0002 in the config, 0.0004', 'takerFee: 0.0006 in the config, 0.0008'],
    [],
  ],
  ['lower fees are a note', {}, { taker_fee_rate: '0.0005' }, [], ['takerFee: 0.0006 in the config, 0.0005 at the exchange']],
  ["the account's own fees count, not the listed ones", { takerFeeRate: '0.001' }, {}, [], []],
  [
    'the listed ones count for an account without its own',
    { takerFeeRate: '0.001' },
    { is_set_fee_rate: false },
    ['takerFee: 0.0006 in the config, 0.001'],
    [],
  ],
])('%s', async (_, change, fees, wrong, notes) => {
  const client = await listing(change, fees);
  const checked = checkExchange(client, [PERP!], () => false, { expected: expected(PERP!) });
  const lines = await checked.catch((error: Error) => error.message.split('\n').slice(1));
  const texts = [...wrong, ...notes];
  expect(lines).toHaveLength(texts.length);
  for (const [index, text] of texts.entries()) expect(lines[index]).toContain(text);
  if (wrong.length > 0) await expect(checked).rejects.toMatchObject({ code: 'START_REFUSED' });
});

test('a bot with a position or orders there starts with wider limits and lower fees, and says so', async () => {
  const client = await listing({ maxLeverage: '8' }, { taker_fee_rate: '0.0008' });
  const end = ': the bot starts because it has a position or orders there';
  expect(await checkExchange(client, [PERP!], () => true, { expected: expected(PERP!) })).toEqual([
    `BTC-USDT-PERP: leverage 10 in the config, 1 to 8 at the exchange${end}`,
    `instruments.BTC-USDT-PERP.takerFee: 0.0006 in the config, 0.0008 at the exchange: write \`takerFee: "0.0008"\`${end}`,
  ]);
});

test('a config that states no fee is not refused for it', async () => {
  const free = PERP_WITH({ makerFee: '0', takerFee: '0' });
  expect(await checkExchange(await listing({}), [free], () => false, { expected: expected(free) })).toEqual([]);
});

async function beside(): Promise<[FaultProxy, ExchangeClient]> {
  const proxy = await faultProxy(local.exchange.futures);
  return [proxy, local.client('guest', { contractBaseUrl: proxy.url })];
}

test.each(NEEDED.flatMap((path) => [NOT_FOUND, OTHER_SHAPE].map((reply) => ({ path, ...reply }))))(
  'an exchange that lacks $path ($what) is refused for futures, and the operation is named',
  async ({ path, answer }) => {
    const [proxy, client] = await beside();
    proxy.strike(path, 10, answer);
    expect(await failure(checkExchange(client, [PERP!]))).toMatchObject({
      code: 'START_REFUSED',
      retryable: false,
      message: expect.stringMatching(new RegExp(`- the exchange lacks (GET|POST) /capi/v2/${path}, which futures need`)),
    });
  },
);

test.each(NEEDED)('an outage at %s is not taken for a lacking operation: the start waits', async (path) => {
  const [proxy, client] = await beside();
  proxy.strike(path, 10, (response) => response.writeHead(503).end());
  expect(await failure(checkExchange(client, [PERP!]))).toMatchObject({ code: 'EXCHANGE_TROUBLE', retryable: true });
  proxy.strike(path, 10, (response) => response.writeHead(200).end('<html>down</html>'));
  expect(await failure(checkExchange(client, [PERP!]))).toMatchObject({ code: 'EXCHANGE_UNREADABLE', retryable: true });
});

test('a host that answers 404 to everything is an outage', async () => {
  const [proxy, client] = await beside();
  proxy.strike('', 100, NOT_FOUND.answer);
  expect(await failure(checkExchange(client, [PERP!]))).toMatchObject({ code: 'EXCHANGE_UNREADABLE', retryable: true });
});

test.each([
  { cause: 'header', code: 'KEYS_INVALID' },
  { cause: 'permission', code: 'KEYS_INVALID' },
  // A clock that is wrong or an exchange that is down says nothing of the keys.
  { cause: 'expired', code: 'EXCHANGE_REFUSED' },
  { cause: 'status5xx', code: 'EXCHANGE_TROUBLE' },
  // Nor does an account or an address that is shut out, a redirect, or a code that nobody lists.
  { cause: 'barred', code: 'EXCHANGE_REFUSED' },
  { cause: 'redirected', code: 'EXCHANGE_UNREADABLE' },
  { cause: 'unlisted', code: 'EXCHANGE_REFUSED' },
  { cause: 'parameter', code: 'EXCHANGE_REFUSED' },
] as const)('takes keys for wrong where they are refused, and for nothing else: $cause', async ({ cause, code }) => {
  const refused = () => Promise.reject(new ExchangeError({ operation: 'accountAssets', cause, scope: 'read', message: 'no' }));
  await expect(withKeys(refused)).rejects.toMatchObject({ code });
});
