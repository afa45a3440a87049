import { describe, expect, test } from '@jest/globals';
import { Decimal } from '../../../../src/model/decimal.ts';
import { order } from '../../../builders.ts';
import { BTC, type Listed, Scripted } from './scripted.ts';

// The lag is 5 s, the exchange's window 30 s, the error of clocks 1 s (RECONCILE_DEFAULTS).
const PROVABLE_MS = 36_000;

/** What the order that the script places reserves, in quote. */
const RESERVED = BTC.notional(100, 10).toFixed();

describe('an order that is over', () => {
  test('has its fills read at its look-up, and reported before its end', async () => {
    const spot = await Scripted.open();
    await spot.place('a');
    spot.fills.push({ fillId: '1', orderId: 'v-a', at: 10, steps: 3, byOrderOnly: true });
    spot.orders.set('a', { status: 'cancelled', filled: 3 });
    await spot.round(31_000);
    expect(spot.told).toEqual(['orderAccepted a', 'orderFilled a 3', 'orderCanceled a']);
  });

  test.each([
    ['at once where its coins are free', '0', 'orderCanceled a'],
    ['once it has lasted where they are still reserved', RESERVED, undefined],
  ])('and was canceled by nobody here ends %s', async (_, frozen, at) => {
    const spot = await Scripted.open();
    await spot.place('a');
    spot.frozen = RESERVED;
    await spot.round(31_000);
    spot.orders.set('a', { status: 'cancelled', filled: 0 });
    spot.frozen = frozen;
    await spot.round(31_000);
    expect(spot.told.at(1)).toBe(at);
    for (let round = 0; round < 10; round++) await spot.round(5_000);
    expect(spot.told).toEqual(['orderAccepted a', 'orderCanceled a']);
  });

  test('ends only when fill records show all that it reports as filled', async () => {
    const spot = await Scripted.open();
    await spot.place('a');
    spot.fills.push({ fillId: '1', orderId: 'v-a', at: 10, steps: 3 });
    spot.orders.set('a', { status: 'cancelled', filled: 5 });
    await spot.rounds(3);
    expect(spot.told).toEqual(['orderAccepted a', 'orderFilled a 3']);
    spot.fills.push({ fillId: '2', orderId: 'v-a', at: 20, steps: 2, byOrderOnly: true });
    await spot.rounds(3, 5_000);
    expect(spot.told.slice(2)).toEqual(['orderFilled a 2', 'orderCanceled a']);
  });

  test('is complete when the last of its fills is reported, however old the first is', async () => {
    const spot = await Scripted.open();
    await spot.place('a');
    spot.fills.push({ fillId: '1', orderId: 'v-a', at: 10, steps: 5 });
    spot.orders.set('a', { status: 'partial_fill', filled: 5 });
    // Long enough for the first to leave the window.
    await spot.rounds(20, 10_000);
    spot.orders.set('a', { status: 'full_fill', filled: 10 });
    spot.fills.push(
      { fillId: '2', orderId: 'v-a', at: 201_000, steps: 3, byOrderOnly: true },
      { fillId: '3', orderId: 'v-a', at: 201_000, steps: 2, visibleAt: 232_000 },
    );
    await spot.rounds(40);
    const fills = spot.events.flatMap((event) => (event.kind === 'orderFilled' ? [[event.fill.steps, event.complete]] : []));
    expect(fills).toEqual([
      [5, false],
      [3, false],
      [2, true],
    ]);
  });
});

test('an order for an amount that the exchange leaves open has its fills counted at its end, and money is compared meanwhile', async () => {
  const exchange = await Scripted.open([], { fillGapMs: 30_000, unexplained: 'halt' });
  exchange.fills.push({ fillId: 'f', orderId: 'v-a', at: 0, steps: 3 });
  // The exchange's clock was set back meanwhile: the list of fills is asked for from a later time on.
  exchange.fills.push({ fillId: 'g', orderId: 'v-a', at: 0, steps: 1, byOrderOnly: true });
  Object.assign(exchange, { base: '4', spent: 400 });
  const listed: Listed = { status: 'partial_fill', filled: 4 };
  await exchange.place('a', listed, { type: 'market', priceTicks: undefined, steps: undefined, quoteQuantity: new Decimal(1_000) });
  const rounds = async () => {
    for (let count = 0; count < 40; count++) await exchange.round(1_000, true);
  };
  const halts = () => exchange.events.flatMap((event) => (event.kind === 'healthChanged' ? [event.reason] : []));
  await rounds();
  // It may be about to end, and its last fill is to say so.
  expect(exchange.told).toEqual(['orderAccepted a']);
  expect(halts()).toEqual([]);
  // The list of fills is newer than the record of the order.
  exchange.fills.push({ fillId: 'h', orderId: 'v-a', at: 41_000, steps: 1 });
  Object.assign(exchange, { base: '5', spent: 500 });
  await rounds();
  expect(halts()).toEqual([]);
  exchange.base = '7';
  await rounds();
  expect(halts()).toEqual(['2 BTC that no record explains']);
  exchange.base = '5';
  Object.assign(listed, { status: 'full_fill', filled: 5 });
  await rounds();
  expect(exchange.told.slice(1).sort()).toEqual(['orderFilled a 1', 'orderFilled a 1', 'orderFilled a 3']);
  expect(exchange.events).toContainEqual(expect.objectContaining({ kind: 'orderFilled', complete: true }));
  expect(halts()).toEqual(['2 BTC that no record explains', 'known again']);
});

test('all fills of an order are reported, however many pages they fill', async () => {
  const spot = await Scripted.open();
  spot.trading.place([spot.request('a', { steps: 250 })]);
  spot.orders.set('a', { status: 'full_fill', filled: 250 });
  for (let id = 0; id < 250; id++) spot.fills.push({ fillId: String(id), orderId: 'v-a', at: id, steps: 1, byOrderOnly: true });
  await spot.round(31_000);
  expect(spot.told.filter((text) => text === 'orderFilled a 1')).toHaveLength(250);
});

describe('an order that was refused, and is there all the same,', () => {
  /** A gateway refused what it has passed on, at `T0`. */
  async function refused(listed: Listed | undefined, cause: 'business' | 'limit' = 'business'): Promise<Scripted> {
    const spot = await Scripted.open();
    spot.placeFails = cause;
    await spot.place('a', listed);
    if (listed === undefined) spot.orders.delete('a');
    expect(spot.told).toEqual(['orderRejected a']);
    return spot;
  }

  test.each(['business', 'limit'] as const)('is open again at the one look-up, when it must be visible (%s)', async (cause) => {
    const spot = await refused({ status: 'new', filled: 0 }, cause);
    await spot.rounds(4);
    expect([spot.told, spot.looks]).toEqual([['orderRejected a'], []]);
    await spot.rounds(2);
    expect(spot.told).toEqual(['orderRejected a', 'orderAccepted a']);
  });

  test('is open again with its first fill', async () => {
    const spot = await refused({ status: 'partial_fill', filled: 4 });
    spot.fills.push({ fillId: 'f', orderId: 'v-a', at: 500, steps: 4 });
    await spot.round(1_000, true);
    expect(spot.told).toEqual(['orderRejected a', 'orderAccepted a', 'orderFilled a 4']);
    spot.orders.set('a', { status: 'full_fill', filled: 10 });
    spot.fills.push({ fillId: 'g', orderId: 'v-a', at: 1_500, steps: 6 });
    await spot.rounds(2);
    expect(spot.told.slice(3)).toEqual(['orderFilled a 6']);
  });

  test.each([
    ['does not exist', undefined],
    ['is canceled without a fill', { status: 'cancelled', filled: 0 } as const],
  ])('stays refused after that look-up where it %s', async (_, listed) => {
    const spot = await refused(listed);
    await spot.rounds(60);
    expect([spot.told, spot.looks]).toEqual([['orderRejected a'], [5_000]]);
  });

  test('is looked up again where the look-up got no reply', async () => {
    const spot = await refused({ status: 'new', filled: 0 });
    spot.lookFailures = 3;
    await spot.rounds(60);
    expect(spot.told).toEqual(['orderRejected a', 'orderAccepted a']);
  });

  test.each([
    ['open again', { status: 'new', filled: 0 } as const, ['orderAccepted a']],
    ['refused for good', undefined, []],
  ])('is looked up once in a later life, and is %s', async (_, listed, told) => {
    const { memory } = await refused(listed);
    const request = order({ instrument: BTC, clientOrderId: 'a', steps: 10, priceTicks: 100 });
    const later = async () => {
      const spot = Scripted.unopened(memory);
      if (listed !== undefined) spot.orders.set('a', listed);
      await spot.begin([{ request, orderId: '', filledSteps: 0, status: 'rejected', triggered: false, cancelRequested: false }]);
      await spot.rounds(8);
      return spot;
    };
    const spot = await later();
    expect([spot.told, spot.looks[0]]).toEqual([told, 5_000]);
    // Nothing is left of the doubt.
    expect((await later()).looks).toEqual([]);
  });
});

describe('an order without an answer', () => {
  /** A placing that timed out at `T0`. */
  async function doubted(): Promise<Scripted> {
    const spot = await Scripted.open();
    spot.placeFails = 'timedOut';
    await spot.place('a');
    spot.orders.delete('a');
    expect(spot.told).toEqual(['orderUnknown a']);
    return spot;
  }

  test('counts as never having been at the second look-up that misses it, from when it can no longer arrive unseen', async () => {
    const spot = await doubted();
    await spot.rounds(35);
    expect(spot.told).toEqual(['orderUnknown a']);
    const before = spot.looks.length;
    const provable = () => spot.looks.slice(before).filter((at) => at >= PROVABLE_MS).length;
    while (provable() < 1) await spot.round();
    expect(spot.told).toEqual(['orderUnknown a']);
    while (provable() < 2) await spot.round();
    expect(spot.told).toEqual(['orderUnknown a', 'orderRejected a']);
  });

  test.each(['timedOut', 'status5xx', 'server', 'limit', 'unlisted', 'unreadable', 'redirected', 'parameter'] as const)(
    'stays in doubt while its look-up fails by %s: that is no absence',
    async (cause) => {
      const spot = await doubted();
      spot.lookFails = cause;
      await spot.rounds(120);
      expect(spot.looks.length).toBeGreaterThan(10);
      expect(spot.told).toEqual(['orderUnknown a']);
      spot.lookFails = undefined;
      spot.orders.set('a', { status: 'new', filled: 0 });
      await spot.rounds(6);
      expect(spot.told).toEqual(['orderUnknown a', 'orderAccepted a']);
    },
  );
});

test('a fill that appears late is reported, though one with a later stamp was reported before', async () => {
  const spot = await Scripted.open();
  await spot.place('a');
  await spot.place('b');
  // Look-ups still show both as untouched: the list of fills has to find them.
  spot.fills.push({ fillId: '2', orderId: 'v-b', at: 10_000, steps: 2 });
  spot.fills.push({ fillId: '1', orderId: 'v-a', at: 3_100, steps: 3, visibleAt: 10_100 });
  await spot.round(10_000);
  expect(spot.told.slice(2)).toEqual(['orderFilled b 2']);
  await spot.round();
  expect(spot.told.slice(2)).toEqual(['orderFilled b 2', 'orderFilled a 3']);
  // The newest stamp, less the lag of 5 s and the error of two clocks.
  expect(spot.askedFrom.at(-1)).toBe(3_000);
});

describe('a cancel', () => {
  const cancels = ({ acted }: Scripted) => acted.filter(([operation]) => operation === 'cancelOrder').map(([, , at]) => at);

  test('without a reply is sent again after the first look-up that shows the order in the book', async () => {
    const spot = await Scripted.open();
    await spot.place('a');
    spot.cancelFails = 'timedOut';
    await spot.cancel('a');
    expect(cancels(spot)).toEqual([0]);
    spot.cancelFails = undefined;
    await spot.round();
    expect(cancels(spot)).toEqual([0, 1_000]);
    expect(spot.told).toEqual(['orderAccepted a']);
    spot.orders.set('a', { status: 'cancelled', filled: 0 });
    await spot.round();
    expect(spot.told).toEqual(['orderAccepted a', 'orderCanceled a']);
  });

  test('that was accepted is sent again only if the order is still shown after the lag', async () => {
    const spot = await Scripted.open();
    await spot.place('a');
    await spot.cancel('a');
    await spot.rounds(4);
    expect(cancels(spot)).toEqual([0]);
    await spot.rounds(5);
    expect(cancels(spot)).toHaveLength(2);
    expect(cancels(spot)[1]).toBeGreaterThanOrEqual(5_000);
  });

  test('that found nothing to cancel is sent once more, by client id, and reported as refused, only if the order is still shown after the lag', async () => {
    const spot = await Scripted.open();
    await spot.place('a');
    spot.cancelSays = false;
    await spot.cancel('a');
    await spot.rounds(4);
    expect(spot.told).toEqual(['orderAccepted a']);
    await spot.rounds(20);
    expect(spot.told).toEqual(['orderAccepted a', 'cancelRejected a']);
    // It was sent at 0, and again 5 s later.
    expect(cancels(spot)).toHaveLength(2);
    expect(cancels(spot)[1]).toBeGreaterThanOrEqual(5_000);
  });

  test.each(['requested', 'killed'] as const)(
    'reaches an order whose id the exchange rounds in every answer, by client id (%s)',
    async (reason) => {
      const spot = await Scripted.open();
      spot.idsAreRounded = true;
      await spot.place('a');
      await spot.cancel('a', reason);
      await spot.rounds(30);
      expect(cancels(spot)).toHaveLength(2);
      spot.orders.set('a', { status: 'cancelled', filled: 0 });
      await spot.rounds(30);
      expect(spot.told).toEqual(['orderAccepted a', 'orderCanceled a']);
    },
  );

  test('that the process before had sent is sent again once the order is seen', async () => {
    const request = order({ instrument: BTC, clientOrderId: 'a', steps: 10, priceTicks: 100 });
    const open = { request, orderId: 'v-a', filledSteps: 0, status: 'accepted', triggered: false, cancelRequested: true } as const;
    const spot = await Scripted.open([open]);
    expect(cancels(spot)).toEqual([]);
    spot.orders.set('a', { status: 'new', filled: 0 });
    await spot.round();
    expect(cancels(spot)).toEqual([1_000]);
  });
});

test('an order that has not left is canceled without a word to the exchange', async () => {
  const scripted = await Scripted.open();
  const { trading } = scripted;
  trading.place([scripted.request('a'), scripted.request('b')]);
  trading.cancel({ clientOrderId: 'a', instrument: BTC, reason: 'killed' });
  expect(scripted.told).toEqual(['orderCanceled a']);
  expect(scripted.events.at(-1)).toMatchObject({ kind: 'orderCanceled', reason: 'killed' });
  scripted.orders.set('b', { status: 'new', filled: 0 });
  await scripted.pass(0);
  expect(scripted.acted.map(([operation, id]) => `${operation} ${id}`)).toEqual(['batchOrders b']);
  expect(scripted.told).toEqual(['orderCanceled a', 'orderAccepted b']);
});

test.each<['killed' | 'riskLatch' | 'requested', 'buy' | 'sell', string[]]>([
  ['killed', 'sell', ['orderAccepted a', 'orderCanceled a']],
  // The others wait for the next round, as in a backtest.
  ['killed', 'buy', ['orderAccepted a']],
  ['riskLatch', 'sell', ['orderAccepted a']],
  ['requested', 'sell', ['orderAccepted a']],
])(
  '%s: a canceled %s order is looked up with no round of reads before, where a close of a kill waits for its coins',
  async (reason, side, told) => {
    const at = await Scripted.open();
    const listed: Listed = { status: 'new', filled: 0 };
    await at.place('a', listed, { side });
    listed.status = 'cancelled';
    await at.cancel('a', reason);
    expect(at.told).toEqual(told);
    await at.round();
    expect(at.told).toEqual(['orderAccepted a', 'orderCanceled a']);
  },
);

test.each<[string, string, string]>([
  ['lacks coins', '0', 'coinsReserved'],
  ['lacked coins that are free again when the balance is read', '1000', 'coinsLacked'],
])('a close that %s is refused for something that may pass', async (_, base, code) => {
  const at = await Scripted.open();
  at.placeFails = 'business';
  at.placeMessage = 'code 40015 (system error): FAILED_PRECONDITION: BTC not enough';
  at.base = base;
  await at.place('a', undefined, { side: 'sell', reduceOnly: true });
  await at.pass(1_000);
  expect(at.events.flatMap((event) => (event.kind === 'orderRejected' ? [event.reason.code] : []))).toEqual([code]);
});
