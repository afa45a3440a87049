import { expect, test } from '@jest/globals';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import type { PlannedRun } from '../../../src/app/planning/plan-backtest.ts';
import type { PlannedStrategy } from '../../../src/app/planning/run-plans.ts';
import type { Bar } from '../../../src/model/market-events.ts';
import type { Strategy } from '../../../src/strategy/strategy.ts';
import { DAY, HOUR, hours, planned, T0 } from './workbench.ts';

const OLD = 'BTC-USDT-PERP';
const NEW = 'ETH-USDT-PERP';
const SPEC = { tickSize: '0.1', stepSize: '0.001' };
const QUIET = { futures: { marks: 'last', funding: 'none' } };
const NEEDS = "static needs = { bars: ['1h', '2h'], history: 3 };";

/** The second symbol is listed at 12:00 of the third day. */
const LISTED = T0 + 2 * DAY + 12 * HOUR;

function plan(backtest: object, members = 'onBar() {}', listed = LISTED): Promise<PlannedRun> {
  const recorded = [
    { symbol: OLD, kind: 'bar', times: hours(4) },
    { symbol: NEW, kind: 'bar', times: hours(4).filter((time) => time >= listed) },
  ] as const;
  const instruments = { [OLD]: SPEC, [NEW]: SPEC };
  return planned(recorded, { symbols: [OLD, NEW], instruments, backtest: { ...QUIET, ...backtest } }, `${NEEDS} ${members}`);
}

const hour = (time: number) => (time - T0) / HOUR;

interface Seen {
  /** The first bar of each symbol and interval that the strategy receives, in hours. */
  readonly firsts: Map<string, number>;
  /** What it reads at the first bar of the later symbol, in hours. */
  readonly reads: Record<string, number[]>;
}

/** Runs a plan whose strategy writes down what it receives. */
async function seen(run: PlannedRun) {
  const seen: Seen = { firsts: new Map(), reads: {} };
  const [one] = run.plan.strategies as [PlannedStrategy];
  type Reader = Strategy & {
    history(symbol: string, interval?: string): readonly Bar[];
    bars(...series: [string, string, number]): readonly Bar[];
  };
  const watched: PlannedStrategy = {
    ...one,
    create: (context) => {
      const made = one.create(context) as Reader;
      const ends = (bars: readonly Bar[]) => bars.map(({ time }) => hour(time));
      made.onStart = () => {
        seen.reads.start = [...ends(made.history(NEW)), made.history(OLD).length];
      };
      made.onBar = ({ symbol, intervalMs, time }) => {
        const key = `${symbol.slice(0, 3)} ${intervalMs / HOUR}h`;
        if (seen.firsts.has(key)) return;
        seen.firsts.set(key, hour(time));
        if (symbol !== NEW || seen.reads.history !== undefined) return;
        seen.reads.history = ends(made.history(NEW));
        seen.reads.longer = ends(made.history(NEW, '2h'));
        seen.reads.bars = ends(made.bars(NEW, '1h', 3));
      };
      return made;
    },
  };
  const result = await simulateRun({ ...run.plan, strategies: [watched] });
  expect(result.failure).toBeUndefined();
  return { ...seen, late: result.late };
}

test('by default one late symbol moves the start of all, and the run warns about it', async () => {
  const { plan: all, warnings } = await plan({});
  // Three bars of two hours from 12:00 on are complete at 18:00 of the third day.
  expect(hour(all.from)).toBe(66);
  expect(warnings).toContainEqual(
    'ETH-USDT-PERP: its history is complete at 2025-01-03T18:00:00Z, that of all other symbols at 2025-01-01T06:00:00Z: the run begins that much later (backtest.start: each lets each symbol begin on its own)',
  );
});

test('a symbol that is complete within a day of the others is no reason for a warning', async () => {
  const { warnings } = await plan({}, 'onBar() {}', T0 + 20 * HOUR);
  expect(warnings.filter((text) => text.includes('history is complete'))).toEqual([]);
});

test('with `start: each` a symbol begins when its own history is complete', async () => {
  const run = await plan({ start: 'each' });
  expect(hour(run.plan.from)).toBe(6);
  expect(run.warnings.filter((text) => text.includes('history'))).toEqual([]);
  const { firsts, reads, late } = await seen(run);
  expect([...firsts]).toEqual([
    ['BTC 1h', 7],
    ['BTC 2h', 8],
    ['ETH 1h', 67],
    ['ETH 2h', 68],
  ]);
  expect(reads).toEqual({ start: [3], history: [64, 65, 66], longer: [62, 64, 66], bars: [65, 66, 67] });
  expect(late).toEqual([{ strategyId: 's', symbol: NEW, time: T0 + 66 * HOUR }]);
});

test('with a `from`, too, each symbol waits for its own history', async () => {
  const run = await plan({ start: 'each', from: '2025-01-03T14:00:00Z' });
  const { firsts, late } = await seen(run);
  expect(firsts.get('BTC 1h')).toBe(63);
  // One recorded bar of two hours, from before the start, counts.
  expect(firsts.get('ETH 1h')).toBe(67);
  expect(late.map(({ time }) => hour(time!))).toEqual([66]);
});

test('a symbol whose history is never complete does not stop the others', async () => {
  const run = await plan({ start: 'each' }, 'onBar() {}', T0 + 4 * DAY - 3 * HOUR);
  const { firsts, late } = await seen(run);
  expect([...firsts.keys()]).toEqual(['BTC 1h', 'BTC 2h']);
  expect(late).toEqual([{ strategyId: 's', symbol: NEW, time: undefined }]);
});

test('cold indicators wait for nothing', async () => {
  const { firsts, late } = await seen(await plan({ start: 'each', warmup: 'cold' }));
  expect([firsts.get('BTC 1h'), firsts.get('ETH 1h'), late]).toEqual([1, 61, []]);
});
