import { describe, expect, test } from '@jest/globals';
import { cancel, place, protect, setTimer } from '../../src/strategy/intents.ts';
import { at, instrument, MINUTE_MS, minuteBars, type PlanOptions, type Row, run, type Script, secondsOf, series } from '../builders.ts';
import { endText, fillText } from '../matching/doors/outcome.ts';

const BTC = instrument({ symbol: 'BTC-USDT' }, 0);
const ETH = instrument({ symbol: 'ETH-USDT' }, 1);
const bars = (of: typeof BTC, rows: readonly Row[], intervalMs = MINUTE_MS) =>
  ({ instrument: of, kind: 'bar', open: () => series('bar', rows, { intervalMs }) }) as const;
const quotes = (rows: readonly Row[]) => ({ instrument: BTC, kind: 'quote', open: () => series('quote', rows) }) as const;
const buy = (symbol: string, tag = symbol) => place({ symbol, side: 'buy', type: 'market', quantity: 1, tag });
const FLAT = [100, 100, 100, 100] as const;

async function fillsOf(options: PlanOptions): Promise<string[]> {
  const { fills } = await run(options);
  return fills.map((fill) => `${fill.symbol} ${fillText(fill)}`);
}

async function ended(options: PlanOptions) {
  const result = await run(options);
  const ends = result.events.map((event) => endText(event, (id) => result.state.order(id)?.tag ?? id)).filter((text) => text !== undefined);
  return { ...result, ends };
}

describe('several symbols', () => {
  test('an order on one symbol, decided at the close of another of the same time, meets its own next open', async () => {
    const got = await fillsOf({
      sources: [bars(BTC, minuteBars(FLAT, FLAT)), bars(ETH, minuteBars([50, 50, 50, 50], [51, 51, 51, 51]))],
      script: { onBar: (_self, bar) => (bar.symbol === 'BTC-USDT' && bar.time === at(60) ? buy('ETH-USDT', 'a') : undefined) },
    });
    expect(got).toEqual(['ETH-USDT 60 a buy 1@51 taker']);
  });

  test('an order decided inside the longer bar of another symbol waits for that symbol’s next open', async () => {
    const got = await fillsOf({
      sources: [
        bars(BTC, minuteBars(FLAT, FLAT, FLAT, FLAT, FLAT, FLAT)),
        bars(
          ETH,
          [
            [0, 50, 60, 40, 55],
            [300, 56, 56, 56, 56],
          ],
          5 * MINUTE_MS,
        ),
      ],
      script: {
        onBar: (_self, bar) =>
          bar.symbol === 'BTC-USDT' && bar.time === at(120)
            ? place({ symbol: 'ETH-USDT', side: 'buy', type: 'limit', price: 70, quantity: 1, tag: 'a' })
            : undefined,
      },
    });
    expect(got).toEqual(['ETH-USDT 300 a buy 1@56 taker']);
  });

  test('a plain order that a fill inside one bar causes waits for the next open, on its symbol and on others', async () => {
    const got = await fillsOf({
      sources: [
        bars(BTC, minuteBars(FLAT, [100, 100, 90, 95], [96, 96, 96, 96])),
        bars(ETH, minuteBars(FLAT, [100, 100, 80, 90], [91, 91, 91, 91])),
      ],
      script: {
        onBar: (_self, bar) =>
          bar.symbol === 'BTC-USDT' && bar.time === at(60)
            ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 95, quantity: 1, tag: 'in' })
            : undefined,
        onFill: (_self, fill) =>
          fill.tag === 'in'
            ? [buy('BTC-USDT', 'more'), place({ symbol: 'ETH-USDT', side: 'buy', type: 'limit', price: 85, quantity: 1, tag: 'dip' })]
            : undefined,
      },
    });
    expect(got).toEqual(['BTC-USDT 120 in buy 1@95 maker', 'BTC-USDT 120 more buy 1@96 taker']);
  });

  test('a fill at one symbol’s open may still send an order to another open of the same time', async () => {
    const got = await fillsOf({
      sources: [bars(BTC, minuteBars(FLAT, FLAT)), bars(ETH, minuteBars(FLAT, [51, 51, 51, 51]))],
      script: {
        onBar: (_self, bar) => (bar.symbol === 'BTC-USDT' && bar.time === at(60) ? buy('BTC-USDT', 'a') : undefined),
        onFill: (_self, fill) => (fill.tag === 'a' ? buy('ETH-USDT', 'b') : undefined),
      },
    });
    expect(got).toEqual(['BTC-USDT 60 a buy 1@100 taker', 'ETH-USDT 60 b buy 1@51 taker']);
  });
});

describe('inside a bar', () => {
  test('a cancel that a fill causes takes effect on the rest of the path', async () => {
    const got = await fillsOf({
      sources: [bars(BTC, minuteBars(FLAT, [100, 110, 90, 100]))],
      fills: { path: 'olhc' },
      script: {
        onBar: (_self, bar) =>
          bar.time === at(60)
            ? [
                place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 95, quantity: 1, tag: 'low' }),
                place({ symbol: 'BTC-USDT', side: 'sell', type: 'limit', price: 105, quantity: 1, tag: 'high' }),
              ]
            : undefined,
        onFill: () => cancel(),
      },
    });
    expect(got).toEqual(['BTC-USDT 120 low buy 1@95 maker']);
  });

  test('a strategy that answers every fill with a stop the other way does not hold the walk for ever', async () => {
    const turn = (side: 'buy' | 'sell', stopPrice: number) => place({ symbol: 'BTC-USDT', side, type: 'stop', stopPrice, quantity: 2 });
    const { fills } = await run({
      sources: [bars(BTC, minuteBars(FLAT, [100, 110, 90, 100]))],
      script: {
        onBar: (_self, bar) => (bar.time === at(60) ? turn('buy', 101) : undefined),
        onFill: (_self, fill) => (fill.side === 'buy' ? turn('sell', 99) : turn('buy', 101)),
      },
    });
    expect(fills.length).toBeLessThan(300);
  });

  const DIP = [bars(BTC, minuteBars(FLAT, [100, 100, 90, 95], [96, 96, 96, 96]))];

  test('a stop that a timer sets inside a bar is not triggered by earlier prices of that bar', async () => {
    const got = await fillsOf({
      sources: DIP,
      script: {
        onStart: () => setTimer({ name: 'late', at: at(119) }),
        onTimer: () => place({ symbol: 'BTC-USDT', side: 'sell', type: 'stop', stopPrice: 95, quantity: 1, tag: 'a' }),
      },
    });
    expect(got).toEqual([]);
  });

  test('a stop that a strategy sets after a fill inside a bar waits for the next open, like plain orders', async () => {
    const got = await fillsOf({
      sources: DIP,
      script: {
        onBar: (_self, bar) =>
          bar.time === at(60) ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 97, quantity: 1, tag: 'in' }) : undefined,
        onFill: (_self, fill) =>
          fill.tag === 'in' ? place({ symbol: 'BTC-USDT', side: 'sell', type: 'stop', stopPrice: 93, quantity: 1, tag: 'out' }) : undefined,
      },
    });
    expect(got).toEqual(['BTC-USDT 120 in buy 1@97 maker']);
  });

  test('`exits: nextBar` applies to exits that a strategy sets itself, with protect(), after its entry', async () => {
    const got = await fillsOf({
      sources: DIP,
      script: {
        onBar: (_self, bar) =>
          bar.time === at(60) ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 97, quantity: 1, tag: 'in' }) : undefined,
        onFill: (_self, fill) => (fill.tag === 'in' ? protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 1, stopLoss: 93 }) : undefined),
      },
    });
    expect(got).toEqual(['BTC-USDT 120 in buy 1@97 maker']);
  });

  const ENTER: Script['onBar'] = (_self, bar) =>
    bar.time === at(60) ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1, tag: 'in' }) : undefined;
  const DIPS = [bars(BTC, minuteBars(FLAT, [100, 100, 90, 96], [96, 96, 94, 96]))];

  test('a stop sent at the instant of an open is checked at that open', async () => {
    const got = await fillsOf({
      sources: DIPS,
      script: {
        onBar: ENTER,
        onFill: (_self, fill) =>
          fill.tag === 'in'
            ? place({ symbol: 'BTC-USDT', side: 'sell', type: 'stop', stopPrice: 105, quantity: 1, tag: 'out' })
            : undefined,
      },
    });
    expect(got).toEqual(['BTC-USDT 60 in buy 1@100 taker', 'BTC-USDT 60 out sell 1@100 taker']);
  });

  test.each([
    ['nextBar', 180],
    ['entryBar', 120],
  ] as const)('exits that a strategy sets after a fill at an open follow `exits: %s`', async (exits, end) => {
    const onFill: Script['onFill'] = (_self, fill) =>
      fill.tag === 'in' ? protect({ symbol: 'BTC-USDT', side: 'sell', quantity: 1, stopLoss: 95, tag: 'out' }) : undefined;
    const got = await fillsOf({ sources: DIPS, exits, script: { onBar: ENTER, onFill } });
    expect(got).toEqual(['BTC-USDT 60 in buy 1@100 taker', `BTC-USDT ${end} out:stopLoss sell 1@95 taker`]);
  });

  test('exits of a fill that is delivered late ignore the bar in which it is delivered', async () => {
    const script: Script = {
      onBar: (_self, bar) =>
        bar.time === at(60)
          ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1, tag: 'in', exits: { stopLoss: 95 } })
          : undefined,
    };
    const got = await fillsOf({ sources: DIPS, exits: 'entryBar', latency: { responseMs: 5000 }, script });
    expect(got).toEqual(['BTC-USDT 60 in buy 1@100 taker', 'BTC-USDT 180 in:stopLoss sell 1@95 taker']);
  });
});

describe('latency', () => {
  const STEADY: Row[] = [
    [0, 100, 102],
    [10, 100, 102],
    [20, 100, 102],
    [30, 100, 102],
  ];

  test('replies reach the strategy after the response leg, in order, and have the venue’s time', async () => {
    const heard: string[] = [];
    await run({
      sources: [quotes(STEADY)],
      latency: { entryMs: 1000, responseMs: 2000 },
      script: {
        onQuote: (_self, quote) => (quote.time === at(0) ? buy('BTC-USDT', 'a') : undefined),
        onOrder: (self, event) => {
          heard.push(`${secondsOf(self.time)} ${event.kind} of ${secondsOf(event.time)}`);
        },
      },
    });
    expect(heard).toEqual(['0 orderSubmitted of 0', '3 orderAccepted of 1', '3 orderFilled of 1']);
  });

  test('the opening balances are known at once, whatever the response leg', async () => {
    let start = '';
    await run({
      sources: [quotes(STEADY)],
      latency: { responseMs: 5000 },
      script: {
        onQuote: (self) => {
          start ||= self.world.portfolio.balance('USDT').total.toFixed();
        },
      },
    });
    expect(start).toBe('1000000');
  });

  test('no fill has a time before its order was sent', async () => {
    const { fills } = await run({
      sources: [quotes(STEADY)],
      latency: { entryMs: 4000 },
      script: { onQuote: (_self, quote) => (quote.time < at(30) ? buy('BTC-USDT', 'a') : undefined) },
    });
    expect(fills.map(({ time, pricedTime }) => [secondsOf(time), secondsOf(pricedTime)])).toEqual([
      [4, 0],
      [14, 10],
      [24, 20],
    ]);
  });

  test('a cancel that overtakes its order is refused, and the order then works', async () => {
    const { fills } = await run({
      sources: [quotes(STEADY)],
      latency: { entryMs: 1000, cancelMs: 0 },
      script: {
        onQuote: (_self, quote) => (quote.time === at(0) ? [buy('BTC-USDT', 'a'), setTimer({ name: 'c', at: at(0.5) })] : undefined),
        onTimer: () => cancel({ tag: 'a' }),
      },
    });
    expect(fills.map(fillText)).toEqual(['1 a buy 1@102 taker']);
  });
});

describe('the end of the run', () => {
  test('orders of onStop match the last price, and the rest expires', async () => {
    const { fills, ends } = await ended({
      sources: [bars(BTC, minuteBars(FLAT, [100, 105, 95, 103]))],
      script: {
        onStop: () => [
          buy('BTC-USDT', 'out'),
          place({ symbol: 'BTC-USDT', side: 'sell', type: 'limit', price: 110, quantity: 1, tag: 'rest' }),
        ],
      },
    });
    expect(fills.map(fillText)).toEqual(['120 out buy 1@103 taker']);
    expect(ends).toEqual(['rest expired endOfRun']);
  });

  test('orders that the engine still holds expire with it, and intents after that are ignored', async () => {
    const asked = (tag: string) => place({ symbol: 'BTC-USDT', side: 'sell', type: 'stop', stopPrice: 50, quantity: 1, tag });
    const { ends, tables, state } = await ended({
      sources: [bars(BTC, minuteBars(FLAT, FLAT))],
      script: {
        onBar: (_self, bar) =>
          bar.time === at(60)
            ? place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1, tag: 'in', exits: { stopLoss: 90, takeProfit: 110 } })
            : undefined,
        onStop: () => asked('late'),
        onOrder: (_self, event) => (event.kind === 'orderExpired' ? asked('again') : undefined),
      },
    });
    expect(ends).toEqual(['in:stopLoss expired endOfRun', 'in:takeProfit expired endOfRun', 'late expired endOfRun']);
    expect(state.openOrders.size).toBe(0);
    expect(tables.orders.map(({ tag, status, endTime }) => `${tag} ${status} ${secondsOf(endTime!)}`)).toEqual([
      'in filled 60',
      'in:stopLoss expired 120',
      'in:takeProfit expired 120',
      'late expired 120',
    ]);
  });

  test('positions are marked at the last price and stay open by default', async () => {
    const { state } = await run({
      sources: [bars(BTC, minuteBars(FLAT, [100, 105, 95, 103]))],
      balances: { USDT: '1000' },
      script: { onBar: (_self, bar) => (bar.time === at(60) ? buy('BTC-USDT') : undefined) },
    });
    expect(state.position(state.instruments[0]!, 'net').steps).toBe(1);
    // 1000 - 100 + 103
    expect(state.portfolio.exactEquity().toFixed()).toBe('1003');
  });

  test.each([0, 1, 5000])('with a latency of %d ms everything is closed if configured', async (entryMs) => {
    const { state, ends } = await ended({
      sources: [quotes(STEADY_UP)],
      latency: { entryMs, cancelMs: entryMs, responseMs: entryMs },
      closeAtEnd: true,
      script: {
        onQuote: (_self, quote) =>
          quote.time === at(0)
            ? [buy('BTC-USDT', 'a'), place({ symbol: 'BTC-USDT', side: 'buy', type: 'limit', price: 50, quantity: 1, tag: 'rest' })]
            : undefined,
      },
    });
    expect(state.position(state.instruments[0]!, 'net').steps).toBe(0);
    expect(ends).toEqual(['rest canceled requested']);
    expect(state.openOrders.size).toBe(0);
  });
});

const STEADY_UP: Row[] = [
  [0, 100, 102],
  [20, 104, 106],
  [40, 108, 110],
];
