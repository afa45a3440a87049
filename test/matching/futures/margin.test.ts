import { describe, expect, test } from '@jest/globals';
import { FuturesAccount } from '../../../src/matching/futures/futures-account.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import type { OrderRequest } from '../../../src/model/order.ts';
import { marginSettings, order, perpetual } from '../../builders.ts';
import { Market, PERP } from './market.ts';

const TIERED = perpetual({
  takerFee: '0.001',
  contract: {
    tiers: [
      { upTo: '150', maintenance: '0.01', maxLeverage: '20' },
      { maintenance: '0.02', maxLeverage: '5' },
    ],
  },
});

describe('an order that opens binds margin and the taker’s fee', () => {
  test('at its limit, less as it fills, nothing once it is canceled', () => {
    const market = new Market().trade(100);
    market.open('long', 2, { priceTicks: 90 });
    // 180 / 10 + 0.18
    expect([market.balance(), market.free()]).toEqual(['1000 / 18.18', '981.82']);
    market.trade(89, 1);
    // The rest 9.09, the position 9; the maker's fee 0.045. Free: and 1 lost by the price.
    expect([market.balance(), market.free()]).toEqual(['999.955 / 18.09', '980.865']);
    market.cancel('open long');
    expect(market.balance()).toBe('999.955 / 9');
  });

  test.each([
    // 1000 + 2, then 1 % more: 1012.02, so 1013; 101.3 + 1.013
    ['long', '102.313', 1013],
    // 1000 - 2, then 1 % less: 988.02, so 988; 98.8 + 0.988
    ['short', '99.788', 988],
  ] as const)("of a market %s at a taker's price, half a spread and slippage included", (side, needed, ticks) => {
    const fills = { halfSpreadTicks: 2, slippageBps: 100 };
    const short = new Decimal(needed).minus('0.001').toFixed();
    expect(new Market({ fills, deposit: short }).price(1000).open(side, 1).told()).toEqual([
      `open ${side}: rejected marginTooLow USDT ${needed} ${short}`,
    ]);
    const [fill] = new Market({ fills, deposit: needed }).price(1000).open(side, 1).told();
    expect(fill).toMatch(`@${ticks} taker`);
  });

  test('of an order by quote amount at that amount', () => {
    const market = new Market({ onBars: true, deposit: '25.25' }).openBar(100).closeBar(100, 100, 100);
    market.open('long', 0, { steps: undefined, quoteQuantity: new Decimal(250) });
    expect(market.balance()).toBe('25.25 / 25.25');
    // Two whole steps of 100; the other 50 are given back.
    market.openBar(100);
    expect(market.balance()).toBe('25.05 / 20');
  });

  test('where no price is known a market order is refused, and a limit order has its own', () => {
    const market = new Market().open('long', 1).open('short', 1, { priceTicks: 100 });
    expect(market.told()).toEqual(['open long: rejected noMarketPrice BTC-USDT-PERP']);
    expect(market.balance()).toBe('1000 / 10.1');
  });

  test('a refusal leaves everything as it was', () => {
    const market = new Market({ deposit: '10' }).price(100).open('long', 1);
    expect(market.balance()).toBe('10 / 0');
    expect(market.events.map(({ kind }) => kind)).toEqual(['orderRejected']);
  });
});

describe('when it fills', () => {
  const closing = (deposit: string) => new Market({ onBars: true, deposit }).openBar(100).closeBar(100, 100, 100);

  test('a market order whose price has risen fills as far as free and bound margin pay, and the rest expires', () => {
    // Bound at 100: 100 + 1. At 110 a step needs 11 + 0.11: nine are 99.99, ten 111.1.
    const market = closing('101').open('long', 10).openBar(110);
    expect(market.told()).toEqual(['open long: buy 9@110 taker fee 0.99', 'open long: balance']);
    expect(market.balance()).toBe('100.01 / 99');
  });

  test('a market order that nothing is left for expires', () => {
    const market = closing('10.1').open('long', 1).openBar(111);
    expect(market.told()).toEqual(['open long: balance']);
    expect(market.balance()).toBe('10.1 / 0');
  });

  test('the last step is not filled if rounding up would exceed the available margin', () => {
    // At leverage 3 a step of 100 needs 33.333333333333333334, three need 100 exactly and two 66.666666666666666667.
    const free = perpetual();
    const sized = (deposit: string) => {
      const market = new Market({ instruments: [free], margin: { leverage: '3' }, onBars: true, deposit });
      return market.openBar(50).closeBar(50, 50, 50).open('long', 3).openBar(100).held('long');
    };
    expect(sized('66.66666666666666666669')).toBe(1);
    expect(sized('66.666666666666666667')).toBe(2);
  });

  test('a limit order has its margin, whatever other positions have lost since', () => {
    // 32 - 0.1 - 10 = 21.9 free; two at 90 bind 18.18.
    const market = new Market({ deposit: '32' }).price(100).open('long', 1).open('long', 2, { clientOrderId: 'more', priceTicks: 90 });
    market.told();
    // 11 lost: 3.72 - 11 are free.
    market.price(89);
    expect(market.told()).toEqual(['more: buy 2@90 maker fee 0.09']);
  });

  test.each([
    // 110 / 10 + 0.11 are needed where it takes, though 10.1 were bound.
    ['11.1', ['open short: balance']],
    ['11.11', ['open short: sell 1@110 taker fee 0.11']],
  ])('a limit short that takes above its limit needs the more that this is worth: with %s', (deposit, told) => {
    expect(new Market({ deposit }).price(110).open('short', 1, { priceTicks: 100 }).told()).toEqual(told);
  });

  test('a resting short that the open jumps over fills as far as the better price is paid for', () => {
    const market = new Market({ onBars: true, fills: { gapFill: 'better' }, deposit: '20.2' }).openBar(90).closeBar(90, 90, 90);
    market.open('short', 2, { priceTicks: 100 }).openBar(91);
    expect(market.closeBar(91, 91, 91).openBar(110).told()).toEqual(['open short: sell 1@110 maker fee 0.055', 'open short: balance']);
  });
});

describe('free margin', () => {
  test('long and short at once both count, each at its own leverage', () => {
    const market = new Market({ margin: { leverage: '10', shortLeverage: '4' } }).price(100).open('long', 1).open('short', 1);
    // Fees 0.2; 10 and 25.
    expect([market.balance(), market.free()]).toEqual(['999.8 / 35', '964.8']);
  });

  test('the unrealised profit and loss of shared positions counts, at the mark', () => {
    const market = new Market().price(100).open('long', 2).mark(110);
    // 999.8 + 20 - 20
    expect(market.free()).toBe('999.8');
    expect(market.mark(95).free()).toBe('969.8');
    expect(market.balance()).toBe('999.8 / 20');
  });

  test('a partial close frees the margin of its share', () => {
    const market = new Market().price(100).open('long', 3).close('long', 1);
    // 999.7 - 0.1; 200 / 10
    expect(market.balance()).toBe('999.6 / 20');
  });

  test('the margins of two currencies are apart', () => {
    const other = perpetual({ symbol: 'BTC-USDC-PERP', takerFee: '0.001' }, 1);
    const market = new Market({ instruments: [PERP, other], deposit: '1000' }).price(100, other);
    expect(market.open('long', 1, { instrument: other }).told()).toEqual(['open long: rejected marginTooLow USDC 10.1 0']);
    market.account.deposit(1, 'futures', 'USDC', new Decimal(11));
    expect(market.open('long', 1, { instrument: other }).told()).toEqual(['open long: buy 1@100 taker fee 0.1']);
    expect(market.futures.balances.map(({ wallet, asset, total, frozen }) => `${wallet} ${asset} ${total} ${frozen}`)).toEqual([
      'futures USDT 1000 0',
      'futures USDC 10.9 10',
    ]);
  });
});

describe('the tier that an order leads to limits its leverage', () => {
  const open = (steps: number, market: Market, clientOrderId: string) => market.open('long', steps, { clientOrderId, priceTicks: 90 });

  test('by the value of the position at the mark', () => {
    const market = new Market({ instruments: [TIERED] }).price(100).open('long', 1);
    market.told();
    expect(open(1, market.mark(60), 'at the border').told()).toEqual([]);
    market.cancel('at the border').told();
    expect(open(1, market.mark(61), 'beyond').told()).toEqual(['beyond: rejected leverageAboveTier 151 10 5']);
  });

  test('by the orders that would open it with it', () => {
    const market = new Market({ instruments: [TIERED] }).price(100);
    expect(open(1, open(1, market, 'a'), 'b').told()).toEqual(['b: rejected leverageAboveTier 180 10 5']);
    expect(open(1, market.cancel('a'), 'c').told()).toEqual(['a: requested']);
  });

  test('by the order alone if positions are separated', () => {
    const market = new Market({ instruments: [TIERED], margin: { separated: true } }).price(100);
    expect(open(2, open(1, open(1, market, 'a'), 'b'), 'c').told()).toEqual(['c: rejected leverageAboveTier 180 10 5']);
  });

  test('where the tier allows it, it may go there', () => {
    const market = new Market({ instruments: [TIERED], margin: { leverage: '5' } }).price(100);
    expect(open(5, market, 'a').told()).toEqual([]);
  });
});

describe('closes', () => {
  test('need something to close', () => {
    const market = new Market().price(100).open('short', 1);
    market.told();
    expect(market.close('long', 1).told()).toEqual(['close long: rejected nothingToClose long 0']);
  });

  test('bind nothing, and are trimmed to the position when they take', () => {
    const market = new Market().price(100).open('long', 2);
    market.told();
    expect(market.close('long', 5, { priceTicks: 110 }).balance()).toBe('999.8 / 20');
    expect(market.close('long', 3, { clientOrderId: 'now' }).told()).toEqual([
      'now: sell 2@100 taker fee 0.2',
      'close long: positionClosed',
      'now: positionClosed',
    ]);
  });

  test('are trimmed when they rest, and resting orders of the side end with the position', () => {
    const market = new Market().price(100).open('long', 2).open('short', 1);
    market.told();
    market.close('long', 3, { priceTicks: 105 }).close('long', 1, { clientOrderId: 'higher', priceTicks: 107 });
    market.close('short', 1, { clientOrderId: 'other side', priceTicks: 90 }).open('short', 1, { clientOrderId: 'opens', priceTicks: 120 });
    expect(market.price(106).told()).toEqual([
      'close long: sell 2@105 maker fee 0.105',
      'close long: positionClosed',
      'higher: positionClosed',
    ]);
    expect(market.matching.orders(market.account).map(({ clientOrderId }) => clientOrderId)).toEqual(['other side', 'opens']);
  });

  test('with FOK expire only for lack of liquidity, not because they are trimmed', () => {
    const held = () => {
      const market = new Market().trade(100, 10).open('long', 4).trade(100, 3);
      market.told();
      return market;
    };
    expect(held().close('long', 9, { timeInForce: 'FOK' }).told()).toEqual(['close long: fok']);
    expect(held().trade(100, 4).close('long', 9, { timeInForce: 'FOK' }).told()).toEqual([
      'close long: sell 4@100 taker fee 0.4',
      'close long: positionClosed',
    ]);
  });

  test('that wait for the open use the rest of an earlier one', () => {
    const market = new Market({ onBars: true }).openBar(100).open('long', 2).closeBar(100, 100, 100);
    market.told();
    market.close('long', 2, { clientOrderId: 'a' }).close('long', 2, { clientOrderId: 'b' });
    market.close('long', 2, { clientOrderId: 'c', priceTicks: 120 });
    expect(market.openBar(101).told()).toEqual(['a: sell 2@101 taker fee 0.202', 'b: positionClosed', 'c: positionClosed']);
  });

  test('of one account do not affect those of another', () => {
    const market = new Market().price(100);
    const other = new FuturesAccount(
      () => {},
      () => marginSettings(),
    );
    market.matching.addAccount(other);
    other.deposit(0, 'futures', 'USDT', new Decimal(100));
    const send = (request: Partial<OrderRequest>) => market.matching.submit(other, order({ instrument: PERP, ...request }), market.time);
    send({ positionSide: 'long', clientOrderId: 'mine' });
    send({ side: 'sell', positionSide: 'long', priceTicks: 110, clientOrderId: 'resting' });
    market.open('long', 1).close('long', 1);
    expect(market.matching.orders(other).map(({ clientOrderId }) => clientOrderId)).toEqual(['resting']);
  });

  test('of one side do not affect the other', () => {
    const market = new Market().price(100).open('long', 2).open('short', 3).close('short', 1);
    expect([market.held('long'), market.held('short'), market.account.positionSteps(PERP)]).toEqual([2, 2, 0]);
  });
});

test('an order that names no side has no place in a futures account', () => {
  const market = new Market().price(100);
  expect(() => market.open('long', 1, { positionSide: 'net' })).toThrow(expect.objectContaining({ code: 'INVARIANT_BROKEN' }));
});
