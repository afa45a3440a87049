import { afterEach, expect, test } from '@jest/globals';
import { futuresEntry } from '../../../../src/exchange/mapping.ts';
import { Decimal } from '../../../../src/model/decimal.ts';
import type { MarginSettings } from '../../../../src/model/margin.ts';
import { order } from '../../../builders.ts';
import { BTC, World, type WorldOptions } from './world.ts';

let world: World | undefined;
const start = async (options?: WorldOptions, prepare?: (world: World) => Promise<void>): Promise<World> => {
  world = await World.start(options, prepare);
  return world;
};
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const UNLIKE: readonly [what: string, change: Partial<MarginSettings>, message: string][] = [
  ['long leverage', { longLeverage: new Decimal(7) }, 'BTC-USDT-PERP: the config expects long leverage 7, the exchange has 10'],
  ['short leverage', { shortLeverage: new Decimal(7) }, 'BTC-USDT-PERP: the config expects short leverage 7, the exchange has 10'],
  ['margin mode', { mode: 'isolated' }, 'BTC-USDT-PERP: the config expects margin mode ISOLATED, the exchange has SHARED'],
  ['separated mode', { separated: true }, 'BTC-USDT-PERP: the config expects separated mode SEPARATED, the exchange has COMBINED'],
];

test.each(UNLIKE)('refuses to start if the %s differs from the config', async (_, change, message) => {
  const starts = start({ margin: TEN, expected: (margin) => ({ ...margin, ...change }) });
  await expect(starts).rejects.toMatchObject({ code: 'START_REFUSED', message });
});

test('takes CROSS for the shared margin that the config names, and reads its leverage', async () => {
  const { events } = await start({ margin: TEN, lists: { sharedMode: 'CROSS' } });
  expect(events.filter(({ kind }) => kind === 'healthChanged')).toEqual([]);
  const unlike = World.start({ margin: TEN, lists: { sharedMode: 'CROSS' }, expected: (margin) => ({ ...margin, mode: 'isolated' }) });
  await expect(unlike).rejects.toMatchObject({ message: 'BTC-USDT-PERP: the config expects margin mode ISOLATED, the exchange has CROSS' });
});

test('takes positions of before the first start as the baseline, that belongs to no strategy', async () => {
  // 1 BTC at 100, 0.06 %: the wallet is what is left of 10000.
  const { told, truth, of } = await startWith();
  expect(of('positionFound')).toMatchObject([{ instrument: BTC, positionSide: 'long', action: 'opened', steps: 1_000 }]);
  expect(of('orderFilled')).toEqual([]);
  expect(told).toMatchObject({ total: '9999.94', fees: '0', steps: [1_000, 0, 0, 0], unexplained: '0' });
  expect(told.frozen).toBe(truth.frozen);
});

test('takes no position for the baseline twice', async () => {
  const again = await startWith();
  await again.boot();
  await again.rounds(2, true);
  expect(again.of('positionFound')).toHaveLength(1);
});

test('sets the leverage of the config at the start where it is told to, and nothing else', async () => {
  const half = { longLeverage: new Decimal(5), shortLeverage: new Decimal(5) };
  const { account, warnings } = await start({ margin: TEN, setsLeverage: true, expected: (margin) => ({ ...margin, ...half }) });
  const leverages = account.futures.record().contracts.map(({ longLeverage, shortLeverage }) => `${longLeverage} ${shortLeverage}`);
  expect(leverages).toEqual(['5 5', '5 5']);
  expect(warnings).toEqual([]);
  const starts = World.start({ margin: TEN, setsLeverage: true, expected: (margin) => ({ ...margin, ...half, mode: 'isolated' }) });
  await expect(starts).rejects.toMatchObject({ code: 'START_REFUSED', message: expect.stringContaining('margin mode ISOLATED') });
});

test('a leverage that is changed at the exchange while the bot runs halts its contract, until it is set back', async () => {
  await start({ margin: TEN });
  const change = (leverage: string) =>
    world!.local.client('bot').setLeverage({ symbol: 'cmt_btcusdt', marginMode: 1, longLeverage: leverage, shortLeverage: leverage });
  await change('20');
  await world!.rounds(2, true);
  const told = () => world!.of('healthChanged').map(({ symbol, condition, reason }) => [symbol, condition, reason]);
  expect(told()).toEqual([['BTC-USDT-PERP', 'halted', 'the config expects long leverage 10, the exchange has 20']]);
  await change('10');
  await world!.rounds(2, true);
  expect(told().slice(1)).toEqual([['BTC-USDT-PERP', 'fresh', 'known again']]);
});

const TEN = { longLeverage: new Decimal(10), shortLeverage: new Decimal(10) };

/** Somebody has opened long with the account's own keys. */
async function startWith() {
  const opened = await start({ margin: TEN }, async ({ local }) => {
    const request = order({ instrument: BTC, steps: 1_000, clientOrderId: 'by-hand-1' });
    await local.client('bot').placeFuturesOrder({ symbol: 'cmt_btcusdt', ...futuresEntry(request) });
  });
  return Object.assign(opened, { of: opened.of.bind(opened) });
}
