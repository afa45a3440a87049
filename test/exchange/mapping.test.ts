import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  batchEntry,
  directionOfRecord,
  recordType,
  spotFillFigures,
  statusOf,
  termsOf,
  tickerEvent,
  triggerRequest,
  triggerType,
  type WireTerms,
  wireTerms,
} from '../../src/exchange/mapping.ts';
import { encodeRequest } from '../../src/exchange/operations/codecs.ts';
import { OPERATIONS } from '../../src/exchange/operations/operations.ts';
import { wireSymbol } from '../../src/exchange/symbols.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Instrument } from '../../src/model/instrument.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import { directionOfTrigger, symbolOf, wireFuturesStatus, wireSpotStatus } from './wire-words.ts';

describe('symbols', () => {
  test.each([
    ['BTC-USDT', 'BTCUSDT_SPBL'],
    ['BTC-USDT-PERP', 'cmt_btcusdt'],
    ['1000PEPE-USDT', '1000PEPEUSDT_SPBL'],
    ['ETH-BTC', 'ETHBTC_SPBL'],
  ])('%s is %s on the wire, and back', (symbol, wire) => {
    expect(wireSymbol(symbol)).toBe(wire);
    expect(symbolOf(wire)).toBe(symbol);
    expect(symbolOf(wire.toLowerCase())).toBe(symbol);
  });

  test('a pair with an ambiguous quote is looked up in the known ones', () => {
    expect(symbolOf('ABCXYZ_SPBL')).toBeUndefined();
    expect(symbolOf('ABCXYZ_SPBL', ['AB-CXYZ', 'ABC-XYZ-PERP'])).toBe('AB-CXYZ');
  });

  test('any known symbol survives a round trip', () => {
    const coin = fc.stringMatching(/^[A-Z0-9]{1,20}$/);
    fc.assert(
      fc.property(coin, coin, fc.boolean(), (base, quote, perpetual) => {
        const symbol = `${base}-${quote}${perpetual ? '-PERP' : ''}`;
        expect(symbolOf(wireSymbol(symbol), [symbol])).toBe(symbol);
      }),
    );
  });

  test.each(['', 'BTCUSDT', 'USDT_SPBL', 'cmt_', 'cmt_usdt', 'BTC-USDT_SPBL'])('%j is no wire name', (wire) => {
    expect(symbolOf(wire)).toBeUndefined();
  });
});

test.each<[string, string | undefined]>([
  ['new', 'open'],
  ['open', 'open'],
  ['partial_fill', 'partiallyFilled'],
  ['full_fill', 'filled'],
  ['FILLED', 'filled'],
  ['cancelled', 'canceled'],
  ['CANCELED', 'canceled'],
  ['untriggered', 'untriggered'],
  ['canceling', 'canceling'],
  ['pending', 'pending'],
  ['constructor', undefined],
])('the status %s means %s', (wire, status) => {
  expect(statusOf(wire)).toBe(status);
});

test('statuses survive a round trip, except for a partly filled futures order, which is open there', () => {
  for (const status of ['open', 'partiallyFilled', 'filled', 'canceled'] as const) expect(statusOf(wireSpotStatus(status))).toBe(status);
  for (const status of ['pending', 'untriggered', 'open', 'filled', 'canceling', 'canceled'] as const)
    expect(statusOf(wireFuturesStatus(status))).toBe(status);
  expect(wireFuturesStatus('partiallyFilled')).toBe('open');
});

test('terms and directions survive a round trip', () => {
  for (const word of ['normal', 'postOnly', 'fok', 'ioc'] as WireTerms[]) expect(wireTerms(termsOf(word))).toBe(word);
  for (const type of ['1', '2', '3', '4'] as const) expect(triggerType(directionOfTrigger(type))).toBe(type);
});

/** Of the document: the ten values of `type`. */
test.each([
  ['open_long', 'buy', 'long', undefined],
  ['open_short', 'sell', 'short', undefined],
  ['close_long', 'sell', 'long', undefined],
  ['close_short', 'buy', 'short', undefined],
  ['offset_liquidate_long', 'sell', 'long', 'offsetLiquidation'],
  ['offset_liquidate_short', 'buy', 'short', 'offsetLiquidation'],
  ['agreement_close_long', 'sell', 'long', 'agreementClose'],
  ['agreement_close_short', 'buy', 'short', 'agreementClose'],
  ['burst_liquidate_long', 'sell', 'long', 'burstLiquidation'],
  ['burst_liquidate_short', 'buy', 'short', 'burstLiquidation'],
] as const)('the order type %s is a %s of the %s side', (type, side, positionSide, forced) => {
  expect(directionOfRecord(type)).toEqual({ side, positionSide, forced });
  expect(recordType({ side, positionSide }, forced)).toBe(type);
  expect(directionOfRecord(`x${type}`)).toBeUndefined();
});

/** Of the document: 5 and 6 close a part, 7 and 8 are auto-deleveraging, 9 and 10 liquidation, of long and short. */
test.each([
  ['1', 'buy', 'long', undefined],
  ['2', 'sell', 'short', undefined],
  ['3', 'sell', 'long', undefined],
  ['4', 'buy', 'short', undefined],
  ['5', 'sell', 'long', undefined],
  ['6', 'buy', 'short', undefined],
  ['7', 'sell', 'long', 'autoDeleveraging'],
  ['8', 'buy', 'short', 'autoDeleveraging'],
  ['9', 'sell', 'long', 'burstLiquidation'],
  ['10', 'buy', 'short', 'burstLiquidation'],
] as const)('the number %s of a type is a %s of the %s side', (type, side, positionSide, forced) => {
  expect(directionOfRecord(type)).toEqual({ side, positionSide, forced });
  if (forced === 'autoDeleveraging') expect(recordType({ side, positionSide }, forced)).toBe(type);
});

test.each(['0', '11', '07', '1.0'])('the number %s is no type', (type) => {
  expect(directionOfRecord(type)).toBeUndefined();
});

const spot = new Instrument(0, { symbol: 'BTC-USDT', tickSize: '0.01', stepSize: '0.00001' });
const order = (rest: Partial<OrderRequest>): OrderRequest => ({
  clientOrderId: 'bot-a-1',
  strategyId: 'a',
  instrument: spot,
  side: 'buy',
  positionSide: 'net',
  type: 'limit',
  timeInForce: 'GTC',
  postOnly: false,
  reduceOnly: false,
  priceTicks: 6_123_456,
  triggerTicks: undefined,
  fromNextBar: false,
  steps: 1_230,
  quoteQuantity: undefined,
  tag: '',
  released: false,
  decidedSequence: 0,
  seenSequence: 0,
  ...rest,
});

describe('orders', () => {
  test('a limit order is sent with exact price and quantity', () => {
    const entry = { side: 'buy', orderType: 'limit', force: 'normal', price: '61234.56', quantity: '0.0123', clientOrderId: 'bot-a-1' };
    expect(batchEntry(order({}))).toEqual(entry);
    expect(batchEntry(order({ postOnly: true }))).toMatchObject({ force: 'postOnly' });
  });

  test('a market buy by amount is sent in quote, without a price', () => {
    const bought = batchEntry(order({ type: 'market', priceTicks: undefined, steps: undefined, quoteQuantity: new Decimal('1e-7') }));
    expect(bought).toEqual({ side: 'buy', orderType: 'market', force: 'normal', quantity: '0.0000001', clientOrderId: 'bot-a-1' });
    expect(encodeRequest(OPERATIONS.batchOrders, { symbol: 'x', orderList: [bought] })).toHaveProperty('value');
  });

  test('a trigger order is sent in base coin, at market or at its limit', () => {
    const instrument = new Instrument(0, { symbol: 'BTC-USDT-PERP', tickSize: '0.1', stepSize: '0.0001' });
    const trigger = order({ instrument, side: 'sell', positionSide: 'long', triggerTicks: 600_005, priceTicks: 600_000, steps: 100 });
    const wire = {
      symbol: 'cmt_btcusdt',
      client_oid: 'bot-a-1',
      size: '0.01',
      type: '3',
      match_type: '0',
      execute_price: '60000',
      trigger_price: '60000.5',
    };
    expect(triggerRequest(trigger)).toEqual(wire);
    expect(triggerRequest({ ...trigger, type: 'market', priceTicks: undefined })).toEqual({
      ...wire,
      match_type: '1',
      execute_price: '60000.5',
    });
  });
});

describe('a fill record', () => {
  // A recorded shape: a buy of 10 with a fee of 0.01, so in base.
  const record = {
    ...{ accountId: '1', symbol: 'x', baseCoin: 'BTC', quoteCoin: 'USDT', orderId: '1', fillId: '1', orderType: '', side: 'buy' },
    ...{ fillPrice: '', fillQuantity: '10', fillTotalAmount: '25', fees: '0.01', cTime: 1 },
  };
  test('has its fee in the received asset, and a price even if the field is empty', () => {
    const figures = spotFillFigures(record)!;
    expect([figures.price, figures.quantity, figures.notional, figures.fee].map(String)).toEqual(['2.5', '10', '25', '0.01']);
    expect(figures.feeAsset).toBe('BTC');
    expect(spotFillFigures({ ...record, side: 'SELL', fillPrice: '3' })).toMatchObject({ side: 'sell', feeAsset: 'USDT' });
  });

  test('without quantity, or with an unknown side, is no fill', () => {
    expect(spotFillFigures({ ...record, fillQuantity: '0' })).toBeUndefined();
    expect(spotFillFigures({ ...record, side: '' })).toBeUndefined();
  });
});

test('a ticker becomes a market event on the grid, and no price becomes none', () => {
  expect(tickerEvent(spot, '61234.56', 5, 7)).toMatchObject({ time: 5, sequence: 7, lastTicks: 6_123_456 });
  expect(tickerEvent(spot, '0', 5, 7)).toBeUndefined();
});
