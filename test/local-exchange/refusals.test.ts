import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EXCHANGE_CODES } from '../../src/exchange/errors.ts';
import { decodeRequest } from '../../src/exchange/operations/codecs.ts';
import type { Operation } from '../../src/exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../src/exchange/operations/operations.ts';
import { type Local, type RawReply, spotOrder, startLocal } from './local.ts';

let local: Local;
beforeAll(async () => {
  local = await startLocal({ limits: { ipWeight: 0, uidWeight: 0, actionsPerSecond: 0, bodyBytes: 2_000 } });
  local.price('BTC-USDT', '100');
  local.price('BTC-USDT-PERP', '100');
});
afterAll(() => local.close());

/** The one form of every refusal; nothing of the inside shows, and none is a fault of the exchange itself. */
function expectRefusal({ json, text, status }: RawReply): void {
  expect(Object.keys(json).sort()).toEqual(['code', 'data', 'msg', 'requestTime']);
  expect(Object.keys(EXCHANGE_CODES)).toContain(json.code);
  expect(json.data).toBeNull();
  expect([400, 401, 403, 404, 429]).toContain(status);
  expect(text).not.toMatch(/\\n\s*at |\.[jt]s:\d|node_modules/);
}

const batch = (order: object) => ({
  target: '/api/v2/trade/batch-orders',
  body: { symbol: 'BTCUSDT_SPBL', orderList: [{ ...spotOrder(), ...order }] },
  as: 'guest',
});

test.each([
  ['an unknown path', { target: '/api/v2/nothing' }, 404, '40020'],
  ['a path of the other host', { target: '/capi/v2/market/time' }, 404, '40020'],
  ['a path that is no URL', { target: '/%E0%A4%A' }, 404, '40020'],
  ['the wrong method', { target: '/api/v2/market/tickers', body: {}, as: 'guest' }, 400, '40020'],
  ['a method that nothing takes', { target: '/api/v2/market/tickers', method: 'DELETE' }, 400, '40020'],
  ['no JSON', { target: '/api/v2/trade/fills', body: '{"symbol":', as: 'guest' }, 400, '40409'],
  ['a list for a body', { target: '/api/v2/trade/fills', body: '[1]', as: 'guest' }, 400, '40409'],
  ['JSON that nests for ever', { target: '/api/v2/trade/fills', body: '['.repeat(1_900), as: 'guest' }, 400, '40409'],
  ['a huge body', { target: '/api/v2/trade/fills', body: `{"symbol":"${'x'.repeat(5_000)}"}`, as: 'guest' }, 400, '40409'],
  ['a parameter that is missing', { target: '/api/v2/trade/fills', body: {}, as: 'guest' }, 400, '40019'],
  ['a parameter of the wrong type', { target: '/api/v2/trade/fills', body: { symbol: 5 }, as: 'guest' }, 400, '40020'],
  [
    'a page that is too large',
    { target: '/api/v2/trade/fills', body: { symbol: 'BTCUSDT_SPBL', pageSize: 101 }, as: 'guest' },
    400,
    '40020',
  ],
  [
    'a period the wrong way round',
    { target: '/api/v2/trade/fills', body: { symbol: 'BTCUSDT_SPBL', after: 2, before: 1 }, as: 'guest' },
    400,
    '40707',
  ],
  ['a negative price', batch({ price: '-1' }), 400, '43011'],
  ['a negative quantity', batch({ quantity: '-0.1' }), 400, '43010'],
  ['a size of nothing', batch({ quantity: '0' }), 400, '40020'],
  ['none of two ids', { target: '/api/v2/trade/orderInfo', body: {}, as: 'guest' }, 400, '40913'],
  [
    'a client id that is too long',
    { target: '/api/v2/trade/orderInfo', body: { clientOrderId: 'x'.repeat(41) }, as: 'guest' },
    400,
    '40305',
  ],
] as const)('%s is refused in the documented form', async (_name, request, status, code) => {
  const reply = await local.send(request);
  expectRefusal(reply);
  expect([reply.status, reply.json.code]).toEqual([status, code]);
});

test('bare operations are refused in the standard form, too', async () => {
  const reply = await local.send({ host: 'futures', target: '/capi/v2/account/account?coinId=x', as: 'guest' });
  expectRefusal(reply);
  expect(reply.json.code).toBe('40020');
});

describe('bytes that are no HTTP', () => {
  const talk = (bytes: string | Uint8Array) =>
    new Promise<string>((resolve) => {
      const { port } = new URL(local.exchange.spot);
      const socket = connect(Number(port), '127.0.0.1', () => socket.end(bytes));
      let said = '';
      socket.on('data', (chunk) => {
        said += chunk;
      });
      socket.on('error', () => resolve(said));
      socket.on('close', () => resolve(said));
    });

  test.each(['nonsense\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', `GET / HTTP/1.1\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`])(
    'are refused as JSON',
    async (bytes) => {
      const said = await talk(bytes);
      expect(said).toMatch(/^HTTP\/1\.1 400 /);
      expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n')))).toMatchObject({ code: '40409', data: null });
    },
  );

  test.each([
    ['a tunnel', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', '40020'],
    ['an expectation', 'GET /api/v2/public/time HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n', '40409'],
    ['a method that must bring a body of a known kind', 'QUERY /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}', '40007'],
  ])('%s that nothing here meets is refused as JSON', async (_name, bytes, code) => {
    const said = await talk(bytes);
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n')))).toMatchObject({ code, data: null });
  });

  test('need no Host', async () => {
    expect(await talk('GET /api/v2/public/time HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('never take the server down', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const said = await talk(bytes);
        if (said !== '') expect(JSON.parse(said.slice(said.indexOf('\r\n\r\n')))).toHaveProperty('code');
      }),
      { numRuns: 40 },
    );
    expect((await local.send({ target: '/api/v2/public/time' })).status).toBe(200);
  });
});

/** Keys that code calls or follows where a value turns into text or has a prototype. */
const STEERING = ['toString', 'valueOf', 'toJSON', 'then', 'constructor', '__proto__', 'hasOwnProperty', 'length', 'isLosslessNumber'];

/** An object with such a key, as JSON text: in a literal, `__proto__` would not be a key. */
const steering = fc
  .tuple(fc.constantFrom(...STEERING), fc.constantFrom('1', 'null', '"x"', '{}', '[]', '12345678901234567890', '-1e400'))
  .map(([key, value]) => `{${JSON.stringify(key)}:${value}}`);

test('a value with any key that objects inherit is refused as a parameter, in every field of every signed operation', async () => {
  const fields = Object.values(OPERATIONS)
    .filter(({ method }) => method === 'POST')
    .flatMap(({ host, path, request }) =>
      Object.keys((request as unknown as { shape: object }).shape).map((field) => ({ host, path, field })),
    );
  expect(fields.length).toBeGreaterThan(20);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...fields), steering, async ({ host, path, field }, value) => {
      const reply = await local.send({ host, target: path, body: `{${JSON.stringify(field)}:${value}}`, as: 'affiliate' });
      expectRefusal(reply);
      expect(reply.status).toBe(400);
    }),
    {
      numRuns: 300,
      examples: [
        [{ host: 'spot', path: '/api/v2/trade/orderInfo', field: 'orderId' }, '{"toString":1}'],
        // Too large for a double: a schema that compares it must not fail over it.
        [{ host: 'futures', path: '/capi/v2/order/batchOrders', field: 'orderDataList' }, '{"length":-1e400}'],
      ],
    },
  );
});

test('any body or query that is signed gets an answer in the documented form, from every operation', async () => {
  const operations = Object.values(OPERATIONS);
  const text = fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' }));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom<Operation>(...operations), text, async (operation, given) => {
      const { method, path, host } = operation;
      const request =
        method === 'GET'
          ? { target: `${path}?${encodeURI(Buffer.from(given).toString()).replaceAll('#', '')}` }
          : { target: path, body: given };
      const reply = await local.send({ host, method, as: 'affiliate', ...request });
      if (reply.status === 200) expect(reply.text).not.toBe('');
      else expectRefusal(reply);
      // A cancel answers a result, and operations without required parameters do not mind some.
      const needsSome = 'issues' in decodeRequest(operation, {});
      if (method === 'POST' && needsSome && operation.effect !== 'cancel') expect(reply.status).not.toBe(200);
    }),
    { numRuns: 300 },
  );
});

test('any value in any place of a good request gets an answer in the documented form', async () => {
  const good = { symbol: 'BTCUSDT_SPBL', side: 'buy', orderType: 'limit', force: 'normal', price: '90', quantity: '1', clientOrderId: 'x' };
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(good)), fc.jsonValue(), async (key, value) => {
      const { symbol, ...order } = { ...good, [key]: value };
      const reply = await local.send({ target: '/api/v2/trade/batch-orders', body: { symbol, orderList: [order] }, as: 'guest' });
      if (reply.status !== 200) expectRefusal(reply);
    }),
    { numRuns: 200 },
  );
});
