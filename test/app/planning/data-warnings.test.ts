import { expect, test } from '@jest/globals';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import { DataJudge } from '../../../src/app/planning/recorded-data.ts';
import type { SeriesMeta } from '../../../src/recording/columns/series-meta.ts';
import { HOUR, hours, PERP, planned, T0 } from './workbench.ts';

test('a run reports problems of the data it read, once, and none outside its period', async () => {
  const times = hours(4).filter((_, hour) => ![5, 30, 31, 70].includes(hour));
  const run = await planned([{ symbol: PERP, kind: 'bar', times }], {
    backtest: { from: '2025-01-02', to: '2025-01-03', futures: { marks: 'last', funding: 'none' } },
  });
  await simulateRun(run.plan);
  await simulateRun(run.plan);
  expect(run.warnings).toEqual([]);
  // 24 hours less two: one gap, after the bar of 05:00, the sixth.
  expect(placed(run.dataWarnings())).toEqual([
    'BTC-USDT-PERP bar 1h: the data has gaps (1, at 2025-01-02T05:00:00Z): see "npx tidegate data check r --data-dir DIR"',
  ]);
});

test('good data is no warning', async () => {
  const run = await planned([{ symbol: PERP, kind: 'bar', times: hours(2) }]);
  await simulateRun(run.plan);
  expect(placed(run.dataWarnings())).toEqual([]);
});

/** Warnings without the place of their temporary folder. */
function placed(warnings: readonly string[]): string[] {
  return warnings.map((line) => line.replace(/(?<=--data-dir )[^"]+/, 'DIR'));
}

/** Quotes an hour apart from T0 on, handed out two at a time. */
function quotes(bids: readonly number[], asks: readonly number[]) {
  const [time, bid, ask] = [new Float64Array(2), new Float64Array(2), new Float64Array(2)];
  let at = 0;
  return {
    length: 0,
    time,
    columns: [bid, ask, new Float64Array([1, 1]), new Float64Array([1, 1])],
    nanos: undefined,
    next() {
      this.length = Math.min(2, bids.length - at);
      for (let row = 0; row < this.length; row++, at++) {
        time[row] = T0 + at * HOUR;
        bid[row] = bids[at]!;
        ask[row] = asks[at]!;
      }
      return this.length > 0;
    },
    close() {},
  };
}

const recorded = (meta: SeriesMeta) => {
  const stored = { meta, parts: [{ meta, path: 'r', rows: () => quotes([], []) as never }] };
  return { recording: 'r', sources: [{ name: 'r', stored }], meta, stored, dataDir: 'DIR' };
};

test('chunks are checked from the first row of the run to its last', () => {
  const meta = { symbol: 'BTC-USDT', kind: 'quote', priceDecimals: 0, quantityDecimals: 0 } as SeriesMeta;
  const judge = new DataJudge(T0 + 4 * HOUR);
  const rows = quotes([11, 9, 11, 11, 9, 11], [10, 10, 10, 10, 10, 10]);
  const source = judge.watch(recorded(meta), { rows } as never, T0 + HOUR);
  const seen: number[] = [];
  while (source.rows.next()) seen.push(...source.rows.columns[0]!.subarray(0, source.rows.length));
  expect(seen).toEqual([11, 9, 11, 11, 9, 11]);
  // Of the four crossed quotes those at 02:00 and 03:00 lie in [01:00, 04:00).
  expect(judge.warnings()).toEqual([
    'BTC-USDT quote: the data has pauses of more than 5 minutes (2, the first at 2025-01-01T01:00:00Z); ' +
      'quotes with the bid above the ask (2, the first at 2025-01-01T02:00:00Z): see "npx tidegate data check r --data-dir DIR"',
  ]);
});

test('a run reports the measured clock offset of its data', () => {
  const clock = { rows: 3, early: 2, least: -1_500, median: -1_268, greatest: 4, first: 4, last: -1_500 };
  const meta = { symbol: 'BTC-USDT', kind: 'quote', priceDecimals: 0, quantityDecimals: 0, clock } as SeriesMeta;
  const judge = new DataJudge(T0 + 4 * HOUR);
  judge.watch(recorded(meta), { rows: quotes([], []) } as never, T0);
  expect(judge.warnings()).toEqual([
    'BTC-USDT quote: the data has rows received before the exchange sent them: one of the two clocks is wrong ' +
      '(2 of 3): receive less exchange time is -1.500 s to 0.004 s, -1.268 s in the middle; ' +
      'receive times drift from those of the exchange: receive less exchange time is 0.004 s in the first tenth of the rows, ' +
      '-1.500 s in the last: see "npx tidegate data check r --data-dir DIR"',
  ]);
});
