import { expect, test } from '@jest/globals';
import { perpetual } from '../../builders.ts';
import { Market } from './market.ts';

const BTC = perpetual({ tickSize: '0.1', stepSize: '0.0001', takerFee: '0.0006', contract: { value: '0.000001' } });

/** 0.01 BTC, opened at 85596.5 and closed at 91218.7: the two recorded pairs of the exchange. */
function roundTrip(): Market {
  const market = new Market({ instruments: [BTC], deposit: '10000' }).price(855_965).open('long', 100);
  return market.price(912_187).close('long', 100);
}

test('the fee is size x price x rate', () => {
  expect(roundTrip().told()).toEqual([
    // 0.01 x 85596.5 x 0.0006
    'open long: buy 100@855965 taker fee 0.513579',
    // 0.01 x 91218.7 x 0.0006
    'close long: sell 100@912187 taker fee 0.5473122',
  ]);
});

test('profit and fees move the collateral to the last digit', () => {
  // 10000 - 0.513579 + 0.01 x (91218.7 - 85596.5) - 0.5473122
  expect(roundTrip().balance()).toBe('10055.1611088 / 0');
});

test('every movement is an entry of the ledger, with the balance that it leads to', () => {
  const entries = roundTrip().events.flatMap((event) =>
    event.kind === 'balanceChanged' && event.entry !== undefined
      ? [`${event.balance.wallet} ${event.entry.reason} ${event.entry.amount} by ${event.entry.fillId}: ${event.balance.total}`]
      : [],
  );
  expect(entries).toEqual([
    'futures fee -0.513579 by f1: 9999.486421',
    'futures profit 56.222 by f2: 10055.708421',
    'futures fee -0.5473122 by f2: 10055.1611088',
  ]);
});

test('a size of 0.01 is 10000 contracts', () => {
  expect(roundTrip().ended.map(({ contracts }) => contracts?.toFixed())).toEqual(['10000', '10000']);
});

test('a fee below zero is income', () => {
  const rebate = perpetual({ makerFee: '-0.0001' });
  const market = new Market({ instruments: [rebate] }).price(100).open('long', 1, { priceTicks: 99 }).price(98);
  // 99 x 0.0001
  expect(market.balance()).toBe('1000.0099 / 9.9');
  const [shared] = market.futures.collateralRecords();
  expect([shared?.cumulative.fee.toFixed(), shared?.cumulative.feeIncome.toFixed()]).toEqual(['0', '0.0099']);
});
