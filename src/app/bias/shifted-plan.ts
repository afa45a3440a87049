import type { Bar } from '../../model/market-events.ts';
import type { RowStream } from '../../venues/simulated/row-stream.ts';
import type { BacktestPlan } from '../backtest/backtest-plan.ts';

/** The plan with its whole recording so many ms later, bars before the start too. */
export function shiftedPlan(plan: BacktestPlan, ms: number): BacktestPlan {
  const later = (bar: Bar) => Object.assign(Object.create(Object.getPrototypeOf(bar)) as Bar, bar, { time: bar.time + ms });
  return {
    ...plan,
    from: plan.from + ms,
    to: plan.to + ms,
    sources: plan.sources.map((source) => ({
      ...source,
      open: () => {
        const opened = source.open();
        return { ...opened, rows: shiftedRows(opened.rows, ms) };
      },
    })),
    bars: {
      ...plan.bars,
      before: plan.bars.before?.map((known) => known && { firstTime: known.firstTime + ms, begun: known.begun.map(later) }),
    },
    history: (...asked) => plan.history(...asked).map(later),
  };
}

/** The rows that are loaded are not ours to change: their times are copied. */
function shiftedRows(rows: RowStream, ms: number): RowStream {
  let time = new Float64Array(0);
  return {
    get length() {
      return rows.length;
    },
    get time() {
      return time;
    },
    get columns() {
      return rows.columns;
    },
    get nanos() {
      return rows.nanos;
    },
    next() {
      const more = rows.next();
      time = rows.time.map((own) => own + ms);
      return more;
    },
    close: () => rows.close(),
  };
}
