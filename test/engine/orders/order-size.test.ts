import { expect, test } from '@jest/globals';
import { Decimal } from '../../../src/model/decimal.ts';
import type { OrderSize, PlaceOrder } from '../../../src/model/intents.ts';
import { place } from '../../../src/strategy/intents.ts';
import { bars, type Feed, instrument, type PlanOptions, quotes, run, strategy, tickers } from '../builders.ts';

const RICH = { USDT: '10000' } as const;

/** One order at the first bar or ticker. */
function once(order: Partial<PlaceOrder> & { quantity: OrderSize }, data: Feed, over: Partial<PlanOptions> = {}) {
  let sent = false;
  const decide = () => {
    if (sent) return undefined;
    sent = true;
    return place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', ...order });
  };
  const hooks = data.kind === 'bar' ? { onBar: decide } : data.kind === 'quote' ? { onQuote: decide } : { onTicker: decide };
  return run([strategy('s', hooks)], { balances: RICH, data: [data], ...over });
}

/** The price is 100 at the decision, and this at the next open. */
const opening = (open: number) => bars([100, open, open]);
const STOP_90 = { exits: { stopLoss: 90 } };

test.each<[string, Partial<PlaceOrder> & { quantity: OrderSize }, number, string]>([
  // 5000 / 110 = 45.45.
  ['a buy by equity', { quantity: { percentOfEquity: 50 } }, 110, 'buy 45 at 110'],
  ['a short by equity', { side: 'sell', quantity: { percentOfEquity: '50' } }, 110, 'sell 45 at 110'],
  // 5000 / 80 = 62.5: more than the 50 at the decision.
  ['a short where the open is lower', { side: 'sell', quantity: { percentOfEquity: 50 } }, 80, 'sell 62 at 80'],
  ['a short for an amount', { side: 'sell', quantity: { notional: 1000 } }, 110, 'sell 9 at 110'],
  // 1 % of 10000 is 100, and each loses 110 - 90 = 20.
  ['a long by its loss at a price', { quantity: { risk: 0.01 }, ...STOP_90 }, 110, 'buy 5 at 110'],
  // The stop of a fill at 110 is 99: each loses 11.
  ['a long by its loss in percent', { quantity: { risk: 0.01 }, exits: { stopLoss: { percent: 10 } } }, 110, 'buy 9 at 110'],
  [
    'a short by its loss over a distance',
    { side: 'sell', quantity: { risk: 0.01 }, exits: { stopLoss: { distance: 8 } } },
    110,
    'sell 12 at 110',
  ],
  ['a long by the loss of its trailing stop', { quantity: { risk: 0.01 }, exits: { trailBy: 25 } }, 110, 'buy 4 at 110'],
  // 100 / (92 - 90) = 50, but risk has approved 10: at most 20.
  ['a long whose stop is near the open', { quantity: { risk: 0.01 }, ...STOP_90 }, 92, 'buy 20 at 92'],
])('on bars the open that fills it sizes %s', async (_, order, open, filled) => {
  const { filled: fills, codes } = await once(order, opening(open));
  expect(codes).toEqual([]);
  expect(fills[0]).toBe(filled);
});

test('a strategy sees the size that the open gave, and the estimate before', async () => {
  const seen: unknown[] = [];
  const script = {
    onBar: () =>
      seen.length > 0
        ? undefined
        : place({ symbol: 'BTC-USDT', side: 'sell' as const, type: 'market' as const, quantity: { notional: 1000 } }),
    onOrder: (event: { kind: string; request?: { steps?: number | undefined } }) => void seen.push([event.kind, event.request?.steps]),
  };
  const { tables, log } = await run([strategy('s', script)], { data: [opening(125)] });
  expect(seen).toEqual([
    ['orderSubmitted', 10],
    ['orderAccepted', undefined],
    ['orderSubmitted', 8],
    ['orderFilled', undefined],
  ]);
  expect(tables.orders).toMatchObject([{ quantity: '8', filledQuantity: '8', status: 'filled' }]);
  expect(log.find(({ kind }) => kind === 'intent')).toMatchObject({ kind: 'intent', intent: { quantity: { notional: 1000 } } });
});

test('an open beyond the stop refuses an order that is sized by it', async () => {
  const long = await once({ quantity: { risk: 0.01 }, ...STOP_90 }, opening(90));
  const short = await once({ side: 'sell', quantity: { risk: 0.01 }, exits: { stopLoss: 105 } }, opening(106));
  const refused = (result: typeof long) => result.tables.refusals.map(({ by, reason }) => [by, reason]);
  expect(refused(long)).toEqual([['venue', { code: 'stopOnWrongSide', side: 'long', stop: '90', price: '90' }]]);
  expect(refused(short)).toEqual([['venue', { code: 'stopOnWrongSide', side: 'short', stop: '105', price: '106' }]]);
  expect([...long.filled, ...short.filled]).toEqual([]);
});

test('an open above the amount refuses the order', async () => {
  const { tables, filled } = await once({ side: 'sell', quantity: { notional: 150 } }, opening(160));
  expect(tables.refusals).toMatchObject([{ by: 'venue', reason: { code: 'quantityTooSmall', quantity: '0', stepSize: '1' } }]);
  expect(filled).toEqual([]);
});

test.each<[string, Partial<PlaceOrder> & { quantity: OrderSize }, Feed, string]>([
  [
    'a market order without bars at the last price',
    { side: 'sell', quantity: { percentOfEquity: 50 } },
    tickers([
      [0, 100],
      [10, 110],
      [20, 110],
    ]),
    '50',
  ],
  // The middle of 98 and 104.
  [
    'a market order on quotes at the last price',
    { side: 'sell', quantity: { notional: 1010 } },
    quotes([
      [0, 98, 104],
      [10, 98, 104],
    ]),
    '10',
  ],
  ['a limit order at its limit', { side: 'sell', type: 'limit', price: 120, quantity: { percentOfEquity: 50 } }, opening(125), '41'],
  ['a limit order by its loss', { type: 'limit', price: 98, quantity: { risk: '0.02' }, ...STOP_90 }, opening(97), '25'],
  ['a stop at its trigger', { type: 'stop', stopPrice: 125, quantity: { notional: 5000 } }, opening(130), '40'],
  ['a stop limit at its limit', { type: 'stopLimit', stopPrice: 120, price: 126, quantity: { notional: 5040 } }, opening(121), '40'],
])('%s', async (_, order, data, quantity) => {
  const { tables, codes } = await once(order, data);
  expect(codes).toEqual([]);
  expect(tables.orders[0]!.quantity).toBe(quantity);
});

test('a share of equity includes a fee in quote, and an amount does not', async () => {
  const of = instrument(0, { takerFee: '0.01' });
  const data = (price: number) => bars([price, price, price], { of });
  // 10000 / 1.01 = 9900.99.
  const share = await once({ side: 'sell', quantity: { percentOfEquity: 100 } }, data(100));
  const amount = await once({ side: 'sell', quantity: { notional: 10000 } }, data(100));
  expect([share.filled[0], amount.filled[0]]).toEqual(['sell 99 at 100', 'sell 100 at 100']);
  // On spot the fee is taken from the coins: all money is spent.
  const spot = await once({ quantity: { percentOfEquity: 100 } }, data(100), { kind: 'spot' });
  expect(spot.filled).toEqual(['buy 100 at 100']);
});

test('on spot a sell is sized again with the coins that it then needs', async () => {
  const order = { side: 'sell', quantity: { notional: 1000 } } as const;
  const enough = await once(order, opening(80), { kind: 'spot', balances: { USDT: '1', BTC: '12' } });
  expect(enough.filled).toEqual(['sell 12 at 80']);
  const short = await once(order, opening(50), { kind: 'spot', balances: { USDT: '1', BTC: '12' } });
  expect(short.tables.refusals).toMatchObject([
    { by: 'venue', reason: { code: 'balanceTooLow', asset: 'BTC', needed: '20', available: '12' } },
  ]);
});

test('risk judges the size at the last price', async () => {
  const limits = { maxPosition: new Map([['BTC-USDT', new Decimal(49)]]) };
  const { tables } = await once({ side: 'sell', quantity: { percentOfEquity: 50 } }, opening(110), { limits });
  expect(tables.refusals).toMatchObject([{ by: 'risk', reason: { code: 'positionAboveLimit', position: '50', limit: '49' } }]);
  expect(tables.refusals[0]!.reason).toHaveProperty('details.given', 'percentOfEquity 50');
});

test('a size below one step is denied with its numbers', async () => {
  const { tables } = await once({ quantity: { percentOfEquity: 0.5 } }, opening(100));
  expect(tables.refusals.map(({ by, reason }) => [by, reason])).toEqual([
    ['risk', { code: 'quantityBelowMinimum', quantity: '0.5', minimum: '1' }],
  ]);
  expect(tables.refusals[0]!.reason).toHaveProperty('details', { given: 'percentOfEquity 0.5', equity: '10000', price: '100' });
});

test.each<[string, Partial<PlaceOrder> & { quantity: OrderSize }, object]>([
  [
    'a stop above a long',
    { quantity: { risk: 0.01 }, exits: { stopLoss: 101 } },
    { code: 'stopOnWrongSide', side: 'long', stop: '101', price: '100' },
  ],
  [
    'a stop at a short',
    { side: 'sell', quantity: { risk: 0.01 }, exits: { stopLoss: 100 } },
    { code: 'stopOnWrongSide', side: 'short', stop: '100', price: '100' },
  ],
  ['a risk without a stop', { quantity: { risk: 0.01 } }, { code: 'orderInvalid' }],
  [
    'a risk with a trail that begins later',
    { quantity: { risk: 0.01 }, exits: { trail: { percent: 1, activateAt: 120 } } },
    { code: 'orderInvalid' },
  ],
  [
    'a risk of all',
    { quantity: { risk: 1 }, ...STOP_90 },
    { code: 'orderInvalid', rule: 'quantity.risk is a number above 0 and below 1, not 1' },
  ],
  [
    'a size that is no number',
    { quantity: { percentOfEquity: Number.NaN } },
    { code: 'orderInvalid', rule: 'quantity.percentOfEquity is a number above 0, not NaN' },
  ],
])('denies %s', async (_, order, reason) => {
  const { tables, filled } = await once(order, opening(100));
  expect(tables.refusals).toMatchObject([{ by: 'risk', reason }]);
  expect(filled).toEqual([]);
});

test('a size names one thing', () => {
  const sized = (quantity: unknown) => () => place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: quantity as OrderSize });
  expect(sized({ notional: 1, risk: 0.1 })).toThrow('quantity names one of percentOfEquity, notional, risk, not notional and risk');
  expect(sized({})).toThrow('quantity names one of percentOfEquity, notional, risk, not none');
});
