import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ExchangeClient } from '../../src/exchange/client/exchange-client.ts';
import { RefusedAnswers } from '../../src/exchange/client/refused-answers.ts';
import { WeightBudget } from '../../src/exchange/client/weight-budget.ts';
import { verifySignature } from '../../src/exchange/signing.ts';
import { SystemClock } from '../../src/venues/rest/real-clock.ts';
import { json, KEYS, refusal, type Stub, standard, startStub } from './stub-server.ts';

let stub: Stub;
beforeAll(async () => {
  stub = await startStub();
});
afterAll(() => stub.close());
beforeEach(() => {
  stub.seen.length = 0;
});

/** How a call failed, without its text. */
async function failure(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => new Error('the call went through'),
    (reason: unknown) => reason,
  );
  return error as Error & Record<'code' | 'operation' | 'outcome' | 'retryable' | 'httpStatus' | 'exchangeCode', unknown>;
}

const ORDER = { side: 'buy', orderType: 'limit', force: 'normal', price: '1', quantity: '1', clientOrderId: 'a' } as const;
const place = (client: ExchangeClient, count = 1) =>
  client.batchOrders({
    symbol: 'BTCUSDT_SPBL',
    orderList: Array.from({ length: count }, (_, index) => ({ ...ORDER, clientOrderId: `a${index}` })),
  });

describe('a request', () => {
  test('that is signed has six headers, and a signature over its exact bytes', async () => {
    stub.answer = standard('[]');
    await stub.client({ locale: 'de-DE' }).transferRecords({ coinId: 2, limit: 500 });
    const [{ method, target, headers, body }] = stub.seen as [Stub['seen'][0]];
    expect(target).toBe('/api/v2/account/transferRecords?coinId=2&limit=500');
    const timestamp = String(headers['access-timestamp']);
    expect(timestamp).toMatch(/^\d{13}$/);
    expect(headers).toMatchObject({
      'access-key': KEYS.key,
      'access-passphrase': KEYS.passphrase,
      locale: 'de-DE',
      'content-type': 'application/json',
    });
    expect(verifySignature(KEYS.secret, { timestamp, method, target, body }, String(headers['access-sign']))).toBe(true);
  });

  test('that is public carries none of them, and needs no keys', async () => {
    stub.answer = standard('[]');
    await stub.client({}, { credentials: undefined }).currencies();
    const names = Object.keys(stub.seen[0]!.headers);
    expect(names.filter((name) => /access|locale|content-type/.test(name))).toEqual([]);
  });

  test('sends longs as bare integers and reads them without loss', async () => {
    stub.answer = standard('{"resultList":[{"orderId":690800371848708186,"clientOrderId":"a0"}]}');
    expect(await place(stub.client())).toEqual({ resultList: [{ orderId: '690800371848708186', clientOrderId: 'a0' }] });
    stub.answer = standard('{"fillsOrderResultList":[],"nextPage":false,"totals":0}');
    await stub.client().fills({ symbol: 'BTCUSDT_SPBL', orderId: '690800371848708186', after: 5 });
    expect(stub.seen[1]!.body).toBe('{"symbol":"BTCUSDT_SPBL","orderId":690800371848708186,"after":5}');
  });

  test('is signed with the time of the exchange, once that is measured', async () => {
    const ahead = 3_600_000;
    stub.answer = ({ target }, response) =>
      target === '/api/v2/public/time'
        ? standard(String(Date.now() + ahead))({} as never, response)
        : standard('[]')({} as never, response);
    await stub.client({ clockSyncMs: 60_000 }).accountAssets();
    const lag = Number(stub.seen.at(-1)!.headers['access-timestamp']) - Date.now() - ahead;
    expect(Math.abs(lag)).toBeLessThan(ahead / 2);
  });

  test("is sent with our own time if the exchange's is not available", async () => {
    stub.answer = ({ target }, response) =>
      target === '/api/v2/public/time' ? json('<html>', 404)({} as never, response) : standard('[]')({} as never, response);
    const client = stub.client({ clockSyncMs: 60_000 });
    await client.accountAssets();
    await client.accountAssets();
    expect(stub.seen.map(({ target }) => target)).toEqual(['/api/v2/public/time', '/api/v2/account/assets', '/api/v2/account/assets']);
  });
});

describe('before anything leaves', () => {
  test.each<[string, (client: ExchangeClient) => Promise<unknown>, string]>([
    ['neither id', (client) => client.orderInfo({}), 'orderInfo: orderId or clientOrderId is required'],
    [
      'a page of none',
      (client) => client.fills({ symbol: 'x', pageSize: 0 }),
      'fills: pageSize must be a whole number of at least 1 and at most 100',
    ],
    ['a page too long', (client) => client.internalWithdrawalStatus({ pageSize: 201 }), 'internalWithdrawalStatus: pageSize must be'],
    [
      'seven places',
      (client) => client.internalWithdrawal({ toUserId: '1', coin: 'USDT', amount: '0.1234567' }),
      'internalWithdrawal: amount must be',
    ],
    [
      'an amount of nothing',
      (client) => client.internalWithdrawal({ toUserId: '1', coin: 'USDT', amount: '0' }),
      'internalWithdrawal: amount must be',
    ],
    ['a client id too long', (client) => client.orderInfo({ clientOrderId: 'x'.repeat(41) }), 'orderInfo: clientOrderId must be 1 to 40'],
    ['a client id with a blank', (client) => client.orderInfo({ clientOrderId: 'a b' }), 'orderInfo: clientOrderId must be'],
    [
      'a limit without a price',
      (client) => client.batchOrders({ symbol: 'x', orderList: [{ ...ORDER, price: undefined }] }),
      'orderList[0].price is required',
    ],
    [
      'a quantity of 0',
      (client) => client.batchOrders({ symbol: 'x', orderList: [{ ...ORDER, quantity: '0.00' }] }),
      'orderList[0].quantity must be',
    ],
    ['eleven orders', (client) => place(client, 11), 'batchOrders: orderList must have at most 10 orders'],
    ['no orders', (client) => place(client, 0), 'batchOrders: orderList must not be empty'],
    [
      'a size below 0',
      (client) =>
        client.triggerOrder({
          symbol: 'x',
          client_oid: '',
          size: '-1',
          type: '1',
          match_type: '1',
          execute_price: '0',
          trigger_price: '1',
        }),
      'triggerOrder: size must be',
    ],
    [
      'a period that ends before it starts',
      (client) => client.futuresOrders({ startTime: 2, endTime: 1 }),
      'futuresOrders: startTime must not be after endTime',
    ],
  ])('%s is refused, naming operation, field and rule', async (_, call, said) => {
    const error = await failure(call(stub.client()));
    expect(error).toMatchObject({ code: 'REQUEST_INVALID', outcome: 'none', retryable: false });
    expect(error.message).toContain(said);
    expect(stub.seen).toEqual([]);
  });

  test('a signed operation without keys is refused', async () => {
    const call = stub.client({}, { credentials: undefined }).accountAssets();
    await expect(call).rejects.toMatchObject({ code: 'KEYS_INVALID' });
  });

  test('an operation on a host that has no base URL is refused', async () => {
    const call = stub.client({ contractBaseUrl: undefined }).futuresTime();
    expect(await failure(call)).toMatchObject({
      code: 'REQUEST_INVALID',
      message: 'futuresTime: there is no base URL of the futures host',
    });
  });

  test.each([
    'http://api.example.com',
    'ftp://localhost',
    'http://127.0.0.1.example.com',
    'https://user:pw@host',
    'https://host/path',
    'nonsense',
  ])('the base URL %s is refused', (spotBaseUrl) => {
    expect(() => stub.client({ spotBaseUrl })).toThrow(/a base URL must be/);
  });

  test.each(['https://api.example.com', 'http://localhost:1', 'http://127.0.0.2:1', 'http://[::1]:1/'])(
    'the base URL %s is taken',
    (spotBaseUrl) => {
      expect(() => stub.client({ spotBaseUrl })).not.toThrow();
    },
  );
});

describe('a reply', () => {
  test.each<[string, Stub['answer'], object]>([
    ['refused', refusal('43001'), { code: 'EXCHANGE_REFUSED', outcome: 'rejected', httpStatus: 400, exchangeCode: '43001' }],
    ['refused in a good status', refusal('43001', 200), { outcome: 'rejected', httpStatus: 200, exchangeCode: '43001' }],
    ['of a server in trouble', refusal('40725', 500), { code: 'EXCHANGE_TROUBLE', outcome: 'unknown', httpStatus: 500 }],
    ['that is no JSON', json('<html>'), { code: 'EXCHANGE_UNREADABLE', outcome: 'unknown', httpStatus: 200 }],
    ['cut short', json('{"result":tr'), { code: 'EXCHANGE_UNREADABLE', outcome: 'unknown' }],
    ['of the wrong shape', json('{"result":"perhaps"}'), { code: 'EXCHANGE_UNREADABLE', outcome: 'unknown' }],
    ['that is a bare number', json('5'), { code: 'EXCHANGE_UNREADABLE', outcome: 'unknown' }],
    ['elsewhere', json('', 302, { location: 'http://127.0.0.1:1/' }), { code: 'EXCHANGE_UNREADABLE', outcome: 'unknown', httpStatus: 302 }],
    ['without end', json(`"${'x'.repeat(2_000)}"`), { code: 'EXCHANGE_UNREADABLE', outcome: 'unknown' }],
    [
      'without end, in pieces',
      (_, response) => void response.write(`"${'x'.repeat(2_000)}`),
      { code: 'EXCHANGE_UNREADABLE', message: 'cancelFuturesOrder: the body is longer than 1000 bytes', httpStatus: 200 },
    ],
    [
      'that is good but for a byte that is no UTF-8',
      (_, response) => response.end(Buffer.from('{"order_id":"1","client_oid":null,"symbol":"\xff","result":true}', 'latin1')),
      { code: 'EXCHANGE_UNREADABLE', outcome: 'unknown' },
    ],
    ['that never begins', () => {}, { code: 'EXCHANGE_TIMEOUT', outcome: 'unknown', httpStatus: undefined }],
    ['that never ends', (_, response) => void response.write('{'), { code: 'EXCHANGE_TIMEOUT', outcome: 'unknown', httpStatus: 200 }],
    ['that breaks off', (_, response) => response.destroy(), { code: 'EXCHANGE_UNREACHABLE', outcome: 'unknown' }],
    [
      'that breaks off in its body',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{', () => response.destroy());
      },
      { code: 'EXCHANGE_UNREACHABLE', outcome: 'unknown', httpStatus: 200 },
    ],
    [
      'that is no HTTP',
      (_, response) => void response.socket?.end('nonsense\r\n\r\n'),
      { code: 'EXCHANGE_UNREADABLE', outcome: 'unknown' },
    ],
  ])('%s fails a bare operation that acts, and it is not repeated', async (_, answer, expected) => {
    stub.answer = answer;
    const client = stub.client({ maxBodyBytes: 1_000, headersMs: 150, bodyMs: 150, connectMs: 150 });
    const error = await failure(client.cancelFuturesOrder({ symbol: 'cmt_btcusdt', orderId: '1' }));
    expect(error).toMatchObject({ operation: 'cancelFuturesOrder', retryable: false, ...expected });
    expect(stub.seen).toHaveLength(1);
  });

  test('that drips byte by byte ends at the time for the whole body', async () => {
    let timer: NodeJS.Timeout | undefined;
    stub.answer = (_, response) => {
      timer = setInterval(() => response.write(' '), 20);
    };
    // It drips for ever: only the limit ends it.
    const error = await failure(place(stub.client({ bodyMs: 200 })));
    clearInterval(timer);
    expect(error).toMatchObject({ code: 'EXCHANGE_TIMEOUT', outcome: 'unknown' });
  });

  test('in a batch of several a business refusal leaves the outcome unknown, for a single one it is final', async () => {
    stub.answer = refusal('43006');
    expect(await failure(place(stub.client(), 2))).toMatchObject({ outcome: 'unknown' });
    expect(await failure(place(stub.client(), 1))).toMatchObject({ outcome: 'rejected' });
  });

  test('may quote our key: the error does not', async () => {
    stub.answer = refusal('40006', 401, `no key ${KEYS.key} with ${KEYS.passphrase}`);
    const error = await failure(stub.client().accountAssets());
    expect(error.message).toContain('no key ***');
    expect(error.message).not.toContain(KEYS.passphrase);
  });

  test.each([
    ['where its text is cut short', '40006', `${'x'.repeat(292)}${KEYS.key}`],
    ['for a code', KEYS.key, 'no'],
  ])('may quote our key %s: the error holds no part of it', async (_, code, message) => {
    stub.answer = refusal(code, 401, message);
    const error = await failure(stub.client().accountAssets());
    expect(`${error.message} ${String(error.exchangeCode)}`).not.toContain(KEYS.key.slice(0, 4));
  });

  test('with a code without end is unreadable', async () => {
    stub.answer = refusal('9'.repeat(33));
    expect(await failure(place(stub.client()))).toMatchObject({ code: 'EXCHANGE_UNREADABLE', outcome: 'unknown' });
  });
});

test('where no connection can be had, nothing was done', async () => {
  const client = stub.client({ spotBaseUrl: 'http://127.0.0.1:1', readAttempts: 1 });
  expect(await failure(place(client))).toMatchObject({ code: 'EXCHANGE_UNREACHABLE', outcome: 'none', retryable: true });
});

describe('a read', () => {
  /** Answers in turn, the last for ever. */
  const inTurn = (...answers: Stub['answer'][]): Stub['answer'] => {
    let turn = 0;
    return (seen, response) => answers[Math.min(turn++, answers.length - 1)]!(seen, response);
  };

  test('is tried again after passing trouble', async () => {
    stub.answer = inTurn(refusal('40725', 500), (_, response) => response.destroy(), standard('[]'));
    expect(await stub.client().accountAssets()).toEqual([]);
    expect(stub.seen).toHaveLength(3);
  });

  test.each([301, 302, 303, 307, 308])(
    'that meets a redirect (%d) is not sent there, keys least of all, and is tried again',
    async (status) => {
      const elsewhere = await startStub();
      stub.answer = inTurn(json('', status, { location: `${elsewhere.url}/api/v2/account/assets?to=x` }), standard('[]'));
      expect(await stub.client().accountAssets()).toEqual([]);
      stub.answer = json('', status, { location: `${elsewhere.url}/a?to=x` });
      const message = `accountAssets: HTTP ${status}, a redirect to ${elsewhere.url}, which is not followed`;
      expect(await failure(stub.client().accountAssets())).toMatchObject({ code: 'EXCHANGE_UNREADABLE', retryable: true, message });
      expect(elsewhere.seen).toEqual([]);
      await elsewhere.close();
    },
  );

  test.each([
    ['a page', json('<!doctype html>'), 'HTTP 200, but the body is a web page'],
    ['a body without end', json(`"${'x'.repeat(2_000)}"`), 'the body is longer than 1000 bytes'],
    ['a code that nobody lists', refusal('49999'), 'HTTP 400, code 49999: no'],
    ['a text for terminals', refusal('49999', 400, '\\u001b[31mno\\u0007\\nno'), 'HTTP 400, code 49999: [31mno no'],
    ['a frozen account', refusal('40013'), 'HTTP 400, code 40013 (account frozen): no'],
    ['a redirect without a place', json('', 304), 'HTTP 304, a redirect to another path, which is not followed'],
  ] as const)('that meets %s is retried, and reports it in the end', async (_, answer, said) => {
    stub.answer = answer;
    const error = await failure(stub.client({ maxBodyBytes: 1_000 }).accountAssets());
    expect(error).toMatchObject({ retryable: true, message: `accountAssets: ${said}` });
    expect(stub.seen).toHaveLength(3);
  });

  test.each([
    ['accountAssets', 1, true],
    ['accountAssets', 1.01, false],
    ['tickers', 1.01, true],
    ['tickers', 2, true],
    ['tickers', 2.01, false],
  ] as const)('%s may have a reply of %d MB: %s', async (operation, megabytes, isRead) => {
    const envelope = '{"code":"00000","data":[]}';
    stub.answer = json(envelope.padEnd(Math.floor(megabytes * 1024 * 1024)));
    const reply = stub.client({ readAttempts: 1 })[operation]();
    await (isRead ? expect(reply).resolves.toEqual([]) : expect(reply).rejects.toMatchObject({ reason: 'oversized' }));
  });

  test.each([
    [99_999, 'HTTP 200, but 0.symbol: must be text'],
    [100_000, 'HTTP 200, but the body has over 100000 lists and objects'],
  ])('may have a reply of 100,000 lists and objects: the envelope, and %d in it', async (inside, said) => {
    stub.answer = json(`{"code":"00000","data":[${Array(inside - 1).fill('{}')}]}`);
    expect(await failure(stub.client({ readAttempts: 1 }).tickers())).toMatchObject({ message: `tickers: ${said}` });
  });

  test('is given up after its tries', async () => {
    stub.answer = refusal('40725', 500);
    expect(await failure(stub.client({ readAttempts: 4 }).accountAssets())).toMatchObject({ outcome: 'none', retryable: true });
    expect(stub.seen).toHaveLength(4);
  });

  test('is not tried again where it was refused', async () => {
    stub.answer = refusal('40017');
    expect(await failure(stub.client().accountAssets())).toMatchObject({ outcome: 'rejected', retryable: false });
    expect(stub.seen).toHaveLength(1);
  });

  test.each(['40008', '40005'])('whose timestamp was refused with %s is signed again, with the measured time', async (code) => {
    let refused = false;
    stub.answer = ({ target }, response) => {
      const answer = target === '/api/v2/public/time' ? standard(String(Date.now() + 25_000)) : refused ? standard('[]') : refusal(code);
      if (target !== '/api/v2/public/time') refused = true;
      answer({} as never, response);
    };
    await stub.client().accountAssets();
    const [first, , third] = stub.seen.map(({ headers }) => Number(headers['access-timestamp']));
    expect(third! - first!).toBeGreaterThan(20_000);
  });

  test('or anything else follows an order whose timestamp was too old by the measured time', async () => {
    let shift = 0;
    stub.answer = ({ target }, response) =>
      (target === '/api/v2/public/time' ? standard(String(Date.now() + shift)) : refusal('40008'))({} as never, response);
    const client = stub.client({ clockSyncMs: 600_000 });
    expect(await failure(place(client))).toMatchObject({ exchangeCode: '40008', outcome: 'rejected' });
    expect(stub.seen).toHaveLength(2);
    // The exchange's clock has moved on: without another look every order would be refused for ten minutes.
    shift = 25_000;
    await failure(place(client));
    expect(stub.seen.map(({ target }) => target.split('/').at(-1))).toEqual(['time', 'batch-orders', 'time', 'batch-orders']);
    expect(Number(stub.seen[3]!.headers['access-timestamp']) - Date.now()).toBeGreaterThan(20_000);
  });

  test('that receives a 429 waits as long as requested', async () => {
    stub.answer = inTurn(json('{"code":"429","data":{},"msg":"Rate limit exceeded."}', 429, { 'retry-after': '1' }), standard('[]'));
    const started = Date.now();
    // Without a `Retry-After` it would be an hour.
    await stub.client({}, { budget: new WeightBudget(new SystemClock(), { pauseMs: 3_600_000 }) }).accountAssets();
    expect(Date.now() - started).toBeGreaterThanOrEqual(990);
  });
});

test('a 429 holds up every client of the budget', async () => {
  const clock = new SystemClock();
  const budget = new WeightBudget(clock, { pauseMs: 300 });
  stub.answer = refusal('429', 429);
  expect(await failure(place(stub.client({}, { budget })))).toMatchObject({
    code: 'EXCHANGE_LIMITED',
    outcome: 'rejected',
    retryable: true,
  });
  stub.answer = standard('[]');
  const started = Date.now();
  await stub.client({}, { budget }).tickers();
  expect(Date.now() - started).toBeGreaterThanOrEqual(250);
});

test('the order limits from operation 16 are respected', async () => {
  const clock = new SystemClock();
  const limits: unknown[] = [];
  const budget = new WeightBudget(clock);
  budget.limitOrders = (...args) => void limits.push(args.slice(1));
  const account = {
    ...{
      id: '1',
      user_id: '1',
      client_account_id: '1',
      is_system_account: false,
      default_fee_setting: null,
      extra_type: '',
      extra_data_json: '',
    },
    ...{ contract_id_to_fee_setting: {}, contract_id_to_mode_setting: {}, contract_id_to_leverage_setting: {}, status: 'NORMAL' },
    ...{ create_order_rate_limit_per_minute: 30, create_order_delay_milliseconds: 100, created_time: '1', updated_time: '1' },
  };
  stub.answer = json(JSON.stringify({ account, collateral: [], position: [], version: '1' }));
  await stub.client({}, { budget }).futuresAccount({ coinId: '2' });
  expect(limits).toEqual([[30, 100]]);
});

describe('an answer that is that of another request', () => {
  const rates = (...symbols: string[]) => {
    const rows = symbols.map((symbol) => `{"symbol":"${symbol}","fundingRate":"0.0001","collectCycle":480,"timestamp":1}`);
    return json(`[${rows.join(',')}]`);
  };

  test('is not taken: its records have another symbol', async () => {
    stub.answer = rates('cmt_btcusdt', 'cmt_ethusdt');
    const asked = failure(stub.client({ readAttempts: 1 }).fundingRate({ symbol: 'cmt_btcusdt' }));
    expect(await asked).toMatchObject({ message: 'fundingRate: the records are those of cmt_ethusdt', retryable: true });
  });

  test('is one only by its symbol, whatever its case and the mark of its host', async () => {
    stub.answer = rates('BTCUSDT');
    expect(await stub.client().fundingRate({ symbol: 'cmt_btcusdt' })).toHaveLength(1);
    stub.answer = rates('cmt_ethusdt', 'cmt_btcusdt');
    expect(await stub.client().fundingRate({})).toHaveLength(2);
  });
});

test('answers that are not taken are counted by operation and reason; codes and outages of the exchange are none', async () => {
  const refused = new RefusedAnswers(() => 7);
  const client = stub.client({ readAttempts: 1, maxBodyBytes: 100 }, { refused });
  const ask = () => failure(client.fundingRate({ symbol: 'cmt_btcusdt' }));
  const row = (symbol: string) => json(`[{"symbol":"${symbol}","fundingRate":"0.01","collectCycle":480,"timestamp":1}]`);
  for (const answer of [row('cmt_ethusdt'), row('cmt_solusdt'), json('[{}]'), json('<html>'), json(' '.repeat(101)), json('{}', 500)]) {
    stub.answer = answer;
    await ask();
  }
  stub.answer = json('{"code":"40020","msg":"no"}', 400);
  await ask();
  stub.answer = row('cmt_btcusdt');
  await client.fundingRate({ symbol: 'cmt_btcusdt' });
  expect(refused.all.map(({ operation, reason, count }) => `${operation}: ${reason} ${count}`)).toEqual([
    'fundingRate: records of another symbol 2',
    'fundingRate: other fields or values than documented 1',
    'fundingRate: no JSON 1',
    'fundingRate: too long 1',
  ]);
  expect(refused.all[0]).toMatchObject({ last: 7, said: 'the records are those of cmt_solusdt' });
});
