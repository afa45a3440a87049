import { describe, expect, test } from '@jest/globals';
import { requestLimits } from '../../src/app/planning/plan-backtest.ts';
import { cancel, place, setTimer } from '../../src/strategy/intents.ts';
import { type RequestLimits, RequestPacer } from '../../src/venues/simulated/request-pacer.ts';
import { at, instrument, perpetual, run, secondsOf, series } from '../builders.ts';

const EXCHANGE = requestLimits('exchange')!;
const FREE: RequestLimits = { ...EXCHANGE, ipWeight: 0, uidWeight: 0, actionsPerSecond: 0 };

describe('requests wait for the limits', () => {
  test('the costs are those of the operations of the document', () => {
    expect(EXCHANGE).toMatchObject({
      uidWeight: 500,
      windowMs: 10_000,
      actionsPerSecond: 10,
      costs: {
        spotOrders: { ip: 5, uid: 10 },
        spotCancel: { ip: 2, uid: 3 },
        futuresOrder: { ip: 2, uid: 5 },
        futuresCancel: { ip: 2, uid: 3 },
      },
    });
    expect(requestLimits('none')).toBeUndefined();
  });

  test('ten actions a second: the eleventh leaves when the first is a second old', () => {
    const pacer = new RequestPacer(EXCHANGE);
    const left = Array.from({ length: 12 }, (_, index) => pacer.leaves(1_000 + index * 10, 'spotCancel'));
    expect(left).toEqual([...Array.from({ length: 10 }, (_, index) => 1_000 + index * 10), 2_000, 2_010]);
    // The eleventh was asked for at 1100, the twelfth at 1110.
    expect(pacer.figures).toEqual({ requests: 12, waited: 2, longestWaitMs: 900, totalWaitMs: 1_800 });
  });

  test('weight: 30 of 10 each in any 10 s, of 300 per account, though the IP has room', () => {
    const pacer = new RequestPacer({ ...FREE, uidWeight: 300, ipWeight: 500 });
    const left = Array.from({ length: 31 }, (_, index) => pacer.leaves(index, 'spotOrders'));
    expect(left.at(29)).toBe(29);
    expect(left.at(30)).toBe(10_000);
  });

  test('a request that waits holds those behind it, whatever they cost', () => {
    const pacer = new RequestPacer({ ...FREE, uidWeight: 13 });
    expect([pacer.leaves(0, 'spotOrders'), pacer.leaves(1, 'spotOrders'), pacer.leaves(2, 'spotCancel')]).toEqual([0, 10_000, 10_000]);
  });

  test('futures orders: a least time between two, and so many a minute; cancels are not counted', () => {
    const spaced = new RequestPacer({ ...FREE, orderDelayMs: 500 });
    expect([0, 100, 200].map((now) => spaced.leaves(now, 'futuresOrder'))).toEqual([0, 500, 1_000]);
    const counted = new RequestPacer({ ...FREE, ordersPerMinute: 2 });
    expect([0, 1, 2].map((now) => counted.leaves(now, 'futuresOrder'))).toEqual([0, 1, 60_000]);
    expect(counted.leaves(60_000, 'futuresCancel')).toBe(60_000);
  });

  test('without limits nothing waits', () => {
    const pacer = new RequestPacer(FREE);
    expect(Array.from({ length: 50 }, () => pacer.leaves(7, 'spotOrders'))).toEqual(Array.from({ length: 50 }, () => 7));
    expect(pacer.figures.waited).toBe(0);
  });
});

describe('in a backtest', () => {
  const limited = (actionsPerSecond: number): RequestLimits => ({ ...FREE, actionsPerSecond });

  test('orders of one symbol and turn leave as one request, and match the price at its arrival', async () => {
    const spot = instrument();
    const quotes = series('quote', [
      [0, 100, 102],
      [1.5, 110, 112],
      [5, 110, 112],
    ]);
    const buy = (tag: string) => place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1, tag });
    const { fills, requests } = await run({
      sources: [{ instrument: spot, kind: 'quote', open: () => quotes }],
      kind: 'netting',
      balances: { USDT: '100000' },
      bars: { from: 'bar', intervals: [[]], graceMs: 0 },
      requestLimits: limited(1),
      script: {
        onStart: () => [setTimer({ name: 'both', at: at(1) }), setTimer({ name: 'third', at: at(1.2) })],
        onTimer: (_, { name }) => (name === 'both' ? [buy('a'), buy('b')] : buy('c')),
      },
    });
    // One request at 1; the third order waits until 2, where the ask is 112.
    expect(fills.map((fill) => `${secondsOf(fill.time)} ${fill.tag} @${fill.priceTicks}`)).toEqual(['1 a @102', '1 b @102', '2 c @112']);
    expect(requests).toEqual({ requests: 2, waited: 1, longestWaitMs: expect.closeTo(800, 6), totalWaitMs: expect.closeTo(800, 6) });
  });

  test('futures orders leave one by one, and a cancel waits behind them', async () => {
    const contract = perpetual();
    const quotes = series('quote', [
      [0, 100, 102],
      [9, 100, 102],
    ]);
    const bid = (tag: string) =>
      place({ symbol: 'BTC-USDT-PERP', side: 'buy', positionSide: 'long', type: 'limit', price: 90, quantity: 1, tag });
    const ends: string[] = [];
    await run(
      {
        sources: [{ instrument: contract, kind: 'quote', open: () => quotes }],
        kind: 'futures',
        balances: { USDT: '100000' },
        bars: { from: 'bar', intervals: [[]], graceMs: 0 },
        requestLimits: limited(1),
        script: {
          onStart: () => setTimer({ name: 'go', at: at(1) }),
          onTimer: (_, { name }) => (name === 'go' ? [bid('a'), bid('b'), setTimer({ name: 'stop', at: at(1.5) })] : cancel({ tag: 'a' })),
        },
      },
      (event) => {
        if (event.kind === 'orderAccepted' || event.kind === 'orderCanceled') ends.push(`${secondsOf(event.time)} ${event.kind}`);
      },
    );
    expect(ends).toEqual(['1 orderAccepted', '2 orderAccepted', '3 orderCanceled']);
  });

  test.each([
    ['with limits what waits and what is free', limited(1), ['0 0 1', '1 800 0', '0 0 1']],
    ['without limits that nothing waits', undefined, ['0 0 1', '0 0 1', '0 0 1']],
  ] as const)('a strategy sees %s', async (_, requestLimits, seen) => {
    const spot = instrument();
    const quotes = series('quote', [
      [0, 100, 102],
      [5, 100, 102],
    ]);
    const read: string[] = [];
    const bid = () => place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 90, quantity: 1 });
    await run({
      sources: [{ instrument: spot, kind: 'quote', open: () => quotes }],
      kind: 'netting',
      balances: { USDT: '100000' },
      bars: { from: 'bar', intervals: [[]], graceMs: 0 },
      requestLimits,
      script: {
        // The second leaves at 2.
        onStart: () => [1, 1.1, 1.9, 4].map((time) => setTimer({ name: String(time), at: at(time) })),
        onTimer: (self, { name }) => {
          const { queued, oldestWaitMs, free } = self.standing;
          if (name !== '1.1') read.push(`${queued} ${Math.round(oldestWaitMs)} ${free}`);
          return name === '1' || name === '1.1' ? bid() : undefined;
        },
      },
    });
    expect(read).toEqual(seen);
  });
});
