import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BarPath } from '../../src/matching/settings.ts';
import { place, setTimer } from '../../src/strategy/intents.ts';
import { at, instrument, minuteBars, run, series } from '../builders.ts';

const SPOT = instrument();
const RUNS = 150;
const PATHS: readonly BarPath[] = ['worst', 'best', 'ohlc', 'olhc', 'nearest'];

const price = fc.integer({ min: 85, max: 115 });
const away = fc.option(fc.integer({ min: 1, max: 14 }), { nil: undefined });

/** An entry so many ticks from 100, and its exits in ticks from there; one that trails has no other stop. */
const entry = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  type: fc.constantFrom('limit' as const, 'stop' as const, 'stopLimit' as const, 'market' as const),
  from: fc.integer({ min: -4, max: 10 }),
  stopLoss: away,
  takeProfit: away,
  trailBy: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
});
type Entry = typeof entry extends fc.Arbitrary<infer T> ? T : never;

const world = fc.record({
  /** Open (where there are gaps), two prices between, close. */
  rows: fc.array(fc.tuple(price, price, price, price), { minLength: 2, maxLength: 8 }),
  gaps: fc.boolean(),
  entries: fc.array(entry, { minLength: 1, maxLength: 3 }),
  exits: fc.constantFrom('nextBar' as const, 'entryBar' as const),
  limit: fc.constantFrom('touch' as const, 'strictCross' as const),
  entryMs: fc.constantFrom(0, 0, 1),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function barsOf({ rows, gaps }: World): number[][] {
  let before = 100;
  return rows.map(([first, a, b, close]) => {
    const open = gaps ? first : before;
    before = close;
    return [open, Math.max(open, a, b, close), Math.min(open, a, b, close), close];
  });
}

function intentOf({ side, type, from, stopLoss, takeProfit, trailBy }: Entry, index: number) {
  const sign = side === 'buy' ? 1 : -1;
  const level = type === 'market' ? 100 : type === 'limit' ? 100 - sign * from : 100 + sign * from;
  const exits = {
    ...(stopLoss !== undefined && { stopLoss: level - sign * stopLoss }),
    ...(takeProfit !== undefined && { takeProfit: level + sign * takeProfit }),
    ...(trailBy !== undefined && stopLoss === undefined && { trailBy }),
  };
  return place({
    ...{ symbol: SPOT.symbol, side, quantity: 1, type, tag: String(index) },
    ...((type === 'limit' || type === 'stopLimit') && { price: level }),
    ...((type === 'stop' || type === 'stopLimit') && { stopPrice: level }),
    ...(Object.keys(exits).length > 0 && { exits }),
  });
}

async function runOn(path: BarPath, one: World) {
  const { entries, exits, limit, entryMs } = one;
  const { fills, pathFills } = await run({
    sources: [{ instrument: SPOT, kind: 'bar', open: () => series('bar', minuteBars([100, 100, 100, 100], ...barsOf(one))) }],
    fills: { path, limit },
    exits,
    latency: { entryMs, cancelMs: 0, responseMs: 0 },
    balances: { USDT: '10000' },
    script: {
      onStart: () => setTimer({ name: 'enter', at: at(60) }),
      onTimer: () => entries.map(intentOf),
    },
  });
  const text = fills.map(({ time, tag, side, price }) => `${time} ${tag} ${side} ${price}`).sort();
  const tags = new Set(fills.map(({ tag }) => tag));
  // What a path leaves out for good is no fill of its own.
  const leavesOut = entries.some(({ type }, index) => type === 'stopLimit' && !tags.has(String(index)));
  return { text: text.join('\n'), pathFills, mustCount: fills.length > 0 && !leavesOut };
}

test('if two paths through the same bars have other fills, each of them has counted one', async () => {
  let apart = 0;
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      const runs: Awaited<ReturnType<typeof runOn>>[] = [];
      for (const path of PATHS) runs.push(await runOn(path, one));
      if (runs.every(({ text }) => text === runs[0]!.text)) return;
      apart++;
      for (const { mustCount, pathFills } of runs) if (mustCount) expect(pathFills).toBeGreaterThan(0);
    }),
    { numRuns: RUNS },
  );
  expect(apart).toBeGreaterThan(0);
});
