import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FillSettings } from '../../src/matching/settings.ts';
import type { AccountEvent } from '../../src/model/account-events.ts';
import { Decimal } from '../../src/model/decimal.ts';
import { place } from '../../src/strategy/intents.ts';
import type { Intents } from '../../src/strategy/strategy.ts';
import { at, perpetual, type Row, run, type Script, type Scripted, series } from '../builders.ts';

// The same bracket on two accounts: where the engine holds exits (netting) and where the venue does (futures). With
// margin enough, both must trade alike, whatever the prices do.

interface Bracket {
  readonly event: number;
  readonly buy: boolean;
  readonly quantity: number;
  readonly entry: 'market' | 'limit' | 'stop';
  readonly reach: number;
  readonly stop: number | undefined;
  readonly profit: number | undefined;
}

const SYMBOL = 'BTC-USDT-PERP';
const price = fc.integer({ min: 480, max: 520 });
const bracket: fc.Arbitrary<Bracket> = fc.record({
  event: fc.integer({ min: 0, max: 6 }),
  buy: fc.boolean(),
  quantity: fc.integer({ min: 1, max: 9 }),
  entry: fc.constantFrom('market', 'limit', 'stop'),
  reach: fc.integer({ min: 1, max: 8 }),
  stop: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }),
  profit: fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }),
});

const bars = fc
  .array(fc.tuple(price, price, price, price), { minLength: 4, maxLength: 25 })
  .map((rows) =>
    rows.map(([open, a, b, close], index): Row => [index * 60, open, Math.max(open, a, b, close), Math.min(open, a, b, close), close, 40]),
  );
const tickers = fc.array(price, { minLength: 4, maxLength: 25 }).map((rows) => rows.map((last, index): Row => [index, last]));

/** Opens the bracket at its event. */
function scripted({ event, buy, quantity, entry, reach, stop, profit }: Bracket): Script {
  let seen = 0;
  const act = (self: Scripted): Intents => {
    if (seen++ !== event) return undefined;
    const { lastTicks } = self.world.market(self.world.instruments[0]!);
    const way = buy ? 1 : -1;
    const base = entry === 'market' ? lastTicks : entry === 'limit' ? lastTicks - way * reach : lastTicks + way * reach;
    const exits = {
      ...(stop === undefined ? {} : { stopLoss: base - way * stop }),
      ...(profit === undefined ? {} : { takeProfit: base + way * profit }),
    };
    return place({
      symbol: SYMBOL,
      side: buy ? 'buy' : 'sell',
      type: entry,
      quantity,
      ...(entry === 'limit' ? { price: base } : {}),
      ...(entry === 'stop' ? { stopPrice: base } : {}),
      ...(stop === undefined && profit === undefined ? {} : { exits }),
    });
  };
  return { onBar: act, onTicker: act };
}

interface Case {
  readonly kind: 'bar' | 'ticker';
  readonly rows: readonly Row[];
  readonly bracket: Bracket;
  readonly exits: 'nextBar' | 'entryBar';
  readonly fills: Partial<FillSettings>;
}

/**
 * Whether a stop or an exit goes out whose price was reached already: as a plain order, or as a trigger at the present price, which the
 * next open reaches at any price. The present price may be that of the last fill, a tick beyond it (a strict cross), or any of its
 * bar: a limit fills at its own price where the market went or opened beyond it.
 */
function hasReached(events: readonly AccountEvent[], rows: readonly Row[]): boolean {
  let present: readonly (number | undefined)[] = [];
  return events.some((event) => {
    if (event.kind === 'orderFilled') {
      const past = rows.filter(([seconds]) => at(seconds) <= event.fill.time);
      const { priceTicks } = event.fill;
      present = [priceTicks - 1, priceTicks, priceTicks + 1, ...past.slice(-2).flatMap((row) => row.slice(1, 5))];
    }
    if (event.kind !== 'orderSubmitted' || (event.stopTicks === undefined && event.request.tag === '')) return false;
    const { priceTicks, triggerTicks, fromNextBar } = event.request;
    return triggerTicks !== (event.stopTicks ?? priceTicks) || (fromNextBar && present.includes(triggerTicks));
  });
}

async function fillsOf({ kind, rows, bracket: asked, exits, fills }: Case, account: 'netting' | 'futures') {
  const traded = perpetual();
  const result = await run({
    sources: [{ instrument: traded, kind, open: () => series(kind, rows) }],
    kind: account,
    margin: { longLeverage: new Decimal(1), shortLeverage: new Decimal(1) },
    bars: { from: 'bar', intervals: [[]], graceMs: 0 },
    exits,
    fills,
    script: scripted(asked),
  });
  const reached = account === 'futures' && hasReached(result.events, rows);
  return {
    reached,
    fills: result.fills.map(
      ({ side, steps, priceTicks, time, tag }) => `${side} ${steps} at ${priceTicks} ${(time - at(0)) / 1000} ${tag}`,
    ),
  };
}

const settings: fc.Arbitrary<Partial<FillSettings>> = fc.record({
  market: fc.constantFrom('nextOpen', 'close'),
  limit: fc.constantFrom('touch', 'strictCross'),
  gapFill: fc.constantFrom('limit', 'better'),
  path: fc.constantFrom('worst', 'ohlc', 'olhc', 'nearest'),
});

const flat = (price: number, index: number): Row => [index * 60, price, price, price, price, 40];

test.each(['bar', 'ticker'] as const)('brackets trade alike, held by the engine or waiting at the venue: %ss', async (kind) => {
  await fc.assert(
    fc.asyncProperty(
      kind === 'bar' ? bars : tickers,
      bracket,
      fc.constantFrom<Case['exits']>('nextBar', 'entryBar'),
      settings,
      async (rows, asked, exits, fills) => {
        const one: Case = { kind, rows, bracket: asked, exits, fills };
        const futures = await fillsOf(one, 'futures');
        // What is reached when it is asked for goes out at once, where the engine would wait for another price.
        fc.pre(!futures.reached);
        expect(futures).toEqual(await fillsOf(one, 'netting'));
      },
    ),
    {
      numRuns: 120,
      examples:
        kind === 'bar'
          ? [
              [
                [...[480, 480, 480, 480, 504, 480].map(flat), [360, 511, 511, 480, 480, 40], flat(480, 7)],
                { event: 4, buy: false, quantity: 1, entry: 'limit', reach: 5, stop: 2, profit: undefined },
                'nextBar',
                { market: 'nextOpen', limit: 'touch', gapFill: 'limit', path: 'worst' },
              ],
            ]
          : [],
    },
  );
});
