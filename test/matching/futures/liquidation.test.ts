import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import { Funding, Quote, Ticker } from '../../../src/model/market-events.ts';
import { perpetual } from '../../builders.ts';
import { Market, type MarketOptions, PERP } from './market.ts';

const ISOLATED = { mode: 'isolated' } as const;

/** A long of one at 1000 with 100 left after its fee (shared) or as its margin (isolated): due from 909 on. */
function long(options: MarketOptions = {}): Market {
  const market = new Market({ deposit: '101', ...options }).price(1000).open('long', 1);
  market.told();
  return market;
}

const quoteOf = (market: Market, bid: number, ask: number) => new Quote(PERP, ++market.time, market.time, bid, ask, 1, 1);
const fundingOf = (market: Market, rate: string) => new Funding(PERP, ++market.time, market.time, new Decimal(rate));
const tickerOf = (market: Market, last: number) => new Ticker(PERP, ++market.time, market.time, last);

describe('by tiers', () => {
  const tiers = [{ upTo: '1000', maintenance: '0.01' }, { upTo: '2000', maintenance: '0.02' }, { maintenance: '0.1' }];
  const perp = perpetual({ takerFee: '0.001', contract: { tiers, liquidationFee: '0.005' } });
  /** 30 at 100, in the third tier, with this much left after a fee of 3. */
  const thirty = (left: number) => {
    const market = new Market({ instruments: [perp], deposit: String(left + 3) }).price(100).open('long', 30);
    market.told();
    return market;
  };

  test('as few steps as bring the value to the border of the next lower tier, and no more where that suffices', () => {
    // At 90: 2700 x 0.1 - 170 = 100 against 390 - 300. 22 x 90 = 1980, whose maintenance is 29.6; 86.4 are left.
    const market = thirty(390).price(90);
    expect(market.told()).toEqual(['offsetLiquidation BTC long 8@90 fee 3.6']);
    // 390 - 80 - 3.6
    expect(market.balance()).toBe('306.4 / 220');
  });

  test('one tier after the other while margin is lacking', () => {
    // 325 - 300 = 25; less 3.6 = 21.4 against 29.6: on to 11 x 90 = 990, 16.45 against 9.9.
    const market = thirty(325).price(90);
    expect(market.told()).toEqual(['offsetLiquidation BTC long 8@90 fee 3.6', 'offsetLiquidation BTC long 11@90 fee 4.95']);
    expect(market.balance()).toBe('126.45 / 110');
  });

  test('whole in the end', () => {
    // 308 - 300 = 8; 4.4 after the first, nothing after the second: the fee takes what is left.
    const market = thirty(308).price(90);
    expect(market.told()).toEqual([
      'offsetLiquidation BTC long 8@90 fee 3.6',
      'offsetLiquidation BTC long 11@90 fee 4.4',
      'burstLiquidation BTC long 11@90 fee 0',
    ]);
    expect(market.balance()).toBe('0 / 0');
  });

  test('whole where no whole step fits below the border', () => {
    const dear = perpetual({ contract: { tiers: [{ upTo: '1000', maintenance: '0.01' }, { maintenance: '0.05' }] } });
    const market = new Market({ instruments: [dear], deposit: '200' }).price(2000).open('long', 1).price(1850);
    // 1850 x 0.05 - 40 = 52.5 against 50
    expect(market.told()).toEqual(['open long: buy 1@2000 taker fee 0', 'burstLiquidation BTC long 1@1850 fee 0']);
  });
});

describe('with several positions', () => {
  const free = (index: number, symbol: string) => perpetual({ symbol, contract: { liquidationFee: '0.001' } }, index);
  const btc = free(0, 'BTC-USDT-PERP');
  const eth = free(1, 'ETH-USDT-PERP');
  const burst = (market: Market) => market.told().filter((line) => line.startsWith('burst'));

  test('the one with the largest maintenance margin is closed first, and the others stay if that suffices', () => {
    const market = new Market({ instruments: [btc, eth], deposit: '50' }).price(100).price(150, eth);
    market.open('long', 1).open('long', 2, { instrument: eth, clientOrderId: 'e' }).told();
    // At 127: 50 - 46 = 4 against 1 + 2.54. At 126: 2 against 1 + 2.52; 2 - 0.252 is left, against 1.
    expect(market.price(127, eth).told()).toEqual([]);
    expect(market.price(126, eth).told()).toEqual(['burstLiquidation ETH long 2@126 fee 0.252']);
    expect([market.held('long'), market.balance()]).toEqual([1, '1.748 / 10']);
  });

  test('of equals the long side is closed first', () => {
    const market = new Market({ instruments: [btc], margin: { leverage: '100' }, deposit: '2' }).price(100);
    expect(burst(market.open('short', 1).open('long', 1))).toEqual(['burstLiquidation BTC long 1@100 fee 0.1']);
  });

  test('of equals the first declared instrument is closed first', () => {
    const market = new Market({ instruments: [btc, eth], margin: { leverage: '100' }, deposit: '2' }).price(100).price(100, eth);
    expect(burst(market.open('long', 1, { instrument: eth }).open('long', 1))).toEqual(['burstLiquidation BTC long 1@100 fee 0.1']);
  });

  test('of separated equals the oldest is closed first, and is named', () => {
    const market = new Market({ instruments: [btc], margin: { leverage: '100', separated: true }, deposit: '2' }).price(100);
    market.open('long', 1, { clientOrderId: 'a' }).open('long', 1, { clientOrderId: 'b' });
    const [liquidated] = market.events.flatMap((event) => (event.kind === 'positionLiquidated' ? [event] : []));
    // Orders 1 and 2 are the openings, 3 the liquidation.
    expect([liquidated?.positionId, liquidated?.orderId]).toEqual(['1', '3']);
    expect(market.futures.positionRecords().map(({ positionId }) => positionId)).toEqual(['2']);
  });

  test('each isolated one is closed separately', () => {
    const market = new Market({ instruments: [btc], margin: ISOLATED, deposit: '500' }).price(1000).open('long', 1).open('short', 1);
    market.told();
    // The long's 100 - 91 against 9.09; the short gains.
    expect(market.price(909).told()).toEqual(['margin long 0', 'burstLiquidation BTC long 1@909 fee 0.909']);
    expect([market.held('short'), market.balance()]).toEqual([1, '408.091 / 100']);
  });
});

describe('the fill', () => {
  test('belongs to no strategy and no order, pays only the liquidation fee, and takes the available price at any size', () => {
    const market = new Market({ deposit: '202' }).quote(1000, 1000).open('long', 2);
    market.told();
    market.matching.onQuote(quoteOf(market, 905, 911));
    expect(market.settle().events.at(-1)).toMatchObject({
      kind: 'positionLiquidated',
      orderId: '2',
      type: 'burstLiquidation',
      fill: {
        orderId: '2',
        clientOrderId: '',
        strategyId: '',
        side: 'sell',
        positionSide: 'long',
        priceTicks: 905,
        steps: 2,
        liquidity: 'taker',
        tag: 'liquidation',
        feeAsset: 'USDT',
      },
    });
    // At the middle of 908 the balance is 16, the maintenance 18.16. 200 - 190 - 9.05.
    expect(market.balance()).toBe('0.95 / 0');
  });

  test('of a short pays the ask, the half spread of single prices included', () => {
    const market = new Market({ deposit: '101.2', fills: { halfSpreadTicks: 2 } }).price(1000).open('short', 1);
    market.told();
    // Sold at 998, fee 0.998; 100.202 - 92 = 8.202 against 10.9; bought at 1092: the loss 94, the fee 5.46.
    expect(market.price(1090).told()).toEqual(['burstLiquidation BTC short 1@1092 fee 5.46']);
    expect(market.balance()).toBe('0.742 / 0');
  });

  test('costs no slippage', () => {
    const market = new Market({ deposit: '103', fills: { slippageBps: 100 } }).price(1000).open('long', 1);
    market.told();
    // Bought at 1010, fee 1.01: 101.99 - 102 is below zero at 908, and no worse for a worse price.
    expect(market.price(908).told()).toEqual(['burstLiquidation BTC long 1@908 fee 0']);
    expect(market.matching.insuranceFund('USDT').toFixed()).toBe('-0.01');
  });

  test('if the mark falls and the price does not, the fee depends on the rest after the loss at the price', () => {
    // At the mark of 903 3 are left; sold at 1000 nothing is lost, so that 100 are: the fee of 5 is paid whole.
    const market = long().mark(903);
    expect(market.told()).toEqual(['burstLiquidation BTC long 1@1000 fee 5']);
    expect(market.balance()).toBe('95 / 0');
  });
});

describe('orders', () => {
  test('are all canceled on shared margin: of every contract, and those that wait for a trigger', () => {
    const eth = perpetual({ symbol: 'ETH-USDT-PERP', takerFee: '0.001' }, 1);
    const market = long({ instruments: [PERP, eth], deposit: '103.2' }).price(10, eth);
    market.open('long', 1, { instrument: eth, clientOrderId: 'e', priceTicks: 9 });
    market.open('long', 1, { clientOrderId: 't', triggerTicks: 1100 }).close('long', 1, { clientOrderId: 'x', triggerTicks: 900 });
    expect(market.price(906).told()).toEqual([
      'e: liquidation',
      't: liquidation',
      'x: liquidation',
      'burstLiquidation BTC long 1@906 fee 4.53',
    ]);
  });

  test('are canceled on isolated margin only where they are of the position’s side', () => {
    const market = long({ margin: ISOLATED, deposit: '500' });
    market.close('long', 1, { clientOrderId: 'profit', priceTicks: 1100 }).open('long', 1, { clientOrderId: 'more', priceTicks: 500 });
    market.open('short', 1, { clientOrderId: 'other', priceTicks: 1200 });
    expect(market.price(909).told()).toEqual([
      'profit: liquidation',
      'more: liquidation',
      'margin long 0',
      'burstLiquidation BTC long 1@909 fee 4.545',
    ]);
    expect(market.matching.orders(market.account).map(({ clientOrderId }) => clientOrderId)).toEqual(['other']);
  });
});

describe('the insurance fund', () => {
  test('starts with its balance, receives the fees, and pays negative rests', () => {
    const insuranceFund = new Map([['USDT', new Decimal(100)]]);
    const gained = long({ insuranceFund }).price(909);
    expect(gained.matching.insuranceFund('USDT').toFixed()).toBe('104.545');
    const paid = long({ insuranceFund }).price(850);
    expect(paid.matching.insuranceFund('USDT').toFixed()).toBe('50');
    expect([paid.told(), paid.balance()]).toEqual([['burstLiquidation BTC long 1@850 fee 0'], '0 / 0']);
  });

  test('pays for an isolated position, not the shared collateral', () => {
    const market = long({ margin: ISOLATED, deposit: '500' }).price(850);
    expect([market.balance(), market.matching.insuranceFund('USDT').toFixed()]).toEqual(['399 / 0', '-50']);
  });

  test('pays once nothing is left, not while other positions may make it good', () => {
    const free = (index: number, symbol: string) => perpetual({ symbol }, index);
    const [btc, eth] = [free(0, 'BTC-USDT-PERP'), free(1, 'ETH-USDT-PERP')];
    const market = new Market({ instruments: [btc, eth], deposit: '150' }).price(1000).price(100, eth).open('long', 1);
    market.open('short', 1, { instrument: eth });
    market.told();
    // ETH at 40 has gained 60. BTC at 795: 150 - 205 + 60 = 5 against 7.95 + 0.4. Its loss leaves -55, and 5 with ETH.
    market.price(40, eth).price(795);
    expect([market.told(), market.balance()]).toEqual([['burstLiquidation BTC long 1@795 fee 0'], '-55 / 10']);
    // ETH at 46 has gained 54: it goes too, and 1 is missing.
    market.price(46, eth);
    expect([market.told(), market.balance()]).toEqual([['burstLiquidation ETH short 1@46 fee 0'], '0 / 0']);
    expect(market.matching.insuranceFund('USDT').toFixed()).toBe('-1');
  });
});

describe('auto-append', () => {
  const auto = (deposit: string) => long({ margin: { mode: 'isolated', autoAppend: true }, deposit });

  test('brings the balance back to the initial margin', () => {
    // 100 - 91 = 9 against 9.09: 91 more.
    const market = auto('500').price(909);
    expect([market.told(), market.balance(), market.free()]).toEqual([['margin long 191'], '499 / 191', '308']);
    // And again when that is used up: 191 - 185 = 6 against 8.15, to 100.
    expect(market.price(815).told()).toEqual(['margin long 285']);
  });

  test('uses the collateral as far as it goes, which may be enough', () => {
    // 40 are free: 49 against 9.09.
    const market = auto('141').price(909);
    expect([market.told(), market.balance(), market.free()]).toEqual([['margin long 140'], '140 / 140', '0']);
  });

  test('if that is not enough the position is liquidated with it', () => {
    // 0.05 are free: 9.05 against 9.09. 100.05 - 91 - 4.545 comes back.
    const market = auto('101.05').price(909);
    expect(market.told()).toEqual(['margin long 100.05', 'margin long 0', 'burstLiquidation BTC long 1@909 fee 4.545']);
    expect(market.balance()).toBe('4.505 / 0');
  });

  test('does not use the margin of orders', () => {
    const market = auto('500').open('short', 3, { priceTicks: 1300 });
    // 399 - 390 - 3.9 = 5.1 are free: 14.1 against 9.09.
    expect(market.price(909).told()).toEqual(['margin long 105.1']);
  });
});

describe('on bars', () => {
  const barLong = (options: MarketOptions = {}) => {
    const market = new Market({ onBars: true, deposit: '101', fills: { path: 'olhc' }, ...options }).openBar(1000);
    market.open('long', 1).told();
    return market;
  };

  test('the path stops at the first tick that is due, and continues', () => {
    const market = barLong().open('long', 1, { clientOrderId: 'late', triggerTicks: 1005 });
    expect(market.closeBar(1010, 850, 1000).told()).toEqual(['late: liquidation', 'burstLiquidation BTC long 1@909 fee 4.545']);
  });

  test('a stop that the path reaches before saves the position', () => {
    const market = barLong().close('long', 1, { triggerTicks: 910 });
    expect(market.closeBar(1000, 850, 1000).told()).toEqual(['close long: triggered 910', 'close long: sell 1@910 taker fee 0.91']);
  });

  test('a stop that the path reaches later is too late', () => {
    const market = barLong().close('long', 1, { triggerTicks: 908 });
    expect(market.closeBar(1000, 850, 1000).told()).toEqual(['close long: liquidation', 'burstLiquidation BTC long 1@909 fee 4.545']);
  });

  test('at the same price the stop is first', () => {
    const market = barLong().close('long', 1, { triggerTicks: 909 });
    expect(market.closeBar(1000, 850, 1000).told()).toEqual(['close long: triggered 909', 'close long: sell 1@909 taker fee 0.909']);
  });

  test('a liquidation due only at an extreme is found, and others stay', () => {
    expect(barLong().closeBar(1000, 909, 1000).held('long')).toBe(0);
    expect(barLong().closeBar(1000, 910, 1000).held('long')).toBe(1);
  });

  test('a short is found on the way up', () => {
    const market = new Market({ onBars: true, deposit: '101' }).openBar(1000).open('short', 1);
    market.told();
    // (1000 + 100) / 1.01 = 1089.1
    expect(market.closeBar(1200, 1000, 1000).told()).toEqual(['burstLiquidation BTC short 1@1090 fee 5.45']);
  });

  test('auto-append takes margin on the way, as often as it is needed', () => {
    const market = barLong({ deposit: '500', margin: { mode: 'isolated', autoAppend: true } });
    // At 909 91 more; at 817, where 191 - 183 = 8 against 8.17, 92 more.
    expect(market.closeBar(1000, 815, 1000).told()).toEqual(['margin long 191', 'margin long 283']);
  });

  test('while the mark is fresh the path liquidates nothing', () => {
    const market = barLong({ markMaxAgeMs: 200_000 }).mark(1000);
    expect(market.closeBar(1000, 850, 1000).told()).toEqual([]);
  });

  test('a mark that grows old leaves the bar to its own prices, the open first', () => {
    // Held up by the mark alone: at 900 the balance is 0.
    const market = new Market({ onBars: true, deposit: '101', markMaxAgeMs: 90_000 }).openBar(1000).open('long', 1);
    market.told();
    market.closeBar(1000, 1000, 1000).mark(1000).openBar(900);
    expect(market.told()).toEqual([]);
    expect(market.closeBar(1000, 850, 1000).told()).toEqual(['burstLiquidation BTC long 1@900 fee 0']);
  });

  test('the engine is called at that price, before and after', () => {
    const asked: number[] = [];
    barLong({ pause: (_market, ticks) => asked.push(ticks) }).closeBar(1000, 850, 1000);
    // The fill at the open comes first.
    expect(asked).toEqual([909, 909]);
  });
});

test('is not called if positions have enough margin, or none is open', () => {
  const market = long();
  market.matching.onTicker(tickerOf(market, 1100));
  expect(market.matching.marginDue).toBe(false);
  market.matching.onTicker(tickerOf(market, 909));
  expect(market.matching.marginDue).toBe(true);
  market.settle();
  expect(market.matching.marginDue).toBe(false);
  market.matching.onTicker(tickerOf(market, 1));
  expect(market.matching.marginDue).toBe(false);
});

test('may be left out: then positions stay, below zero too', () => {
  const market = long({ liquidation: false });
  market.matching.onTicker(tickerOf(market, 500));
  market.matching.onFunding(fundingOf(market, '0.01'));
  expect([market.told(), market.matching.marginDue, market.balance()]).toEqual([['funding long 1 at 500: -5'], false, '95 / 100']);
  market.matching.liquidate(market.time);
  expect(market.held('long')).toBe(1);
  const asked: number[] = [];
  const bars = new Market({ onBars: true, liquidation: false, deposit: '101', pause: (_market, ticks) => asked.push(ticks) });
  bars.openBar(1000).open('long', 1).closeBar(1000, 1, 900);
  expect([bars.held('long'), asked]).toEqual([1, []]);
});
