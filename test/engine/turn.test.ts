import { expect, test } from '@jest/globals';
import { of, Subject } from 'rxjs';
import { Engine } from '../../src/engine/engine.ts';
import { ClientIds } from '../../src/engine/orders/client-ids.ts';
import { OrderBuilder } from '../../src/engine/orders/order-builder.ts';
import type { VenueEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { Ticker } from '../../src/model/market-events.ts';
import type { ExecutionVenue } from '../../src/ports/execution-venue.ts';
import type { FeedItem } from '../../src/ports/market-feed.ts';
import { RiskGate } from '../../src/risk/gate.ts';
import { State } from '../../src/state/state.ts';
import { cancel, place } from '../../src/strategy/intents.ts';
import { BTC, bars, ETH, instrument, run, type Script, strategy, T0, tickers } from './builders.ts';

const limitBuy = (symbol: string, price: number, tag = '') => place({ symbol, side: 'buy', type: 'limit', price, quantity: 1, tag });
const buy = (symbol = 'BTC-USDT') => place({ symbol, side: 'buy', type: 'market', quantity: 1 });
const BOTH = ['BTC-USDT', 'ETH-USDT'];

/** An engine before a venue that writes down what reaches it and accepts every order. */
async function withVenue(
  scripts: readonly Script[],
  items: readonly FeedItem[],
  batchLimit = 10,
  answers = true,
  marketBuyByQuote = true,
): Promise<string[]> {
  const calls: string[] = [];
  const events$ = new Subject<VenueEvent>();
  const venue: ExecutionVenue = {
    capabilities: {
      marketData: ['ticker'],
      marketBuyByQuantity: true,
      marketBuyByQuote,
      futuresTriggers: true,
      batchLimit,
    },
    events$,
    submit: (orders) => {
      const text = ({ tag, steps, quoteQuantity, instrument: { symbol } }: (typeof orders)[number]) =>
        `${symbol.slice(0, 3)}${tag === 'sizes' ? `${steps} of ${quoteQuantity?.toFixed()}` : tag}`;
      calls.push(`submit ${orders.map(text).join(' ')}`);
      if (answers)
        for (const { clientOrderId } of orders) events$.next({ kind: 'orderAccepted', time: T0, clientOrderId, orderId: '1', held: false });
    },
    cancel: ({ clientOrderId }) => {
      calls.push(`cancel ${clientOrderId}`);
      if (answers) events$.next({ kind: 'orderCanceled', time: T0, clientOrderId, reason: 'requested' });
    },
  };
  const instruments: readonly Instrument[] = [BTC, ETH];
  const clock = { now: () => T0, schedule: () => () => {} };
  const ids = scripts.map((_, index) => 'abc'[index]!);
  const state = new State(instruments, ids, { kind: 'netting', currency: 'USDT', equityEveryMs: 1000 });
  const log = { debug() {}, info() {}, warn() {} };
  const engine = new Engine({
    state,
    strategies: scripts.map((script, index) =>
      strategy(ids[index]!, { symbols: BOTH, ...script }).create({
        id: ids[index]!,
        symbols: BOTH,
        params: {},
        state,
        log,
        now: clock.now,
        history: () => [],
      }),
    ),
    gate: new RiskGate({ state, limits: { maxPosition: new Map() } }),
    builder: new OrderBuilder(state, venue.capabilities, new ClientIds('t'), new Decimal('0.05')),
    venue,
    clock,
    journal: { intent() {}, event() {}, commit() {} },
    bars: { from: 'ticker', intervals: [[], []], graceMs: 0 },
    exitsWaitForNextBar: false,
    closeAtEnd: false,
  });
  await engine.run({ events$: of(...items) });
  return calls;
}

const ticker = (sequence: number, price = 100, at = BTC) => new Ticker(at, T0, sequence, price);

test('orders go out grouped by symbol, within the batch limit, in the order of first intent', async () => {
  const wishes = ['BTC-USDT', 'ETH-USDT', 'BTC-USDT', 'BTC-USDT', 'ETH-USDT'].map((symbol, index) => limitBuy(symbol, 1, String(index)));
  expect(await withVenue([{ onTicker: () => wishes }], [ticker(1)], 2)).toEqual(['submit BTC0 BTC2', 'submit BTC3', 'submit ETH1 ETH4']);
});

test('cancels are sent before orders, in whatever order they were returned', async () => {
  const calls = await withVenue(
    [
      {
        onTicker: ({ sequence }) => (sequence === 1 ? limitBuy('BTC-USDT', 1, 'x') : [limitBuy('BTC-USDT', 2, 'y'), cancel({ tag: 'x' })]),
      },
    ],
    [ticker(1), ticker(2)],
  );
  expect(calls).toEqual(['submit BTCx', 'cancel t-a-1', 'submit BTCy']);
});

test('nothing is sent before every strategy has received every event of the instant and all is reviewed', async () => {
  const seen: string[] = [];
  const watch = (name: string): Script => ({
    onTicker: ({ symbol }) => {
      seen.push(`${name} ${symbol.slice(0, 3)}`);
      return limitBuy(symbol, 1, name);
    },
    onOrder: ({ kind }) => {
      seen.push(`${name} ${kind}`);
    },
  });
  const calls = await withVenue([watch('a'), watch('b')], [{ kind: 'together', events: [ticker(1), ticker(2, 100, ETH)] }]);
  expect(calls).toEqual(['submit BTCa BTCb', 'submit ETHa ETHb']);
  expect(seen.slice(0, 4)).toEqual(['a BTC', 'b BTC', 'a ETH', 'b ETH']);
  expect(seen.slice(4, 8)).toEqual(['a orderSubmitted', 'b orderSubmitted', 'a orderSubmitted', 'b orderSubmitted']);
});

test('an order that is canceled in the turn that placed it is never sent', async () => {
  expect(
    await withVenue([{ onTicker: () => [limitBuy('BTC-USDT', 1, 'x'), limitBuy('BTC-USDT', 1, 'y'), cancel({ tag: 'x' })] }], [ticker(1)]),
  ).toEqual(['submit BTCy']);
});

test('an order is canceled once, however often its cancel is submitted', async () => {
  const calls = await withVenue(
    [{ onTicker: ({ sequence }) => (sequence === 1 ? limitBuy('BTC-USDT', 1) : [cancel(), cancel()]) }],
    [ticker(1), ticker(2), ticker(3)],
    10,
    false,
  );
  expect(calls).toEqual(['submit BTC', 'cancel t-a-1']);
});

test('each review sees the earlier orders of its turn in flight', async () => {
  const result = await run([strategy('a', { onBar: () => [buy(), buy(), buy()] })], { data: [bars([100])], limits: { maxOpenOrders: 2 } });
  expect(result.log.filter(({ kind }) => kind === 'orderSubmitted')).toHaveLength(2);
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([{ code: 'openOrdersAboveLimit', openOrders: '3', limit: '2' }]);
});

test('a turn continues until nothing is left: a fill causes an order that fills in the same instant', async () => {
  const result = await run(
    [
      strategy('a', {
        onTicker: ({ sequence }) => (sequence === 1 ? buy() : undefined),
        onFill: (_, me) => (me.position().quantity < 4 ? buy() : undefined),
      }),
    ],
    {
      data: [
        tickers([
          [0, 100],
          [1, 101],
        ]),
      ],
    },
  );
  expect(result.filled).toEqual(Array(4).fill('buy 1 at 100'));
  expect(new Set(result.tables.fills.map(({ time }) => time))).toEqual(new Set([T0]));
});

test('two strategies see every event in one order, the fills of one after the price that caused them', async () => {
  const seen: [string, string][] = [];
  const watch = (id: string, more: Script = {}) =>
    strategy(id, {
      symbols: BOTH,
      onTicker: ({ symbol, sequence }, me) => {
        seen.push([id, `${symbol} ${sequence}`]);
        return more.onTicker?.(ticker(sequence), me);
      },
      onOrder: ({ kind }) => {
        seen.push([id, kind]);
      },
    });
  const result = await run([watch('a', { onTicker: ({ sequence }) => (sequence === 1 ? buy() : undefined) }), watch('b')], {
    data: [
      tickers([
        [0, 100],
        [1, 101],
      ]),
      tickers(
        [
          [0, 10],
          [1, 11],
        ],
        ETH,
      ),
    ],
  });
  expect(result.message).toBe('');
  const market = (id: string) => seen.filter(([who, what]) => who === id && what.includes('-')).map(([, what]) => what);
  expect(market('a')).toEqual(['BTC-USDT 1', 'ETH-USDT 2', 'BTC-USDT 3', 'ETH-USDT 4']);
  expect(market('b')).toEqual(market('a'));
  // Orders decided at an instant follow everything that was seen of it.
  expect(seen.map(([who, what]) => `${who} ${what}`).slice(0, 5)).toEqual([
    'a BTC-USDT 1',
    'b BTC-USDT 1',
    'a ETH-USDT 2',
    'b ETH-USDT 2',
    'a orderSubmitted',
  ]);
});

test('the events of an order reach only its strategy, balances reach every stream', async () => {
  const heard: string[] = [];
  await run(
    [
      strategy('a', { onBar: ({ sequence }) => (sequence === 2 ? buy() : undefined), onOrder: ({ kind }) => void heard.push(`a ${kind}`) }),
      strategy('b', {
        onOrder: ({ kind }) => void heard.push(`b ${kind}`),
        intents$: (_, account$) => {
          account$.subscribe(({ kind }) => heard.push(`b$ ${kind}`));
          return of();
        },
      }),
    ],
    { data: [bars([100, 101])] },
  );
  // The opening balance stands before anything starts.
  expect(heard).toEqual(['a orderSubmitted', 'a orderAccepted', 'b$ balanceChanged', 'a orderFilled']);
});

test('hooks see the state of their event: the position holds the fill, the mark is the price', async () => {
  const seen: unknown[] = [];
  await run(
    [
      strategy('a', {
        onTicker: ({ sequence }, me) => {
          seen.push([me.market().mark, me.position().quantity, me.now - T0]);
          return sequence === 1 ? buy() : undefined;
        },
        onFill: (_, me) => void seen.push(['fill', me.position().quantity, me.orders().length, me.net.position('BTC-USDT').quantity]),
      }),
    ],
    {
      data: [
        tickers([
          [0, 100],
          [1, 101],
        ]),
      ],
    },
  );
  expect(seen).toEqual([
    [100, 0, 0],
    ['fill', 1, 0, 1],
    [101, 1, 1000],
  ]);
});

test('observers receive every event, and the state after each turn', async () => {
  const seen: string[] = [];
  await run(
    [strategy('a', { onTicker: ({ sequence }) => (sequence === 1 ? buy() : undefined) })],
    {
      data: [
        tickers([
          [0, 100],
          [1, 101],
        ]),
      ],
    },
    (engine) => {
      engine.market$.subscribe(({ kind }) => seen.push(kind));
      engine.account$.subscribe(({ kind }) => seen.push(kind));
      engine.state$.subscribe((state) => seen.push(`state ${state.openOrders.size}`));
    },
  );
  expect(seen.filter((one) => !one.startsWith('state'))).toEqual([
    'balanceChanged',
    'ticker',
    'orderSubmitted',
    'orderAccepted',
    'balanceChanged',
    'orderFilled',
    'ticker',
  ]);
  expect(seen.at(-1)).toBe('state 0');
});

test('a strategy that answers its own events without end is stopped', async () => {
  const result = await run([strategy('a', { onBar: () => buy('DOGE-USDT'), onOrder: () => buy('DOGE-USDT') })], { data: [bars([100])] });
  expect(result.message).toContain('strategy "a" threw at market data 2 (2025-01-01T00:01:00Z): its own events are answered without end');
  expect(result.failure?.error).toMatchObject({ code: 'STRATEGY_THREW' });
});

test('ids carry bot and strategy, are plain, never repeat, and fit the exchange for ten thousand million orders', () => {
  const ids = new ClientIds('my bot: the very long one');
  const first = ids.next('grid-number-one-and-more');
  expect(first).toBe('mybotthevery-gridnumberoneand-1');
  const seen = new Set([first]);
  for (let n = 2; n <= 2000; n++) seen.add(ids.next('grid-number-one-and-more'));
  expect(seen.size).toBe(2000);
  expect(`${first.slice(0, -1)}9999999999`.length).toBeLessThanOrEqual(40);
});

test('a strategy may trade only the existing symbols that its config lists', async () => {
  const result = await run(
    [strategy('a', { onBar: ({ sequence }) => (sequence === 3 ? [buy('ETH-USDT'), buy('DOGE-USDT')] : undefined) })],
    {
      data: [bars([100]), bars([10], { of: ETH })],
    },
  );
  expect(result.tables.refusals.map(({ reason }) => reason)).toEqual([
    { code: 'instrumentNotTraded', symbol: 'ETH-USDT', strategy: 'a' },
    { code: 'instrumentUnknown', symbol: 'DOGE-USDT' },
  ]);
});

test('several strategies share one account: positions are their own, the net is the sum', async () => {
  const positions: unknown[] = [];
  const result = await run(
    [
      strategy('a', {
        onBar: ({ sequence }) => (sequence === 2 ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 5 }) : undefined),
      }),
      strategy('b', {
        onBar: ({ sequence }, me) => {
          if (sequence === 2) return place({ symbol: 'BTC-USDT', side: 'sell', type: 'market', quantity: 2 });
          const { side, quantity, averagePrice } = me.position();
          positions.push([side, quantity, averagePrice, me.net.position('BTC-USDT').quantity]);
        },
      }),
    ],
    { data: [bars([100, 100])], instruments: [instrument(0)] },
  );
  expect(result.state.books.get('a')!.position(result.state.instruments[0]!, 'net').steps).toBe(5);
  expect(positions).toEqual([['short', 2, 100, 3]]);
});

test.each([
  [true, 'submit BTCundefined of 550'],
  [false, 'submit BTC5 of undefined'],
])(
  'an amount of quote goes out as such where the venue takes one (%s), else as the quantity that it buys at the last price',
  async (taken, expected) => {
    const byAmount = place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quoteQuantity: 550, tag: 'sizes' });
    expect(await withVenue([{ onTicker: () => byAmount }], [ticker(1)], 10, false, taken)).toEqual([expected]);
  },
);
