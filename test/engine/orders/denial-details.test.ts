import { expect, test } from '@jest/globals';
import { numbersText } from '../../../src/app/backtest/recorders/denials.ts';
import { encode } from '../../../src/journal/codec.ts';
import { eventText } from '../../../src/journal/event-log.ts';
import type { OrderDenied, OrderEvent } from '../../../src/model/account-events.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { place } from '../../../src/strategy/intents.ts';
import { instrument, type PlanOptions, perpetual, run, type Script, series } from '../../builders.ts';

const BTC = instrument();

/** The denials that a strategy receives, and those that the log and the journal get, over prices of 100. */
async function denials(onTicker: NonNullable<Script['onTicker']>, options: Partial<PlanOptions> = {}, of = BTC) {
  const received: OrderDenied[] = [];
  const onOrder = (_: unknown, event: OrderEvent) => {
    if (event.kind === 'orderDenied') received.push(event);
  };
  const open = () =>
    series(
      'ticker',
      [0, 1, 2, 3].map((index) => [index * 10, 100 + index] as const),
    );
  const { events } = await run({ sources: [{ instrument: of, kind: 'ticker', open }], script: { onTicker, onOrder }, ...options });
  return { received, written: events.filter((event) => event.kind === 'orderDenied') };
}

const SELL = { symbol: 'BTC-USDT', side: 'sell', type: 'limit', price: 120, reduceOnly: true } as const;

test('a reduce-only order that would grow shows what was given, what is held and the closes in its way', async () => {
  const { received, written } = await denials((_, { lastTicks }) => {
    if (lastTicks === 100) return place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 5 });
    if (lastTicks === 101) return place({ ...SELL, quantity: 3, ref: 'tp-1' });
    return lastTicks === 102 ? place({ ...SELL, quantity: '4.7' }) : undefined;
  });
  const numbers = { code: 'reduceOnlyWouldGrow', position: '5', quantity: '4' };
  expect(received.map(({ reason }) => reason)).toEqual([
    { ...numbers, details: { held: '5', openOrders: 'sell 3 BTC-USDT at 120 (tp-1)', given: '4.7' } },
  ]);
  expect(numbersText(written[0]!.reason)).toBe('position=5 quantity=4 held=5 openOrders=sell 3 BTC-USDT at 120 (tp-1) given=4.7');
  expect(eventText(written[0]!)).toContain(`"reason":${JSON.stringify(numbers)}}`);
  expect(encode(written[0]!)).not.toContain('details');
});

test('a position above its limit shows the open orders that count, at most five by name', async () => {
  const bid = { symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 90, quantity: 1 } as const;
  const { received } = await denials(
    (_, { lastTicks }) => (lastTicks === 100 ? [1, 2, 3, 4, 5, 6, 7].map((n) => place({ ...bid, ref: `b${n}` })) : undefined),
    { limits: { maxPosition: new Map([['BTC-USDT', new Decimal(6)]]) } },
  );
  expect(received.map(({ reason }) => reason)).toEqual([
    {
      ...{ code: 'positionAboveLimit', position: '7', limit: '6' },
      details: {
        held: '0',
        openOrders: `${[1, 2, 3, 4, 5].map((n) => `buy 1 BTC-USDT at 90 (b${n})`).join(', ')}, 1 more`,
        given: '1',
      },
    },
  ]);
});

test('an amount of quote below a step shows the amount and the price, and a wrong price its field', async () => {
  const PERP = perpetual();
  const order = { symbol: 'BTC-USDT-PERP', side: 'buy', type: 'market' } as const;
  const { received } = await denials(
    (_, { lastTicks }) =>
      lastTicks === 100
        ? [place({ ...order, quoteQuantity: '99.9' }), place({ ...order, type: 'stop', quantity: 1, stopPrice: -3 })]
        : undefined,
    { kind: 'futures' },
    PERP,
  );
  expect(received.map(({ reason }) => numbersText(reason))).toEqual([
    'quantity=0.999 stepSize=1 givenQuote=99.9 last=100',
    'price=-3 tickSize=1 field=stopPrice',
  ]);
});
