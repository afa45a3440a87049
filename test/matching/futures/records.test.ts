import { describe, expect, test } from '@jest/globals';
import type { CollateralRecord, OrderRecord, PositionRecord } from '../../../src/matching/futures/records.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { perpetual } from '../../builders.ts';
import { Market, PERP } from './market.ts';

/** The record with its decimals as text, and without what identifies it. */
function text(record: OrderRecord | PositionRecord | CollateralRecord | PositionRecord['cumulative']): Record<string, unknown> {
  const entries = Object.entries(record).map(([name, value]): [string, unknown] => {
    if (Decimal.isDecimal(value)) return [name, value.toFixed()];
    if (name === 'instrument') return [name, value.symbol];
    return [name, typeof value === 'object' && value !== null ? text(value) : value];
  });
  return Object.fromEntries(entries);
}

describe('an order', () => {
  test('shows everything about its order', () => {
    const perp = perpetual({ stepSize: '0.5', tickSize: '0.5', takerFee: '0.001', makerFee: '0.0005', contract: { value: '0.1' } });
    const market = new Market({ instruments: [perp] }).trade(200, 2).open('long', 6).trade(203, 6).price(210);
    // 0.5 a tick and a step: 1 at 100, 2 at 101.5; closed at 105.
    market.close('long', 4, { priceTicks: 210 }).trade(211, 1);
    const [record] = market.matching.orders(market.account);
    expect(text(record!)).toEqual({
      orderId: '2',
      clientOrderId: 'close long',
      instrument: 'BTC-USDT-PERP',
      side: 'sell',
      positionSide: 'long',
      type: 'limit',
      liquidation: undefined,
      timeInForce: 'GTC',
      postOnly: false,
      status: 'open',
      price: '105',
      triggerPrice: undefined,
      quantity: '2',
      filledQuantity: '0.5',
      contracts: '20',
      filledNotional: '52.5',
      averagePrice: '105',
      // 52.5 x 0.0005
      fee: '0.02625',
      // 52.5 less a sixth of 100 + 203, to 18 places.
      profit: '2',
      createdTime: 3,
      updatedTime: 4,
    });
  });

  test('has an average price of 18 places over its fills', () => {
    const market = new Market().trade(100, 1).open('long', 3).trade(101, 2);
    // 302 / 3
    expect(market.ended[0]?.averagePrice.toFixed()).toBe('100.666666666666666667');
    expect(market.ended[0]).toMatchObject({ status: 'filled', createdTime: 1, updatedTime: 2 });
  });

  test('goes from pending over open to filled', () => {
    const market = new Market({ onBars: true }).openBar(100).closeBar(100, 100, 100).open('long', 1, { priceTicks: 99 });
    const status = () => market.matching.orders(market.account)[0]?.status ?? market.ended[0]?.status;
    expect(status()).toBe('pending');
    market.openBar(100);
    expect(status()).toBe('open');
    market.closeBar(100, 98, 99);
    expect(status()).toBe('filled');
  });

  test('is untriggered until its trigger is met, pending until it meets a price then', () => {
    const market = new Market({ onBars: true }).openBar(100).closeBar(100, 100, 100);
    market.open('long', 1, { triggerTicks: 101 }).open('short', 1, { triggerTicks: 100 });
    const records = market.matching.orders(market.account);
    expect(records.map(({ status, triggerPrice }) => `${status} ${triggerPrice}`)).toEqual(['untriggered 101', 'pending 100']);
  });

  test('is canceling while its margin is given back, and canceled then', () => {
    const statuses: string[] = [];
    const market = new Market().price(100).open('long', 1, { priceTicks: 90 });
    market.events.push = (event) => {
      if (event.kind === 'balanceChanged') statuses.push(market.matching.orders(market.account)[0]!.status);
      return 0;
    };
    market.cancel('open long');
    expect([statuses, market.ended.map(({ status }) => status)]).toEqual([['canceling'], ['canceled']]);
  });

  test('that expires or is refused after its acceptance ends as canceled', () => {
    const market = new Market().price(100).open('long', 1, { priceTicks: 90, timeInForce: 'IOC' });
    market.open('long', 1, { priceTicks: 110, postOnly: true });
    expect(market.ended.map(({ status }) => status)).toEqual(['canceled', 'canceled']);
  });

  test('of a liquidation is filled, and shows its kind', () => {
    const market = new Market({ deposit: '101' }).price(1000).open('long', 1).price(905);
    expect(text(market.ended[1]!)).toMatchObject({
      orderId: '2',
      clientOrderId: '',
      liquidation: 'burstLiquidation',
      type: 'market',
      timeInForce: 'IOC',
      status: 'filled',
      side: 'sell',
      positionSide: 'long',
      quantity: '1',
      fee: '4.525',
      profit: '-95',
    });
  });
});

describe('a position', () => {
  test('shows its open part and its sums', () => {
    const market = new Market().price(100).open('long', 3).funding('0.01').price(110).close('long', 1);
    const [record] = market.futures.positionRecords();
    expect(text(record!)).toEqual({
      positionId: '1',
      instrument: 'BTC-USDT-PERP',
      positionSide: 'long',
      mode: 'shared',
      separated: false,
      openOrderId: undefined,
      leverage: '10',
      autoAppend: false,
      steps: 2,
      quantity: '2',
      openValue: '200',
      // Two thirds of 0.3 and of 3.
      openFee: '0.2',
      funding: '-2',
      isolatedMargin: '0',
      cumulative: {
        openQuantity: '3',
        openValue: '300',
        openFee: '0.3',
        closeQuantity: '1',
        closeValue: '110',
        closeFee: '0.11',
        funding: '-3',
        liquidationFee: '0',
      },
      createdSequence: 1,
      updatedSequence: 3,
      createdTime: 1,
      updatedTime: 3,
    });
  });

  test('that was liquidated has paid the liquidation fee, and no closing fee', () => {
    const market = new Market({ deposit: '101' }).price(1000).open('long', 1).price(905);
    const [record] = market.futures.positionRecords();
    expect([record?.steps, record?.cumulative.closeFee.toFixed(), record?.cumulative.liquidationFee.toFixed()]).toEqual([0, '0', '4.525']);
  });

  test('of each side has its own leverage and mode', () => {
    const market = new Market({ margin: { mode: 'isolated', leverage: '10', shortLeverage: '4', autoAppend: true } }).price(100);
    const records = market.open('short', 1).open('long', 1).futures.positionRecords();
    expect(
      records.map(
        ({ positionSide, leverage, isolatedMargin, mode, autoAppend }) =>
          `${positionSide} ${leverage} ${isolatedMargin} ${mode} ${autoAppend}`,
      ),
    ).toEqual(['long 10 10 isolated true', 'short 4 25 isolated true']);
    expect(market.matching.positions(market.account, 'BTC-USDT-PERP', 'short').map(({ steps }) => steps)).toEqual([1]);
    expect(market.matching.positions(market.account, 'ETH-USDT-PERP')).toEqual([]);
  });
});

describe('a collateral', () => {
  /** The sums that are not zero. */
  const sums = ({ cumulative }: CollateralRecord) =>
    Object.fromEntries(Object.entries(cumulative).flatMap(([name, sum]) => (sum.isZero() ? [] : [[name, sum.toFixed()]])));

  test('sums the movements of opening and closing: the cash; the wallet adds the open value', () => {
    const market = new Market().price(100).open('long', 3).open('short', 2).price(110).close('long', 1).close('short', 1);
    market.funding('0.01');
    const [shared] = market.futures.collateralRecords();
    expect(sums(shared!)).toEqual({
      deposit: '1000',
      openLong: '-300',
      openShort: '200',
      closeLong: '110',
      closeShort: '-110',
      // 0.3 + 0.2 + 0.11 + 0.11
      fee: '-0.72',
      // -110 x 2 x 0.01 and 110 x 0.01
      funding: '-1.1',
    });
    // The wallet: 1000 + 10 - 10 - 0.72 - 1.1; the cash: 200 less for the long, 100 more for the short.
    expect([shared?.amount.toFixed(), shared?.legacyAmount.toFixed()]).toEqual(['898.18', '998.18']);
    expect(market.balance()).toBe('998.18 / 30');
  });

  test('on isolated margin has its own, with the margin moved in and out', () => {
    const market = new Market({ margin: { mode: 'isolated' } }).price(100).open('long', 4).price(110).close('long', 1);
    const [shared, isolated] = market.futures.collateralRecords();
    // Out 40 and back 10 + 10 - 0.11.
    expect(sums(shared!)).toEqual({ deposit: '1000', fee: '-0.4', marginMoveOut: '-40', marginMoveIn: '19.89' });
    expect(sums(isolated!)).toEqual({ marginMoveIn: '40', openLong: '-400', closeLong: '110', fee: '-0.11', marginMoveOut: '-19.89' });
    expect(isolated).toMatchObject({ mode: 'isolated', positionId: '1', currency: 'USDT', createdTime: 1, updatedTime: 2 });
    expect([isolated?.amount.toFixed(), isolated?.legacyAmount.toFixed()]).toEqual(['-270', '30']);
    expect([shared?.amount.toFixed(), shared?.legacyAmount.toFixed()]).toEqual(['979.49', '979.49']);
  });

  test('has the liquidation fee and the payment of the fund', () => {
    const liquidated = new Market({ deposit: '101' }).price(1000).open('long', 1).price(905).futures.collateralRecords()[0]!;
    expect(sums(liquidated)).toMatchObject({ liquidationFee: '-4.525', closeLong: '905' });
    const bankrupt = new Market({ deposit: '101' }).price(1000).open('long', 1).price(850).futures.collateralRecords()[0]!;
    expect(sums(bankrupt)).toMatchObject({ transferIn: '50' });
    expect([bankrupt.amount.toFixed(), bankrupt.legacyAmount.toFixed()]).toEqual(['0', '0']);
  });

  test('is liquidating while its positions are being closed', () => {
    const seen: boolean[] = [];
    const market = new Market({ deposit: '101' }).price(1000).open('long', 1);
    const push = market.events.push.bind(market.events);
    market.events.push = (event) => {
      if (event.kind === 'positionLiquidated') seen.push(market.futures.collateralRecords()[0]!.liquidating);
      return push(event);
    };
    market.price(905);
    expect([seen, market.futures.collateralRecords()[0]?.liquidating]).toEqual([[true], false]);
  });
});

describe('an account', () => {
  test('has its settings by contract, and its version', () => {
    const market = new Market({ margin: { leverage: '10', shortLeverage: '4' } });
    const record = market.price(100).open('long', 1).futures.record();
    expect(record).toMatchObject({ createdTime: 0, updatedTime: 1 });
    expect(text(record.contracts[0] as never)).toEqual({
      instrument: 'BTC-USDT-PERP',
      mode: 'shared',
      separated: false,
      longLeverage: '10',
      shortLeverage: '4',
      autoAppend: false,
      makerFee: '0.0005',
      takerFee: '0.001',
    });
  });

  test('has a version that grows with every change of a position or a collateral, and with nothing else', () => {
    const market = new Market().price(100);
    const versions = () => market.futures.record().version;
    const first = versions();
    market.open('long', 1, { priceTicks: 90, clientOrderId: 'resting' }).price(101);
    expect(versions()).toBe(first);
    market.open('long', 1).close('long', 1);
    expect(versions()).toBe(first + 2);
    market.open('short', 1).funding('0.01');
    expect(versions()).toBe(first + 4);
  });

  test('has its margin in a currency', () => {
    const market = new Market().price(100).open('long', 2).open('short', 1, { priceTicks: 110 }).price(105);
    // 999.8 + 10; 210 x 0.01; 200 / 10; 11 + 0.11
    expect(text(market.futures.margin('USDT') as never)).toEqual({
      currency: 'USDT',
      balance: '1009.8',
      maintenance: '2.1',
      initial: '20',
      orders: '11.11',
      free: '978.69',
    });
  });
});

test('matches are numbered over all accounts and contracts', () => {
  const eth = perpetual({ symbol: 'ETH-USDT-PERP' }, 1);
  const market = new Market({ instruments: [PERP, eth] }).price(100).price(10, eth).open('long', 1).open('long', 1, { instrument: eth });
  market.funding('0.01');
  expect(market.futures.positionRecords().map(({ createdSequence, updatedSequence }) => [createdSequence, updatedSequence])).toEqual([
    [1, 3],
    [2, 2],
  ]);
});
