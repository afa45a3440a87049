import { expect, test } from '@jest/globals';
import { ExchangeError } from '../../../src/exchange/errors.ts';
import { contractValues } from '../../../src/exchange/listed-values.ts';
import { Instrument } from '../../../src/model/instrument.ts';
import type { OrderRequest } from '../../../src/model/order.ts';
import { gridDifferences, ListedGrids } from '../../../src/venues/rest/listed-grids.ts';
import { order, perpetual, T0 } from '../../builders.ts';
import { SimClock } from '../../faults/sim-clock.ts';

const BTC = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.0001', minQuantity: '0.0002' });
const HOUR_MS = 3_600_000;
const OFF = { code: 'venueRefused', venueCode: '40015', message: 'INVALID_ARGUMENT: size 0.0105 is not a multiple of 0.001' } as const;
const CHANGED = { code: 'gridChanged', venueCode: '40015', message: OFF.message };

function memoryOf() {
  const kept = new Map<string, unknown>();
  return { remember: (key: string, value: unknown) => void kept.set(key, value), recall: (key: string) => kept.get(key) };
}

/** An exchange whose list the test writes, and which counts its readings. */
function exchange(memory = memoryOf()) {
  const clock = new SimClock(T0);
  const listed = { symbol: 'BTCUSDT_SPBL', tickSize: '0.01', stepSize: '0.0001', minTradeAmount: '0.0002', enableTrade: true };
  const there = {
    clock,
    listed,
    readings: 0,
    changes: 0,
    fails: undefined as 'timedOut' | 'permission' | undefined,
    isEmpty: false,
    reported: [] as unknown[],
  };
  const exchangeInfo = async () => {
    there.readings++;
    if (there.fails !== undefined) throw new ExchangeError({ operation: 'exchangeInfo', cause: there.fails, scope: 'read', message: 'no' });
    return there.isEmpty ? [] : [{ ...listed }];
  };
  const grids = new ListedGrids({
    client: { exchangeInfo } as never,
    instruments: [BTC],
    context: {
      clock,
      log: { debug() {}, info() {}, warn() {} },
      memory: memory as never,
      report: (event) => void there.reported.push(event),
    },
    changed: () => {
      there.changes++;
    },
  });
  return { ...there, there, grids };
}

const close = (over: Partial<OrderRequest> = {}) => order({ instrument: BTC, side: 'sell', reduceOnly: true, steps: 105, ...over });
const entry = (over: Partial<OrderRequest> = {}) => order({ instrument: BTC, side: 'buy', reduceOnly: false, steps: 105, ...over });

test('the lists are read at the start and then each hour, and a change is reported once', async () => {
  const { there, grids, clock, listed } = exchange();
  await grids.readIfDue();
  expect(grids.of(BTC)).toBeUndefined();
  Object.assign(listed, { stepSize: '0.001', minTradeAmount: '0.002' });
  await clock.runTo(T0 + HOUR_MS - 1);
  await grids.readIfDue();
  expect([there.readings, there.changes]).toEqual([1, 0]);
  await clock.runTo(T0 + HOUR_MS);
  await grids.readIfDue();
  expect(grids.of(BTC)).toEqual({
    grid: { ticks: 1, steps: 10, leastSteps: 20 },
    isTraded: true,
    reason:
      'the grid of BTC-USDT is another one at the exchange: stepSize 0.001 there, 0.0001 in the config; minQuantity 0.002 there, 0.0002 in the config; ' +
      'exits are rounded to it; once flat, write `stepSize: "0.001"` and `minQuantity: "0.002"` in the config',
  });
  await clock.runTo(T0 + 2 * HOUR_MS);
  await grids.readIfDue();
  expect([there.readings, there.changes]).toEqual([3, 1]);
});

test('a reading that fails is repeated after a minute, and neither that nor a list without the pair changes what is known', async () => {
  const { there, grids, clock, listed } = exchange();
  listed.tickSize = '0.05';
  await grids.readIfDue();
  const known = grids.of(BTC);
  expect(known?.grid).toEqual({ ticks: 5, steps: 1, leastSteps: 2 });
  there.fails = 'timedOut';
  await clock.runTo(T0 + HOUR_MS);
  await grids.readIfDue();
  there.fails = undefined;
  there.isEmpty = true;
  await clock.runTo(T0 + HOUR_MS + 59_999);
  await grids.readIfDue();
  expect(there.readings).toBe(2);
  await clock.runTo(T0 + HOUR_MS + 60_000);
  await grids.readIfDue();
  expect(there.readings).toBe(3);
  expect(grids.of(BTC)).toBe(known);
});

test('a refused order reads the lists, and is gridChanged only if it is off the grid that they show', async () => {
  const { there, grids, clock, listed } = exchange();
  await grids.readIfDue();
  await clock.runTo(T0 + 5_000);
  expect(await grids.explain([close()], OFF)).toBe(OFF);
  listed.stepSize = '0.001';
  await clock.runTo(T0 + 10_000);
  expect(await grids.explain([close()], OFF)).toEqual(CHANGED);
  expect(there.readings).toBe(3);
  await clock.runTo(T0 + 20_000);
  expect(await grids.explain([close({ steps: 100 })], OFF)).toBe(OFF);
  // One request, one reply: the exchange refused both because of one of them.
  await clock.runTo(T0 + 30_000);
  expect(await grids.explain([close({ steps: 100 }), close()], OFF)).toEqual(CHANGED);
});

test('entries read the lists at most once a minute, and what is known counts meanwhile', async () => {
  const { there, grids, clock, listed } = exchange();
  await grids.readIfDue();
  listed.stepSize = '0.001';
  await clock.runTo(T0 + 59_999);
  expect(await grids.explain([entry()], OFF)).toBe(OFF);
  expect(there.readings).toBe(1);
  await clock.runTo(T0 + 60_000);
  expect(await grids.explain([entry()], OFF)).toEqual(CHANGED);
  await clock.runTo(T0 + 61_000);
  expect(await grids.explain([entry()], OFF)).toEqual(CHANGED);
  expect(there.readings).toBe(2);
});

test('a close waits for its reading until a second after the one before', async () => {
  const { there, grids, clock, listed } = exchange();
  await grids.readIfDue();
  listed.stepSize = '0.001';
  const explained = grids.explain([close()], OFF);
  await Promise.resolve();
  expect(there.readings).toBe(1);
  await clock.runTo(T0 + 1_000);
  expect(await explained).toEqual(CHANGED);
});

test('a close is tried again while the lists cannot be read, unless they never can', async () => {
  const { there, grids, clock } = exchange();
  there.fails = 'timedOut';
  expect(await grids.explain([close()], OFF)).toEqual(CHANGED);
  expect(await grids.explain([entry()], OFF)).toBe(OFF);
  await clock.runTo(T0 + 10_000);
  there.fails = 'permission';
  expect(await grids.explain([close()], OFF)).toBe(OFF);
});

test.each([
  ['a lack of margin', { ...OFF, message: 'triggerOrder: HTTP 400, code 40015 (system error): FAILED_PRECONDITION: USDT not enough' }],
  ['another code', { ...OFF, venueCode: '43002' }],
  ['a refusal for now', { code: 'venueLimited', venueCode: '429', message: '' }],
] as const)('%s has nothing to do with the grid', async (_, reason) => {
  const { there, grids } = exchange();
  expect(await grids.explain([close()], reason)).toBe(reason);
  expect(there.readings).toBe(0);
});

const PERP = perpetual({ symbol: 'BTC-USDT-PERP', tickSize: '0.1', stepSize: '0.0001' });
const CONTRACT = { tick_size: '1', priceEndStep: '1', size_increment: '4', minOrderSize: '0.0001' };

test.each([
  ['the same', {}, []],
  ['a finer step, of which the config has multiples', { size_increment: '5' }, []],
  ['a coarser step', { size_increment: '3' }, [{ setting: 'stepSize', ours: '0.0001', theirs: '0.001' }]],
  ['a coarser last digit of the price', { priceEndStep: '5' }, [{ setting: 'tickSize', ours: '0.1', theirs: '0.5' }]],
  ['a minimum, and none in the config', { minOrderSize: '0.01' }, []],
])('a contract with %s', (_, change, expected) => {
  expect(gridDifferences(PERP, contractValues({ ...CONTRACT, ...change } as never))).toEqual(expected);
});

test.each([
  // 0.0015 = 15 steps; multiples of 0.0001 and of 0.00025 are multiples of 0.0005.
  ['0.0015', 15],
  ['0.00025', 5],
  ['0.00001', 1],
])('with the step %s, every %i-th of the config is a quantity', async (stepSize, steps) => {
  const { grids, listed } = exchange();
  Object.assign(listed, { stepSize, minTradeAmount: '' });
  await grids.readIfDue();
  expect(grids.of(BTC)?.grid).toEqual({ ticks: 1, steps, leastSteps: steps });
});

test('of a reference only the tick counts', () => {
  const reference = new Instrument(0, { ...BTC.spec, reference: true });
  const listed = { tickSize: '0.02', stepSize: '1', minQuantity: '1' };
  expect(gridDifferences(reference, listed)).toEqual([{ setting: 'tickSize', ours: '0.01', theirs: '0.02' }]);
});

const NOT_TRADED = { code: 'venueRefused', venueCode: '50003', message: 'trading in BTC-USDT is off' } as const;
const SUSPENDED = { code: 'tradingSuspended', venueCode: '50003', message: NOT_TRADED.message };

test('a refusal because of the pair is tradingSuspended if the list says so; the list is then read each minute, until trading goes on', async () => {
  const { there, grids, clock, listed } = exchange();
  await grids.readIfDue();
  // The key may not trade it: the list shows the pair as traded.
  await clock.runTo(T0 + 5_000);
  expect(await grids.explain([close()], NOT_TRADED)).toBe(NOT_TRADED);
  listed.enableTrade = false;
  await clock.runTo(T0 + 10_000);
  expect(await grids.explain([close()], NOT_TRADED)).toEqual(SUSPENDED);
  const reason = 'the exchange has suspended trading in BTC-USDT; exits are tried again until it goes on';
  expect(grids.of(BTC)).toEqual({ grid: undefined, isTraded: false, reason });
  expect(there.changes).toBe(1);
  listed.enableTrade = true;
  await clock.runTo(T0 + 69_999);
  await grids.readIfDue();
  expect(grids.of(BTC)).toBeDefined();
  await clock.runTo(T0 + 70_000);
  await grids.readIfDue();
  expect([grids.of(BTC), there.changes]).toEqual([undefined, 2]);
});

test('a list that differs for once counts for a minute, and not until the next hour', async () => {
  const { there, grids, clock, listed } = exchange();
  Object.assign(listed, { tickSize: '0.1', maxTradeAmount: '0.000001' });
  await grids.readIfDue();
  expect(grids.of(BTC)).toBeDefined();
  Object.assign(listed, { tickSize: '0.01', maxTradeAmount: '2.5' });
  await clock.runTo(T0 + 60_000);
  await grids.readIfDue();
  expect(grids.of(BTC)).toBeUndefined();
  expect(there.reported).toMatchObject([{ limits: { most: '0.000001' } }, { limits: { most: '2.5' } }]);
});

test('limits on orders are reported once, at each change, and not again after a restart', async () => {
  const memory = memoryOf();
  const { there, grids, clock, listed } = exchange(memory);
  await grids.readIfDue();
  expect(there.reported).toEqual([]);
  const limits = { maxTradeAmount: '2.50', buyLimitPriceRatio: '0.05', sellLimitPriceRatio: '0' };
  Object.assign(listed, limits);
  await clock.runTo(T0 + HOUR_MS);
  await grids.readIfDue();
  await clock.runTo(T0 + 2 * HOUR_MS);
  await grids.readIfDue();
  const reported = { kind: 'limitsListed', time: T0 + HOUR_MS, instrument: BTC, limits: { most: '2.5', buyCollar: '0.05' } };
  expect(there.reported).toEqual([reported]);
  const later = exchange(memory);
  Object.assign(later.listed, limits);
  await later.grids.readIfDue();
  expect(later.there.reported).toEqual([]);
  // They ended while no process ran: that is a change too.
  const last = exchange(memory);
  await last.grids.readIfDue();
  expect(last.there.reported).toMatchObject([{ kind: 'limitsListed', limits: {} }]);
});

test('an order that is refused because it is larger than the exchange takes now is tried again with the new limit', async () => {
  const { there, grids, clock, listed } = exchange();
  const tooLarge = { code: 'venueRefused', venueCode: '43005', message: 'quantity over 0.01' } as const;
  await grids.readIfDue();
  await clock.runTo(T0 + 5_000);
  expect(await grids.explain([close()], tooLarge)).toBe(tooLarge);
  Object.assign(listed, { maxTradeAmount: '0.01' });
  await clock.runTo(T0 + 10_000);
  expect(await grids.explain([close()], tooLarge)).toEqual({ ...tooLarge, code: 'gridChanged' });
  expect(there.reported).toMatchObject([{ kind: 'limitsListed', limits: { most: '0.01' } }]);
  expect(there.changes).toBe(0);
});

test('of a contract, the largest order, market order and position are listed in base coin', async () => {
  const record = { ...CONTRACT, maxOrderSize: '10', marketOpenLimitSize: '2.00005', maxPositionSize: '30', sellLimitPriceRatio: '0.03' };
  expect(contractValues(record as never).limits).toEqual({ most: '10', mostAtMarket: '2.00005', mostHeld: '30', sellCollar: '0.03' });
});
