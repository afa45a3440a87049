import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ExchangeClient } from '../../../src/exchange/client/exchange-client.ts';
import { type Cost, WeightBudget } from '../../../src/exchange/client/weight-budget.ts';
import { T0 } from '../../builders.ts';
import { BTC, failure, type Local, PERP, startLocal } from '../../local-exchange/local.ts';

// The two operations beyond the twenty that tell of candles: what public sources say of them, over real sockets.

type Asked = Readonly<Record<string, unknown>>;
const HOSTS = [
  { name: 'candles', host: 'spot', path: '/api/v2/market/candles', symbol: BTC, period: 'period', minute: '1min', day: '1day' },
  {
    name: 'futuresCandles',
    host: 'futures',
    path: '/capi/v2/market/candles',
    symbol: PERP,
    period: 'granularity',
    minute: '1m',
    day: '1d',
  },
] as const;

let local: Local;
const others: Local[] = [];
/** One of its own; all are closed at the end, since one that a failing test left open would hold up the whole run. */
async function another(options?: Parameters<typeof startLocal>[0]): Promise<Local> {
  const started = await startLocal(options);
  others.push(started);
  return started;
}
beforeAll(async () => {
  local = await startLocal();
  for (const price of ['100', '103', '99', '101']) {
    local.price('BTC-USDT', price);
    local.price('BTC-USDT-PERP', price);
    local.step(20_000);
  }
});
afterAll(() => Promise.all([local, ...others].map((one) => one.close())));

describe.each(HOSTS)('$name', ({ name, host, path, symbol, period, minute, day }) => {
  const good = { symbol, [period]: minute };
  const call = (client: ExchangeClient, request: Asked) => (client[name] as (request: Asked) => Promise<unknown>).call(client, request);
  const send = (request: Asked, at = local) => {
    const given = Object.entries(request).filter(([, value]) => value !== undefined);
    return at.send({ host, target: `${path}?${given.map(([key, value]) => `${key}=${value}`).join('&')}` });
  };
  /** The candle under way first. */
  const MINUTES = [
    [T0 + 60_000, '101', '101', '101', '101', '0', '0'],
    [T0, '100', '103', '99', '99', '0', '0'],
  ];

  test('is public, and answers rows of seven texts, newest first, wrapped as the host does', async () => {
    const { status, json } = await send(good);
    expect(status).toBe(200);
    const rows = MINUTES.map((row) => row.map(String));
    if (host === 'spot') expect(json).toMatchObject({ code: '00000', msg: 'success', data: rows });
    else expect(json).toEqual(rows);
  });

  test('answers its typed method: times as numbers, prices as text', async () => {
    expect(await call(local.client(), good)).toEqual(MINUTES);
    expect(await call(local.client(), { ...good, limit: 1 })).toEqual(MINUTES.slice(0, 1));
    expect(await call(local.client(), { ...good, [period]: day })).toMatchObject([[T0, '100', '103', '99', '101', '0', '0']]);
  });

  test.each([
    ['without symbol', { symbol: undefined }, 'symbol is required', '40019'],
    ['without a period', { [period]: undefined }, `${period} is required`, '40019'],
    ['with a period that there is not', { [period]: '2h' }, `${period} must be one of ${minute}, `, '40020'],
    ['with a limit of 0', { limit: 0 }, 'limit must be a whole number of at least 1 and at most 1000', '40020'],
    ['with a limit of 1001', { limit: 1001 }, 'limit must be a whole number of at least 1 and at most 1000', '40020'],
    ['for what is not listed', { symbol: 'DOGEUSDT_SPBL' }, undefined, '40102'],
    ["by the other host's name", { symbol: host === 'spot' ? PERP : BTC }, undefined, '40102'],
  ])('is refused %s, by client and exchange', async (_, change, said, code) => {
    const error = await failure(call(local.client(), { ...good, ...change }));
    if (said === undefined) expect(error).toMatchObject({ code: 'EXCHANGE_REFUSED', exchangeCode: code });
    else expect(error).toMatchObject({ code: 'REQUEST_INVALID', message: expect.stringContaining(`${name}: ${said}`) });
    const { status, json } = await send({ ...good, ...change });
    expect([status, json.code]).toEqual([400, code]);
  });

  test('answers nothing before the first price, and is refused by another method', async () => {
    const empty = await another();
    expect(await call(empty.client(), good)).toEqual([]);
    expect((await local.send({ host, target: path, method: 'POST', body: {} })).json.code).toBe('40020');
  });

  test('has weight 1, per IP only', async () => {
    const limited = await another({ limits: { ipWeight: 2, uidWeight: 1, actionsPerSecond: 0 } });
    expect([(await send(good, limited)).status, (await send(good, limited)).status, (await send(good, limited)).status]).toEqual([
      200, 200, 429,
    ]);
    const costs: Cost[] = [];
    const budget = new WeightBudget(local.clock);
    const acquire = budget.acquire.bind(budget);
    budget.acquire = (cost) => {
      costs.push(cost);
      return acquire(cost);
    };
    const { spot: spotBaseUrl, futures: contractBaseUrl } = local.exchange;
    const client = new ExchangeClient({ clock: local.clock, budget, random: () => 0, settings: { spotBaseUrl, contractBaseUrl } });
    await call(client, good);
    await client.close();
    expect(costs).toMatchObject([{ ip: 1, uid: 0, account: undefined, action: false, priority: 'market' }]);
  });
});
