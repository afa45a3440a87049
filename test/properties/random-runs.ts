import fc from 'fast-check';
import type { FillSettings } from '../../src/matching/settings.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import type { Intent } from '../../src/model/intents.ts';
import type { MarketEvent, MarketEventKind } from '../../src/model/market-events.ts';
import { cancel, place, protect } from '../../src/strategy/intents.ts';
import type { Delay } from '../../src/venues/simulated/latency.ts';
import { instrument, type PlanOptions, type Row, type Scripted, series } from '../builders.ts';

export type Feed = 'bar' | 'quote' | 'trade' | 'ticker' | 'quote and trade' | 'quote of two';
export const FEEDS: readonly Exclude<Feed, 'quote of two'>[] = ['bar', 'quote', 'trade', 'ticker', 'quote and trade'];

/** What a strategy may do at one market event, relative to the price it sees. */
interface Action {
  readonly event: number;
  readonly do: 'market' | 'amount' | 'limit' | 'stop' | 'stopLimit' | 'bracket' | 'relative' | 'protect' | 'cancel' | 'reduce';
  readonly buy: boolean;
  readonly quantity: number;
  readonly offset: number;
  readonly force: 'GTC' | 'IOC' | 'FOK';
  readonly postOnly: boolean;
}

/** One random case: it makes the same plan, with data of its own, as often as it is asked. */
export interface RandomRun {
  readonly feed: Feed;
  readonly kind: 'spot' | 'netting';
  readonly rows: Partial<Record<MarketEventKind, readonly Row[]>>;
  /** Quotes of a second instrument. */
  readonly second: readonly Row[] | undefined;
  readonly fills: Partial<FillSettings>;
  readonly exits: 'nextBar' | 'entryBar';
  readonly latencyMs: number;
  readonly feedMs: Delay;
  readonly closeAtEnd: boolean;
  readonly actions: readonly Action[];
}

const price = fc.integer({ min: 90, max: 110 });
const size = fc.integer({ min: 0, max: 8 });

const barRows = fc
  .array(fc.tuple(price, price, price, price, fc.integer({ min: 0, max: 60 }), fc.boolean()), { minLength: 2, maxLength: 25 })
  .map((bars) => {
    let minute = 0;
    return bars.map(([open, a, b, close, volume, gap]): Row => {
      minute += gap && minute > 0 ? 3 : 1;
      return [(minute - 1) * 60, open, Math.max(open, a, b, close), Math.min(open, a, b, close), close, volume];
    });
  });

/** Times that repeat now and then, so that several events share an instant. */
function timed<T extends readonly number[]>(row: fc.Arbitrary<T>): fc.Arbitrary<Row[]> {
  return fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), row), { minLength: 2, maxLength: 40 }).map((rows) => {
    let time = 0;
    return rows.map(([step, columns]): Row => {
      time += step;
      return [time, ...columns];
    });
  });
}
const quoteRows = timed(
  fc.tuple(price, fc.integer({ min: 1, max: 4 }), size, size).map(([bid, spread, a, b]) => [bid, bid + spread, a, b] as const),
);
const tradeRows = timed(fc.tuple(price, size, fc.constantFrom(-1, 0, 1)));
const tickerRows = timed(fc.tuple(price));

function rowsOf(feed: Feed): fc.Arbitrary<RandomRun['rows']> {
  switch (feed) {
    case 'bar':
      return barRows.map((bar) => ({ bar }));
    case 'quote':
    case 'quote of two':
      return quoteRows.map((quote) => ({ quote }));
    case 'trade':
      return tradeRows.map((trade) => ({ trade }));
    case 'ticker':
      return tickerRows.map((ticker) => ({ ticker }));
    case 'quote and trade':
      return fc.record({ quote: quoteRows, trade: tradeRows });
  }
}

/** At times of their own, or at times that are those of the first. */
const secondRows = fc
  .tuple(quoteRows, fc.constantFrom(0, 0.5, 0.5))
  .map(([rows, later]) => rows.map(([time, ...columns]): Row => [time! + later, ...columns]));

export const anyFills: fc.Arbitrary<Partial<FillSettings>> = fc.record({
  market: fc.constantFrom('nextOpen', 'close'),
  limit: fc.constantFrom<FillSettings['limit']>('touch', 'strictCross', { penetrateTicks: 2 }),
  gapFill: fc.constantFrom('limit', 'better'),
  path: fc.constantFrom('worst', 'best', 'ohlc', 'olhc', 'nearest'),
  barVolumeShare: fc.constantFrom(undefined, 0.1, 0.5),
});

const action: fc.Arbitrary<Action> = fc.record({
  event: fc.integer({ min: 0, max: 40 }),
  do: fc.constantFrom(
    'market',
    'amount',
    'limit',
    'limit',
    'limit',
    'stop',
    'stopLimit',
    'bracket',
    'relative',
    'protect',
    'cancel',
    'reduce',
  ),
  buy: fc.boolean(),
  quantity: fc.integer({ min: 1, max: 9 }),
  offset: fc.integer({ min: -6, max: 6 }),
  force: fc.constantFrom('GTC', 'GTC', 'GTC', 'IOC', 'FOK'),
  postOnly: fc.boolean(),
});

export function randomRun(feed: Feed): fc.Arbitrary<RandomRun> {
  return fc.record({
    feed: fc.constant(feed),
    kind: fc.constantFrom('spot', 'netting'),
    rows: rowsOf(feed),
    second: feed === 'quote of two' ? secondRows : fc.constant(undefined),
    fills: anyFills,
    exits: fc.constantFrom('nextBar', 'entryBar'),
    latencyMs: fc.constantFrom(0, 0, 0, 500, 60_000),
    feedMs: fc.constantFrom<Delay>(0, 0, 0, 400, { uniform: [0, 90_000] }),
    closeAtEnd: fc.boolean(),
    actions: fc.array(action, { maxLength: 25 }),
  });
}

function intentOf(one: Action, { symbol }: Instrument, mark: number): Intent {
  const { buy, quantity, offset, force, postOnly } = one;
  const base = { symbol, side: buy ? 'buy' : 'sell', quantity } as const;
  const limit = Math.round(mark) + offset;
  switch (one.do) {
    case 'market':
      return place({ ...base, type: 'market', timeInForce: force });
    case 'amount':
      return place({ symbol, side: 'buy', type: 'market', quoteQuantity: quantity * 75, timeInForce: force });
    case 'limit':
      return place({ ...base, type: 'limit', price: limit, timeInForce: force, postOnly: postOnly && force === 'GTC' });
    case 'stop':
      return place({ ...base, type: 'stop', stopPrice: limit });
    case 'stopLimit':
      return place({ ...base, type: 'stopLimit', stopPrice: limit, price: limit + (buy ? 1 : -1) });
    case 'bracket': {
      const reach = Math.abs(offset) + 1;
      const exits = {
        stopLoss: Math.round(mark) + (buy ? -reach : reach),
        takeProfit: Math.round(mark) + (buy ? reach : -reach),
        ...(reach % 2 === 0 ? { trailBy: reach } : {}),
      };
      return place({ ...base, type: postOnly ? 'limit' : 'market', ...(postOnly ? { price: limit } : {}), exits });
    }
    case 'relative': {
      const reach = Math.abs(offset) + 1;
      const takeProfit = force === 'GTC' ? { percent: reach / 2, maker: postOnly } : { distance: reach, maker: postOnly };
      const trail = quantity % 3 === 0 ? { trail: { percent: reach, activateAt: { distance: quantity } } } : {};
      const stopLoss = quantity % 2 === 0 ? { stopLoss: { percent: reach } } : {};
      return place({
        ...base,
        type: postOnly ? 'limit' : 'market',
        ...(postOnly ? { price: limit } : {}),
        exits: { takeProfit, ...trail, ...stopLoss },
      });
    }
    case 'protect':
      return protect({ ...base, stopLoss: Math.round(mark) - offset, takeProfit: Math.round(mark) + offset });
    case 'cancel':
      return cancel();
    case 'reduce':
      return place({ ...base, type: 'market', reduceOnly: true });
  }
}

type Recorded = readonly [Instrument, MarketEventKind, readonly Row[]];

/** The options of a fresh plan for this case. @param chunkRows rows that are read at once. */
export function planOf(random: RandomRun, chunkRows?: number): PlanOptions {
  const { kind, rows, second, fills, exits, latencyMs, feedMs, closeAtEnd, actions } = random;
  const spec = { stepSize: '0.1', tickSize: '1', makerFee: '0.0007', takerFee: '0.0013' };
  const traded = instrument(spec);
  const recorded: readonly Recorded[] = [
    ...(Object.entries(rows) as [MarketEventKind, readonly Row[]][]).map(([of, data]): Recorded => [traded, of, data]),
    ...(second === undefined ? [] : [[instrument({ ...spec, symbol: 'ETH-USDT' }, 1), 'quote', second] satisfies Recorded]),
  ];
  let seen = 0;
  const act = (self: Scripted, { instrument: of }: MarketEvent): Intent[] => {
    const index = seen++;
    const { mark } = self.world.market(of);
    return actions.filter(({ event }) => event === index).map((one) => intentOf(one, of, mark));
  };
  return {
    sources: recorded.map(([of, dataKind, data]) => ({
      instrument: of,
      kind: dataKind,
      open: () => ({ ...series(dataKind, data, chunkRows === undefined ? {} : { chunkRows }), quantity: { multiply: 10, divide: 1 } }),
    })),
    kind,
    fills,
    exits,
    closeAtEnd,
    latency: { entryMs: latencyMs, cancelMs: latencyMs, responseMs: latencyMs, feedMs },
    balances: kind === 'spot' ? { USDT: '2500', BTC: '7.35', ...(second === undefined ? {} : { ETH: '4.1' }) } : { USDT: '2500' },
    bars: { from: 'bar', intervals: second === undefined ? [[]] : [[], []], graceMs: 0 },
    script: { onBar: act, onQuote: act, onTrade: act, onTicker: act },
  };
}
