import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import type { OrderRequest } from '../../src/model/order.ts';
import type { Denial } from '../../src/model/reasons.ts';
import { RiskGate } from '../../src/risk/gate.ts';
import type { RiskLimits } from '../../src/risk/limits.ts';
import { applyAccount } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { balance, futures, instrument, type MarginOptions, mark, open, PERP, perpetual, price, request, trade } from '../state/builders.ts';

const ETH = perpetual(1, { symbol: 'ETH-USDT-PERP' });
const SPOT = instrument(1);
const limit = (value: string) => new Decimal(value);
const position = (value: string) => ({ maxPosition: new Map([['BTC-USDT-PERP', new Decimal(value)]]) });

/** A futures account with 1000 USDT; BTC stands at 100, ETH at 10; leverage 10, a taker's fee of 0.1 %. */
function market(options: MarginOptions = {}, total = '1000'): State {
  const target = futures(options, [PERP, ETH]);
  balance(target, 'USDT', total);
  price(target, 100);
  price(target, 10, ETH);
  return target;
}

const long = { instrument: PERP, positionSide: 'long', side: 'buy' } as const;
const short = { instrument: PERP, positionSide: 'short', side: 'sell' } as const;
const closeLong = { instrument: PERP, positionSide: 'long', side: 'sell', reduceOnly: true } as const;
const closeShort = { instrument: PERP, positionSide: 'short', side: 'buy', reduceOnly: true } as const;

function review(target: State, order: Partial<OrderRequest>, limits: Partial<RiskLimits> = {}, stop?: number): Denial | 'approved' {
  const gate = new RiskGate({ state: target, limits: { maxPosition: new Map(), ...limits } });
  const verdict = gate.review(request({ clientOrderId: 'new', ...order }), 0, 'send', { marketTicks: stop });
  return 'denied' in verdict ? verdict.denied : 'approved';
}

const grown = (held: string, quantity: string) => ({ code: 'reduceOnlyWouldGrow', position: held, quantity });

describe('closing', () => {
  test.each<[string, (target: State) => Partial<OrderRequest>, Denial | 'approved']>([
    ['all of the long side', () => ({ ...closeLong, steps: 5 }), 'approved'],
    ['more than it', () => ({ ...closeLong, steps: 6 }), grown('5', '6') as Denial],
    ['all of the short side', () => ({ ...closeShort, steps: 3 }), 'approved'],
    ['more than that', () => ({ ...closeShort, steps: 4 }), grown('-3', '4') as Denial],
    ["another strategy's position", () => ({ ...closeLong, strategyId: 't', steps: 1 }), grown('0', '1') as Denial],
    [
      'beside a close of the same strategy in flight',
      (target) => {
        open(target, { ...closeLong, clientOrderId: 'a', steps: 3 });
        return { ...closeLong, steps: 3 };
      },
      grown('5', '3') as Denial,
    ],
    [
      'beside exits that wait at the venue, which go when it is done',
      (target) => {
        open(target, { ...closeLong, clientOrderId: 'a', steps: 5, triggerTicks: 90 });
        return { ...closeLong, steps: 5 };
      },
      'approved',
    ],
    [
      'beside a close that went out',
      (target) => {
        open(target, { ...closeLong, clientOrderId: 'a', steps: 5 });
        return { ...closeLong, steps: 5 };
      },
      grown('5', '5') as Denial,
    ],
    [
      'an exit that is to wait, beside a close in flight',
      (target) => {
        open(target, { ...closeLong, clientOrderId: 'a', steps: 5 });
        return { ...closeLong, steps: 5, triggerTicks: 90 };
      },
      'approved',
    ],
    ['an exit of more than there is', () => ({ ...closeLong, steps: 6, triggerTicks: 90 }), grown('5', '6') as Denial],
    [
      'beside a close of the other side',
      (target) => {
        open(target, { ...closeShort, clientOrderId: 'a', steps: 3 });
        return { ...closeLong, steps: 5 };
      },
      'approved',
    ],
    ['a reduce-only order that opens', () => ({ ...long, reduceOnly: true, steps: 1 }), grown('5', '1') as Denial],
  ])('%s', (_, order, expected) => {
    const target = market();
    trade(target, 'long', 5, 100);
    trade(target, 'short', 3, 100);
    expect(review(target, order(target))).toEqual(expected);
  });

  test('a strategy cannot close positions of others with its own closes in flight', () => {
    const target = market();
    trade(target, 'long', 5, 100);
    trade(target, 'long', 5, 100, { strategyId: 't' });
    open(target, { ...closeLong, clientOrderId: 'a', steps: 5 });
    expect(review(target, { ...closeLong, steps: 1 })).toEqual(grown('5', '1'));
    expect(review(target, { ...closeLong, strategyId: 't', steps: 5 })).toBe('approved');
  });

  test('nor may it close more than is left of the account', () => {
    const target = market();
    trade(target, 'long', 5, 100);
    // Two exits of `t` fired in one instant.
    trade(target, 'long', -2, 100, { strategyId: 't' });
    expect(review(target, { ...closeLong, steps: 4 })).toEqual(grown('3', '4'));
    expect(review(target, { ...closeLong, steps: 3 })).toBe('approved');
    trade(target, 'short', 5, 100);
    trade(target, 'short', -2, 100, { strategyId: 't' });
    expect(review(target, { ...closeShort, steps: 4 })).toEqual(grown('-3', '4'));
    expect(review(target, { ...closeShort, steps: 3 })).toBe('approved');
  });

  test('passes the latch, and nothing that opens does', () => {
    const target = market();
    trade(target, 'long', 5, 100);
    applyAccount(target, { kind: 'riskLatched', time: 0, rule: 'maxDrawdown', drawdown: 0.3, limit: 0.25 });
    expect(review(target, { ...closeLong, steps: 5 }, { maxDrawdown: { share: 0.25, onBreach: 'cancel' } })).toBe('approved');
    expect(review(target, { ...short, steps: 1 }, { maxDrawdown: { share: 0.25, onBreach: 'cancel' } })).toMatchObject({
      code: 'drawdownLatched',
    });
    expect(review(target, { ...long, steps: 1 }, { maxDrawdown: { share: 0.25, onBreach: 'cancel' } })).toMatchObject({
      code: 'drawdownLatched',
    });
  });
});

describe('position, exposure and open orders', () => {
  test.each<[string, (target: State) => Partial<OrderRequest>, Partial<RiskLimits>, Denial | 'approved']>([
    ['a side at its limit', () => ({ ...long, steps: 5 }), position('10'), 'approved'],
    ['a side above it', () => ({ ...long, steps: 6 }), position('10'), { code: 'positionAboveLimit', position: '11', limit: '10' }],
    ['the other side makes no room, and takes none', () => ({ ...short, steps: 7 }), position('10'), 'approved'],
    ['it has the same limit', () => ({ ...short, steps: 8 }), position('10'), { code: 'positionAboveLimit', position: '11', limit: '10' }],
    [
      'orders in flight count, with their triggers',
      (target) => {
        open(target, { ...long, clientOrderId: 'a', steps: 2, triggerTicks: 120 });
        return { ...long, steps: 4 };
      },
      position('10'),
      { code: 'positionAboveLimit', position: '11', limit: '10' },
    ],
    [
      'closes in flight make no room',
      (target) => {
        open(target, { ...closeLong, clientOrderId: 'a', steps: 5 });
        return { ...long, steps: 6 };
      },
      position('10'),
      { code: 'positionAboveLimit', position: '11', limit: '10' },
    ],
    ['closing passes above the limit', () => ({ ...closeLong, steps: 2 }), position('1'), 'approved'],
    ['one side above the limit is no matter of the other', () => ({ ...short, steps: 1 }), position('4'), 'approved'],
    [
      'a buy that closes short is none that opens long',
      (target) => {
        open(target, { ...closeShort, clientOrderId: 'a', steps: 3 });
        return { ...long, steps: 5 };
      },
      position('10'),
      'approved',
    ],
    // 5 and 3 at 100, and the order.
    ['exposure of both sides at its limit', () => ({ ...long, steps: 2 }), { maxExposure: limit('1000') }, 'approved'],
    [
      'exposure of both sides above it',
      () => ({ ...short, steps: 3 }),
      { maxExposure: limit('1000') },
      { code: 'exposureAboveLimit', exposure: '1100', limit: '1000' },
    ],
    [
      'exposure at the mark',
      (target) => {
        mark(target, '110.5');
        return { ...long, steps: 2 };
      },
      { maxExposure: limit('1000') },
      { code: 'exposureAboveLimit', exposure: '1105', limit: '1000' },
    ],
    [
      'exits that wait at the venue are no open orders, triggers that open are',
      (target) => {
        open(target, { ...closeLong, clientOrderId: 'a', steps: 5, triggerTicks: 90 });
        open(target, { ...long, clientOrderId: 'b', triggerTicks: 110 });
        return { ...long, steps: 1 };
      },
      { maxOpenOrders: 1 },
      { code: 'openOrdersAboveLimit', openOrders: '2', limit: '1' },
    ],
    [
      'nor is an exit under review',
      (target) => {
        open(target, { ...long, clientOrderId: 'b' });
        return { ...closeLong, steps: 5, triggerTicks: 90 };
      },
      { maxOpenOrders: 1 },
      'approved',
    ],
  ])('%s', (_, order, limits, expected) => {
    const target = market();
    trade(target, 'long', 5, 100);
    trade(target, 'short', 3, 100);
    expect(review(target, order(target), limits)).toEqual(expected);
  });

  test('exposure in another currency counts at its rate, and without one the order is denied', () => {
    const coin = perpetual(0, { symbol: 'ETH-BTC-PERP', tickSize: '0.01' });
    const btc = instrument(1);
    const target = futures({}, [coin, btc]);
    balance(target, 'BTC', '5');
    price(target, 5, coin);
    const order = { ...long, instrument: coin, steps: 10 };
    expect(review(target, order, { maxExposure: limit('50') })).toEqual({ code: 'noMarketPrice', symbol: 'BTC' });
    price(target, 100, btc);
    // 10 x 0.05 BTC at 100
    expect(review(target, order, { maxExposure: limit('50') })).toBe('approved');
    expect(review(target, order, { maxExposure: limit('49') })).toEqual({ code: 'exposureAboveLimit', exposure: '50', limit: '49' });
  });
});

const tooLow = (needed: string, available: string) => ({ code: 'marginTooLow', asset: 'USDT', needed, available }) as Denial;

describe('sufficient margin', () => {
  test.each<[string, MarginOptions, (target: State) => Partial<OrderRequest>, Denial | 'approved']>([
    // 99 x 100 / 10 and a fee of 9.9
    ['all that the collateral allows', {}, () => ({ ...long, steps: 99 }), 'approved'],
    ['a step more', {}, () => ({ ...long, steps: 100 }), tooLow('1010', '1000')],
    ['a limit order at its limit', {}, () => ({ ...long, steps: 99, priceTicks: 101 }), tooLow('1009.899', '1000')],
    ['leverage is that of the side', { shortLeverage: '5' }, () => ({ ...short, steps: 50 }), tooLow('1005', '1000')],
    ['a side with more of it', { shortLeverage: '5' }, () => ({ ...long, steps: 50 }), 'approved'],
    [
      'positions bind theirs',
      {},
      (target) => {
        trade(target, 'long', 50, 100);
        return { ...long, steps: 50 };
      },
      tooLow('505', '500'),
    ],
    [
      'both sides do',
      {},
      (target) => {
        trade(target, 'long', 20, 100);
        trade(target, 'short', 30, 100);
        return { ...long, steps: 50 };
      },
      tooLow('505', '500'),
    ],
    [
      'what they have gained is free, at the mark',
      {},
      (target) => {
        trade(target, 'long', 50, 100);
        mark(target, '100.1');
        return { ...long, steps: 50 };
      },
      'approved',
    ],
    [
      'what they have lost is not',
      {},
      (target) => {
        trade(target, 'short', 10, 100);
        mark(target, '101.5');
        return { ...long, steps: 90 };
      },
      tooLow('909', '885'),
    ],
    [
      'orders in flight bind their margin and their fee',
      {},
      (target) => {
        open(target, { ...long, clientOrderId: 'a', steps: 50, priceTicks: 90 });
        return { ...short, steps: 60 };
      },
      // 1000 - 450 - 4.5
      tooLow('606', '545.5'),
    ],
    [
      'of another contract on the same collateral too',
      {},
      (target) => {
        open(target, { ...long, instrument: ETH, clientOrderId: 'a', steps: 500 });
        return { ...short, steps: 60 };
      },
      tooLow('606', '495'),
    ],
    [
      'closes bind nothing',
      {},
      (target) => {
        trade(target, 'long', 99, 100);
        open(target, { ...closeLong, clientOrderId: 'a', steps: 50 });
        return { ...closeLong, steps: 49 };
      },
      'approved',
    ],
    [
      'triggers bind nothing while they wait',
      {},
      (target) => {
        open(target, { ...long, clientOrderId: 'a', steps: 90, triggerTicks: 110 });
        return { ...long, steps: 99 };
      },
      'approved',
    ],
    [
      'once they have fired they do',
      {},
      (target) => {
        open(target, { ...long, clientOrderId: 'a', steps: 50, triggerTicks: 110 });
        applyAccount(target, { kind: 'orderTriggered', time: 0, clientOrderId: 'a', priceTicks: 110 });
        return { ...long, steps: 50 };
      },
      tooLow('505', '495'),
    ],
    ['a trigger under review is the venue’s to judge', {}, () => ({ ...long, steps: 500, triggerTicks: 110 }), 'approved'],
    ['one that goes out at once is not', {}, () => ({ ...long, steps: 100 }), tooLow('1010', '1000')],
    [
      'isolated margins are no shared collateral, and isolated profit is not free',
      { mode: 'isolated' },
      (target) => {
        trade(target, 'long', 50, 100);
        applyAccount(target, { kind: 'marginChanged', time: 0, instrument: PERP, positionSide: 'long', margin: limit('500') });
        mark(target, '120');
        return { ...long, steps: 50 };
      },
      tooLow('505', '500'),
    ],
  ])('%s', (_, options, order, expected) => {
    const target = market(options);
    expect(review(target, order(target))).toEqual(expected);
  });

  test('each currency has its own collateral', () => {
    const coin = perpetual(1, { symbol: 'ETH-BTC-PERP' });
    const target = futures({}, [PERP, coin, instrument(2)]);
    balance(target, 'USDT', '1000');
    balance(target, 'BTC', '10');
    price(target, 100);
    price(target, 2, coin);
    open(target, { ...long, instrument: coin, clientOrderId: 'a', steps: 40 });
    expect(review(target, { ...long, steps: 99 })).toBe('approved');
    // 10 - 8 - 0.08
    expect(review(target, { ...long, instrument: coin, steps: 10 })).toEqual({
      code: 'marginTooLow',
      asset: 'BTC',
      needed: '2.02',
      available: '1.92',
    });
  });

  test('spot in an account with futures is paid from its own wallet, whatever the margin of futures', () => {
    const target = futures({}, [PERP, SPOT]);
    balance(target, 'USDT', '1000');
    balance(target, 'USDT', '500', 0, 'spot');
    price(target, 100);
    price(target, 100, SPOT);
    open(target, { ...long, clientOrderId: 'a', steps: 50 });
    expect(review(target, { instrument: SPOT, steps: 5 })).toBe('approved');
    expect(review(target, { instrument: SPOT, steps: 6 })).toEqual({
      code: 'balanceTooLow',
      asset: 'USDT',
      needed: '600',
      available: '500',
    });
    open(target, { instrument: SPOT, clientOrderId: 'b', steps: 5, priceTicks: 100 });
    // The spot order binds nothing of the collateral: 1000 - 500 - 5.
    expect(review(target, { ...long, steps: 50 })).toEqual(tooLow('505', '495'));
  });
});

describe('leverage', () => {
  const max = { maxLeverage: limit('3') };
  test.each<[string, (target: State) => Partial<OrderRequest>, Denial | 'approved']>([
    ['at the limit', () => ({ ...long, steps: 30 }), 'approved'],
    ['above it', () => ({ ...long, steps: 31 }), { code: 'leverageAboveLimit', leverage: '3.1', limit: '3' }],
    [
      'both sides, other contracts and triggers count',
      (target) => {
        trade(target, 'short', 10, 100);
        open(target, { ...long, instrument: ETH, clientOrderId: 'a', steps: 50, triggerTicks: 12 });
        // 25 at the order's 101 and 50 at 10, of 1000
        return { ...long, steps: 15, priceTicks: 101 };
      },
      { code: 'leverageAboveLimit', leverage: '3.025', limit: '3' },
    ],
    [
      'a loss leaves less to lever',
      (target) => {
        trade(target, 'long', 10, 100);
        mark(target, '99');
        // 990 of equity: 29.7 at 100, and the ten held at 99 count at the order's 100.
        return { ...long, steps: 20 };
      },
      { code: 'leverageAboveLimit', leverage: '3.030304', limit: '3' },
    ],
    [
      'closing passes',
      (target) => {
        trade(target, 'long', 50, 100);
        return { ...closeLong, steps: 1 };
      },
      'approved',
    ],
  ])('%s', (_, order, expected) => {
    const target = market();
    expect(review(target, order(target), max)).toEqual(expected);
  });

  test('without equity nothing is opened', () => {
    const target = market({}, '0');
    expect(review(target, { ...long, steps: 1 }, max)).toEqual({ code: 'leverageAboveLimit', leverage: 'Infinity', limit: '3' });
  });

  test('spot is bought outright', () => {
    const target = futures({}, [PERP, SPOT]);
    balance(target, 'USDT', '1000');
    balance(target, 'USDT', '5000', 0, 'spot');
    balance(target, 'BTC', '10', 0, 'spot');
    price(target, 100);
    price(target, 100, SPOT);
    expect(review(target, { instrument: SPOT, steps: 50 }, { maxLeverage: limit('0.1') })).toBe('approved');
    // 7000 of equity.
    expect(review(target, { ...long, steps: 7 }, { maxLeverage: limit('0.1') })).toBe('approved');
    expect(review(target, { ...long, steps: 8 }, { maxLeverage: limit('0.1') })).toMatchObject({ leverage: '0.114286' });
  });
});

describe('margin use', () => {
  const max = { maxMarginUse: 0.5 };
  test.each<[string, (target: State) => Partial<OrderRequest>, Denial | 'approved']>([
    ['at the limit', () => ({ ...long, steps: 50 }), 'approved'],
    ['above it', () => ({ ...long, steps: 51 }), { code: 'marginUseAboveLimit', marginUse: '0.51', limit: '0.5' }],
    [
      'positions, orders in flight and triggers count',
      (target) => {
        trade(target, 'short', 10, 100);
        open(target, { ...long, instrument: ETH, clientOrderId: 'a', steps: 50, triggerTicks: 12 });
        open(target, { ...long, clientOrderId: 'b', steps: 10 });
        // 100 + 60 + 100 and 250, of 1000
        return { ...long, steps: 25 };
      },
      { code: 'marginUseAboveLimit', marginUse: '0.51', limit: '0.5' },
    ],
    [
      'a trigger under review counts at its trigger',
      () => ({ ...long, steps: 50, triggerTicks: 101 }),
      { code: 'marginUseAboveLimit', marginUse: '0.505', limit: '0.5' },
    ],
    [
      'closing passes',
      (target) => {
        trade(target, 'long', 60, 100);
        return { ...closeLong, steps: 1 };
      },
      'approved',
    ],
  ])('%s', (_, order, expected) => {
    const target = market();
    const { triggerTicks } = order(market());
    expect(review(target, order(target), max, triggerTicks)).toEqual(expected);
  });

  test('isolated margins count as they are', () => {
    const target = market({ mode: 'isolated' });
    trade(target, 'long', 10, 100);
    applyAccount(target, { kind: 'marginChanged', time: 0, instrument: PERP, positionSide: 'long', margin: limit('300') });
    expect(review(target, { ...long, steps: 20 }, max)).toBe('approved');
    expect(review(target, { ...long, steps: 21 }, max)).toEqual({ code: 'marginUseAboveLimit', marginUse: '0.51', limit: '0.5' });
  });

  test('without equity nothing is opened', () => {
    expect(review(market({}, '0'), { ...long, steps: 1, triggerTicks: 110 }, max, 110)).toMatchObject({ marginUse: 'Infinity' });
  });
});

describe('distance to liquidation', () => {
  const near = (distance: string, least: string) =>
    ({ code: 'liquidationTooNear', symbol: 'BTC-USDT-PERP', distance, limit: least }) as Denial;
  test.each<[string, MarginOptions, (target: State) => Partial<OrderRequest>, number, Denial | 'approved']>([
    // 40 at 100 on 1000 - 4: liquidated at (4000 - 996) / 39.6 = 75.858585
    ['a long far enough from it', {}, () => ({ ...long, steps: 40 }), 0.2414, 'approved'],
    ['a long too near', {}, () => ({ ...long, steps: 40 }), 0.2415, near('0.241414', '0.2415')],
    // (4000 + 996) / 40.4 = 123.663366
    ['a short far enough', {}, () => ({ ...short, steps: 40 }), 0.2366, 'approved'],
    ['a short too near', {}, () => ({ ...short, steps: 40 }), 0.2367, near('0.236633', '0.2367')],
    ['a long that no price liquidates', {}, () => ({ ...long, steps: 9 }), 0.99, 'approved'],
    [
      'with what is held already',
      {},
      (target) => {
        trade(target, 'long', 20, 90);
        // 1800 + 2000 on 998: 2802 / 39.6 = 70.757575
        return { ...long, steps: 20 };
      },
      0.3,
      near('0.292424', '0.3'),
    ],
    [
      'with what is in flight, at the mark',
      {},
      (target) => {
        open(target, { ...long, clientOrderId: 'a', steps: 20, priceTicks: 90 });
        // 2000 + 2000 on 1000 - 2 - 1.8: 3003.8 / 39.6 = 75.853535
        return { ...long, steps: 20 };
      },
      0.3,
      near('0.241464', '0.3'),
    ],
    [
      'with the other side on the same collateral',
      {},
      (target) => {
        trade(target, 'short', 10, 90);
        // 996 + 40 (p - 100) + 10 (90 - p) = 0.01 x 50 p: 2104 / 29.5 = 71.322033
        return { ...long, steps: 40 };
      },
      0.3,
      near('0.286779', '0.3'),
    ],
    [
      'the smaller side, which a rise liquidates only on its own',
      {},
      (target) => {
        trade(target, 'long', 40, 100);
        return { ...short, steps: 10 };
      },
      0.9,
      'approved',
    ],
    [
      'the side that becomes the larger',
      {},
      (target) => {
        trade(target, 'long', 10, 90);
        // 996 + 10 (p - 90) + 40 (100 - p) = 0.01 x 50 p: 4096 / 30.5 = 134.295081
        return { ...short, steps: 40 };
      },
      0.35,
      near('0.34295', '0.35'),
    ],
    [
      'from the mark',
      {},
      (target) => {
        mark(target, '95');
        // (95 - 75.858585) / 95
        return { ...long, steps: 40 };
      },
      0.3,
      near('0.201488', '0.3'),
    ],
    // Liquidated at (3600 - 996.4) / 39.6 = 65.747474, seen from 90.
    ['a limit below the mark from the limit', {}, () => ({ ...long, steps: 40, priceTicks: 90 }), 0.3, near('0.269472', '0.3')],
    // At 110: (4400 - 995.6) / 39.6 = 85.969696, seen from the trigger.
    ['a stop from its trigger', {}, () => ({ ...long, steps: 40, triggerTicks: 110 }), 0.3, near('0.218457', '0.3')],
    [
      'what is due at once is no distance away',
      {},
      (target) => {
        // It has lost 900 of 1000 and needs 100.
        trade(target, 'short', 100, 91);
        return { ...long, steps: 1, triggerTicks: 105 };
      },
      0.01,
      near('0', '0.01'),
    ],
    // 10 x 100 on 100: (1000 - 100) / 9.9 = 90.909090
    ['isolated, on its own margin', { mode: 'isolated' }, () => ({ ...long, steps: 10 }), 0.1, near('0.09090', '0.1')],
    [
      'isolated, together with what is held',
      { mode: 'isolated' },
      (target) => {
        trade(target, 'long', 10, 80);
        applyAccount(target, { kind: 'marginChanged', time: 0, instrument: PERP, positionSide: 'long', margin: limit('80') });
        // (800 + 1000 - 180) / 19.8 = 81.818181
        return { ...long, steps: 10 };
      },
      0.19,
      near('0.181818', '0.19'),
    ],
    [
      'isolated, with what is in flight',
      { mode: 'isolated' },
      (target) => {
        open(target, { ...long, clientOrderId: 'a', steps: 10, priceTicks: 80 });
        // The other ten fill at the mark and bring 80: (2000 - 180) / 19.8 = 91.919191
        return { ...long, steps: 10 };
      },
      0.09,
      near('0.080808', '0.09'),
    ],
    [
      'isolated and separated, alone',
      { mode: 'isolated', separated: true },
      (target) => {
        trade(target, 'long', 10, 80);
        applyAccount(target, { kind: 'marginChanged', time: 0, instrument: PERP, positionSide: 'long', margin: limit('80') });
        return { ...long, steps: 10 };
      },
      0.1,
      near('0.09090', '0.1'),
    ],
    [
      'closing passes',
      {},
      (target) => {
        trade(target, 'long', 90, 100);
        return { ...closeLong, steps: 1 };
      },
      0.9,
      'approved',
    ],
  ])('%s', (_, options, order, least, expected) => {
    const target = market(options);
    const { triggerTicks } = order(market(options));
    const verdict = review(target, order(target), { minLiquidationDistance: least }, triggerTicks);
    if (typeof verdict === 'object' && typeof expected === 'object' && verdict.code === 'liquidationTooNear') {
      // The expected numbers stop where the hand stopped.
      const shown = (expected as { distance: string }).distance;
      expect({ ...verdict, distance: verdict.distance.slice(0, shown.length) }).toEqual(expected);
    } else {
      expect(verdict).toEqual(expected);
    }
  });

  test('a contract without tiers is never liquidated', () => {
    const bare = instrument(0, { symbol: 'BTC-USDT-PERP' });
    const target = futures({}, [bare]);
    balance(target, 'USDT', '1000');
    price(target, 100, bare);
    expect(review(target, { ...long, instrument: bare, steps: 50 }, { minLiquidationDistance: 0.9 })).toBe('approved');
    // Whatever it has lost.
    trade(target, 'long', 50, 130, { instrument: bare });
    const stop = { ...long, instrument: bare, steps: 50, triggerTicks: 110 };
    expect(review(target, stop, { minLiquidationDistance: 0.9 }, 110)).toBe('approved');
  });
});

test('a netting account has none of these limits', () => {
  const target = futures({}, [PERP], { kind: 'netting' });
  price(target, 100);
  const limits = { maxLeverage: limit('1'), maxMarginUse: 0.1, minLiquidationDistance: 0.9 };
  expect(review(target, { instrument: PERP, steps: 1000 }, limits)).toBe('approved');
});
