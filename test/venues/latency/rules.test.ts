import { describe, expect, test } from '@jest/globals';
import type { Intent } from '../../../src/model/intents.ts';
import type { Bar } from '../../../src/model/market-events.ts';
import { place, setTimer } from '../../../src/strategy/intents.ts';
import type { Latency } from '../../../src/venues/simulated/latency.ts';
import { at, instrument, type PlanOptions, type Row, run, type Script, Scripted, secondsOf, series } from '../../builders.ts';
import { fillText } from '../../matching/doors/outcome.ts';

const BTC = instrument();
const BUY = { symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: 1, tag: 'buy' } as const;
const STOP = { symbol: 'BTC-USDT', side: 'sell', type: 'stop', quantity: 1, tag: 'stop' } as const;
const NO_BARS: NonNullable<PlanOptions['bars']> = { from: 'bar', intervals: [[]], graceMs: 0 };

interface Told {
  readonly latency: Partial<Latency>;
  readonly bars?: NonNullable<PlanOptions['bars']>;
  readonly exits?: 'nextBar' | 'entryBar';
}

/** What is filled, and what the script notes. */
async function told(kind: 'bar' | 'quote' | 'ticker', rows: readonly Row[], script: Script, { bars = NO_BARS, ...rest }: Told) {
  const result = await run({ sources: [{ instrument: BTC, kind, open: () => series(kind, rows) }], script, bars, ...rest });
  return { ...result, fills: result.fills.map(fillText) };
}

/** The first time something is seen. */
function once<T>(act: () => T): () => T | undefined {
  let done = false;
  return () => {
    if (done) return undefined;
    done = true;
    return act();
  };
}

describe('on quotes', () => {
  const QUOTES: readonly Row[] = [
    [0, 99, 101],
    [10, 109, 111],
    [12, 89, 91],
    [40, 95, 97],
  ];

  test('all four legs add up: delivered late, decided then, filled at its arrival, reported after the response', async () => {
    const notes: string[] = [];
    const buy = once(() => place(BUY));
    const { fills } = await told(
      'quote',
      QUOTES,
      {
        onQuote(self, { time }) {
          if (notes.length === 0) notes.push(`quote of ${secondsOf(time)} seen at ${secondsOf(self.time)}`);
          return buy();
        },
        onFill: (self) => void notes.push(`fill heard at ${secondsOf(self.time)}`),
      },
      { latency: { feedMs: 3000, entryMs: 8000, responseMs: 2000 } },
    );
    // 0 + 3 s feed = 3, + 8 s entry = 11: the quote of 10 stands, though its buyer sees it at 13 only.
    expect(fills).toEqual(['11 buy buy 1@111 taker']);
    expect(notes).toEqual(['quote of 0 seen at 3', 'fill heard at 13']);
  });

  test('a resting order fills at the time of the quote, and its fill is delivered before that quote', async () => {
    const notes: string[] = [];
    const buy = once(() => place({ ...BUY, type: 'limit', price: 93 }));
    const { fills } = await told(
      'quote',
      QUOTES,
      {
        onQuote(self, { askTicks }) {
          notes.push(`${secondsOf(self.time)} ask ${askTicks}`);
          return buy();
        },
        onFill: (self) => void notes.push(`${secondsOf(self.time)} fill`),
      },
      { latency: { feedMs: 3000 } },
    );
    expect(fills).toEqual(['12 buy buy 1@93 maker']);
    expect(notes).toEqual(['3 ask 101', '12 fill', '13 ask 111', '15 ask 91', '43 ask 97']);
  });

  test('a held stop is triggered by delivered prices, and matches the present price', async () => {
    const stop = once(() => [place(BUY), place({ ...STOP, stopPrice: 95 })]);
    const { fills } = await told('quote', QUOTES, { onQuote: stop }, { latency: { feedMs: 3000 } });
    // The bid of 89 is of 12 and heard at 15; without a feed leg the stop goes at 12.
    expect(fills).toEqual(['3 buy buy 1@101 taker', '15 stop sell 1@89 taker']);
    const again = once(() => [place(BUY), place({ ...STOP, stopPrice: 95 })]);
    const atOnce = await told('quote', QUOTES, { onQuote: again }, { latency: {} });
    expect(atOnce.fills).toEqual(['0 buy buy 1@101 taker', '12 stop sell 1@89 taker']);
  });

  test('timers follow the clock, and see the data delivered by then', async () => {
    const notes: string[] = [];
    await told(
      'quote',
      QUOTES,
      {
        onStart: () => setTimer({ name: 't', at: at(11) }),
        onTimer: (self) => void notes.push(`${secondsOf(self.time)} at the middle ${self.world.market(BTC).markTicks}`),
      },
      { latency: { feedMs: 3000 } },
    );
    expect(notes).toEqual(['11 at the middle 100']);
  });
});

describe('on bars', () => {
  /** Minute bars from the start: `[open, high, low, close]`. */
  const bars = (...list: readonly (readonly [number, number, number, number])[]): Row[] =>
    list.map((bar, index) => [index * 60, ...bar, 1000]);

  test('a decision on a close that is delivered late misses the open of the same time', async () => {
    const rows = bars([100, 100, 100, 100], [110, 110, 110, 110], [120, 120, 120, 120]);
    const { fills } = await told('bar', rows, { onBar: once(() => place(BUY)) }, { latency: { feedMs: 1 } });
    expect(fills).toEqual(['120 buy buy 1@120 taker']);
    const atOnce = await told('bar', rows, { onBar: once(() => place(BUY)) }, { latency: {} });
    expect(atOnce.fills).toEqual(['60 buy buy 1@110 taker']);
  });

  test('a held stop reached inside a bar is released when the path is delivered, and matches the first open after', async () => {
    const rows = bars([100, 100, 100, 100], [100, 100, 100, 100], [100, 101, 94, 98], [98, 98, 98, 98], [97, 97, 97, 97]);
    const stop = () => ({ onBar: once(() => place({ ...STOP, stopPrice: 95 })) });
    const { fills, events } = await told('bar', rows, stop(), { latency: { feedMs: 1 } });
    expect(fills).toEqual(['240 stop sell 1@97 taker']);
    expect(events.filter(({ kind }) => kind === 'orderTriggered').map(({ time }) => secondsOf(time))).toEqual([180.001]);
    const atOnce = await told('bar', rows, stop(), { latency: {} });
    expect(atOnce.fills).toEqual(['180 stop sell 1@95 taker']);
  });

  test('a gap at an open is delivered late too', async () => {
    const rows = bars([100, 100, 100, 100], [100, 100, 100, 100], [90, 90, 90, 90], [88, 88, 88, 88]);
    const { fills, events } = await told('bar', rows, { onBar: once(() => place({ ...STOP, stopPrice: 95 })) }, { latency: { feedMs: 1 } });
    expect(events.filter(({ kind }) => kind === 'orderTriggered').map(({ time }) => secondsOf(time))).toEqual([120.001]);
    expect(fills).toEqual(['180 stop sell 1@88 taker']);
  });

  test('a trailing stop receives the extremes of the path in their order', async () => {
    const rows = bars(
      [100, 100, 100, 100],
      [100, 100, 100, 100],
      [100, 100, 100, 100],
      // While long: the low first, then the high, which takes the stop to 105, then the close below it.
      [100, 110, 99, 104],
      [103, 103, 103, 103],
      [99, 99, 99, 99],
    );
    const enter = once(() => place({ ...BUY, exits: { stopLoss: 90, trailBy: 5 } }));
    const { fills, events } = await told('bar', rows, { onBar: enter }, { latency: { feedMs: 1 } });
    expect(events.filter(({ kind }) => kind === 'orderTriggered').map(({ time }) => secondsOf(time))).toEqual([240.001]);
    expect(fills).toEqual(['120 buy buy 1@100 taker', '300 buy:trailingStop sell 1@99 taker']);
  });

  test('a drawn feed leg draws the same for the data, whatever is held', async () => {
    const rows = bars([100, 100, 100, 100], [100, 101, 94, 98], [98, 98, 98, 98], [98, 98, 98, 98]);
    const heard = async (script: Script) => {
      const times: number[] = [];
      const onBar = (...[self, bar]: Parameters<NonNullable<Script['onBar']>>) => {
        times.push(self.time);
        return script.onBar?.(self, bar);
      };
      await told('bar', rows, { onBar }, { latency: { feedMs: { uniform: [1000, 1500] } } });
      return times;
    };
    const plain = await heard({});
    expect(plain).toHaveLength(4);
    const holding = await heard({ onBar: once(() => place({ ...STOP, stopPrice: 95 })) });
    // Prices of a path are never heard after their bar; it may have to wait for them, but draws what it draws.
    holding.forEach((time, index) => {
      expect(time).toBeGreaterThanOrEqual(plain[index]!);
      expect(time - plain[index]!).toBeLessThanOrEqual(500);
    });
  });
});

describe('bars that are built', () => {
  test('end by the grace period of the clock; a price delivered after that is in no bar', async () => {
    const seen: string[] = [];
    const note = (bar: Bar, now: number) =>
      seen.push(`${secondsOf(now)}: ${secondsOf(bar.openTime)} ${bar.openTicks} ${bar.highTicks} ${bar.lowTicks} ${bar.closeTicks}`);
    await told(
      'ticker',
      [
        [0, 100],
        [30, 105],
        [59.5, 90],
        [61, 101],
        [121, 102],
      ],
      { onBar: (self, bar) => void note(bar, self.time) },
      { latency: { feedMs: 3000 }, bars: { from: 'ticker', intervals: [[60_000]], graceMs: 2000 } },
    );
    // 59.5 is heard at 62.5; the first bar ended at 60 + 2. The second ends by the grace as well: 121 is heard at 124.
    expect(seen).toEqual(['62: 0 100 105 100 105', '122: 60 101 101 101 101']);
  });
});

describe('an overloaded exchange', () => {
  const TICKERS: readonly Row[] = [0, 1, 2, 3, 20].map((second) => [second, 100 + second]);

  test('refuses an order on its arrival, which is reported after the response, and counts as refused by the venue', async () => {
    const heard: string[] = [];
    const { fills, tables } = await told(
      'ticker',
      TICKERS,
      {
        onTicker: once(() => place(BUY)),
        onOrder: (self, event) => void (event.kind === 'orderRejected' && heard.push(`${secondsOf(event.time)} ${secondsOf(self.time)}`)),
      },
      { latency: { entryMs: 1000, responseMs: 500, overload: { probability: 1 } } },
    );
    expect(fills).toEqual([]);
    expect(heard).toEqual(['1 1.5']);
    expect(tables.refusals.map(({ by, tag, reason }) => ({ by, tag, reason }))).toEqual([
      { by: 'venue', tag: 'buy', reason: { code: 'overloaded', by: 'chance', orders: '1', windowMs: '1000' } },
    ]);
  });

  test('accepts as many as its rate allows: two orders of one time, not the third', async () => {
    const three = once(() => ['a', 'b', 'c'].map((tag) => place({ ...BUY, tag })));
    const { fills, tables } = await told('ticker', TICKERS, { onTicker: three }, { latency: { overload: { ordersPerSecond: 2 } } });
    expect(fills).toEqual(['0 a buy 1@100 taker', '0 b buy 1@100 taker']);
    expect(tables.refusals.map(({ tag, reason }) => [tag, reason])).toEqual([
      ['c', { code: 'overloaded', by: 'rate', orders: '3', windowMs: '1000' }],
    ]);
  });

  test('a recorded row gives the legs of its time, and a refused one refuses after its response', async () => {
    const times = Float64Array.of(at(0), at(2));
    const recorded = {
      entry: { times, delays: Float64Array.of(1000, Number.NaN) },
      response: { times, delays: Float64Array.of(250, 700) },
    };
    const heard: string[] = [];
    const { fills, tables } = await told(
      'ticker',
      TICKERS,
      {
        onTicker: (_self, { lastTicks }) =>
          lastTicks === 100 || lastTicks === 103 ? place({ ...BUY, tag: `at ${lastTicks}` }) : undefined,
        onOrder: (self, event) =>
          void (event.kind !== 'orderSubmitted' && heard.push(`${event.kind} ${secondsOf(event.time)} ${secondsOf(self.time)}`)),
      },
      { latency: { recorded } },
    );
    expect(fills).toEqual(['1 at 100 buy 1@101 taker']);
    expect(heard).toEqual(['orderAccepted 1 1.25', 'orderFilled 1 1.25', 'orderRejected 3 3.7']);
    expect(tables.refusals.map(({ reason }) => reason)).toEqual([{ code: 'overloaded', by: 'record', orders: '1', windowMs: '1000' }]);
  });
});

describe('a drawn delay', () => {
  const rows = Array.from({ length: 200 }, (_, index): Row => [index, 100 + ((index * 7) % 11)]);
  const logOf = async (seed: number) => {
    const drawn = { lognormal: { median: 800, sigma: 1 } };
    const latency = { feedMs: drawn, entryMs: drawn, responseMs: drawn, cancelMs: drawn, seed, overload: { probability: 0.1 } };
    const script: Script = { onTicker: (_self, { lastTicks }) => place({ ...BUY, side: lastTicks > 105 ? 'sell' : 'buy' }) };
    return (await told('ticker', rows, script, { latency })).eventLogSha256;
  };

  test('leaves the same event log for the same seed, and another for another', async () => {
    const one = await logOf(1);
    expect(await logOf(1)).toBe(one);
    expect(await logOf(2)).not.toBe(one);
  });
});

describe('with bars, several strategies', () => {
  /** What `own` fills, alone and beside another strategy, over flat minutes at 92 but for these; both answer their first bar. */
  async function fillsOf(own: readonly Intent[], other: readonly Intent[], bars: Readonly<Record<number, Row>> = {}) {
    const rows = [0, 60, 120, 180, 240].map((second): Row => bars[second] ?? [second, 92, 92, 92, 92]);
    const strategy = (id: string, intents: readonly Intent[]) => {
      const answer = once(() => [...intents]);
      return {
        id,
        symbols: [BTC.symbol],
        params: {},
        create: (context: ConstructorParameters<typeof Scripted>[0]) => new Scripted(context, { onBar: () => answer() }),
      };
    };
    const { fills } = await run({
      sources: [{ instrument: BTC, kind: 'bar', open: () => series('bar', rows) }],
      kind: 'netting',
      bars: NO_BARS,
      exits: 'entryBar',
      latency: { feedMs: 300 },
      strategies: [strategy('own', own), ...(other.length === 0 ? [] : [strategy('other', other)])],
    });
    return fills.filter(({ strategyId }) => strategyId === 'own').map(fillText);
  }

  test.each<[string, Intent[], Intent[], Record<number, Row>, string[]]>([
    [
      'a fill of another at an open judges no order by that open before it is heard',
      [place({ ...BUY, type: 'stop', stopPrice: 92 })],
      [place({ ...BUY, exits: { stopLoss: 80 } })],
      {},
      ['180 buy buy 1@92 taker'],
    ],
    [
      'an exit is not judged by prices before its entry, which an order of another has told',
      [place({ ...BUY, exits: { trailBy: 1 } })],
      [place({ ...BUY, type: 'stop', stopPrice: 200 })],
      { 60: [60, 92, 97, 92, 97] },
      ['120 buy buy 1@92 taker'],
    ],
  ])('%s', async (_, own, other, bars, expected) => {
    expect(await fillsOf(own, [], bars)).toEqual(expected);
    expect(await fillsOf(own, other, bars)).toEqual(expected);
  });
});
