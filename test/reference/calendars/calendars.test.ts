import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Figures, figuresOf } from '../../../src/app/backtest/results/figures.ts';
import { simulateRun } from '../../../src/app/backtest/simulate-run.ts';
import { DayZone } from '../../../src/model/day-zone.ts';
import { dailyReturns, monthlyReturns } from '../../../src/statistics/returns/daily-returns.ts';
import { place } from '../../../src/strategy/intents.ts';
import { instrument, plan, type Row, type Script, Scripted, secondsOf, series } from '../../builders.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NEW_YORK = 'America/New_York';

interface Case {
  readonly bars: number;
  readonly days: number;
  readonly firstDay: string;
  readonly figures: Readonly<Record<string, number | null>>;
  readonly months: Readonly<Record<string, number>>;
  readonly years: Readonly<Record<string, number>>;
  readonly everyTenthReturn: readonly number[];
}

/** Made by calendars.py out of the same bars and trades, by other libraries. */
const GOLDEN = JSON.parse(readFileSync(join(import.meta.dirname, 'calendars.json'), 'utf8')) as { readonly cases: Record<string, Case> };
const CASES = Object.keys(GOLDEN.cases);

/** Lehmer's generator: x = 48271 x mod 2^31 - 1. */
class Chance {
  constructor(private x: number) {}

  below(n: number): number {
    this.x = (this.x * 48_271) % 2_147_483_647;
    return this.x % n;
  }
}

/** So many times from the first on, one step apart. */
const times = (first: number, count: number, step: number) => Array.from({ length: count }, (_, index) => first + index * step);
const weekdayOf = (time: number) => new Date(time).getUTCDay();

/** Nine weekdays of each of two years. */
const HOLIDAYS = [0, 14, 49, 95, 147, 168, 182, 245, 325].flatMap((index) => [index, index + 364]);
/** Summer time of New York in 2024: four hours behind UTC, else five. */
const SUMMER = [Date.UTC(2024, 2, 10, 7), Date.UTC(2024, 10, 3, 6)] as const;

/** FX is open from Sunday 22:00 to Friday 22:00. */
function isFxOpen(time: number): boolean {
  const [weekday, hour] = [weekdayOf(time), new Date(time).getUTCHours()];
  return weekday === 0 ? hour >= 22 : weekday === 5 ? hour < 22 : weekday !== 6;
}

/** The hours from nine to four on weekdays in New York. */
function sessions(): number[] {
  const days = times(Date.UTC(2024, 0, 8), 320, DAY).filter((day) => weekdayOf(day) % 6 !== 0);
  return days.flatMap((day) => {
    const behind = day >= SUMMER[0] - 7 * HOUR && day < SUMMER[1] - 6 * HOUR ? 4 : 5;
    return times(day + (9 + behind) * HOUR, 7, HOUR);
  });
}

const OPENS: Readonly<Record<string, () => number[]>> = {
  stocks: () => times(Date.UTC(2023, 0, 2), 730, DAY).filter((day, index) => weekdayOf(day) % 6 !== 0 && !HOLIDAYS.includes(index)),
  fx: () => times(Date.UTC(2023, 0, 1), 240 * 24, HOUR).filter(isFxOpen),
  crypto: () => times(Date.UTC(2023, 2, 5), 420, DAY),
  midnight: () => times(Date.UTC(2023, 11, 31, 23), 24 * 91 + 1, HOUR),
  day: () => times(Date.UTC(2024, 4, 7), 24, HOUR),
  none: () => times(Date.UTC(2024, 4, 6, 23), 1, HOUR),
  'summer-time': () => times(Date.UTC(2024, 1, 1, 5), 24 * 300, HOUR),
  session: sessions,
};
const ZONES: Readonly<Record<string, string>> = { 'summer-time': NEW_YORK, session: NEW_YORK };

function barsOf(name: string): Row[] {
  const chance = new Chance(12_345 + CASES.indexOf(name));
  let last = 10_000;
  return OPENS[name]!().map((time): Row => {
    const open = Math.max(2000, last + chance.below(61) - 30);
    last = Math.max(2000, open + chance.below(201) - 100);
    const [high, low] = [Math.max(open, last) + chance.below(21), Math.min(open, last) - chance.below(21)];
    return [secondsOf(time), open, high, low, last];
  });
}

/** Runs a case: now and then a market order opens a position, long or short, or closes it, and fills at the next open. */
async function ran(name: string): Promise<Figures> {
  const intervalMs = name === 'stocks' || name === 'crypto' ? DAY : HOUR;
  const chance = new Chance(777 + CASES.indexOf(name));
  const BTC = instrument({ takerFee: '0.0002' });
  const script: Script = {
    onBar: (self) => {
      const [choice, size] = [chance.below(15), 40 + chance.below(20)];
      if (choice > 1) return undefined;
      const { side, quantity } = self.held();
      const isOpen = quantity > 0;
      const buys = isOpen ? side === 'short' : choice === 0;
      return place({ symbol: BTC.symbol, side: buys ? 'buy' : 'sell', type: 'market', quantity: isOpen ? quantity : size });
    },
  };
  class Traded extends Scripted {
    static override readonly needs = { bars: intervalMs === DAY ? '1d' : '1h' };
  }
  const planned = plan({
    instruments: [BTC],
    strategies: [{ id: 's', symbols: [BTC.symbol], params: {}, create: (context) => new Traded(context, script) }],
    sources: [{ instrument: BTC, kind: 'bar', open: () => series('bar', barsOf(name), { intervalMs, chunkRows: 1000 }) }],
  });
  const run = await simulateRun({ ...planned, account: { ...planned.account, dayZone: ZONES[name] } });
  if (run.failure !== undefined) throw run.failure.error;
  return figuresOf(run, { annualDays: undefined });
}

/** Equal to a billionth, of the value or of 1. */
function expectClose(found: unknown, expected: number | null, what: string): void {
  if (expected === null) expect([what, found]).toEqual([what, null]);
  else
    expect([what, Math.abs(Number(found) - expected) <= 1e-9 * Math.max(1, Math.abs(expected)) ? expected : found]).toEqual([
      what,
      expected,
    ]);
}

describe.each(CASES)('data with the calendar "%s"', (name) => {
  const golden = GOLDEN.cases[name]!;
  let figures: Figures;
  beforeAll(async () => {
    figures = await ran(name);
  });

  test('has a return for each day with prices, and no other', () => {
    const { record } = figures;
    const first = record.dayEquity[0];
    expect(record.dayEquity).toHaveLength(golden.days);
    expect(first === undefined ? 'None' : new DayZone(record.dayZone).dateOf(first.time - 1)).toBe(golden.firstDay);
    const returns = dailyReturns(record).filter((_, index) => index % 10 === 0);
    expect(returns).toHaveLength(golden.everyTenthReturn.length);
    for (const [index, expected] of golden.everyTenthReturn.entries()) expectClose(returns[index], expected, `return ${index * 10}`);
  });

  test('has the figures of the libraries to a billionth', () => {
    const statistics: Readonly<Record<string, unknown>> = figures.statistics;
    for (const [key, expected] of Object.entries(golden.figures)) expectClose(statistics[key], expected, key);
  });

  test('has their months and years', () => {
    const years = monthlyReturns(figures.record);
    expect(years.map(({ year }) => String(year))).toEqual(Object.keys(golden.years));
    for (const { year, months, total } of years) {
      expectClose(total, golden.years[year]!, String(year));
      for (const [index, month] of months.entries()) {
        const key = `${year}-${String(index + 1).padStart(2, '0')}`;
        expectClose(month, golden.months[key] ?? null, key);
      }
    }
  });
});
