import type { Benchmark, RunRecord } from '../run-record.ts';
import type { Check } from './check.ts';
import { duration, percent } from './figure-text.ts';
import { gainOf } from './gain.ts';

/** A drawdown of half the holding's pays for a lower return. */
const CALMER = 0.5;
const FEWEST_TRADES = 10;
const TREND = 0.1;
const LONG_SHARE = 0.5;
/** Less is noise about a flat line. */
const DEEP = 0.01;

/** The result beside the market that it was made in. */
export const MARKET_CHECKS = [
  {
    id: 'worseThanHolding',
    title: 'Holding would have made more',
    speaks: `a run with fills returned less than its benchmark; info alone where its drawdown is less than ${percent(CALMER)} of the benchmark's`,
    why: 'What doing nothing brings is the least that work must beat, unless it halves the risk.',
    advice: 'Say what the strategy is for beside holding: less risk, or markets that fall.',
    ask: ({ record }) => {
      const { benchmark, fills, drawdown } = record;
      if (benchmark === undefined || fills.length === 0) return undefined;
      if (record.finalEquity.gte(benchmark.equity.at(-1) ?? record.startEquity)) return undefined;
      const [own, held] = [gainOf(record).div(record.startEquity).toNumber(), returnOf(record, benchmark)];
      const fall = deepestFall(benchmark.equity);
      return {
        severity: drawdown.depth < CALMER * fall ? 'info' : 'warning',
        figures: { return: percent(own), benchmark: percent(held), drawdown: percent(drawdown.depth), benchmarkDrawdown: percent(fall) },
      };
    },
  },
  {
    id: 'oneSided',
    title: 'All trades on the side of the trend',
    speaks: `all of at least ${FEWEST_TRADES} trades are on one side, and the benchmark moved ${percent(TREND)} that way`,
    why: 'The market alone would have carried any such trades: the rules may have added nothing.',
    advice: 'Test a period in which the market goes the other way, and entries at random times.',
    ask: ({ record, trades: { closed, open } }) => {
      const trades = [...closed, ...open];
      const side = trades[0]?.side;
      if (record.benchmark === undefined || trades.length < FEWEST_TRADES || trades.some((trade) => trade.side !== side)) return undefined;
      const moved = returnOf(record, record.benchmark);
      if ((side === 'long' ? moved : -moved) < TREND) return undefined;
      return { severity: 'info', figures: { side: side!, trades: String(trades.length), benchmark: percent(moved) } };
    },
  },
  {
    id: 'longDrawdown',
    title: 'Below its peak for most of the run',
    speaks: `a drawdown of at least ${percent(DEEP)} somewhere, and one that lasts longer than ${percent(LONG_SHARE)} of the run`,
    why: 'Who had begun at that peak would have waited all that time to be even: few keep to a strategy so long.',
    advice: 'Compare the time to recover with how long you would really wait.',
    ask: ({ record: { drawdown, from, to } }) => {
      const share = drawdown.longestMs / (to - from);
      if (drawdown.depth < DEEP || !(share > LONG_SHARE)) return undefined;
      return {
        severity: 'warning',
        figures: { longest: duration(drawdown.longestMs), ofTheRun: percent(share), depth: percent(drawdown.depth) },
      };
    },
  },
] as const satisfies readonly Check[];

function returnOf({ startEquity }: RunRecord, { equity }: Benchmark): number {
  return (equity.at(-1) ?? startEquity.toNumber()) / startEquity.toNumber() - 1;
}

function deepestFall(values: readonly number[]): number {
  let [peak, deepest] = [Number.NEGATIVE_INFINITY, 0];
  for (const value of values) {
    peak = Math.max(peak, value);
    deepest = Math.max(deepest, 1 - value / peak);
  }
  return deepest;
}
