import { expect, test } from '@jest/globals';
import { pollSettings } from '../../src/app/planning/plan-backtest.ts';
import { OPEN_BARS } from '../../src/app/planning/planned-history.ts';
import type { BacktestPlan } from '../../src/app/planning/run-plans.ts';
import type { BarInterval } from '../../src/model/bar-interval.ts';
import { Instrument } from '../../src/model/instrument.ts';
import { type Bar, barOf } from '../../src/model/market-events.ts';
import { place } from '../../src/strategy/intents.ts';
import { type Intents, Strategy } from '../../src/strategy/strategy.ts';
import { plan, type Row, series, T0 } from '../builders.ts';
import { replayed, wrongInReplay } from '../faults/replayed.ts';
import { runBacktest } from './backtest-run.ts';
import { botPlan, runPaper } from './paper-run.ts';
import { SPOT } from './random-recording.ts';
import { firstDifference } from './trace.ts';

const HOUR = 3_600_000;
const MONDAYS = '1w from Monday';
const BTC = new Instrument(0, { symbol: 'BTC-USDT', ...SPOT, makerFee: '0', takerFee: '0' });
/** A Saturday: the week from Monday and the month are open. */
const START = Date.UTC(2024, 1, 10);
const END = Date.UTC(2024, 2, 5);

/** Trades once for each moment in which a week or a month has ended, and names the bars that it knows then. */
class Calendar extends Strategy {
  static override readonly needs = { bars: ['1M', '1w'], weekStart: 'monday', history: 2 };

  override onBars(bars: readonly Bar[]): Intents {
    const known = [...this.bars('BTC-USDT', '1M', 2), ...this.bars('BTC-USDT', '1w', 1)];
    const text = (bar: Bar) => `${bar.interval} ${new Date(bar.openTime).toISOString().slice(5, 10)} ${bar.openTicks} ${bar.closeTicks}`;
    const tag = `${bars.map(text).join()} of ${known.map(text).join()}`;
    return place({ symbol: 'BTC-USDT', side: 'buy', type: 'market', quantity: '0.1', tag });
  }
}

/** Prices every six hours, over the end of a leap February and the weeks around it. */
function months(): BacktestPlan {
  const rows = Array.from(
    { length: (END - START) / (6 * HOUR) },
    (_, index): Row => [(START - T0) / 1_000 + index * 21_600, 10_000 + index],
  );
  const bar = (interval: BarInterval, end: number, price: number) => barOf(BTC, end, 0, interval, price, price, price, price, 0);
  const open = [bar('1M', Date.UTC(2024, 2, 1), 9_000), bar(MONDAYS, Date.UTC(2024, 1, 12), 9_500)];
  const past = [bar('1M', Date.UTC(2024, 0, 1), 5), bar('1M', Date.UTC(2024, 1, 1), 6), bar(MONDAYS, Date.UTC(2024, 1, 5), 1)];
  return plan({
    kind: 'spot',
    instruments: [BTC],
    sources: [{ instrument: BTC, kind: 'ticker', open: () => series('ticker', rows) }],
    balances: { USDT: '10000' },
    profile: 'exchange',
    polled: pollSettings(6 * HOUR),
    strategies: [{ id: 'calendar', symbols: ['BTC-USDT'], params: {}, create: (context) => new Calendar(context) }],
    bars: { from: 'ticker', intervals: [['1M', MONDAYS]], graceMs: 2_000, open },
    history: (id, _, interval = '1M') => (id === OPEN_BARS ? open : past).filter(({ intervalKey }) => intervalKey === interval),
  });
}

test('weeks from Monday and months are the same over HTTP as in process, those that were open at the start too', async () => {
  const backtest = await runBacktest(months());
  const { trace: paper, journal } = await runPaper(months());
  expect(firstDifference(backtest, paper)).toBeUndefined();
  const tags = paper.intents.map((line) => /"tag":"([^"]*)"/.exec(line)![1]);
  // Four prices a day: the week ends after two days, February after twenty.
  expect(tags[0]).toBe('1w 02-05 9500 10007 of 1M 12-01 5 5,1M 01-01 6 6,1w 02-05 9500 10007');
  expect(tags).toContain('1M 02-01 9000 10079 of 1M 01-01 6 6,1M 02-01 9000 10079,1w 02-19 10036 10063');
  // The journal has the bars that were open at the start: the replay reads them there.
  const again = await replayed(journal, { ...botPlan(months(), 6 * HOUR), history: () => [] });
  expect(wrongInReplay(again)).toEqual([]);
  expect(again.runs[0]!.missing).toEqual([]);
});
