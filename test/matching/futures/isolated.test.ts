import { expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import { Ticker } from '../../../src/model/market-events.ts';
import { Market, PERP } from './market.ts';

const isolated = (deposit: string) => new Market({ margin: { mode: 'isolated' }, deposit }).price(100);
/** A price at which orders arrive before liquidation, as those of strategies do. */
const lastAt = (market: Market, ticks: number) => market.matching.onTicker(new Ticker(PERP, ++market.time, market.time, ticks));

test('an opening fill moves its initial margin out of the shared collateral, which pays the fee', () => {
  const market = isolated('500').open('long', 4);
  expect(market.told()).toEqual(['margin long 40', 'open long: buy 4@100 taker fee 0.4']);
  expect([market.balance(), market.free()]).toEqual(['499.6 / 40', '459.6']);
  const records = market.futures.collateralRecords().map(({ mode, legacyAmount }) => `${mode} ${legacyAmount}`);
  expect(records).toEqual(['shared 459.6', 'isolated 40']);
});

test('another fill of the side adds to its margin', () => {
  const market = isolated('500').open('long', 1).price(120).open('long', 1, { clientOrderId: 'b' });
  expect(market.told().filter((line) => line.startsWith('margin'))).toEqual(['margin long 10', 'margin long 22']);
});

test('unrealised profit belongs only to the position', () => {
  const market = isolated('500').open('long', 4).price(150);
  expect(market.free()).toBe('459.6');
});

test('a close gives back its share of the margin with its profit, less its fee', () => {
  const market = isolated('500').open('long', 4).price(110).close('long', 1);
  // 10 of margin, 10 of profit, 0.11 of fee.
  expect([market.balance(), market.free()]).toEqual(['509.49 / 30', '479.49']);
  market.close('long', 3, { clientOrderId: 'rest' });
  expect([market.balance(), market.free()]).toEqual(['539.16 / 0', '539.16']);
});

test('a share of the margin is rounded, and the rest remains', () => {
  const market = new Market({ margin: { mode: 'isolated', leverage: '7' }, deposit: '500' }).price(100).open('long', 3);
  // 300 / 7, up at the 18th place; a third of it, and what is left.
  expect(market.told()[0]).toBe('margin long 42.857142857142857143');
  expect(market.close('long', 1).told()[0]).toBe('margin long 28.571428571428571429');
});

test('a loss beyond that share is the rest of the margin’s', () => {
  const market = isolated('100').open('long', 2);
  market.told();
  lastAt(market, 85);
  // 20 of margin less 15 and 0.085. What stays loses 15 more, 10.085 of which the fund pays: the 79.8 beside it stay whole.
  expect(market.close('long', 1).told()).toEqual([
    'margin long 4.915',
    'close long: sell 1@85 taker fee 0.085',
    'margin long 0',
    'burstLiquidation BTC long 1@85 fee 0',
  ]);
  expect(market.balance()).toBe('79.8 / 0');
});

test('funding is the shared collateral’s', () => {
  const market = isolated('500').open('long', 1);
  market.told();
  expect(market.funding('0.01').told()).toEqual(['funding long 1 at 100: -1']);
  expect([market.balance(), market.free()]).toEqual(['498.9 / 10', '488.9']);
});

test('funding that the shared collateral cannot pay is taken from the margin', () => {
  const market = isolated('10.6').open('long', 1);
  market.told();
  // 0.5 is there, 1 is due.
  expect(market.funding('0.01').told()).toEqual(['margin long 9.5', 'funding long 1 at 100: -1']);
  expect([market.balance(), market.free()]).toEqual(['9.5 / 9.5', '0']);
  // What is received goes to the shared collateral.
  expect(market.funding('-0.01').told()).toEqual(['funding long 1 at 100: 1']);
  expect(market.balance()).toBe('10.5 / 9.5');
});

test('separated: each opening order has a position and a margin of its own; closes take the oldest first', () => {
  const market = new Market({ margin: { mode: 'isolated', separated: true }, deposit: '500' }).price(100);
  market.open('long', 1, { clientOrderId: 'a' }).price(120).open('long', 2, { clientOrderId: 'b' });
  const sizes = () =>
    market.futures.positionRecords().map((p) => `${p.positionId} ${p.openOrderId} ${p.steps} ${p.openValue} ${p.isolatedMargin}`);
  expect(sizes()).toEqual(['1 1 1 100 10', '2 2 2 240 24']);
  market.told();
  // The first whole, at a profit of 10; of the second a half, at a loss of 10.
  expect(market.price(110).close('long', 2).told()).toEqual(['margin long 12', 'close long: sell 2@110 taker fee 0.22']);
  expect(sizes()).toEqual(['2 2 1 120 12']);
  // Fees 0.1 + 0.24 + 0.22.
  expect(market.balance()).toBe('499.44 / 12');
  expect(market.futures.positionRecords()[0]?.cumulative.closeFee.toFixed()).toBe('0.11');
});

test('separated: the fills of one order belong to one position', () => {
  const market = new Market({ margin: { separated: true } }).trade(100, 1).open('long', 3).trade(101, 5);
  expect(market.futures.positionRecords().map(({ positionId, steps, openValue }) => [positionId, steps, openValue.toFixed()])).toEqual([
    ['1', 3, '302'],
  ]);
});

test('combined: the position keeps its id and its sums when it is flat and opened again', () => {
  const market = isolated('500').open('short', 1).close('short', 1).open('short', 2, { clientOrderId: 'again' });
  const [record] = market.futures.positionRecords();
  expect(record).toMatchObject({ positionId: '1', openOrderId: undefined, positionSide: 'short', steps: 2 });
  expect(record?.cumulative.openQuantity.equals(new Decimal(3))).toBe(true);
});
