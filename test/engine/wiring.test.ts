import { describe, expect, test } from '@jest/globals';
import { capabilitiesOf, type PlannedSource } from '../../src/app/planning/run-plans.ts';
import { TOKENS } from '../../src/app/wiring/container.ts';
import { backtestContainer, SIMULATION } from '../../src/app/wiring/simulation.ts';
import { Engine } from '../../src/engine/engine.ts';
import { Decimal } from '../../src/model/decimal.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { RiskGate } from '../../src/risk/gate.ts';
import { State } from '../../src/state/state.ts';
import { place } from '../../src/strategy/intents.ts';
import { instrument, minuteBars, perpetual, run, type Script, secondsOf, series, T0 } from '../builders.ts';
import { bars, plan, strategy } from './builders.ts';

const journal = { intent() {}, event() {}, commit() {} };
const wired = () => backtestContainer(plan([strategy('a', {})], { data: [bars([100])] }), journal);

test('the wiring of the backtest resolves the engine, its core and its ports', () => {
  const container = wired();
  expect(container.get(TOKENS.engine)).toBeInstanceOf(Engine);
  expect(container.get(TOKENS.state)).toBeInstanceOf(State);
  expect(container.get(TOKENS.gate)).toBeInstanceOf(RiskGate);
  const clock = container.get(TOKENS.clock);
  expect(typeof clock.now()).toBe('number');
  expect(container.get(TOKENS.feed).events$.subscribe).toBeInstanceOf(Function);
  expect(container.get(TOKENS.venue).capabilities).toEqual({ ...capabilitiesOf('full'), sizesAtFill: true });
  expect(container.get(TOKENS.journal)).toBe(journal);
});

test('there is one of each in a run, and the ports are the parts of one simulation', () => {
  const container = wired();
  for (const token of [TOKENS.engine, TOKENS.state, TOKENS.gate, TOKENS.orderBuilder])
    expect(container.get<unknown>(token)).toBe(container.get<unknown>(token));
  const simulation = container.get(SIMULATION);
  expect(container.get(TOKENS.clock)).toBe(simulation.clock);
  expect(container.get(TOKENS.venue)).toBe(simulation.venue);
  expect(container.get(TOKENS.feed)).toBe(simulation.feed);
});

test('two runs share nothing', () => {
  expect(wired().get(TOKENS.state)).not.toBe(wired().get(TOKENS.state));
});

test.each([
  ['exchange', { marketData: ['bar', 'ticker', 'mark', 'funding'], marketBuyByQuantity: false, futuresTriggers: true }],
  [
    'full',
    {
      marketData: ['bar', 'depth', 'quote', 'trade', 'ticker', 'mark', 'funding'],
      marketBuyByQuantity: true,
      futuresTriggers: true,
    },
  ],
] as const)('the profile %s can %j', (profile, capabilities) => {
  expect(capabilitiesOf(profile)).toMatchObject(capabilities);
});

describe('a futures account', () => {
  const PERP = perpetual();
  const SPOT = instrument({}, 1);
  const minutes = (of: Instrument, ...prices: number[]): PlannedSource => ({
    instrument: of,
    kind: 'bar',
    open: () => series('bar', minuteBars(...prices.map((price) => [price, price, price, price]))),
  });
  const futures = {
    kind: 'futures',
    sources: [minutes(PERP, 100, 100, 100, 100), minutes(SPOT, 100, 100)],
    balances: { USDT: '1000' },
    spotBalances: { USDT: '50', BTC: '0.5' },
    bars: { from: 'bar', intervals: [[], []], graceMs: 0 },
  } as const;
  const buyOnce: Script = {
    onBar: (self, { symbol }) =>
      symbol === PERP.symbol && self.held(symbol).side === 'flat' ? place({ symbol, side: 'buy', type: 'market', quantity: 2 }) : undefined,
  };

  test('opens two wallets, each with its balances', async () => {
    const { state, events } = await run(futures);
    const deposits = events.flatMap((event) => (event.kind === 'balanceChanged' ? [event] : []));
    expect(deposits.map(({ balance, entry }) => [balance.wallet, balance.asset, balance.total.toFixed(), entry?.reason])).toEqual([
      ['futures', 'USDT', '1000', 'deposit'],
      ['spot', 'USDT', '50', 'deposit'],
      ['spot', 'BTC', '0.5', 'deposit'],
    ]);
    // 1000 + 50 + 0.5 coins at 100.
    expect(state.portfolio.exactEquity().toFixed()).toBe('1100');
  });

  test('gives contracts the margin settings of the plan', async () => {
    const { state } = await run({ ...futures, script: buyOnce, margin: { longLeverage: new Decimal(4) } });
    // 2 coins at 100 with a leverage of 4.
    expect(state.portfolio.balance('USDT', 'futures').frozen.toFixed()).toBe('50');
  });

  test('is charged constant funding at its times', async () => {
    const constantFunding = new Map([[PERP.symbol, { rate: new Decimal('0.01'), everyMs: 120_000 }]]);
    const { events } = await run({ ...futures, script: buyOnce, futures: { constantFunding } });
    const charged = events.flatMap((event) => (event.kind === 'fundingCharged' ? [event] : []));
    // Bought at the open of the second minute, charged every two: 1 % of 2 coins at 100.
    expect(charged.map(({ time, amount }) => [secondsOf(time), amount.toFixed()])).toEqual([
      [120, '-2'],
      [240, '-2'],
    ]);
  });

  test('is liquidated and insured as configured', async () => {
    const crash = {
      ...futures,
      sources: [minutes(PERP, 100, 100, 40)],
      balances: { USDT: '30' },
      spotBalances: {},
      bars: { from: 'bar', intervals: [[]], graceMs: 0 } as const,
      script: buyOnce,
    };
    const insuranceFund = new Map([['USDT', new Decimal(100)]]);
    const insured = await run({ ...crash, futures: { insuranceFund } });
    // 2 coins lost 60 each, of which 30 were there.
    expect(insured.insurance('USDT').toFixed()).toBe('10');
    expect(insured.state.portfolio.balance('USDT').total.toFixed()).toBe('0');
    const spared = await run({ ...crash, futures: { insuranceFund, liquidation: false } });
    expect(spared.insurance('USDT').toFixed()).toBe('100');
    expect(spared.state.heldSteps(PERP)).toBe(2);
  });

  test('takes limit, post-only and IOC orders under the profile of the exchange', async () => {
    const tickers: PlannedSource = {
      instrument: PERP,
      kind: 'ticker',
      open: () =>
        series('ticker', [
          [0, 100],
          [1, 98],
        ]),
    };
    const terms = { symbol: PERP.symbol, side: 'buy', quantity: 1 } as const;
    const once: Script = {
      onTicker: (self) =>
        self.time === T0
          ? [
              place({ ...terms, type: 'limit', price: 101, timeInForce: 'IOC', tag: 'takes' }),
              place({ ...terms, type: 'limit', price: 99, timeInForce: 'IOC', tag: 'misses' }),
              place({ ...terms, type: 'limit', price: 101, postOnly: true, tag: 'would take' }),
              place({ ...terms, type: 'limit', price: 99, postOnly: true, tag: 'rests' }),
            ]
          : undefined,
    };
    const { fills, events } = await run({
      ...futures,
      sources: [tickers],
      spotBalances: {},
      bars: { from: 'ticker', intervals: [[]], graceMs: 0 },
      profile: 'exchange',
      script: once,
    });
    expect(fills.map(({ tag, priceTicks, liquidity }) => [tag, priceTicks, liquidity])).toEqual([
      ['takes', 100, 'taker'],
      ['rests', 99, 'maker'],
    ]);
    expect(events.filter(({ kind }) => kind === 'orderTriggered')).toEqual([]);
  });
});
