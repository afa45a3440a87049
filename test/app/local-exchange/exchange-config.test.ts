import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { exchangeOptions } from '../../../src/app/local-exchange/exchange-config.ts';
import { recordedEvents } from '../../../src/app/local-exchange/price-feeds.ts';
import { loadExchangeConfig, runExchange } from '../../../src/app/local-exchange/run-exchange.ts';
import type { RunningExchange } from '../../../src/local-exchange/start-exchange.ts';
import { Bar, Ticker } from '../../../src/model/market-events.ts';
import { ROOT } from '../../support/cli.ts';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {} };
const EXAMPLE = join(ROOT, 'configs/exchange.yaml');
const example = (...set: string[]) => loadExchangeConfig(EXAMPLE, set, {});

let running: RunningExchange[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'));
});
afterEach(async () => {
  await Promise.all(running.map((one) => one.close()));
  running = [];
  rmSync(folder, { recursive: true });
});
const start = async (...set: string[]) => {
  const one = await runExchange(example(...set), undefined, SILENT);
  running.push(one);
  return one;
};
const ticker = async ({ spot }: RunningExchange) => {
  const reply = await request(`${spot}/api/v2/market/ticker?symbol=BTCUSDT_SPBL`);
  return (await reply.body.json()) as { code: string; data: { lastPrice: string; trades: number } };
};
const control = async ({ controlUrl }: RunningExchange, what: string, body: unknown) => {
  const headers = { 'content-type': 'application/json' };
  const reply = await request(`${controlUrl}/control/${what}`, { method: 'POST', body: JSON.stringify(body), headers });
  return { status: reply.statusCode, json: (await reply.body.json()) as Record<string, unknown> };
};

describe('configs/exchange.yaml', () => {
  test('works as it is: prices, and an affiliate with the sub-affiliate it invited', async () => {
    const exchange = await start();
    expect(await ticker(exchange)).toMatchObject({ code: '00000', data: { lastPrice: expect.stringMatching(/^\d+\.\d+$/) } });
    const { accounts } = exchange.exchange;
    const [affiliate, trader] = accounts.all;
    expect([affiliate!.affiliate, trader!.subAffiliate, trader!.inviter]).toEqual([true, true, affiliate!.uid]);
    expect(exchange.controlUrl).toBeUndefined();
  });

  test('gives the same keys at every start', async () => {
    expect((await start()).accounts).toEqual((await start()).accounts);
  });
});

describe('a config', () => {
  test('that is wrong is shown with file, line and column', () => {
    const file = join(folder, 'wrong.yaml');
    writeFileSync(file, 'name: x\naccounts: [{ name: a }]\ninstruments:\n  BTC-USDT: { tickSize: "0.01", stepSice: "1" }\n');
    expect(() => loadExchangeConfig(file, [], {})).toThrow(
      /wrong\.yaml:4:\d+: instruments\.BTC-USDT\.stepSice: unknown key \(did you mean "stepSize"\?\)/,
    );
  });

  test('may name one source of prices at most', () => {
    expect(() => example('prices.synthetic={ start: { BTC-USDT: "1" } }')).toThrow(
      'expected at most one of recording, synthetic and exchange',
    );
  });

  test('names the base URL of each kind of instrument whose public price it takes', () => {
    const drop = ['prices.recording=null', 'prices.use=null'];
    expect(() => example(...drop, 'prices.exchange={ spotBaseUrl: "https://a.example" }')).toThrow(
      /prices\.exchange\.contractBaseUrl: missing: the price of BTC-USDT-PERP is requested there/,
    );
    expect(() => example(...drop, 'prices.exchange={ contractBaseUrl: "https://a.example" }')).toThrow(
      /prices\.exchange\.spotBaseUrl: missing: the price of BTC-USDT is requested there/,
    );
  });

  test('invited by an unknown account is refused', async () => {
    await expect(start('accounts.1.invitedBy=nobody')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('whose port is taken is refused', async () => {
    const { port } = new URL((await start()).spot);
    await expect(start(`ports.spot=${port}`)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('sets margins, tiers, listings and limits', () => {
    const { instruments, margin, listings, limits } = exchangeOptions(
      example(
        'margin.leverage={ long: "3", short: "4" }',
        'limits.ordersPerMinute=7',
        'instruments.BTC-USDT-PERP.contract.margin={ mode: isolated }',
      ),
    );
    const contract = instruments.find(({ symbol }) => symbol === 'BTC-USDT-PERP')!;
    const { longLeverage, shortLeverage, ...others } = margin(contract, 'trader');
    expect(others).toEqual({ mode: 'isolated', separated: false, autoAppend: false });
    expect([longLeverage.toFixed(), shortLeverage.toFixed()]).toEqual(['3', '4']);
    expect(contract.contract!.tiers.tiers.map(({ rate }) => rate.toFixed())).toEqual(['0.005']);
    expect(listings!.get('BTC-USDT')).toMatchObject({ marketFallbackPriceRatio: '0.05' });
    expect(limits).toEqual({ ordersPerMinute: 7 });
  });
});

describe('margin settings of an account', () => {
  const settings = (...set: string[]) => {
    const { instruments, margin } = exchangeOptions(example(...set));
    const contract = instruments.find(({ symbol }) => symbol === 'BTC-USDT-PERP')!;
    return (account: string) => {
      const { longLeverage, shortLeverage, mode, separated } = margin(contract, account);
      return [mode, separated, longLeverage.toFixed(), shortLeverage.toFixed()];
    };
  };

  test("are those of all, then of the contract, then of the account, then of the account's contract", () => {
    const of = settings(
      'margin={ mode: shared, leverage: "10" }',
      'instruments.BTC-USDT-PERP.contract.margin={ leverage: "9", separated: true }',
      'accounts.1.margin={ mode: isolated, leverage: { long: "8", short: "7" }, contracts: { BTC-USDT-PERP: { leverage: "6" } } }',
    );
    expect(of('affiliate')).toEqual(['shared', true, '9', '9']);
    expect(of('trader')).toEqual(['isolated', true, '6', '6']);
    expect(settings('accounts.1.margin.leverage={ long: "8", short: "7" }')('trader')).toEqual(['shared', false, '8', '7']);
  });

  test('name contracts that are listed', () => {
    expect(() => example('accounts.0.margin={ contracts: { BTC-USDT: { mode: isolated } } }')).toThrow(
      /accounts\[0\]\.margin\.contracts\.BTC-USDT: no contract of that symbol among the instruments/,
    );
  });
});

describe('recorded events', () => {
  const { instruments } = exchangeOptions(example());
  const first = async (use: 'ticker' | 'bar' | undefined, count: number) => {
    const events = (await recordedEvents(join(ROOT, 'data'), 'sample', instruments, use))();
    const found = Array.from({ length: count }, () => events.next().value!);
    events.return();
    return found;
  };

  test('are in order of time, for every instrument, tickers before other kinds', async () => {
    const events = await first(undefined, 300);
    const prices = events.filter(({ kind }) => kind !== 'mark' && kind !== 'funding');
    expect(prices.every((event) => event instanceof Ticker)).toBe(true);
    expect(events.map(({ time }) => time)).toEqual(events.map(({ time }) => time).sort((a, b) => a - b));
    expect(new Set(events.map(({ symbol }) => symbol))).toEqual(new Set(['BTC-USDT', 'ETH-USDT', 'BTC-USDT-PERP']));
    expect((await first('bar', 3)).find(({ kind }) => kind !== 'mark' && kind !== 'funding')).toBeInstanceOf(Bar);
  });

  test('marks and funding begin and end with the prices', async () => {
    // The sample has a day of tickers and 28 days of marks, one a minute.
    const events = [...(await recordedEvents(join(ROOT, 'data'), 'sample', instruments, 'ticker'))()];
    const [one, last] = [events[0]!, events.at(-1)!];
    expect([one.kind, last.kind]).toEqual(['ticker', 'ticker']);
    expect(events.filter(({ kind }) => kind === 'mark')).toHaveLength(1439);
    expect(events.filter(({ kind }) => kind === 'funding').length).toBe(2);
  });

  test('that do not exist are refused with those that do', () => {
    return expect(recordedEvents(join(ROOT, 'data'), 'sample', instruments, 'trade')).rejects.toThrow(
      'recording sample has no trades of BTC-USDT; it has: BTC-USDT bar 1m',
    );
  });
});

test("synthetic prices, and another exchange's public tickers, feed an exchange", async () => {
  const drop = ['prices.recording=null', 'prices.use=null'];
  const synthetic = await start(
    ...drop,
    'prices.synthetic={ start: { BTC-USDT: "94000", ETH-USDT: "3300", BTC-USDT-PERP: "94000" } }',
    'prices.speed=1000',
  );
  const source = await ticker(synthetic);
  expect(source.code).toBe('00000');
  const mirror = await start(
    ...drop,
    `prices.exchange={ spotBaseUrl: "${synthetic.spot}", contractBaseUrl: "${synthetic.futures}", everyMs: 10 }`,
  );
  for (let look = 0; (await ticker(mirror)).code !== '00000' && look < 500; look++);
  expect(await ticker(mirror)).toMatchObject({ code: '00000', data: { lastPrice: expect.stringMatching(/^9\d{4}/) } });
});

describe('the control door', () => {
  const open = () => start('ports.control=0', 'time={ stepped: 2025-01-01 }', 'prices.recording=null', 'prices.use=null');

  test('steps time and sets prices', async () => {
    const exchange = await open();
    expect(await control(exchange, 'price', { symbol: 'BTC-USDT', price: '94000.01' })).toMatchObject({
      status: 200,
      json: { code: '00000' },
    });
    expect(await control(exchange, 'step', { ms: 1_500 })).toMatchObject({ json: { data: { now: Date.UTC(2025, 0, 1) + 1_500 } } });
    expect(await ticker(exchange)).toMatchObject({ data: { lastPrice: '94000.01' } });
  });

  test('deposits, transfers, makes affiliates, freezes, and sets faults', async () => {
    const exchange = await open();
    const trader = exchange.exchange.accounts.named('trader')!;
    await control(exchange, 'deposit', { account: 'trader', wallet: 'futures', coin: 'USDT', amount: '1.5' });
    await control(exchange, 'transfer', { account: trader.uid, coin: 'USDT', amount: '0.5', from: 'futures', to: 'funding' });
    expect(trader.wallets.futures.available('USDT').toFixed()).toBe('50001');
    expect(trader.wallets.funding.available('USDT').toFixed()).toBe('1000.5');
    await control(exchange, 'account', { account: 'trader', affiliate: true, frozen: true });
    expect([trader.affiliate, trader.frozen, trader.subAffiliate]).toEqual([true, true, true]);
    expect((await control(exchange, 'withdrawals', { fail: 1 })).status).toBe(200);
    await control(exchange, 'faults', { rules: [{ fault: 'tooMany', operations: ['ticker'] }] });
    expect((await ticker(exchange)).code).toBe('429');
    await control(exchange, 'faults', { rules: [] });
    expect((await ticker(exchange)).code).toBe('40725');
  });

  test('lists ended orders and flat positions, or not', async () => {
    const exchange = await open();
    await control(exchange, 'lists', { keepTerminalOrders: true });
    expect(exchange.exchange.lists).toEqual({ keepTerminalOrders: true, keepFlatPositions: false });
  });

  test.each([
    ['step', { ms: 'x' }],
    ['step', {}],
    ['price', { symbol: 'X-Y', price: '1' }],
    ['price', { symbol: 'BTC-USDT', price: '0' }],
    ['deposit', { account: 'nobody', wallet: 'spot', coin: 'USDT', amount: '1' }],
    ['deposit', { account: 'trader', wallet: 'spot', coin: 'XXX', amount: '1' }],
    ['deposit', { account: 'trader', wallet: 'pocket', coin: 'USDT', amount: '1' }],
    ['transfer', { account: 'trader', coin: 'USDT', amount: '1e9', from: 'spot', to: 'futures' }],
    ['transfer', { account: 'trader', coin: 'USDT', amount: '100000000', from: 'spot', to: 'futures' }],
    ['faults', { rules: [{ fault: 'sorcery' }] }],
    ['nothing', {}],
    ['deposit', { account: 'trader', wallet: 'spot', coin: 'USDT', amount: '0' }],
    ['transfer', { account: 'trader', coin: 'USDT', amount: '0.0', from: 'spot', to: 'funding' }],
    ['account', { account: 'trader', inviter: 'trader' }],
    ['faults', { rules: [{ fault: 'delay', ms: [2, 1] }] }],
  ])('refuses %s of %j in the documented form', async (what, body) => {
    const { status, json } = await control(await open(), what, body);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(Object.keys(json).sort()).toEqual(['code', 'data', 'msg', 'requestTime']);
  });

  test('does not step a clock that runs by itself', async () => {
    expect((await control(await start('ports.control=0'), 'step', { ms: 1 })).json.code).toBe('40020');
  });
});
