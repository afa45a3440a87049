import { afterEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { FaultPlan, type FaultRule, type FaultSettings } from '../../src/local-exchange/faults.ts';
import { T0 } from '../builders.ts';
import { BTC, failure, type Local, type RawRequest, spotOrder, startLocal, trigger } from './local.ts';

let local: Local;
afterEach(() => local.close());
const start = async (faults: Partial<FaultSettings>) => {
  local = await startLocal({ faults });
  local.price('BTC-USDT', '101');
  local.price('BTC-USDT-PERP', '100');
};
const only = (fault: FaultRule['fault'], more: Partial<FaultRule> = {}): Partial<FaultSettings> => ({
  rules: [{ fault, operations: ['batchOrders'], ...more }],
});
const place = (clientOrderId = 'mine') => local.client().batchOrders({ symbol: BTC, orderList: [spotOrder({ clientOrderId })] });
const arrived = async (clientOrderId = 'mine') =>
  (await local
    .client()
    .orderInfo({ clientOrderId })
    .then(
      () => true,
      () => false,
    )) as boolean;
const batch = (clientOrderId = 'mine'): RawRequest => ({
  target: '/api/v2/trade/batch-orders',
  body: { symbol: BTC, orderList: [spotOrder({ clientOrderId })] },
  as: 'guest',
});

describe('a request that is lost', () => {
  test.each([
    ['before it acts creates nothing', 'drop', false],
    ['with its reply, after it acted, has created its order', 'dropReply', true],
    ['to a 5xx before it acts creates nothing', 'failBefore', false],
    ['to a 5xx after it acted has created its order', 'failAfter', true],
    ['to a body that is no JSON has created its order', 'malformed', true],
    ['to half of a body has created its order', 'truncated', true],
    ['to a redirect creates nothing', 'redirect', false],
    ['to the page of a gateway creates nothing', 'page', false],
    ['to a code that nobody lists creates nothing', 'unlisted', false],
    ['to a reset inside the body has created its order', 'reset', true],
    ['to a body that is longer than it says has created its order', 'wrongLength', true],
    ['to a body without end has created its order', 'oversized', true],
  ] as const)('%s', async (_name, fault, created) => {
    await start(only(fault));
    expect(await failure(place())).toMatchObject({ outcome: 'unknown' });
    expect(await arrived()).toBe(created);
  });

  test('to a 429 creates nothing', async () => {
    await start(only('tooMany'));
    const reply = await local.send(batch());
    expect([reply.status, reply.json.code]).toEqual([429, '429']);
    expect(await arrived()).toBe(false);
  });
});

test.each([
  ['malformed', (whole: string) => `<${whole}`],
  ['truncated', (whole: string) => whole.slice(0, Math.floor(whole.length / 2))],
] as const)('a body that is %s has HTTP 200, and is not JSON', async (fault, spoilt) => {
  await start({ rules: [{ fault, operations: ['currencies'], after: 1 }] });
  const look = () => local.send({ target: '/api/v2/public/currencies' });
  const { text } = await look();
  expect(await look()).toEqual({ status: 200, text: spoilt(text), json: {} });
});

describe('a request that is delayed', () => {
  const delayed = async (ms: number) => {
    await start(only('delay', { ms: [ms, ms] }));
    const reply = local.send(batch());
    // Until the server has taken it in, there is nothing to step over.
    while ((await arrived()) || !(await waiting())) await Promise.resolve();
    expect(await arrived()).toBe(false);
    local.step(ms);
    return reply;
  };
  const waiting = async () => {
    await local.send({ target: '/api/v2/public/time' });
    return local.clock.pending > 0;
  };

  test('acts up to 30 s after its timestamp', async () => {
    expect((await delayed(30_000)).json.code).toBe('00000');
    expect(await arrived()).toBe(true);
  });

  test('never arrives where the exchange closes before, and does not keep it up', async () => {
    await start(only('delay', { ms: [20_000, 20_000] }));
    const reply = failure(local.send(batch()));
    while (!(await waiting())) await Promise.resolve();
    const { orders } = local.exchange.exchange.accounts.named('guest')!;
    await local.close();
    expect(await reply).toMatchObject({ code: 'UND_ERR_SOCKET' });
    expect(local.clock.pending).toBe(0);
    local.step(20_000);
    await new Promise(setImmediate);
    expect(orders.all).toEqual([]);
  });

  test('is refused as expired after that', async () => {
    expect((await delayed(30_001)).json.code).toBe('40008');
    expect(await arrived()).toBe(false);
  });
});

test('a request that arrives twice acts once: the caller receives the first reply, and there is one order', async () => {
  await start(only('duplicate'));
  await place();
  expect((await local.client().accountAssets()).find(({ coinName }) => coinName === 'USDT')).toMatchObject({ frozen: '10' });
});

test('a request that arrives twice costs its weight twice', async () => {
  const limits = { ipWeight: 0, uidWeight: 20, actionsPerSecond: 0 };
  local = await startLocal({ limits, faults: only('duplicate') });
  expect((await local.send(batch())).status).toBe(200);
  expect((await local.send({ target: '/api/v2/account/assets', as: 'guest' })).status).toBe(429);
});

test('a trigger order that arrives twice is there once', async () => {
  await start({ rules: [{ fault: 'duplicate', operations: ['triggerOrder'] }] });
  await local.client().triggerOrder(trigger());
  expect(await local.client().futuresOrders()).toHaveLength(1);
});

test("a reply that drips arrives whole, piece by piece on the exchange's clock", async () => {
  await start({ rules: [{ fault: 'drip', operations: ['spotTime'], ms: [100, 100] }] });
  const reply = await request(`${local.exchange.spot}/api/v2/public/time`).then(async ({ body }) => {
    const text = body.text();
    let done = false;
    void text.then(() => {
      done = true;
    });
    while (!done) {
      local.step(100);
      await local.send({ target: '/api/v2/market/tickers' });
    }
    return text;
  });
  expect(JSON.parse(reply)).toMatchObject({ code: '00000', data: T0 });
  // Some 70 bytes in pieces of 16.
  expect(local.exchange.now()).toBeGreaterThanOrEqual(T0 + 500);
});

describe('reads lag', () => {
  test('behind orders and fills by up to the set time, and then show them', async () => {
    await start({ visibilityLagMs: 3_000, seed: 7 });
    const { resultList } = await place();
    const seen: string[] = [];
    for (let ms = 0; ms <= 3_000; ms += 100) {
      seen.push((await arrived()) ? 'seen' : 'not yet');
      local.step(100);
    }
    expect(seen[0]).toBe('not yet');
    expect(seen.at(-1)).toBe('seen');
    expect([...seen].sort()).toEqual(seen);
    local.price('BTC-USDT', '100');
    const look = async () => (await local.client().orderInfo({ orderId: resultList[0]!.orderId }))[0]!;
    expect(await look()).toMatchObject({ status: 'open', fillQuantity: '0' });
    expect((await local.client().fills({ symbol: BTC })).totals).toBe(0);
    local.step(3_000);
    expect(await look()).toMatchObject({ status: 'full_fill', fillQuantity: '0.1' });
    expect((await local.client().fills({ symbol: BTC })).totals).toBe(1);
  });

  test('and an order does not look filled before its fills are there', async () => {
    await start({ visibilityLagMs: 3_000, seed: 7 });
    const ids: string[] = [];
    for (let index = 0; index < 10; index++) ids.push((await place(`o${index}`)).resultList[0]!.orderId);
    local.step(3_000);
    local.price('BTC-USDT', '100');
    for (let ms = 0; ms <= 3_000; ms += 300) {
      for (const orderId of ids) {
        const [order] = await local.client().orderInfo({ orderId });
        expect(['open 0', 'partial_fill 0.1', 'full_fill 0.1']).toContain(`${order!.status} ${order!.fillQuantity}`);
      }
      local.step(300);
    }
  });

  test('and a trigger order shows no fill that is not there, and none before it was triggered', async () => {
    await start({ visibilityLagMs: 3_000, seed: 11, rules: [] });
    local.exchange.control.setLists({ keepTerminalOrders: true });
    const client = local.client();
    for (let index = 0; index < 8; index++) await client.triggerOrder(trigger({ client_oid: `in${index}`, trigger_price: '100' }));
    local.price('BTC-USDT-PERP', '110');
    const out = { type: '3', trigger_price: '110' } as const;
    for (let index = 0; index < 8; index++) await client.triggerOrder(trigger({ ...out, client_oid: `out${index}` }));
    const seen = new Set<string>();
    for (let ms = 0; ms <= 3_000; ms += 100) {
      const closing = (await client.futuresOrders()).filter(({ client_oid }) => client_oid.startsWith('out'));
      for (const { status, filled_qty, totalProfits } of closing) seen.add(`${status} ${filled_qty} ${totalProfits}`);
      local.step(100);
    }
    expect([...seen].sort()).toEqual(['filled 1 10', 'open 0 0', 'open 1 10', 'untriggered 0 0']);
  });

  test('but an order that is not shown yet can be canceled', async () => {
    await start({ visibilityLagMs: 3_000, seed: 7 });
    await place();
    expect(await local.client().cancelOrder({ symbol: BTC, clientOid: 'mine' })).toMatchObject({ result: true });
  });
});

test("the server's clock is wrong by another amount each minute, within its bound", async () => {
  await start({ clockSkewMs: 5_000 });
  const skews: number[] = [];
  for (let minute = 0; minute < 20; minute++) {
    skews.push((await local.client().spotTime()) - local.exchange.now());
    local.step(60_000);
  }
  expect(Math.max(...skews.map(Math.abs))).toBeLessThanOrEqual(5_000);
  expect(new Set(skews).size).toBeGreaterThan(15);
  // What the server takes for its time decides what has expired.
  const skew = (await local.client().spotTime()) - local.exchange.now();
  const assets = (by: number) => local.send({ target: '/api/v2/account/assets', as: 'guest', timestamp: local.exchange.now() + by });
  expect((await assets(skew + 30_000)).json.code).toBe('00000');
  expect((await assets(skew + 30_001)).json.code).toBe('40008');
});

test('a stale read shows a state of limited age, and an action is never stale', async () => {
  await start({ rules: [{ fault: 'stale', ms: [2_000, 2_000] }] });
  const client = local.client();
  const frozen = async () => (await client.accountAssets()).find(({ coinName }) => coinName === 'USDT')!.frozen;
  const seen: string[] = [await frozen()];
  await place();
  for (let ms = 0; ms < 4_000; ms += 500) {
    local.step(500);
    seen.push(await frozen());
  }
  expect(seen).toEqual(['0', '0', '0', '0', '0', '10', '10', '10', '10']);
  expect((await place('other')).resultList).toHaveLength(1);
});

test('a stale page of fills is that of an earlier period', async () => {
  await start({ rules: [{ fault: 'stale', operations: ['fills'], ms: [2_000, 2_000] }] });
  const look = (after: number) => local.client().fills({ symbol: BTC, after });
  expect((await look(1)).totals).toBe(0);
  await place();
  local.price('BTC-USDT', '100');
  local.step(1_000);
  expect((await look(2)).totals).toBe(0);
  local.step(2_000);
  expect((await look(3)).totals).toBe(1);
});

test("the server's clock jumps and returns, and stamps meanwhile are wrong by the same amount", async () => {
  await start({ clockJumpMs: 15_000, seed: 3 });
  const jumps: number[] = [];
  const stamps: number[] = [];
  for (let turn = 0; turn < 60; turn++) {
    local.step(10_000);
    jumps.push((await local.client().spotTime()) - local.exchange.now());
    await place(`o${turn}`);
    const [order] = await local.client().orderInfo({ clientOrderId: `o${turn}` });
    stamps.push(order!.cTime - local.exchange.now());
  }
  expect(stamps).toEqual(jumps);
  expect(Math.max(...jumps.map(Math.abs))).toBeLessThanOrEqual(15_000);
  expect(jumps.filter((ms) => ms === 0).length).toBeGreaterThan(20);
  expect(new Set(jumps).size).toBeGreaterThan(5);
});

describe('a plan', () => {
  const draws = (settings: Partial<FaultSettings>, count = 200) => {
    const plan = new FaultPlan(settings);
    return Array.from({ length: count }, () => plan.draw('fills').has('drop'));
  };
  const hits = (drawn: readonly boolean[]) => drawn.filter(Boolean).length;

  test('gives the same faults for the same seed, and others for another', async () => {
    await start({});
    const rules: FaultRule[] = [{ fault: 'drop', chance: 0.3 }];
    expect(draws({ seed: 1, rules })).toEqual(draws({ seed: 1, rules }));
    expect(draws({ seed: 1, rules })).not.toEqual(draws({ seed: 2, rules }));
    expect(hits(draws({ seed: 1, rules }, 1_000))).toBeGreaterThan(250);
    expect(hits(draws({ seed: 1, rules }, 1_000))).toBeLessThan(350);
  });

  test('draws faults of the wire apart: they move no draw of the others', async () => {
    await start({});
    const older: FaultRule[] = [
      { fault: 'drop', chance: 0.3 },
      { fault: 'delay', chance: 0.3, ms: [1, 9] },
    ];
    expect(draws({ seed: 1, rules: [...older, { fault: 'page', chance: 0.3 }, { fault: 'stale', ms: [0, 9] }] })).toEqual(
      draws({ seed: 1, rules: older }),
    );
  });

  test('lets some pass first, befalls so many at most, and keeps to its operations', async () => {
    await start({});
    expect(draws({ rules: [{ fault: 'drop', after: 2, times: 3 }] }, 8)).toEqual([false, false, true, true, true, false, false, false]);
    expect(hits(draws({ rules: [{ fault: 'drop', operations: ['ticker'] }] }))).toBe(0);
  });
});
