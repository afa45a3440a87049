import { afterEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { BTC, failure, type Local, PERP, spotOrder, startLocal, trigger } from './local.ts';

let local: Local | undefined;
afterEach(async () => {
  await local?.close();
  local = undefined;
});

const BODY = JSON.stringify({ account: 'stranger', wallet: 'spot', coin: 'USDT', amount: '5' });
const JSON_TYPE = { 'content-type': 'application/json' };

async function deposit(headers: (port: string) => Readonly<Record<string, string>>) {
  local = await startLocal({ ports: { control: 0 } });
  const url = local.exchange.controlUrl!;
  const options = { method: 'POST', body: BODY, headers: headers(new URL(url).port) } as const;
  const reply = await request(`${url}/control/deposit`, options);
  const [balance] = await local.client('stranger').accountAssets();
  return { status: reply.statusCode, body: (await reply.body.json()) as { code: string; msg: string }, equity: balance?.equity };
}

test.each<[string, (port: string) => Record<string, string>]>([
  ['127.0.0.1', () => JSON_TYPE],
  ['localhost', (port) => ({ ...JSON_TYPE, host: `localhost:${port}` })],
  ['a forwarded port', () => ({ ...JSON_TYPE, host: '127.0.0.1:9' })],
  ['a content type with a charset', () => ({ 'content-type': 'application/json; charset=utf-8' })],
])('the control door takes a request of a program on this machine: %s', async (_, headers) => {
  expect(await deposit(headers)).toMatchObject({ status: 200, equity: '1005' });
});

// A page in a browser can send a POST anywhere: as text without asking first, and to a name of its own that leads to this machine.
test.each<[string, (port: string) => Record<string, string>, object]>([
  ['no content type', () => ({}), { status: 400, body: { code: '40007' } }],
  ['text', () => ({ 'content-type': 'text/plain' }), { status: 400, body: { code: '40007' } }],
  ['a form', () => ({ 'content-type': 'application/x-www-form-urlencoded' }), { status: 400, body: { code: '40007' } }],
  ['what only looks like JSON', () => ({ 'content-type': 'application/json-seq' }), { status: 400, body: { code: '40007' } }],
  [
    'a page of another site',
    () => ({ ...JSON_TYPE, origin: 'https://example.com' }),
    { status: 403, body: { code: '40014', msg: expect.stringMatching(/Origin.*https:\/\/example\.com/) } },
  ],
  ['a page without a site', () => ({ ...JSON_TYPE, origin: 'null' }), { status: 403, body: { code: '40014' } }],
  ['a page of this machine', (port) => ({ ...JSON_TYPE, origin: `http://127.0.0.1:${port}` }), { status: 403, body: { code: '40014' } }],
  [
    'another name of this machine',
    (port) => ({ ...JSON_TYPE, host: `evil.example:${port}` }),
    { status: 403, body: { code: '40014', msg: expect.stringMatching(/Host.*evil\.example/) } },
  ],
  ['a name that begins like one', (port) => ({ ...JSON_TYPE, host: `localhost.evil.example:${port}` }), { status: 403 }],
])('the control door refuses %s, and moves no money', async (_, headers, refusal) => {
  expect(await deposit(headers)).toMatchObject({ ...refusal, equity: '1000' });
});

describe('grid', () => {
  const place = (order: Parameters<typeof spotOrder>[0]) => local!.client().batchOrders({ symbol: BTC, orderList: [spotOrder(order)] });
  const steps = async () => {
    const [info] = await local!.client().exchangeInfo({ symbol: BTC });
    return [info!.tickSize, info!.stepSize, info!.minTradeAmount];
  };

  test('shows new steps in operation 2, and refuses orders between them with 40015', async () => {
    local = await startLocal();
    local.price('BTC-USDT', '100.01');
    expect(await steps()).toEqual(['0.01', '0.0001', '0.0001']);
    local.exchange.control.setGrid('BTC-USDT', { tickSize: '0.05', stepSize: '0.002' });
    expect(await steps()).toEqual(['0.05', '0.002', '0.002']);
    expect(await failure(place({ price: '99.96' }))).toMatchObject({ exchangeCode: '40015' });
    expect(await failure(place({ quantity: '0.101' }))).toMatchObject({ exchangeCode: '40015' });
    await place({ price: '99.95', quantity: '0.102' });
  });

  test('changes the least quantity alone, and keeps it as a later change names another step', async () => {
    local = await startLocal();
    local.price('BTC-USDT', '100');
    local.exchange.control.setGrid('BTC-USDT', { minQuantity: '0.05' });
    expect(await failure(place({ quantity: '0.0499' }))).toMatchObject({ exchangeCode: '43006' });
    local.exchange.control.setGrid('BTC-USDT', { stepSize: '0.01' });
    expect(await steps()).toEqual(['0.01', '0.01', '0.05']);
  });

  test('holds for contracts, too', async () => {
    local = await startLocal();
    local.price('BTC-USDT-PERP', '100');
    local.exchange.control.setGrid('BTC-USDT-PERP', { stepSize: '0.01', tickSize: '0.5' });
    for (const wrong of [{ size: '0.005' }, { trigger_price: '110.1' }])
      expect(await failure(local.client().triggerOrder(trigger(wrong)))).toMatchObject({ exchangeCode: '40015' });
    await local.client().triggerOrder(trigger({ symbol: PERP, size: '0.05', trigger_price: '110.5' }));
  });

  test.each([
    ['a step between two of the config', { stepSize: '0.00015' }],
    ['a tick under that of the config', { tickSize: '0.001' }],
    ['a tick of too many places', { tickSize: '0.000000000000000001' }],
  ])('refuses %s, and changes nothing', async (_, change) => {
    local = await startLocal();
    expect(() => local!.exchange.control.setGrid('BTC-USDT', { minQuantity: '1', ...change })).toThrow(/is no multiple of/);
    expect(await steps()).toEqual(['0.01', '0.0001', '0.0001']);
  });

  test('is a command of the door', async () => {
    local = await startLocal({ ports: { control: 0 } });
    const command = (body: object) =>
      request(`${local!.exchange.controlUrl}/control/grid`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
    expect((await command({ symbol: 'BTC-USDT', tickSize: '0.1' })).statusCode).toBe(200);
    expect(await steps()).toEqual(['0.1', '0.0001', '0.0001']);
    expect((await command({ symbol: 'BTC-USDT', tickSize: '0' })).statusCode).toBe(400);
    expect((await command({ symbol: 'XRP-USDT', tickSize: '1' })).statusCode).toBe(400);
  });
});
