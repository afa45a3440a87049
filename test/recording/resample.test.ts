import { describe, expect, test } from '@jest/globals';
import { dataResample } from '../../src/app/data/resample-synth.ts';
import type { BarInterval } from '../../src/model/bar-interval.ts';
import type { SeriesMeta } from '../../src/recording/columns/series-meta.ts';
import { makesBars, resample } from '../../src/recording/resample.ts';
import { synthesise } from '../../src/recording/synth/synth.ts';
import { HEADERS, readRows, thrown, Workshop } from './builders.ts';

const shop = new Workshop();

const MINUTE = 60_000;
const DAY = Date.UTC(2025, 0, 1);

/** Makes bars of two minutes, in the recording that the series is of, unless told otherwise. */
function longer(
  meta: SeriesMeta,
  { name = 'r', into, intervalMs = 2 * MINUTE }: { name?: string; into?: string; intervalMs?: number } = {},
) {
  return resample(shop.stored(meta, name), { dataDir: shop.dataDir, name: into ?? name, intervalMs, replace: true }, name);
}

/** One line for each bar: minutes since midnight, open, high, low, close, volume in units. */
function rows(meta: SeriesMeta, name = 'r'): string[] {
  const { time, columns } = readRows(shop.binPath(meta, name), meta);
  return time.map((at, row) => [(at - DAY) / MINUTE, ...columns.map((column) => column[row])].join(' '));
}

/** Bars of a minute: minutes since midnight, and the figures as the file has them. */
function bars(...lines: readonly (readonly [minute: number, figures: string])[]): string {
  return `${HEADERS.bar}\n${lines.map(([minute, figures]) => `${DAY + minute * MINUTE},${figures}\n`).join('')}`;
}

function resampled(text: string, more: { intervalMs?: number } = {}) {
  return longer(shop.import(text, { replace: true }), more);
}

describe('shorter bars become longer ones', () => {
  test('have the first open, the highest high, the lowest low, the last close and the sum of volumes', () => {
    const { meta, leftOut, thin } = resampled(
      bars([0, '10,12,9,11,1.5'], [1, '11,15,8,14,2.25'], [2, '14,14,13,13,1'], [3, '13,16,13,15,0.5']),
    );
    expect(rows(meta)).toEqual(['0 10 15 8 14 375', '2 14 16 13 15 150']);
    expect([leftOut, thin]).toEqual([0, 0]);
    expect(meta).toMatchObject({
      kind: 'bar',
      intervalMs: 2 * MINUTE,
      rows: 2,
      priceDecimals: 0,
      quantityDecimals: 2,
      source: ['r/BTC-USDT.bar.1m'],
      gaps: 0,
    });
  });

  test('where the data begins or ends inside one, that is left out', () => {
    const { meta, leftOut } = resampled(bars([1, '1,1,1,1,1'], [2, '2,2,2,2,1'], [3, '3,3,3,3,1'], [4, '4,4,4,4,1']));
    expect(rows(meta)).toEqual(['2 2 3 2 3 2']);
    expect(leftOut).toBe(2);
  });

  test('gaps inside make thin ones, gaps as long as one make none', () => {
    const { meta, thin } = resampled(bars([0, '1,1,1,1,1'], [1, '2,2,2,2,1'], [3, '3,3,3,3,1'], [8, '4,4,4,4,1'], [9, '5,5,5,5,1']));
    expect(rows(meta)).toEqual(['0 1 2 1 2 2', '2 3 3 3 3 1', '8 4 5 4 5 2']);
    expect([thin, meta.gaps]).toEqual([1, 1]);
  });

  test('one that reaches into the next is refused, and nothing is left behind', () => {
    const text = bars([0.5, '1,1,1,1,1'], [1.5, '2,2,2,2,1'], [2.5, '2,2,2,2,1']);
    const error = thrown(() => resampled(text));
    expect(error).toMatchObject({ code: 'DATA_INVALID' });
    expect(error.message).toBe('BTC-USDT.bar.1m: the row of 2025-01-01T00:01:30Z reaches beyond the 2m bar that it begins in');
  });
});

describe('prices become bars', () => {
  const trades = (...lines: string[]) => `${HEADERS.trade}\n${lines.join('\n')}\n`;

  test('each trade in the interval that holds its time; the first and the last are not known whole', () => {
    const ticks = shop.import(
      trades(
        '2025-01-01T00:00:30Z,9,1,buy',
        '2025-01-01T00:01:00Z,10,1,buy',
        '2025-01-01T00:01:59.999999999Z,12,2,sell',
        '2025-01-01T00:02:00Z,11,1,buy',
        '2025-01-01T00:03:00Z,1,1,buy',
      ),
      { kind: 'trade', name: 'ticks' },
    );
    const { meta, leftOut } = longer(ticks, { name: 'ticks', into: 'made', intervalMs: MINUTE });
    expect(rows(meta, 'made')).toEqual(['1 10 12 10 12 3', '2 11 11 11 11 1']);
    expect(leftOut).toBe(2);
  });

  test('a first trade at the very start of an interval begins a whole one', () => {
    const meta = shop.import(trades('2025-01-01T00:00:00Z,9,1,buy', '2025-01-01T00:01:00Z,10,1,buy'), { kind: 'trade', name: 'sharp' });
    expect(rows(longer(meta, { name: 'sharp', intervalMs: MINUTE }).meta, 'sharp')).toEqual(['0 9 9 9 9 1']);
  });

  test('tickers bring no volume', () => {
    const meta = shop.import(`${HEADERS.ticker}\n2025-01-01T00:00:00Z,9.5\n2025-01-01T00:01:30Z,10\n2025-01-01T00:02:00Z,8\n`, {
      kind: 'ticker',
      name: 'last',
    });
    expect(rows(longer(meta, { name: 'last' }).meta, 'last')).toEqual(['0 95 100 95 100 0']);
  });
});

test('data without a single whole bar makes none', () => {
  const meta = shop.import(bars([0, '1,1,1,1,1'], [1, '1,1,1,1,1']), { name: 'few' });
  expect(thrown(() => longer(meta, { name: 'few', intervalMs: 60 * MINUTE }))).toMatchObject({
    code: 'DATA_INVALID',
    message: expect.stringMatching(/BTC-USDT\.bar\.1m of "few" .* holds no whole 1h bar$/),
  });
});

test('bars of synthetic data are marked as synthetic', () => {
  const [made] = synthesise({
    dataDir: shop.dataDir,
    name: 'made-up',
    seed: 1,
    startMs: DAY,
    instruments: [{ symbol: 'BTC-USDT', tick: '0.01', price: '94000' }],
    series: [{ kind: 'bar', durationMs: 10 * MINUTE, intervalMs: MINUTE }],
  });
  const { meta } = longer(made!, { name: 'made-up' });
  expect(meta).toMatchObject({ rows: 5, synthetic: made!.synthetic });
});

test('weeks begin on Thursday, or on Monday', async () => {
  const HOUR = 60 * MINUTE;
  const WEEK = 7 * 24 * HOUR;
  // Days from Wednesday 2025-01-01 to Wednesday 2025-01-15. The first opens at 1, each next one 1 higher, and closes at its open.
  const text = bars(
    ...Array.from({ length: 15 }, (_, day): [number, string] => [day * 24 * 60, `${day + 1},${day + 1},${day + 1},${day + 1},1`]),
  );
  const days = shop.import(text, { replace: true, intervalMs: 24 * HOUR });
  const weeks = (interval: BarInterval) => {
    const { meta } = resample(shop.stored(days, 'r'), { dataDir: shop.dataDir, name: 'r', intervalMs: WEEK, replace: true }, 'r', interval);
    expect(meta.intervalMs).toBe(WEEK);
    return rows(meta).map((row) => [Number(row.split(' ')[0]) / 1_440 + 1, ...row.split(' ').slice(1)].join(' '));
  };
  // The day of January, open, high, low, close and volume.
  expect(weeks(WEEK)).toEqual(['2 2 8 2 8 7', '9 9 15 9 15 7']);
  expect(weeks('1w from Monday')).toEqual(['6 6 12 6 12 7']);
  expect(makesBars({ symbol: 'BTC-USDT', kind: 'bar', intervalMs: 2 * 24 * HOUR }, WEEK, '1w from Monday')).toBe(false);
  const options = { dataDir: shop.dataDir, symbol: 'BTC-USDT', to: '1d', weekStart: 'monday' };
  await expect(dataResample('r', options, () => {})).rejects.toThrow(
    '--week-start monday with --to "1d"; expected a number of weeks, such as 1w',
  );
});
