import { describe, expect, test } from '@jest/globals';
import type { OrderEvent, PositionLiquidated } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { Fill } from '../../src/model/fill.ts';
import { Funding, Quote, Ticker } from '../../src/model/market-events.ts';
import { applyAccount, applyMarket } from '../../src/state/apply.ts';
import type { State } from '../../src/state/state.ts';
import { balance, filled, futures, instrument, marginSettings, mark, open, PERP, perpetual, price, submitted, trade } from './builders.ts';

const SPOT = instrument(1);
const steps = (target: State, id?: string) => {
  const of = id === undefined ? target : target.books.get(id)!;
  return [of.position(PERP, 'long').steps, of.position(PERP, 'short').steps];
};

describe('positions', () => {
  test('long and short are separate positions, of the account and of each strategy', () => {
    const target = futures();
    trade(target, 'long', 5, 100);
    trade(target, 'short', 3, 110, { strategyId: 't' });
    trade(target, 'long', -2, 120);
    expect(steps(target)).toEqual([3, -3]);
    expect(steps(target, 's')).toEqual([3, 0]);
    expect(steps(target, 't')).toEqual([0, -3]);
    expect(target.heldSteps(PERP)).toBe(0);
    expect(target.position(PERP, 'long').realizedProfit.toFixed()).toBe('40');
    expect(target.position(PERP, 'short').cost.toFixed()).toBe('330');
  });

  test('there is no net position of a contract on margin, and no side of anything else', () => {
    const target = futures({}, [PERP, SPOT]);
    expect(() => target.position(PERP, 'net')).toThrow('there is no net position of BTC-USDT-PERP in this account');
    expect(() => target.position(SPOT, 'long')).toThrow('there is no long position of BTC-USDT in this account');
    expect(target.sides(PERP)).toHaveLength(2);
    expect(target.sides(SPOT)).toHaveLength(1);
  });

  test('both sides open are in the market, though their net is zero', () => {
    const target = futures();
    balance(target, 'USDT', '1000');
    const at = (side: 'long' | 'short', size: number, time: number) => {
      const order = { instrument: PERP, clientOrderId: `t${time}`, positionSide: side, steps: Math.abs(size) } as const;
      const way = { ...order, side: (side === 'long') === size > 0 ? 'buy' : 'sell' } as const;
      open(target, way);
      applyAccount(target, filled(way, way.steps, 100, true, time));
    };
    at('long', 2, 1000);
    at('short', 2, 3000);
    at('long', -2, 6000);
    at('short', -2, 10_000);
    at('long', 1, 20_000);
    target.portfolio.finish(21_000);
    expect(target.portfolio.timeInMarketMs).toBe(9000 + 1000);
  });

  test('in separated mode the oldest is closed first', () => {
    const target = futures({ separated: true });
    trade(target, 'long', 1, 100);
    trade(target, 'long', 1, 130);
    trade(target, 'long', -1, 140);
    expect(target.position(PERP, 'long').cost.toFixed()).toBe('130');
    expect(target.position(PERP, 'long').realizedProfit.toFixed()).toBe('40');
  });
});

describe('mark prices', () => {
  test('a fresh mark values positions, and orders are checked against the last price', () => {
    const target = futures();
    price(target, 100, PERP, 1000);
    mark(target, '100.25', PERP, 1000);
    const market = target.market(PERP);
    expect([market.lastTicks, market.markTicks, market.mark, market.last]).toEqual([100, 100.25, 100.25, 100]);
    expect(market.exactMark()?.toFixed()).toBe('100.25');
    expect(market.sequence).toBe(target.sequence - 1);
  });

  test('a mark on a tick is that very tick', () => {
    const fine = perpetual(0, { tickSize: '0.1' });
    const target = futures({}, [fine]);
    mark(target, '0.3', fine);
    expect(target.market(fine).markTicks).toBe(3);
    mark(target, '85596', fine);
    expect(target.market(fine).markTicks).toBe(855_960);
  });

  test('it is fresh for a minute of the newest price, and no longer', () => {
    const target = futures();
    mark(target, '105', PERP, 1000);
    price(target, 100, PERP, 61_000);
    expect(target.market(PERP).mark).toBe(105);
    price(target, 101, PERP, 61_001);
    expect(target.market(PERP).mark).toBe(101);
    expect(target.market(PERP).exactMark()?.toFixed()).toBe('101');
  });

  test('its age is a setting', () => {
    const target = futures({}, [PERP], { markMaxAgeMs: 5 });
    mark(target, '105', PERP, 1000);
    price(target, 100, PERP, 1005);
    expect(target.market(PERP).mark).toBe(105);
    price(target, 100, PERP, 1006);
    expect(target.market(PERP).mark).toBe(100);
  });

  test('before the first price there is only the mark, and before both nothing', () => {
    const target = futures();
    expect(target.market(PERP).mark).toBeNaN();
    expect(target.market(PERP).exactMark()).toBeUndefined();
    mark(target, '105');
    expect(target.market(PERP).mark).toBe(105);
    expect(target.market(PERP).lastTicks).toBeNaN();
  });

  test('the funding rate is the newest that was settled', () => {
    const target = futures();
    expect(target.market(PERP).fundingRate).toBeUndefined();
    applyMarket(target, new Funding(PERP, 0, 1, new Decimal('-0.00012')));
    expect(target.market(PERP).fundingRate).toBe(-0.00012);
  });

  test("triggers use the last price, with quotes the taker's price, or the mark if the contract uses it", () => {
    const target = futures();
    price(target, 100);
    expect([target.market(PERP).triggerTicks('buy'), target.market(PERP).triggerTicks('sell')]).toEqual([100, 100]);
    applyMarket(target, new Quote(PERP, 0, 99, 98, 103, 1, 1));
    expect([target.market(PERP).triggerTicks('buy'), target.market(PERP).triggerTicks('sell')]).toEqual([103, 98]);
    const marked = perpetual(0, {}, { triggerBy: 'mark' });
    const other = futures({}, [marked]);
    applyMarket(other, new Ticker(marked, 0, 1, 100));
    mark(other, '104.4', marked);
    expect(other.market(marked).triggerTicks('buy')).toBe(104);
  });
});

describe('equity', () => {
  test('is collateral and unrealised profit at the mark', () => {
    const target = futures();
    balance(target, 'USDT', '1000');
    price(target, 100, PERP, 1000);
    trade(target, 'long', 5, 100);
    trade(target, 'short', 2, 110);
    mark(target, '104.5', PERP, 1000);
    // 5 x 4.5 + 2 x 5.5
    expect(target.portfolio.exactEquity().toFixed()).toBe('1033.5');
    expect(target.portfolio.equity).toBe(1033.5);
    price(target, 90, PERP, 61_001);
    // 5 x -10 + 2 x 20
    expect(target.portfolio.equity).toBe(990);
  });

  test('in separated mode too, where the rest belongs to the newer order', () => {
    const target = futures({ separated: true });
    balance(target, 'USDT', '1000');
    trade(target, 'long', 1, 100);
    trade(target, 'long', 1, 130);
    trade(target, 'long', -1, 140);
    balance(target, 'USDT', '1040');
    price(target, 150);
    expect(target.portfolio.exactEquity().toFixed()).toBe('1060');
  });

  test('counts a spot wallet too, which has its own balances', () => {
    const target = futures({}, [PERP, SPOT]);
    balance(target, 'USDT', '1000');
    balance(target, 'USDT', '500', 0, 'spot');
    balance(target, 'BTC', '2.5', 0, 'spot');
    price(target, 90, SPOT);
    price(target, 100);
    expect(target.portfolio.equity).toBe(1725);
    expect(target.portfolio.exactEquity().toFixed()).toBe('1725');
    expect([...target.portfolio.balances.keys()]).toEqual(['USDT', 'spot:USDT', 'spot:BTC']);
    expect(target.portfolio.balance('USDT').total.toFixed()).toBe('1000');
    expect(target.portfolio.balance('USDT', 'spot').total.toFixed()).toBe('500');
    expect(target.heldSteps(SPOT)).toBe(2);
    price(target, 200);
    expect(target.portfolio.equity).toBe(1725);
    price(target, 100, SPOT);
    expect(target.portfolio.equity).toBe(1750);
  });

  test('collateral of another currency counts at its last price, with the profit quoted in it', () => {
    const coin = perpetual(0, { symbol: 'ETH-BTC-PERP', tickSize: '0.001' });
    const btc = instrument(1, { tickSize: '0.5' });
    const target = futures({}, [coin, btc]);
    balance(target, 'USDT', '100');
    balance(target, 'BTC', '2');
    price(target, 50, coin);
    expect(target.portfolio.equity).toBeNaN();
    price(target, 200, btc);
    // 2 BTC at 100
    expect(target.portfolio.equity).toBe(300);
    trade(target, 'short', 10, 50, { instrument: coin });
    price(target, 40, coin);
    // 10 x (0.05 - 0.04) = 0.1 BTC
    expect(target.portfolio.equity).toBeCloseTo(310, 10);
    expect(target.portfolio.exactEquity().toFixed()).toBe('310');
    price(target, 30, coin);
    expect(target.portfolio.equity).toBeCloseTo(320, 10);
    price(target, 220, btc);
    // 100 + 2.2 x 110
    expect(target.portfolio.equity).toBeCloseTo(342, 10);
    expect(target.portfolio.exactEquity().toFixed()).toBe('342');
    expect(target.portfolio.rateOf('BTC')?.toFixed()).toBe('110');
    // Collateral is no position.
    expect(target.heldSteps(btc)).toBe(0);
  });

  test('a rate may be one over a price', () => {
    const target = futures({}, [perpetual(0, { symbol: 'ETH-BTC-PERP' }), SPOT], { currency: 'BTC' });
    balance(target, 'BTC', '3');
    balance(target, 'USDT', '100');
    price(target, 80, SPOT);
    expect(target.portfolio.rateOf('USDT')?.toFixed()).toBe('0.0125');
    expect(target.portfolio.equity).toBe(4.25);
    expect(target.portfolio.exactEquity().toFixed()).toBe('4.25');
    expect(target.portfolio.rateOf('BTC')?.toFixed()).toBe('1');
    expect(target.portfolio.rateOf('ETH')).toBeUndefined();
    // 100 / 96 = 1.0416..., which has no end: 18 places.
    price(target, 96, SPOT);
    expect(target.portfolio.exactEquity().toFixed()).toBe('4.041666666666666667');
  });

  test('perpetuals convert nothing', () => {
    const target = futures();
    expect(() => balance(target, 'BTC', '1')).toThrow('no instrument BTC-USDT prices it');
  });

  test('its fall is followed over marks', () => {
    const target = futures();
    balance(target, 'USDT', '100');
    price(target, 100, PERP, 0);
    trade(target, 'long', 5, 100);
    price(target, 100, PERP, 1);
    mark(target, '96', PERP, 2);
    expect(target.portfolio.drawdown.depth).toBe(0.2);
  });
});

describe('funding', () => {
  const charged = (target: State, side: 'long' | 'short', amount: string) =>
    applyAccount(target, {
      kind: 'fundingCharged',
      time: 0,
      instrument: PERP,
      positionSide: side,
      steps: 3,
      rate: new Decimal('0.0001'),
      markPrice: new Decimal(100),
      amount: new Decimal(amount),
    });
  const paid = (target: State, id: string, side: 'long' | 'short' = 'long') => target.books.get(id)!.position(PERP, side).funding.toFixed();

  test('is shared out by the steps each strategy holds of the side, to the last digit', () => {
    const target = futures();
    trade(target, 'long', 1, 100);
    trade(target, 'long', 2, 100, { strategyId: 't' });
    trade(target, 'short', 7, 100);
    charged(target, 'long', '-0.1');
    // A third, rounded to 18 places; the last has the rest.
    expect([paid(target, 's'), paid(target, 't')]).toEqual(['-0.033333333333333333', '-0.066666666666666667']);
    expect(target.position(PERP, 'long').funding.toFixed()).toBe('-0.1');
    expect([paid(target, 's', 'short'), target.position(PERP, 'short').funding.toFixed()]).toEqual(['0', '0']);
    charged(target, 'short', '0.07');
    expect(paid(target, 's', 'short')).toBe('0.07');
  });

  test('the last one gets the rounding rest', () => {
    const target = futures();
    trade(target, 'long', 1, 100);
    trade(target, 'long', 1, 100, { strategyId: 't' });
    charged(target, 'long', '-0.000000000000000001');
    expect([paid(target, 's'), paid(target, 't')]).toEqual(['0', '-0.000000000000000001']);
  });

  test('of one holder belongs completely to it', () => {
    const target = futures();
    trade(target, 'long', 3, 100, { strategyId: 't' });
    charged(target, 'long', '-0.1');
    charged(target, 'long', '-0.2');
    expect([paid(target, 's'), paid(target, 't')]).toEqual(['0', '-0.3']);
  });
});

describe('a liquidation', () => {
  const liquidated = (steps_: number, positionId?: string): PositionLiquidated => {
    const notional = PERP.notional(90, steps_);
    const fee = new Decimal(0);
    const common = [notional, fee, 'USDT', 'taker', 'liquidation', 5, 1, 1, 5] as const;
    const fill = new Fill('f', 'v9', '', '', PERP, 'sell', 'long', 90, steps_, ...common);
    return { kind: 'positionLiquidated', time: 5, orderId: 'v9', type: 'burstLiquidation', positionId, fill };
  };

  test("closes the account's position by its fill, and a strategy's by the strategy's share", () => {
    const target = futures();
    trade(target, 'long', 4, 100);
    applyAccount(target, liquidated(3));
    expect(steps(target)).toEqual([1, 0]);
    expect(steps(target, 's')).toEqual([4, 0]);
    const share = { instrument: PERP, clientOrderId: 'liq-v9-s', side: 'sell', positionSide: 'long', steps: 3 } as const;
    const sent = submitted(share) as Extract<OrderEvent, { kind: 'orderSubmitted' }>;
    applyAccount(target, { ...sent, type: 'burstLiquidation' });
    applyAccount(target, filled(share, 3, 90, true));
    expect(steps(target)).toEqual([1, 0]);
    expect(steps(target, 's')).toEqual([1, 0]);
    expect(target.order('liq-v9-s')).toMatchObject({ type: 'burstLiquidation', status: 'filled' });
    expect(target.position(PERP, 'long').realizedProfit.toFixed()).toBe('-30');
  });

  test('in separated mode closes the position that it names', () => {
    const target = futures({ separated: true });
    trade(target, 'long', 1, 100, { clientOrderId: 'a' });
    trade(target, 'long', 1, 130, { clientOrderId: 'b' });
    applyAccount(target, liquidated(1, 'ob'));
    expect(target.position(PERP, 'long').cost.toFixed()).toBe('100');
    expect(target.position(PERP, 'long').realizedProfit.toFixed()).toBe('-40');
  });
});

describe('margin figures', () => {
  const changed = (target: State, margin: string, side: 'long' | 'short' = 'long') =>
    applyAccount(target, { kind: 'marginChanged', time: 0, instrument: PERP, positionSide: side, margin: new Decimal(margin) });
  const figures = (target: State) =>
    Object.fromEntries(Object.entries(target.margin.figures('USDT')).map(([key, value]) => [key, (value as Decimal).toFixed()]));

  test('shared: equity, used and free margin, and maintenance', () => {
    const target = futures();
    balance(target, 'USDT', '1000', 0, 'futures', '80');
    price(target, 100);
    trade(target, 'long', 5, 100);
    trade(target, 'short', 2, 110);
    mark(target, '104.5');
    // Unrealised 22.5 + 11; maintenance 1 % of 7 x 104.5.
    expect(figures(target)).toEqual({ equity: '1033.5', used: '80', free: '953.5', maintenance: '7.315' });
    expect(target.margin.sides('USDT').map((side) => target.margin.marginOf(side).toFixed())).toEqual(['50', '22']);
    expect(target.margin.sides('BTC')).toEqual([]);
  });

  test('isolated: its margin is no shared collateral, and its profit is not free', () => {
    const target = futures({ mode: 'isolated' });
    balance(target, 'USDT', '1000', 0, 'futures', '50');
    trade(target, 'long', 5, 100);
    changed(target, '50');
    price(target, 104);
    expect(figures(target)).toEqual({ equity: '1020', used: '50', free: '950', maintenance: '5.2' });
    expect(target.margin.sharedCollateral('USDT').toFixed()).toBe('950');
    expect(target.margin.marginOf(target.margin.side(PERP, 'long')!).toFixed()).toBe('50');
    changed(target, '0');
    expect(target.margin.sharedCollateral('USDT').toFixed()).toBe('1000');
  });

  test('separated positions round their margins up one by one', () => {
    const target = futures({ separated: true, leverage: '3' });
    trade(target, 'long', 1, 100);
    trade(target, 'long', 1, 100);
    price(target, 100);
    expect(target.margin.marginOf(target.margin.side(PERP, 'long')!).toFixed()).toBe('66.666666666666666668');
  });

  test('the liquidation price depends on the other positions on the collateral', () => {
    const other = perpetual(1, { symbol: 'ETH-USDT-PERP' });
    const target = futures({}, [PERP, other]);
    balance(target, 'USDT', '100');
    price(target, 100);
    price(target, 10, other);
    trade(target, 'long', 5, 100);
    expect(target.margin.liquidationPrice(PERP, 'short')).toBeUndefined();
    // (500 - 100) / (5 x 0.99)
    expect(target.margin.liquidationPrice(PERP, 'long')?.toFixed(6)).toBe('80.808081');
    trade(target, 'short', 20, 10, { instrument: other });
    price(target, 12, other);
    // The short has lost 40 and needs 2.4: (500 - 57.6) / 4.95
    expect(target.margin.liquidationPrice(PERP, 'long')?.toFixed(6)).toBe('89.373737');
    // (200 + 100 + 0 - 5) / (20 x 1.01)
    expect(target.margin.liquidationPrice(other, 'short')?.toFixed(6)).toBe('14.603960');
  });

  test('an isolated one counts only its own margin', () => {
    const target = futures({ mode: 'isolated' });
    balance(target, 'USDT', '1000');
    price(target, 100);
    trade(target, 'short', 5, 100);
    changed(target, '60', 'short');
    // (500 + 60) / (5 x 1.01)
    expect(target.margin.liquidationPrice(PERP, 'short')?.toFixed(6)).toBe('110.891089');
  });

  test('isolated margin neither lends to the shared collateral nor takes from it', () => {
    const other = perpetual(1, { symbol: 'ETH-USDT-PERP' });
    const margin = new Map([
      [PERP.symbol, marginSettings()],
      [other.symbol, marginSettings({ mode: 'isolated' })],
    ]);
    const target = futures({}, [PERP, other], { margin });
    balance(target, 'USDT', '120');
    price(target, 100);
    price(target, 10, other);
    trade(target, 'long', 5, 100);
    trade(target, 'short', 20, 10, { instrument: other });
    applyAccount(target, { kind: 'marginChanged', time: 0, instrument: other, positionSide: 'short', margin: new Decimal(20) });
    price(target, 12, other);
    // (500 - 100) / (5 x 0.99), whatever the isolated short has lost
    expect(target.margin.liquidationPrice(PERP, 'long')?.toFixed(6)).toBe('80.808081');
  });

  test('only contracts of a futures account have margin', () => {
    const target = futures({ leverage: '4', shortLeverage: '2' }, [PERP, SPOT]);
    expect(target.margin.settings(SPOT)).toBeUndefined();
    expect(target.margin.settings(PERP)?.shortLeverage.toFixed()).toBe('2');
    expect(target.margin.side(SPOT, 'long')).toBeUndefined();
    expect(futures({}, [PERP], { margin: undefined }).margin.settings(PERP)?.longLeverage.toFixed()).toBe('1');
    expect(futures({}, [PERP], { kind: 'netting' }).margin.settings(PERP)).toBeUndefined();
  });
});

test('a trigger at the venue waits until it is reported as triggered; an order without a trigger does not', () => {
  const target = futures();
  price(target, 100);
  open(target, { instrument: PERP, positionSide: 'long', triggerTicks: 110 });
  expect(target.order('c1')).toMatchObject({ untriggered: true, triggered: false, positionSide: 'long' });
  applyAccount(target, { kind: 'orderTriggered', time: 0, clientOrderId: 'c1', priceTicks: 110 });
  expect(target.order('c1')).toMatchObject({ untriggered: false, triggered: true, status: 'triggered' });
  open(target, { instrument: PERP, clientOrderId: 'c2', positionSide: 'long' });
  expect(target.order('c2')?.untriggered).toBe(false);
});
