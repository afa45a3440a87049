import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BarPath } from '../../src/matching/settings.ts';
import { place, setTimer } from '../../src/strategy/intents.ts';
import { at, instrument, minuteBars, perpetual, run, series } from '../builders.ts';

const RUNS = 200;
const away = (max: number) => fc.option(fc.integer({ min: 1, max }), { nil: undefined });

/** Exits of one entry at 100, in ticks from there. */
const exits = fc.record({
  quantity: fc.integer({ min: 1, max: 3 }),
  stopLoss: away(12),
  takeProfit: away(14),
  trailBy: away(16),
});
/** One bar in which everything happens, all entries being at its open. */
const world = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  entries: fc.array(exits, { minLength: 1, maxLength: 3 }),
  bar: fc.tuple(...[0, 1, 2].map(() => fc.integer({ min: 86, max: 114 }))),
  limit: fc.constantFrom('touch' as const, 'strictCross' as const),
  kind: fc.constantFrom('netting' as const, 'spot' as const, 'futures' as const),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** Equity at the close of the bar. */
async function equityOn(path: BarPath, { side: drawn, entries, bar, limit, kind }: World): Promise<number> {
  const traded = kind === 'futures' ? perpetual() : instrument();
  // Nobody sells short on spot.
  const side = kind === 'spot' ? 'buy' : drawn;
  const sign = side === 'buy' ? 1 : -1;
  const [a, b, close] = bar as [number, number, number];
  const rows = minuteBars([100, 100, 100, 100], [100, Math.max(100, a, b, close), Math.min(100, a, b, close), close]);
  const { state, fills } = await run({
    sources: [{ instrument: traded, kind: 'bar', open: () => series('bar', rows) }],
    fills: { path, limit },
    exits: 'entryBar',
    kind,
    balances: { USDT: '10000' },
    script: {
      onStart: () => setTimer({ name: 'enter', at: at(60) }),
      onTimer: () =>
        entries.map(({ quantity, stopLoss, takeProfit, trailBy }, index) => {
          const asked = {
            ...(stopLoss !== undefined && { stopLoss: 100 - sign * stopLoss }),
            ...(takeProfit !== undefined && { takeProfit: 100 + sign * takeProfit }),
            ...(trailBy !== undefined && { trailBy }),
          };
          const common = { symbol: traded.symbol, side, type: 'market', quantity, tag: String(index) } as const;
          return place(Object.keys(asked).length === 0 ? common : { ...common, exits: asked });
        }),
    },
  });
  expect(fills.length).toBeGreaterThanOrEqual(entries.length);
  return state.portfolio.exactEquity().toNumber();
}

test('where a stop trails, `worst` leaves the account no more than either order of the extremes, and `best` no less', async () => {
  let lowFirst = 0;
  let highFirst = 0;
  await fc.assert(
    fc.asyncProperty(world, async (one) => {
      if (!one.entries.some(({ trailBy }) => trailBy !== undefined)) return;
      const [ohlc, olhc] = [await equityOn('ohlc', one), await equityOn('olhc', one)];
      const [worst, best] = [await equityOn('worst', one), await equityOn('best', one)];
      // With several exits the path may turn where one has filled, and come to less, or more, than both.
      const alone = one.entries.length === 1;
      if (alone) expect([worst, best]).toEqual([Math.min(ohlc, olhc), Math.max(ohlc, olhc)]);
      expect(worst).toBeLessThanOrEqual(Math.min(ohlc, olhc));
      expect(best).toBeGreaterThanOrEqual(Math.max(ohlc, olhc));
      if (ohlc < olhc) highFirst++;
      if (olhc < ohlc) lowFirst++;
    }),
    { numRuns: RUNS },
  );
  expect(lowFirst).toBeGreaterThan(0);
  expect(highFirst).toBeGreaterThan(0);
});
