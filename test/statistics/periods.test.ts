import { expect, test } from '@jest/globals';
import { Decimal } from '../../src/model/decimal.ts';
import { crisisReturns } from '../../src/statistics/returns/crisis-windows.ts';
import { yearsAgainstBenchmark } from '../../src/statistics/returns/daily-returns.ts';
import { drawdownPeriods, worstDrawdowns } from '../../src/statistics/returns/drawdown-statistics.ts';
import { computeStatistics } from '../../src/statistics/statistics.ts';
import { DAY_MS, runRecord } from './builders.ts';

const points = (...worths: readonly number[]) =>
  worths.map((worth, time) => ({ time, equity: new Decimal(worth), drawdown: 0, exposure: 0, netExposure: 0 }));
const near = (value: number) => expect.closeTo(value, 12);

test('each drawdown has its peak, trough, recovery and length; one still open ends with the run', () => {
  const record = runRecord({ equity: points(1000, 900, 1000, 1200, 1080, 600, 1200, 1150, 1160) });
  const [first, second, third] = [
    { depth: near(0.1), peakTime: 0, troughTime: 1, recoveredTime: 2, lengthMs: 2 },
    { depth: near(0.5), peakTime: 3, troughTime: 5, recoveredTime: 6, lengthMs: 3 },
    { depth: near(50 / 1200), peakTime: 6, troughTime: 7, recoveredTime: null, lengthMs: 2 },
  ];
  expect(drawdownPeriods(record)).toEqual([first, second, third]);
  expect(worstDrawdowns(record, 2)).toEqual([second, first]);
  // (0.1 + 0.5 + 50 / 1200) / 3; (2 + 3 + 2) / 3.
  expect(computeStatistics(record)).toMatchObject({
    drawdowns: 3,
    averageDrawdown: near(0.6416666666666667 / 3),
    averageDrawdownMs: near(7 / 3),
  });
});

test('a run that never falls has no drawdown and no average', () => {
  expect(computeStatistics(runRecord({ equity: points(1000, 1100) }))).toMatchObject({
    drawdowns: 0,
    averageDrawdown: null,
    averageDrawdownMs: null,
  });
});

test('a fall below zero is deeper than the whole peak', () => {
  expect(drawdownPeriods(runRecord({ equity: points(1000, -500) }))[0]!.depth).toBe(1.5);
});

/** One equity a day from the first date to the last, and a benchmark of twice its growth. */
function daily(from: string, to: string, worthOf: (day: string) => number) {
  const days: string[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += DAY_MS) days.push(new Date(time).toISOString().slice(0, 10));
  return runRecord({
    dayEquity: days.map((day) => ({ time: Date.parse(day) + DAY_MS, equity: new Decimal(worthOf(day)) })),
    benchmark: { label: 'market', equity: [], dayEquity: days.map((day) => 1000 + 2 * (worthOf(day) - 1000)) },
  });
}

test('returns by year are next to those of the benchmark', () => {
  const record = daily('2023-12-30', '2024-01-02', (day) => (day < '2024' ? 1100 : 1650));
  expect(yearsAgainstBenchmark(record)).toEqual([
    { year: '2023', run: near(0.1), benchmark: near(0.2) },
    // 1650 / 1100 - 1; 2300 / 1200 - 1.
    { year: '2024', run: near(0.5), benchmark: near(1100 / 1200) },
  ]);
  expect(yearsAgainstBenchmark({ ...record, benchmark: undefined })).toEqual([]);
});

test('a crisis has the return from the day before it to its last day, and the deepest fall within it', () => {
  // FTX: 2022-11-05 to 2022-11-22. 1000 before, 800 from the 10th, 900 on the last day, 2000 after it.
  const worthOf = (day: string) => (day < '2022-11-10' ? 1000 : day < '2022-11-22' ? 800 : day === '2022-11-22' ? 900 : 2000);
  const record = daily('2022-10-01', '2022-12-01', worthOf);
  expect(crisisReturns(record)).toMatchObject([
    { name: 'Collapse of FTX', from: '2022-11-05', to: '2022-11-22', run: near(-0.1), benchmark: near(-0.2), drawdown: near(0.2) },
  ]);
  expect(crisisReturns({ ...record, benchmark: undefined })[0]).toMatchObject({ run: near(-0.1), benchmark: null });
});

test('the path of a crisis begins at the day before it, with a return of zero', () => {
  const worthOf = (day: string) => (day < '2022-11-05' ? 1000 : day === '2022-11-05' ? 900 : 1200);
  const record = daily('2022-10-01', '2022-12-01', worthOf);
  const { times, run, benchmark } = crisisReturns(record)[0]!.path!;
  expect(times.map((time) => new Date(time).toISOString().slice(0, 10)).slice(0, 3)).toEqual(['2022-11-05', '2022-11-06', '2022-11-07']);
  // The day before and 18 days.
  expect([times.length, run.length]).toEqual([19, 19]);
  expect(run.slice(0, 3)).toEqual([0, -0.1, 0.2]);
  expect(benchmark!.slice(0, 3)).toEqual([0, -0.2, 0.4]);
});

test('the path of a long crisis has 150 points at most, and its first and last day', () => {
  // 2007-10-01 to 2011-12-01: 1,523 days.
  const record = daily('2007-09-01', '2012-01-01', (day) => (day === '2011-12-01' ? 500 : 1000));
  const { path } = crisisReturns(record).find(({ name }) => name === 'Global financial crisis')!;
  expect(path!.times.length).toBeLessThanOrEqual(150);
  expect(new Date(path!.times[0]!).toISOString()).toBe('2007-10-01T00:00:00.000Z');
  expect([path!.run[0], path!.run.at(-1)]).toEqual([0, -0.5]);
});

test.each([
  ['2022-11-06', '2022-12-01'],
  ['2022-10-01', '2022-11-21'],
])('a run from %s to %s covers no crisis completely', (from, to) => {
  expect(crisisReturns(daily(from, to, () => 1000))).toEqual([]);
});

test.each([
  ['2022-11-05', '2022-12-01'],
  ['2022-10-01', '2022-11-22'],
])('a run from %s to %s covers the whole crisis', (from, to) => {
  expect(crisisReturns(daily(from, to, () => 1000)).map(({ name }) => name)).toEqual(['Collapse of FTX']);
});
