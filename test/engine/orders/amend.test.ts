import { expect, test } from '@jest/globals';
import type { NamedOrderEvent, OrderEvent } from '../../../src/model/account-events.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import type { Intent } from '../../../src/model/intents.ts';
import { amend, cancel, place } from '../../../src/strategy/intents.ts';
import { instrument, type PlanOptions, type Row, run, type Script, type Scripted, secondsOf, series } from '../../builders.ts';

const BTC = instrument();
const LIMIT = { symbol: 'BTC-USDT', side: 'buy', type: 'limit' } as const;
const BID = place({ ...LIMIT, price: 90, quantity: 5, ref: 'bid' });

/** The events that a strategy receives, as lines: the second, the kind, the number of the order, and its figures. */
function lineOf(event: OrderEvent): string {
  const { kind, time, clientOrderId, ref } = event as NamedOrderEvent;
  const number = clientOrderId.split('-').at(-1) ?? '';
  const head = `${secondsOf(time)} ${kind}${number === '' ? '' : ` ${number}`} ${ref}`;
  switch (event.kind) {
    case 'orderSubmitted': {
      const { steps, priceTicks, replaces } = event.request;
      return `${head} ${steps} at ${priceTicks}${replaces === undefined ? '' : ` for ${replaces.split('-').at(-1)}`}`;
    }
    case 'orderFilled':
      return `${head} ${event.fill.steps} at ${event.fill.priceTicks}`;
    case 'orderDenied': {
      const { code } = event.reason;
      return `${head} ${code}${event.reason.code === 'amendDropped' ? ` ${event.reason.reason}` : ''}`;
    }
    case 'orderCanceled':
      return `${head} ${event.reason}`;
    default:
      return head;
  }
}

/** A price a second; the strategy acts at these seconds. With three figures a row: trades of so many steps. */
async function story(
  rows: readonly (number | readonly [price: number, steps: number])[],
  acts: Readonly<Record<number, (self: Scripted) => Intent | readonly Intent[]>>,
  options: Partial<PlanOptions> = {},
) {
  const seen: string[] = [];
  const act = (self: Scripted) => [acts[secondsOf(self.time)]?.(self) ?? []].flat() as readonly Intent[];
  const script: Script = {
    onTrade: act,
    onOrder(_, event) {
      seen.push(lineOf(event));
      return undefined;
    },
  };
  const trades = rows.map((row, second): Row => (typeof row === 'number' ? [second, row, 1, 1] : [second, row[0], row[1], -1]));
  const result = await run({ sources: [{ instrument: BTC, kind: 'trade', open: () => series('trade', trades) }], script, ...options });
  return { seen, result };
}

test('a new price cancels the order and sends the rest of it again, with its ref and a link', async () => {
  const { seen, result } = await story([100, 100, 100], { 0: () => BID, 1: () => amend({ ref: 'bid', price: 80 }) });
  expect(seen).toEqual([
    '0 orderSubmitted 1 bid 5 at 90',
    '0 orderAccepted 1 bid',
    '1 cancelSubmitted 1 bid',
    '1 orderCanceled 1 bid amended',
    '1 orderSubmitted 2 bid 5 at 80 for 1',
    '1 orderAccepted 2 bid',
    '2 orderExpired 2 bid',
  ]);
  const numberOf = (clientOrderId: string) => clientOrderId.split('-').at(-1);
  expect(result.tables.orders.map(({ clientOrderId, replaces }) => [numberOf(clientOrderId), numberOf(replaces)])).toEqual([
    ['1', ''],
    ['2', '1'],
  ]);
});

test('the quantity is the new total: what has filled counts, over all replacements', async () => {
  let views: unknown;
  // 2 of 5 fill. The total becomes 4: 2 are left, of which 1 fills. The total becomes 9: 9 - 2 - 1 = 6.
  const { seen } = await story([100, [89, 2], 100, [79, 1], 100, 100], {
    0: () => BID,
    2: () => amend({ ref: 'bid', price: 80, quantity: 4 }),
    4: () => amend({ ref: 'bid', quantity: 9 }),
    5: (self) => {
      views = self.open().map(({ replaces, quantity, totalQuantity }) => [replaces.split('-').at(-1), quantity, totalQuantity]);
      return [];
    },
  });
  expect(seen.filter((line) => /Submitted \d bid \d|Filled/.test(line))).toEqual([
    '0 orderSubmitted 1 bid 5 at 90',
    '1 orderFilled 1 bid 2 at 90',
    '2 orderSubmitted 2 bid 2 at 80 for 1',
    '3 orderFilled 2 bid 1 at 80',
    '4 orderSubmitted 3 bid 6 at 80 for 2',
  ]);
  expect(views).toEqual([['2', 6, 9]]);
});

/** A cancel takes two seconds to arrive. */
const SLOW = { latency: { entryMs: 0, cancelMs: 2000, responseMs: 0 } } satisfies Partial<PlanOptions>;

test('fills before the cancel arrives are taken off the total, and a whole fill leaves no replacement', async () => {
  const acts = { 0: () => BID, 1: () => amend({ ref: 'bid', price: 80, quantity: 7 }) };
  const part = await story([100, 100, [89, 3], 100, 100], acts, SLOW);
  expect(part.seen).toContain('2 orderFilled 1 bid 3 at 90');
  expect(part.seen).toContain('3 orderSubmitted 2 bid 4 at 80 for 1');
  const whole = await story([100, 100, [89, 9], 100, 100], acts, SLOW);
  expect(whole.seen.slice(2)).toEqual(['1 cancelSubmitted 1 bid', '2 orderFilled 1 bid 5 at 90', '3 cancelRejected 1 bid']);
});

test('a cancel that overtakes its order is sent again when the order has arrived', async () => {
  const { seen } = await story(
    [100, 100, 100, 100, 100, 100],
    { 0: () => BID, 1: () => amend({ ref: 'bid', price: 80 }) },
    { latency: { entryMs: 2500, cancelMs: 500, responseMs: 0 } },
  );
  expect(seen).toEqual([
    '0 orderSubmitted 1 bid 5 at 90',
    '1 cancelSubmitted 1 bid',
    '1.5 cancelRejected 1 bid',
    '2.5 orderAccepted 1 bid',
    '2.5 cancelSubmitted 1 bid',
    '3 orderCanceled 1 bid amended',
    '3 orderSubmitted 2 bid 5 at 80 for 1',
    '5.5 orderAccepted 2 bid',
    '5.5 orderExpired 2 bid',
  ]);
});

test('a total that fills reach before the cancel leaves no replacement, and the strategy receives that', async () => {
  const { seen } = await story([100, 100, [89, 3], 100, 100], { 0: () => BID, 1: () => amend({ ref: 'bid', quantity: 3 }) }, SLOW);
  expect(seen.slice(2)).toEqual([
    '1 cancelSubmitted 1 bid',
    '2 orderFilled 1 bid 3 at 90',
    '3 orderCanceled 1 bid amended',
    '3 orderDenied bid amendDropped filled',
  ]);
});

test('a second change of the same order before its cancel is confirmed adds to the first', async () => {
  const { seen } = await story(
    [100, 100, 100, 100, 100],
    { 0: () => BID, 1: () => amend({ ref: 'bid', price: 80 }), 2: () => amend({ ref: 'bid', quantity: 3 }) },
    SLOW,
  );
  expect(seen.filter((line) => line.includes('cancelSubmitted'))).toHaveLength(1);
  expect(seen).toContain('3 orderSubmitted 2 bid 3 at 80 for 1');
});

test('an amend that changes nothing leaves the order where it is', async () => {
  const { seen } = await story([100, [89, 2], 100], { 0: () => BID, 2: () => amend({ ref: 'bid', price: 90, quantity: 5 }) });
  expect(seen).toEqual(['0 orderSubmitted 1 bid 5 at 90', '0 orderAccepted 1 bid', '1 orderFilled 1 bid 2 at 90', '2 orderExpired 1 bid']);
});

test('the order keeps its place until risk approves the estimate of its replacement', async () => {
  const { seen, result } = await story(
    [100, 100, 100],
    { 0: () => BID, 1: () => [amend({ ref: 'bid', quantity: 11 }), amend({ ref: 'bid', quantity: 10 })] },
    { limits: { maxPosition: new Map([['BTC-USDT', new Decimal(10)]]), maxQuantity: new Decimal(10), maxOpenOrders: 1 } },
  );
  // The estimate takes the place of the order: one order of 10 is at both limits.
  expect(seen.slice(2)).toEqual([
    '1 orderDenied bid quantityAboveMaximum',
    '1 cancelSubmitted 1 bid',
    '1 orderCanceled 1 bid amended',
    '1 orderSubmitted 2 bid 10 at 90 for 1',
    '1 orderAccepted 2 bid',
    '2 orderExpired 2 bid',
  ]);
  expect(result.tables.refusals[0]).toMatchObject({ ref: 'bid', side: 'buy', clientOrderId: '' });
});

test('on spot, the money of the order pays its replacement', async () => {
  // 5 at 90 take 450 of 500; 5 at 100 need 500, and 6 at 100 need 600.
  const { seen } = await story(
    [110, 110, 110],
    { 0: () => BID, 1: () => [amend({ ref: 'bid', price: 100, quantity: 6 }), amend({ ref: 'bid', price: 100 })] },
    { kind: 'spot', balances: { USDT: '500' } },
  );
  expect(seen.filter((line) => line.startsWith('1'))).toEqual([
    '1 orderDenied bid balanceTooLow',
    '1 cancelSubmitted 1 bid',
    '1 orderCanceled 1 bid amended',
    '1 orderSubmitted 2 bid 5 at 100 for 1',
    '1 orderAccepted 2 bid',
  ]);
});

test('risk judges the replacement again when it is sent', async () => {
  // The other bid takes 300 of the 450 that the cancel frees, before it is confirmed.
  const { seen } = await story(
    [110, 110, 110, 110, 110],
    {
      0: () => BID,
      1: () => amend({ ref: 'bid', price: 100 }),
      2: () => place({ ...LIMIT, price: 50, quantity: 1, ref: 'other' }),
    },
    { ...SLOW, kind: 'spot', balances: { USDT: '500' } },
  );
  expect(seen.filter((line) => line.startsWith('3'))).toEqual(['3 orderCanceled 1 bid amended', '3 orderDenied bid balanceTooLow']);
});

test('a cancel by the strategy removes the replacement', async () => {
  const { seen } = await story(
    [100, 100, 100, 100, 100],
    { 0: () => BID, 1: () => amend({ ref: 'bid', price: 80 }), 2: () => cancel({ ref: 'bid' }) },
    SLOW,
  );
  expect(seen.slice(2)).toEqual(['1 cancelSubmitted 1 bid', '2 orderDenied bid amendDropped requested', '3 orderCanceled 1 bid amended']);
});

test('a latch removes the replacement of an order that opens', async () => {
  // The account buys 100 at 100 and 5 at 90; the fall to 60 is more than the tenth that it may lose.
  const { seen } = await story(
    [100, 100, 100, 60, 60, 60],
    {
      0: () => [place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1 }), place({ ...BID, price: 50 })],
      2: () => amend({ ref: 'bid', price: 40 }),
    },
    {
      ...SLOW,
      balances: { USDT: '300' },
      limits: { maxPosition: new Map(), maxDrawdown: { share: 0.1, onBreach: 'reduceOnly' } as never },
    },
  );
  expect(seen.filter((line) => /^[3-9]/.test(line))).toEqual(['3 orderDenied bid amendDropped riskLatch', '4 orderCanceled 2 bid amended']);
});

test('an order that was placed in the same moment is replaced before it is sent', async () => {
  const { seen } = await story([100, 100], { 0: () => [BID, amend({ ref: 'bid', price: 80 })] });
  expect(seen).toEqual([
    '0 orderSubmitted 1 bid 5 at 90',
    '0 orderCanceled 1 bid amended',
    '0 orderSubmitted 2 bid 5 at 80 for 1',
    '0 orderAccepted 2 bid',
    '1 orderExpired 2 bid',
  ]);
});

test('the exits of the order protect the fills of its replacement', async () => {
  const { seen } = await story([100, 100, [79, 5], 69, 68], {
    0: () => place({ ...BID, exits: { stopLoss: 70 } } as never),
    1: () => amend({ ref: 'bid', price: 80 }),
  });
  expect(seen).toContain('2 orderFilled 2 bid 5 at 80');
  expect(seen).toContain('3 orderFilled 3 bid:stopLoss 1 at 69');
});

test('orders that do not rest, that are unknown, that end, or that share a ref are refused with the reason', async () => {
  const { seen, result } = await story([100, 100, 100], {
    0: () => [
      place({ ...BID, ref: 'two' }),
      place({ ...BID, ref: 'two' }),
      place({ symbol: 'BTC-USDT', side: 'buy', type: 'stop', stopPrice: 120, quantity: 1, ref: 'stop' }),
      place({ ...BID, ref: 'gone' }),
    ],
    1: (self) => [
      amend({ ref: 'two', price: 80 }),
      amend({ ref: 'none', price: 80 }),
      amend({ ref: 'stop', quantity: 2 }),
      cancel({ ref: 'gone' }),
      amend({ clientOrderId: self.open().find(({ ref }) => ref === 'gone')!.clientOrderId, price: 80 }),
      amend({ clientOrderId: self.open()[0]!.clientOrderId, price: 0 }),
    ],
  });
  expect(result.tables.refusals.map(({ reason, ref }) => [ref, { ...reason, details: undefined }])).toMatchObject([
    ['two', { code: 'orderInvalid', rule: 'amend changes one order, and 2 are open with the ref "two"' }],
    ['none', { code: 'orderUnknown', clientOrderId: '' }],
    ['stop', { code: 'orderInvalid', rule: 'amend changes the trigger of a stop, or the price of an exit, and not the quantity' }],
    ['gone', { code: 'amendDropped', reason: 'cancelPending' }],
    ['two', { code: 'priceInvalid' }],
  ]);
  expect(seen.filter((line) => line.includes('amended'))).toEqual([]);
});

test('an amend names one order and at least one new value', () => {
  expect(() => amend({ price: 1 })).toThrow('amend names its order by clientOrderId or by ref');
  expect(() => amend({ ref: 'a', clientOrderId: 'b', price: 1 })).toThrow('amend names its order by clientOrderId or by ref');
  expect(() => amend({ ref: 'a' })).toThrow('amend has a price, a stopPrice or a quantity');
  expect(() => amend({ ref: 'a', price: {} as never })).toThrow('price is a number or decimal text, not an object');
});
