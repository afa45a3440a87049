import { describe, expect, test } from '@jest/globals';
import { perpetual } from '../../builders.ts';
import { Market, PERP } from './market.ts';

const BTC = perpetual({ tickSize: '0.1', stepSize: '0.001' });

test.each([
  // The first flows of shared/reference/funding-BTCUSDT-2025-05.json, for one coin.
  ['0.00003745', 95_421_10000000, '-3.573520195'],
  ['-0.00002404', 94_240_51430435, '2.265541963876574'],
  ['0.00003636', 94_697_80169565, '-3.443212069653834'],
  ['0.00000757', 94_511_80000000, '-0.715454326'],
])('a long of one coin gains at rate %s and mark %d / 10^8: %s', (rate, units, amount) => {
  const market = new Market({ instruments: [BTC], deposit: '20000' }).price(955_054).open('long', 1000);
  market.told();
  const [told] = market.mark(units, 8).funding(rate).told();
  expect(told).toMatch(new RegExp(`^funding long 1000 at ${units / 1e8}: ${amount}$`));
  const { total } = market.futures.ledger.balance('USDT');
  expect(total.minus(20_000).toFixed()).toBe(amount);
});

describe('the charge', () => {
  test('is separate for each side: one pays, the other receives', () => {
    const market = new Market().price(100).open('long', 3).open('short', 1);
    market.told();
    expect(market.funding('0.001').told()).toEqual(['funding long 3 at 100: -0.3', 'funding short 1 at 100: 0.1']);
  });

  test('is the position of its own contract', () => {
    const eth = perpetual({ symbol: 'ETH-USDT-PERP' }, 1);
    const market = new Market({ instruments: [PERP, eth] }).price(100).price(10, eth).open('long', 1);
    market.told();
    expect(market.funding('0.001', eth).told()).toEqual([]);
  });

  test('is nothing where nothing is held', () => {
    expect(new Market().price(100).funding('0.001').told()).toEqual([]);
  });

  test('is reported at a rate of zero, and moves nothing', () => {
    const market = new Market().price(100).open('long', 1);
    market.events.length = 0;
    market.funding('0');
    expect(market.events.map(({ kind }) => kind)).toEqual(['fundingCharged']);
    expect(market.told()).toEqual(['funding long 1 at 100: 0']);
  });

  test('counts at the last price where no mark is fresh', () => {
    const market = new Market({ markMaxAgeMs: 2 }).price(100).open('long', 1).mark(105);
    market.told();
    expect(market.price(101).funding('0.01').told()).toEqual(['funding long 1 at 105: -1.05']);
    expect(market.price(101).price(102).funding('0.01').told()).toEqual(['funding long 1 at 102: -1.02']);
  });

  test('of separated positions is one sum, and each is charged its own part', () => {
    const market = new Market({ margin: { separated: true } }).price(100).open('long', 1).open('long', 2, { clientOrderId: 'b' });
    market.told();
    expect(market.funding('0.01').told()).toEqual(['funding long 3 at 100: -3']);
    expect(market.futures.positionRecords().map(({ funding }) => funding.toFixed())).toEqual(['-1', '-2']);
  });
});

test('the entry names its reason', () => {
  const market = new Market().price(100).open('short', 1).funding('0.01');
  const entry = market.events
    .flatMap((event) => (event.kind === 'balanceChanged' && event.entry !== undefined ? [event.entry] : []))
    .at(-1);
  expect(entry).toMatchObject({ asset: 'USDT', reason: 'funding', fillId: '' });
  expect(entry?.amount.toFixed()).toBe('1');
});

test('a payment that leaves too little margin makes the margin due at once', () => {
  const market = new Market({ deposit: '101' }).price(1000).open('long', 1).price(911);
  market.told();
  // 11 against 9.11; 911 x 0.0025 = 2.2775 leaves 8.7225.
  expect(market.funding('0.0025').told()).toEqual(['funding long 1 at 911: -2.2775', 'burstLiquidation BTC long 1@911 fee 4.555']);
});
