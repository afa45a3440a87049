import { expect, test } from '@jest/globals';
import { eventText } from '../../src/journal/event-log.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { BTC, filled, PERP, submitted } from '../state/builders.ts';

const own = { instrument: PERP, positionSide: 'long' } as const;
const told = (event: AccountEvent) => JSON.parse(`{"kind":${eventText(event)}`);
const money = (text: string) => new Decimal(text);

test('an event without side, wallet or trigger is written as before, to the byte', () => {
  expect(eventText(submitted({ priceTicks: 90, postOnly: true }))).toBe(
    '"orderSubmitted","clientOrderId":"c1","strategy":"s","symbol":"BTC-USDT","side":"buy","type":"limit","sent":"limit","timeInForce":"GTC","price":"90","quantity":"10","postOnly":true,"tag":"","decided":1}',
  );
  expect(eventText(filled({ instrument: BTC }, 4, 100))).toBe(
    '"orderFilled","clientOrderId":"c1","fillId":"f","side":"buy","price":"100","quantity":"4","fee":"0","feeAsset":"USDT","liquidity":"taker","complete":false,"decided":1,"priced":1}',
  );
  const balance = { wallet: 'spot', asset: 'USDT', total: money('5'), frozen: money('0') } as const;
  expect(eventText({ kind: 'balanceChanged', time: 0, balance, entry: undefined })).toBe(
    '"balanceChanged","asset":"USDT","total":"5","frozen":"0"}',
  );
});

test('an order of a contract has its side and its trigger', () => {
  expect(told(submitted({ ...own, triggerTicks: 110 }))).toMatchObject({ side: 'buy', positionSide: 'long', trigger: '110' });
  expect(told(submitted({ ...own, triggerTicks: 110, fromNextBar: true }))).toMatchObject({ fromNextBar: true });
  expect(told(filled(own, 4, 100))).toMatchObject({ side: 'buy', positionSide: 'long', quantity: '4' });
});

test('an order has its ref only where one was given', () => {
  expect(eventText(submitted({ priceTicks: 90, ref: 'bid-"3"' }))).toBe(
    '"orderSubmitted","clientOrderId":"c1","strategy":"s","symbol":"BTC-USDT","side":"buy","type":"limit","sent":"limit","timeInForce":"GTC","price":"90","quantity":"10","tag":"","ref":"bid-\\"3\\"","decided":1}',
  );
  const denied = { kind: 'orderDenied', time: 0, clientOrderId: '', strategyId: 's', symbol: 'BTC-USDT', side: 'buy', tag: 't' } as const;
  const reason = { code: 'orderInvalid', rule: 'no' } as const;
  expect(told({ ...denied, reason })).not.toHaveProperty('ref');
  expect(told({ ...denied, ref: 'bid-3', reason })).toMatchObject({ tag: 't', ref: 'bid-3' });
});

test('the replacement of an amended order names the order that it replaces', () => {
  expect(told(submitted({ priceTicks: 90, replaces: 'c0', filledBefore: 2 }))).toMatchObject({ replaces: 'c0', quantity: '10' });
  expect(told(submitted({ priceTicks: 90 }))).not.toHaveProperty('replaces');
});

test('a balance of the collateral has its wallet', () => {
  const balance = { wallet: 'futures', asset: 'USDT', total: money('5'), frozen: money('2') } as const;
  const entry = { asset: 'USDT', amount: money('-0.1'), reason: 'funding', fillId: '' } as const;
  expect(told({ kind: 'balanceChanged', time: 0, balance, entry })).toEqual({
    kind: 'balanceChanged',
    asset: 'USDT',
    wallet: 'futures',
    amount: '-0.1',
    reason: 'funding',
    fillId: '',
    total: '5',
    frozen: '2',
  });
});

test('funding, margins and liquidations are written with their numbers', () => {
  const side = { instrument: PERP, positionSide: 'short' } as const;
  const [rate, markPrice, amount] = [money('0.00000001'), money('100.25'), money('0.000005')];
  expect(told({ kind: 'fundingCharged', time: 0, ...side, steps: 5, rate, markPrice, amount })).toEqual({
    kind: 'fundingCharged',
    symbol: 'BTC-USDT-PERP',
    positionSide: 'short',
    quantity: '5',
    rate: '0.00000001',
    markPrice: '100.25',
    amount: '0.000005',
  });
  expect(told({ kind: 'marginChanged', time: 0, ...side, margin: money('7.5') })).toEqual({
    kind: 'marginChanged',
    symbol: 'BTC-USDT-PERP',
    positionSide: 'short',
    margin: '7.5',
  });
  const { fill } = filled({ ...side, side: 'buy', clientOrderId: '', strategyId: '' }, 3, 90);
  const liquidated = { kind: 'positionLiquidated', time: 0, orderId: 'v1', type: 'burstLiquidation', fill } as const;
  expect(told(liquidated)).toEqual({
    kind: 'positionLiquidated',
    orderId: 'v1',
    symbol: 'BTC-USDT-PERP',
    positionSide: 'short',
    type: 'burstLiquidation',
    fillId: 'f',
    side: 'buy',
    price: '90',
    quantity: '3',
    fee: '0',
    feeAsset: 'USDT',
    priced: 1,
  });
  expect(told({ ...liquidated, positionId: 'o7' })).toMatchObject({ positionId: 'o7' });
});

test('latches and health are written as text, keys in a fixed order', () => {
  const latched = { kind: 'riskLatched', time: 0 } as const;
  expect(eventText({ ...latched, rule: 'maxDrawdown', drawdown: 0.3, limit: 0.25 })).toBe(
    '"riskLatched","rule":"maxDrawdown","drawdown":0.3,"limit":0.25}',
  );
  expect(eventText({ ...latched, rule: 'kill', drawdown: 0, limit: 0, reason: 'a "word"' })).toBe(
    '"riskLatched","rule":"kill","reason":"a \\"word\\""}',
  );
  expect(eventText({ kind: 'latchReset', time: 0, rule: 'kill' })).toBe('"latchReset","rule":"kill"}');
  expect(
    eventText({ kind: 'healthChanged', time: 0, subject: 'market', symbol: 'BTC-USDT', condition: 'stale', reason: 'no ticker' }),
  ).toBe('"healthChanged","subject":"market","symbol":"BTC-USDT","condition":"stale","reason":"no ticker"}');
});
