import { expect, test } from '@jest/globals';
import { SeriesCheck } from '../../src/recording/checks/check-series.ts';
import type { SeriesKind, SeriesMeta } from '../../src/recording/columns/series-meta.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** What is found in rows of the kind's values, a minute apart unless told, in hundredths; taken in chunks of 7. */
function found(kind: SeriesKind, rows: readonly (readonly number[])[], everyMs = MINUTE) {
  const intervalMs = kind === 'bar' ? everyMs : undefined;
  const check = new SeriesCheck({ kind, intervalMs, priceDecimals: 2, quantityDecimals: 0 } as SeriesMeta);
  for (let from = 0; from < rows.length; from += 7) {
    const chunk = rows.slice(from, from + 7);
    check.update({
      length: chunk.length,
      time: Float64Array.from(chunk, (_, row) => (from + row) * everyMs),
      columns: rows[0]!.map((_, column) => Float64Array.from(chunk, (row) => row[column]!)),
      nanos: undefined,
    });
  }
  return check.findings().map(({ code, severity, text }) => `${severity} ${code}: ${text}`);
}

const at = (row: number) => `row ${row} at ${new Date((row - 1) * MINUTE).toISOString().replace('.000', '')}`;
/** A calm market: prices alternate between 100.00 and 100.10, a move of a thousandth. */
const calm = (count: number) => Array.from({ length: count }, (_, row) => [row % 2 === 0 ? 10_000 : 10_010]);

test('a price beyond both its neighbours by more than 5 % is an outlier in a calm market', () => {
  const spike = (price: number) => found('ticker', [...calm(600), [price], ...calm(10)]);
  // The neighbours are 100.10 before and 100.00 after: 5 % above the higher is 105.105, 5 % below the lower 95.00.
  expect(spike(10_511)).toEqual([`warning outliers: prices far from those before and after (1): ${at(601)} (105.11)`]);
  expect(spike(10_510)).toEqual([]);
  expect(spike(9_499)).toEqual([`warning outliers: prices far from those before and after (1): ${at(601)} (94.99)`]);
  expect(spike(9_500)).toEqual([]);
});

test('where prices move by 2 % a row, only twenty per cent are out of reason', () => {
  const lively = (count: number) => Array.from({ length: count }, (_, row) => [row % 2 === 0 ? 10_000 : 10_200]);
  const spike = (price: number) => found('ticker', [...lively(600), [price], ...lively(10)]);
  expect(spike(12_000)).toEqual([]);
  expect(spike(12_500)).toHaveLength(1);
});

test('an outlier may be repeated, and a move that lasts is none', () => {
  expect(found('mark', [...calm(600), [12_000], [12_000], [12_000], ...calm(10)])).toEqual([
    `warning outliers: prices far from those before and after (1): ${at(601)} (120)`,
  ]);
  expect(found('mark', [...calm(600), ...Array.from({ length: 9 }, (_, row) => [13_000 + row])])).toEqual([]);
});

test('outliers of bars are found by their wicks, those of quotes by the ask above or the bid below', () => {
  const bars = Array.from({ length: 600 }, (_, row) => [10_000, 10_020 + (row % 2), 9_990, 10_010, 1]);
  const low = [10_000, 10_020, 9_400, 10_010, 1];
  expect(found('bar', [...bars, low, ...bars.slice(0, 5)])).toEqual([
    `warning outliers: prices far from those before and after (1): ${at(601)} (94)`,
  ]);
  const quotes = Array.from({ length: 600 }, (_, row) => [9_990, 10_000 + (row % 2), 1, 1]);
  expect(found('quote', [...quotes, [9_990, 11_000, 1, 1], ...quotes.slice(0, 5)])).toEqual([
    `warning outliers: prices far from those before and after (1): ${at(601)} (110)`,
  ]);
});

test('prices that double and stay are a leap, reported with both prices', () => {
  const doubled = calm(20).map(([price]) => [2 * price!]);
  expect(found('ticker', [...calm(20), ...doubled])).toEqual([]);
  const more = calm(20).map(([price]) => [3 * price!]);
  expect(found('ticker', [...calm(20), ...more])).toEqual([
    `warning outliers: prices that more than double or halve at once (1): ${at(21)} (100.1 to 300)`,
  ]);
});

/** A day of 48 half hours whose prices rise by the step. */
const day = (step: number) => Array.from({ length: 48 }, (_, row) => [10_000 + row * step]);

test('days with another price step are reported, each only at its first day', () => {
  const days = [...day(10), ...day(10), ...day(1), ...day(1), ...day(10)];
  expect(found('ticker', days, DAY / 48).filter((line) => line.includes('mixedSteps'))).toEqual([
    'warning mixedSteps: changes of the step that prices lie on (2): row 97 at 1970-01-03T00:00:00Z (0.1 to 0.01), ' +
      'row 193 at 1970-01-05T00:00:00Z (0.01 to 0.1)',
  ]);
});

test('days with few different prices are checked together with the next', () => {
  const few = Array.from({ length: 48 }, (_, row) => [10_000 + (row % 31) * 10]);
  expect(found('ticker', [...few, ...day(1), ...day(1)], DAY / 48).filter((line) => line.includes('mixedSteps'))).toEqual([]);
  expect(found('ticker', [...day(1), ...few], DAY / 48).filter((line) => line.includes('mixedSteps'))).toEqual([]);
});

test('marks have no step', () => {
  expect(found('mark', [...day(10), ...day(1)], DAY / 48)).toEqual([]);
});
