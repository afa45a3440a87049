import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { BarPath } from '../../src/matching/settings.ts';
import { place, setTimer } from '../../src/strategy/intents.ts';
import { at, instrument, minuteBars, run, series } from '../builders.ts';

const SPOT = instrument();
const RUNS = 150;

const price = fc.integer({ min: 80, max: 120 });
/** Each opens where the one before closed: a gap may give the take profit of the worst path more than it asked for. */
const bars = fc.array(fc.tuple(price, price, price), { minLength: 2, maxLength: 12 }).map((rows) => {
  let open = 100;
  return rows.map(([a, b, close]) => {
    const bar = [open, Math.max(open, a, b, close), Math.min(open, a, b, close), close];
    open = close;
    return bar;
  });
});

/** One entry with a stop and a take profit, and nothing else in the whole run. */
interface Single {
  readonly bars: readonly (readonly number[])[];
  readonly side: 'buy' | 'sell';
  /** Ticks that a limit entry asks for; absent: at the market. */
  readonly better: number | undefined;
  readonly exits: 'nextBar' | 'entryBar';
}
const single: fc.Arbitrary<Single> = fc.record({
  bars,
  side: fc.constantFrom('buy' as const, 'sell' as const),
  better: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  exits: fc.constantFrom('nextBar' as const, 'entryBar' as const),
});

async function equityOn(path: BarPath, { bars: rows, side, better, exits }: Single): Promise<number> {
  const sign = side === 'buy' ? 1 : -1;
  const entry = 100 - sign * (better ?? 0);
  const { state } = await run({
    sources: [{ instrument: SPOT, kind: 'bar', open: () => series('bar', minuteBars([100, 100, 100, 100], ...rows)) }],
    fills: { path },
    exits,
    balances: { USDT: '10000' },
    script: {
      onStart: () => setTimer({ name: 'enter', at: at(60) }),
      onTimer: () =>
        place({
          ...{ symbol: SPOT.symbol, side, quantity: 1, exits: { stopLoss: entry - sign * 5, takeProfit: entry + sign * 7 } },
          ...(better === undefined ? { type: 'market' } : { type: 'limit', price: entry }),
        }),
    },
  });
  return state.portfolio.exactEquity().toNumber();
}

test('for one entry with its two exits, without gaps, the worst path never ends above the best, and sometimes below it', async () => {
  let apart = 0;
  await fc.assert(
    fc.asyncProperty(single, async (one) => {
      const [worst, best] = [await equityOn('worst', one), await equityOn('best', one)];
      if (worst < best) apart++;
      expect(worst).toBeLessThanOrEqual(best);
    }),
    { numRuns: RUNS },
  );
  expect(apart).toBeGreaterThan(0);
});

test('for a strategy that enters again the worst path may end above the best: it is chosen bar by bar', async () => {
  // Long from 100, exits at 95 and 105; the bar that reaches both ends the trade at a loss on the worst path. The strategy then
  // sells what has lost, and gains in the fall after it; on the best path it has gained, and stays out.
  const ended = async (path: BarPath) => {
    const data = minuteBars(...[1, 2].map(() => [100, 100, 100, 100]), [100, 106, 94, 100], [100, 100, 100, 100], [60, 60, 60, 60]);
    const { state } = await run({
      sources: [{ instrument: SPOT, kind: 'bar', open: () => series('bar', data) }],
      fills: { path },
      balances: { USDT: '10000' },
      script: {
        onStart: () => setTimer({ name: 'enter', at: at(60) }),
        onTimer: () => place({ symbol: SPOT.symbol, side: 'buy', type: 'market', quantity: 1, exits: { stopLoss: 95, takeProfit: 105 } }),
        onFill: (_self, fill) =>
          fill.side === 'sell' && fill.price < 100
            ? place({ symbol: SPOT.symbol, side: 'sell', type: 'market', quantity: 1, tag: 'again' })
            : undefined,
      },
    });
    return state.portfolio.exactEquity().toNumber();
  };
  expect(await ended('best')).toBe(10_005);
  expect(await ended('worst')).toBeGreaterThan(10_005);
});
