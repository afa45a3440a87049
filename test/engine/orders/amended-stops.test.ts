import { expect, test } from '@jest/globals';
import type { OrderDenied, OrderSubmitted } from '../../../src/model/account-events.ts';
import type { Intent } from '../../../src/model/intents.ts';
import { amend, place } from '../../../src/strategy/intents.ts';
import { instrument, perpetual, run, series } from '../../builders.ts';

/** An entry at 100 with these exits at the first ticker, then one intent for each. */
async function moved(intents: readonly (Intent | undefined)[], prices: readonly number[], kind: 'netting' | 'futures' = 'netting') {
  const traded = kind === 'futures' ? perpetual() : instrument();
  const left = [...intents];
  const rows = prices.map((price, index) => [index * 10, price] as const);
  const result = await run({
    sources: [{ instrument: traded, kind: 'ticker', open: () => series('ticker', rows) }],
    kind,
    script: { onTicker: () => left.shift() },
  });
  const submitted = result.events.filter((event): event is OrderSubmitted => event.kind === 'orderSubmitted' && event.request.reduceOnly);
  const denials = result.events.filter((event): event is OrderDenied => event.kind === 'orderDenied');
  return {
    fills: result.fills.map(({ side, price, tag }) => `${side} at ${price} ${tag}`.trim()),
    stops: [...new Set(submitted.flatMap(({ stopTicks }) => stopTicks ?? []))],
    denials: denials.map(({ reason }) => reason),
  };
}

const ENTRY = { symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1, ref: 'e' } as const;
const entry = place({ ...ENTRY, exits: { stopLoss: 90, takeProfit: 120 } });

test('a stop loss is moved by its ref, and fires at its new trigger', async () => {
  const { fills, stops, denials } = await moved([entry, amend({ ref: 'e:stopLoss', stopPrice: 97.5 })], [100, 101, 99, 97]);
  // 97.5 is rounded away from the price.
  expect(stops).toEqual([90, 97]);
  expect(fills).toEqual(['buy at 100', 'sell at 97 stopLoss']);
  expect(denials).toEqual([]);
});

test('a take profit is moved by its price', async () => {
  const { fills } = await moved([entry, amend({ ref: 'e:takeProfit', price: 105 })], [100, 101, 106]);
  expect(fills.at(-1)).toMatch(/^sell at 10[56] takeProfit$/);
});

test('a stop that waits at the venue is canceled, and sent with its new trigger', async () => {
  const perp = { ...entry, symbol: 'BTC-USDT-PERP' } as Intent;
  const { fills, stops } = await moved([perp, amend({ ref: 'e:stopLoss', stopPrice: 97 })], [100, 101, 99, 97], 'futures');
  expect(stops).toEqual([90, 97]);
  expect(fills).toEqual(['buy at 100', 'sell at 97 stopLoss']);
});

test('a plain stop is moved too', async () => {
  const stop = place({ symbol: 'BTC-USDT', side: 'buy', type: 'stop', stopPrice: 110, quantity: 1, ref: 's' });
  const { fills } = await moved([stop, amend({ ref: 's', stopPrice: 104 })], [100, 101, 105]);
  expect(fills).toEqual(['buy at 105']);
});

test.each<[string, Intent, object]>([
  ['a stop beyond the price', amend({ ref: 'e:stopLoss', stopPrice: 105 }), { code: 'stopOnWrongSide', stop: '105', price: '101' }],
  ['a quantity', amend({ ref: 'e:stopLoss', stopPrice: 95, quantity: 2 }), { code: 'orderInvalid' }],
  ['a price of a stop', amend({ ref: 'e:stopLoss', price: 95 }), { rule: 'a stop has a stopPrice to change' }],
  ['a trigger of a target', amend({ ref: 'e:takeProfit', stopPrice: 95 }), { rule: 'a take profit has a price to change' }],
])('%s is denied, and the exit stays as it is', async (_, intent, reason) => {
  const { fills, denials } = await moved([entry, intent], [100, 101, 99, 90]);
  expect(denials).toMatchObject([reason]);
  expect(fills.at(-1)).toBe('sell at 90 stopLoss');
});

test('a trigger for a limit order, and for no order, is denied', async () => {
  const limit = place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 50, quantity: 1, ref: 'l' });
  const { denials } = await moved([limit, amend({ ref: 'l', stopPrice: 60 }), amend({ ref: 'none', stopPrice: 60 })], [100, 101, 102]);
  expect(denials).toMatchObject([{ rule: 'a stopPrice is for a stop that waits' }, { code: 'orderUnknown' }]);
});
