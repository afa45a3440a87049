import { expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import type { OrderSize, PlaceOrder } from '../../../src/model/intents.ts';
import { place } from '../../../src/strategy/intents.ts';
import { perpetual, run, series } from '../../builders.ts';

const PERP = perpetual({ takerFee: '0.01' });

/** One order at the close of the first bar, which is 100; the next bar opens at this price. */
function once(order: Partial<PlaceOrder> & { quantity: OrderSize }, open: number, profile: 'full' | 'exchange', leverage = 1) {
  let sent = false;
  const rows = [100, open, open].map((price, index) => [index * 60, price, price, price, price, 1000] as const);
  return run({
    kind: 'futures',
    profile,
    margin: { longLeverage: new Decimal(leverage), shortLeverage: new Decimal(leverage) },
    balances: { USDT: '10000' },
    sources: [{ instrument: PERP, kind: 'bar', open: () => series('bar', rows, { intervalMs: 60_000 }) }],
    script: {
      onBar() {
        if (sent) return undefined;
        sent = true;
        return place({ symbol: PERP.symbol, side: 'buy', type: 'market', ...order });
      },
    },
  });
}

const filled = ({ fills }: Awaited<ReturnType<typeof once>>) =>
  fills.map(({ side, positionSide, quantity, price }) => `${side} ${positionSide} ${quantity} at ${price}`);

test.each(['full', 'exchange'] as const)('the open sizes orders for contracts, %s venue', async (profile) => {
  // 10000 / 1.01 = 9900.99: all equity, with the fee.
  expect(filled(await once({ quantity: { percentOfEquity: 100 } }, 125, profile))).toEqual(['buy long 79 at 125']);
  expect(filled(await once({ side: 'sell', quantity: { percentOfEquity: 100 } }, 80, profile))).toEqual(['sell short 123 at 80']);
  expect(filled(await once({ quantity: { percentOfEquity: 300 } }, 110, profile, 5))).toEqual(['buy long 270 at 110']);
  expect(filled(await once({ side: 'sell', quantity: { risk: 0.02 }, exits: { stopLoss: 130 } }, 110, profile))).toEqual([
    'sell short 10 at 110',
  ]);
});

test.each(['full', 'exchange'] as const)('an order whose size has become too large is refused, %s venue', async (profile) => {
  // 4 % of 10000 over 5 each is 80; at the open 400 over 3 is 133, which the collateral does not pay for.
  const result = await once({ quantity: { risk: 0.04 }, exits: { stopLoss: 95 } }, 98, profile);
  expect(filled(result)).toEqual([]);
  expect(result.tables.refusals).toMatchObject([{ by: 'venue', reason: { code: 'marginTooLow', asset: 'USDT', available: '10000' } }]);
});
