import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import { DAY, fed, HOUR, hours, PERP, planned, T0 } from './workbench.ts';

const ETH = 'ETH-USDT-PERP';
const bars = { symbol: PERP, kind: 'bar', times: hours(4) } as const;
const marks = { symbol: PERP, kind: 'mark', times: hours(4) } as const;
const funding = { symbol: PERP, kind: 'funding', times: hours(4) } as const;
const eth = (kind: 'bar' | 'mark' | 'funding') => ({ symbol: ETH, kind, times: hours(4) });

test('recorded marks and funding of traded perpetuals are added to the prices, kind by kind, without a warning', async () => {
  const run = await planned([funding, eth('funding'), marks, eth('mark'), bars, eth('bar')], {
    instruments: { [PERP]: { tickSize: '0.1', stepSize: '1' }, [ETH]: { tickSize: '1', stepSize: '1' } },
    symbols: [ETH, PERP],
  });
  expect(fed(run)).toEqual([`${PERP} bar`, `${ETH} bar`, `${PERP} mark`, `${ETH} mark`, `${PERP} funding`, `${ETH} funding`]);
  expect(run.series.map(({ meta }) => meta.kind)).toEqual(['bar', 'bar', 'mark', 'mark', 'funding', 'funding']);
  expect(run.warnings).toEqual([]);
});

test('marks and funding keep their own decimals, which no tick divides', async () => {
  const { plan } = await planned([bars, marks, funding]);
  const [, mark, rate] = plan.sources.map(({ open }) => open());
  for (const [source, decimals, units] of [
    [mark!, 5, 10_012_345],
    [rate!, 4, 1],
  ] as const) {
    expect(source.priceDecimals).toBe(decimals);
    expect(source.price).toEqual({ multiply: 1, divide: 1 });
    source.rows.next();
    expect(source.rows.columns[0]![0]).toBe(units);
    source.rows.close();
  }
});

test('marks and funding do not move the start, which depends on prices only', async () => {
  const early = hours(10, T0 - 5 * DAY);
  const { plan } = await planned([bars, { ...marks, times: early }, { ...funding, times: early }]);
  expect(plan.from).toBe(T0);
});

test('a perpetual without a strategy has none', async () => {
  const run = await planned([bars, marks, funding, eth('bar'), eth('mark'), eth('funding')], {
    instruments: { [PERP]: { tickSize: '0.1', stepSize: '1' }, [ETH]: { tickSize: '1', stepSize: '1' } },
  });
  expect(fed(run)).toEqual([`${PERP} bar`, `${ETH} bar`, `${PERP} mark`, `${PERP} funding`]);
});

test('a netting account has none', async () => {
  const run = await planned([bars, marks, funding], { account: { kind: 'netting', balances: { USDT: '1' } } });
  expect(fed(run)).toEqual([`${PERP} bar`]);
  expect(run.plan).toMatchObject({ profile: 'full', futures: undefined, account: { kind: 'netting' } });
  expect(run.warnings).toEqual([]);
});

describe('a run warns', () => {
  const NO_MARKS = `${PERP}: marks not recorded: margin and funding use the last price`;
  const NO_FUNDING = `${PERP}: funding not recorded: no funding is charged (import it, or set backtest.futures.funding)`;
  test('missing marks and funding', async () => {
    expect((await planned([bars])).warnings).toEqual([NO_MARKS, NO_FUNDING]);
  });

  test.each([
    [{ marks: 'last', funding: 'none' }, []],
    [{ marks: 'last', funding: { rate: '0.0001', every: '8h' } }, []],
    [{ marks: 'last' }, [NO_FUNDING]],
    [{ funding: 'none' }, [NO_MARKS]],
  ])('unless the config switches them off: %j', async (futures, warnings) => {
    expect((await planned([bars], { backtest: { futures } })).warnings).toEqual(warnings);
  });

  test('prices that end long before others', async () => {
    const other = { ...eth('bar'), times: hours(2) };
    const instruments = { [PERP]: { tickSize: '0.1', stepSize: '1' }, [ETH]: { tickSize: '1', stepSize: '1' } };
    expect((await planned([bars, marks, funding, other], { instruments })).warnings).toEqual([
      `${ETH}: its bars end at 2025-01-03T00:00:00Z, more than a day before the end of the run`,
    ]);
    // Two days in, the shorter one has no more than its own end left.
    expect((await planned([bars, marks, funding, other], { instruments, backtest: { to: '2025-01-03' } })).warnings).toEqual([]);
  });

  test('funding that covers a part of the run, or none of it', async () => {
    const days = (from: number, to: number) => ({ ...funding, times: [T0 + from * DAY, T0 + to * DAY - HOUR] });
    const warnings = async (...range: [number, number]) => (await planned([bars, marks, days(...range)])).warnings;
    // The last bar closes at the end of the fourth day: an hour of the third is more than a day before.
    expect(await warnings(0, 3)).toEqual([
      `${PERP}: funding recorded only for a part of the run (2025-01-01T00:00:00Z to 2025-01-03T23:00:00Z)`,
    ]);
    expect(await warnings(2, 4)).toEqual([
      `${PERP}: funding recorded only for a part of the run (2025-01-03T00:00:00Z to 2025-01-04T23:00:00Z)`,
    ]);
    expect(await warnings(-3, -1)).toEqual([
      `${PERP}: funding recorded only outside the run (2024-12-29T00:00:00Z to 2024-12-30T23:00:00Z): no funding is charged (import it, or set backtest.futures.funding)`,
    ]);
    expect(await warnings(1, 4)).toEqual([]);
  });
});

describe('the config may', () => {
  test('switch recorded marks and funding off', async () => {
    const run = await planned([bars, marks, funding], { backtest: { futures: { marks: 'last', funding: 'none' } } });
    expect(fed(run)).toEqual([`${PERP} bar`]);
  });

  test('a constant rate, which replaces recorded funding', async () => {
    const run = await planned([bars, marks, funding], { backtest: { futures: { funding: { rate: '-0.00010', every: '4h' } } } });
    expect(fed(run)).toEqual([`${PERP} bar`, `${PERP} mark`]);
    expect([...run.plan.futures!.constantFunding]).toEqual([[PERP, { rate: new Decimal('-0.0001'), everyMs: 4 * HOUR }]]);
  });

  test.each([
    ['marks', 'marks'],
    ['funding', 'funding'],
  ])('that %s are recorded: then they must be', async (key, text) => {
    await expect(planned([bars], { backtest: { futures: { [key]: 'recorded' } } })).rejects.toMatchObject({
      code: 'DATA_NOT_FOUND',
      message: `no recorded ${text} of ${PERP}; the recordings have: r/${PERP}/bar/1h`,
    });
  });

  test('how futures are simulated', async () => {
    const { plan } = await planned([bars], {
      account: { kind: 'futures', balances: { USDT: '1000.10' }, margin: { leverage: '3' } },
      instruments: {
        [PERP]: {
          tickSize: '0.1',
          stepSize: '1',
          contract: { value: '0.01', maintenance: '0.02', liquidationFee: '0', triggerBy: 'mark', margin: { mode: 'isolated' } },
        },
        [ETH]: { tickSize: '1', stepSize: '1', contract: { tiers: [{ upTo: '5', maintenance: '0.01' }, { maintenance: '0.1' }] } },
      },
      backtest: { futures: { markMaxAge: '5s', liquidation: false, insuranceFund: { USDT: '2.50' } } },
      risk: { account: { maxLeverage: '2.5', maxMarginUse: '0.5', minLiquidationDistance: '0.1' } },
    });
    expect(plan).toMatchObject({ profile: 'exchange' });
    expect(plan.futures).toMatchObject({ markMaxAgeMs: 5000, liquidation: false });
    expect(plan.futures?.insuranceFund.get('USDT')?.toFixed()).toBe('2.5');
    expect(plan.account).toMatchObject({ kind: 'futures', currency: 'USDT', markMaxAgeMs: 5000 });
    const leverage = new Decimal(3);
    const shared = { mode: 'shared', separated: false, longLeverage: leverage, shortLeverage: leverage, autoAppend: false };
    expect([...plan.account.margin!]).toEqual([
      [PERP, { ...shared, mode: 'isolated' }],
      [ETH, shared],
    ]);
    expect(plan.limits).toMatchObject({ maxLeverage: new Decimal('2.5'), maxMarginUse: 0.5, minLiquidationDistance: 0.1 });
    const [btc, second] = plan.instruments.map(({ contract }) => contract!);
    expect(btc).toMatchObject({ value: new Decimal('0.01'), liquidationFee: new Decimal(0), triggerBy: 'mark' });
    // 2 % of 100; and 1 % of 5 with 10 % of the 95 above.
    expect(btc?.tiers.maintenance(new Decimal(100)).toFixed()).toBe('2');
    expect(second?.tiers.maintenance(new Decimal(100)).toFixed()).toBe('9.55');
  });
});

describe('the two wallets', () => {
  const SPOT = 'BTC-USDT';
  const instruments = { [PERP]: { tickSize: '0.1', stepSize: '1' }, [SPOT]: { tickSize: '0.1', stepSize: '1' } };
  const account = { kind: 'futures', balances: { USDT: '10' }, spot: { USDT: '5', BTC: '0.50' } };
  const spotBars = { symbol: SPOT, kind: 'bar', times: hours(4) } as const;

  test('open with their own balances', async () => {
    const { plan } = await planned([bars, spotBars], { account, instruments, symbols: [PERP, SPOT] });
    const texts = (balances: ReadonlyMap<string, Decimal> = new Map()) => [...balances].map(([asset, amount]) => [asset, amount.toFixed()]);
    expect(texts(plan.balances)).toEqual([['USDT', '10']]);
    expect(texts(plan.spotBalances)).toEqual([
      ['USDT', '5'],
      ['BTC', '0.5'],
    ]);
  });

  test('need a recorded price of each held asset, even if no strategy trades it', async () => {
    expect(fed(await planned([bars, spotBars], { account, instruments }))).toEqual([`${PERP} bar`, `${SPOT} bar`]);
    await expect(
      planned([bars, { ...spotBars, kind: 'ticker' }], { account, instruments, backtest: { use: 'bar' } }),
    ).rejects.toMatchObject({
      code: 'DATA_NOT_FOUND',
      message: `no recorded bars of ${SPOT}, whose price converts BTC into USDT; the recordings have: r/${SPOT}/ticker, r/${PERP}/bar/1h`,
    });
  });

  test('use, of the kinds in use, the recorded ones for an asset that is only priced', async () => {
    const recorded = [
      { ...bars, kind: 'ticker' },
      { ...bars, kind: 'trade' },
      { ...spotBars, kind: 'ticker' },
    ] as const;
    const run = await planned(recorded, { account, instruments, backtest: { use: ['trade', 'ticker'], profile: 'full' } });
    expect(fed(run)).toEqual([`${PERP} trade`, `${PERP} ticker`, `${SPOT} ticker`]);
  });
});

describe('a strategy that waits in vain is refused', () => {
  const members = (hook: string) => `static needs = { bars: '1h' }; onBar() {} ${hook}() {}`;
  const spot = { kind: 'spot', balances: { USDT: '1' } };
  const onSpot = { instruments: { 'BTC-USDT': { tickSize: '0.1', stepSize: '1' } }, symbols: ['BTC-USDT'] };
  test.each([
    ['marks that are not recorded', 'onMark', {}, 'DATA_NOT_FOUND', `marks, but ${PERP} has no recorded marks: import marks`],
    ['funding that is not recorded', 'onFunding', {}, 'DATA_NOT_FOUND', `funding, but ${PERP} has no recorded funding: import funding`],
    [
      'marks, by config',
      'onMark',
      { backtest: { futures: { marks: 'last' } } },
      'CONFIG_INVALID',
      'marks, but backtest.futures.marks is last',
    ],
    [
      'funding, by config',
      'onFunding',
      { backtest: { futures: { funding: 'none' } } },
      'CONFIG_INVALID',
      'funding, but backtest.futures.funding is none',
    ],
    [
      'funding of a spot account',
      'onFunding',
      { account: spot, ...onSpot },
      'CONFIG_INVALID',
      'funding, which a spot account does not receive: set account.kind to futures',
    ],
    [
      'marks of what has none',
      'onMark',
      {
        account: { kind: 'futures', balances: { USDT: '1' }, spot: { USDT: '1' } },
        instruments: { ...onSpot.instruments, [PERP]: { tickSize: '0.1', stepSize: '1' } },
        symbols: onSpot.symbols,
      },
      'CONFIG_INVALID',
      'marks, but trades no futures instrument (-PERP)',
    ],
  ])('%s', async (_, hook, settings, code, message) => {
    const attempt = planned([bars, { ...bars, symbol: 'BTC-USDT' }], settings, members(hook));
    await expect(attempt).rejects.toMatchObject({ code, message: expect.stringContaining(`strategy "s" needs ${message}`) });
  });

  test('but not one whose marks are recorded and whose funding is constant', async () => {
    const backtest = { futures: { funding: { rate: '0.0001', every: '8h' } } };
    const run = await planned([bars, marks], { backtest }, `${members('onMark')} onFunding() {}`);
    expect(fed(run)).toEqual([`${PERP} bar`, `${PERP} mark`]);
  });
});
