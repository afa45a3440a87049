import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Figures, figuresOf } from '../../src/app/backtest/results/figures.ts';
import { simulateRun } from '../../src/app/backtest/simulate-run.ts';
import { DayZone } from '../../src/model/day-zone.ts';
import { type Decimal, ZERO } from '../../src/model/decimal.ts';
import { BREAKDOWNS, breakdowns, isPeriod } from '../../src/statistics/breakdown.ts';
import { dailyReturns, monthlyReturns, periodOf, periodReturns } from '../../src/statistics/returns/daily-returns.ts';
import { computeStatistics } from '../../src/statistics/statistics.ts';
import { netProfitOf, sumOf } from '../../src/statistics/trades/trade.ts';
import { place } from '../../src/strategy/intents.ts';
import { plan, type Row } from '../builders.ts';
import { plan as enginePlan, quotes, strategy } from '../engine/builders.ts';
import { byProgram, KINDS, life } from './lives-runs.ts';
import { planOf, type RandomRun, randomRun } from './random-runs.ts';

const RUNS = 40;
/** Times in the cases are seconds; here they are spread over months. */
const SPREAD = 90_000;
const HOUR = 3_600_000;
/** Peaks are doubles of every market event, equities are exact. */
const ROUNDED = 1 - 1e-12;

const FEEDS = ['trade', 'ticker', 'quote', 'quote of two'] as const;

const slow = (rows: readonly Row[] | undefined) => rows?.map(([time, ...columns]): Row => [time * SPREAD, ...columns]);

/** A case over months, in which an account of little money may be ruined. */
async function figures(random: RandomRun, zone: string, money: string): Promise<Figures> {
  const rows = Object.fromEntries(Object.entries(random.rows).map(([kind, data]) => [kind, slow(data)])) as RandomRun['rows'];
  const made = plan({ ...planOf({ ...random, rows, second: slow(random.second) }), balances: { USDT: money } });
  const run = await simulateRun({ ...made, account: { ...made.account, equityEveryMs: 6 * HOUR, dayZone: zone } });
  if (run.failure !== undefined) throw run.failure.error;
  return figuresOf(run, { annualDays: undefined });
}

const holds = (feed: (typeof FEEDS)[number], check: (made: Figures) => void) =>
  fc.assert(
    fc.asyncProperty(
      randomRun(feed),
      fc.constantFrom('UTC', 'America/New_York', 'Asia/Tokyo'),
      fc.constantFrom('1000000', '1500', '40', '15'),
      async (random, zone, money) => check(await figures(random, zone, money)),
    ),
    { numRuns: RUNS, endOnFailure: true },
  );

const compounded = (returns: Iterable<number | null>) =>
  [...returns].reduce<number>((product, one) => product * (1 + (one ?? Number.NaN)), 1);
const total = (rows: readonly Decimal[]) => rows.reduce((sum, one) => sum.plus(one), ZERO);

/** A day ended without equity: from then on no return exists. */
const isRuined = ({ record }: Figures) => record.dayEquity.some(({ equity }) => equity.lte(0));

/** Every breakdown has the trades of the run, each once. */
function expectSums({ trades, record, statistics }: Figures): void {
  const { closed, open } = trades;
  const tables = breakdowns(trades, record);
  for (const by of BREAKDOWNS) {
    const rows = tables[by];
    const sum = (of: (row: (typeof rows)[number]) => string) => total(rows.map((row) => ZERO.plus(of(row)))).toFixed();
    const withOpen = !isPeriod(by) && by !== 'hour' && by !== 'weekday';
    const counted = withOpen ? [...closed, ...open] : [...closed];
    expect([by, rows.reduce((count, row) => count + row.trades, 0)]).toEqual([by, statistics.trades]);
    expect([by, rows.reduce((count, { wins, losses }) => count + wins - losses, 0)]).toEqual([
      by,
      Number(statistics.wins) - Number(statistics.losses),
    ]);
    expect([by, sum(({ netProfit }) => netProfit)]).toEqual([by, netProfitOf(closed).toFixed()]);
    expect([by, sum(({ fees }) => fees)]).toEqual([by, sumOf(counted, 'fees').toFixed()]);
    expect([by, sum(({ funding }) => funding)]).toEqual([by, sumOf(counted, 'funding').toFixed()]);
    expect([by, sum(({ volume }) => volume)]).toEqual([by, sumOf(counted, 'volume').toFixed()]);
  }
  // Sums that were made while the trades closed are those of reading the trades.
  const read = { ...trades, closed: [...closed] };
  expect(breakdowns(read, record)).toEqual(tables);
  expect(computeStatistics(record, read)).toEqual(statistics);
  const { netProfit, profitOutsideTrades } = statistics;
  expect(netProfitOf(closed).plus(String(profitOutsideTrades)).toFixed()).toBe(netProfit);
}

describe.each(FEEDS)('over random runs of %ss', (feed) => {
  test('days compound to months, months to years, and years to the total return', async () => {
    await holds(feed, (made) => {
      const { record, statistics } = made;
      if (isRuined(made) || record.dayEquity.length === 0) return;
      const whole = 1 + Number(statistics.totalReturn);
      expect(compounded(dailyReturns(record))).toBeCloseTo(whole, 10);
      for (const period of ['day', 'week', 'month', 'year'] as const)
        expect(compounded(periodReturns(record, period).values())).toBeCloseTo(whole, 10);
      for (const { months, total: year } of monthlyReturns(record))
        expect(compounded(months.filter((month) => month !== null))).toBeCloseTo(1 + year!, 10);
    });
  });

  test('the drawdown of each row is that of its equity below the peak, which it names where it came between two rows', async () => {
    await holds(feed, ({ record }) => {
      let highest = Number.NEGATIVE_INFINITY;
      let last = Number.NEGATIVE_INFINITY;
      for (const { equity, drawdown, ...row } of record.equity) {
        const { peak } = row as unknown as { readonly peak: number };
        highest = Math.max(highest, equity.toNumber());
        expect(drawdown).toBe((peak - equity.toNumber()) / peak);
        expect(peak).toBeGreaterThanOrEqual(highest * ROUNDED);
        expect(peak).toBeGreaterThanOrEqual(last * ROUNDED);
        last = peak;
      }
    });
  });

  test('each breakdown sums to the whole', async () => {
    await holds(feed, expectSums);
  });

  test('no ratio exists whose base is not positive, and none is infinite', async () => {
    await holds(feed, (made) => {
      const { record, statistics } = made;
      for (const value of Object.values(statistics)) if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
      expect(statistics.capacity === null || Number(statistics.capacity) > 0).toBe(true);
      expect(statistics.ruinTime === null).toBe(record.ruin === undefined);
      if (!isRuined(made)) return;
      const zone = new DayZone(record.dayZone);
      const bases = [record.startEquity, ...record.dayEquity.map(({ equity }) => equity)];
      expect(dailyReturns(record).map((value, index) => Number.isNaN(value) === bases[index]!.lte(0))).not.toContain(false);
      for (const period of ['day', 'week', 'month', 'year'] as const) {
        const ends = new Map(record.dayEquity.map(({ time, equity }) => [periodOf(time - 1, period, zone), equity]));
        const before = [record.startEquity, ...ends.values()];
        const returns = [...periodReturns(record, period).values()];
        expect(returns.map((value, index) => (value === null) === before[index]!.lte(0))).not.toContain(false);
      }
      const { ulcerIndex, turnover, cagr, sharpe, sortino } = statistics;
      expect([ulcerIndex, turnover]).toEqual([null, null]);
      if (record.dayEquity.slice(0, -1).some(({ equity }) => equity.lte(0))) expect([sharpe, sortino]).toEqual([null, null]);
      if (record.finalEquity.lte(0)) expect(cagr).toBeNull();
    });
  });
});

test('a fill that leaves no equity until the next event is ruin, as the equity curve shows it', async () => {
  // A short of 3 at 101 with 15 of money: equity is -15 at 111, for a week without events, and above zero at 103.
  const DAY = 86_400;
  const data = [
    quotes([
      [0, 91, 94],
      [DAY, 110, 112],
      [8 * DAY, 102, 104],
    ]),
  ];
  const seller = strategy('s', {
    onQuote: ({ bid }) =>
      bid === 91 ? place({ symbol: 'BTC-USDT', side: 'sell', type: 'limit', quantity: '3', price: '101' }) : undefined,
  });
  const run = await simulateRun(enginePlan([seller], { balances: { USDT: '15' }, data }));
  expect(run.failure).toBeUndefined();
  const { record, statistics } = figuresOf(run, { annualDays: undefined });
  expect(record.dayEquity.map(({ equity }) => equity.isPositive())).toContain(false);
  expect(record.ruin).toMatchObject({ symbol: 'BTC-USDT', price: 111 });
  expect(statistics.turnover).toBeNull();
});

test.each(KINDS)('each breakdown of three strategies on one %s account sums to the whole', async (kind) => {
  await fc.assert(
    fc.asyncProperty(life(kind), async (one) => {
      const { run } = await byProgram(one);
      expectSums(figuresOf(run, { annualDays: undefined }));
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
