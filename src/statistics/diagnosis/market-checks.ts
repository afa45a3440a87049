import type { Benchmark, RunRecord } from '../run-record.ts';
import { type Check, duration, gainOf, money, percent } from './check.ts';
import { LARGE_SHARE } from './fills-in-bars.ts';

/** A drawdown of half the benchmark's compensates a lower return. */
const CALMER = 0.5;
const FEWEST_TRADES = 10;
const TREND = 0.1;
const LONG_SHARE = 0.5;
/** A smaller drawdown is noise. */
const DEEP = 0.01;

/** The result compared with its market. */
export const MARKET_CHECKS = [
  {
    id: 'worseThanHolding',
    title: 'Buying and holding would have made more',
    reportedIf: `a run with fills returned less than its benchmark; only info if its drawdown is less than ${percent(CALMER)} of the benchmark's`,
    why: 'A strategy should beat buying and holding, unless it halves the risk.',
    advice: 'Decide what the strategy adds to holding: less risk, or profit in falling markets.',
    evaluate: ({ record }) => {
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
    reportedIf: `all of at least ${FEWEST_TRADES} trades are on one side, and the benchmark moved ${percent(TREND)} or more in that direction`,
    why: 'Any trades on this side would have gained: the rules may have added nothing.',
    advice: 'Test a period with the opposite trend, and entries at random times.',
    evaluate: ({ record, trades: { closed, open } }) => {
      const trades = closed.length + open.length;
      const side = (closed.at(0) ?? open[0])?.side;
      if (record.benchmark === undefined || trades < FEWEST_TRADES) return undefined;
      for (const list of [closed, open]) for (const trade of list) if (trade.side !== side) return undefined;
      const moved = returnOf(record, record.benchmark);
      if ((side === 'long' ? moved : -moved) < TREND) return undefined;
      return { severity: 'info', figures: { side: side!, trades: String(trades), benchmark: percent(moved) } };
    },
  },
  {
    id: 'longDrawdown',
    title: 'Below its peak for most of the run',
    reportedIf: `the max drawdown is at least ${percent(DEEP)}, and one drawdown lasts longer than ${percent(LONG_SHARE)} of the run`,
    why: 'A start at that peak means no gain for all this time: few people keep a strategy so long.',
    advice: 'Compare the recovery time with the time that you would really wait.',
    evaluate: ({ record: { drawdown, from, to } }) => {
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

const FEWEST_FILLS = 20;
/** A factor of ten for growth before the average order is too large. */
const ROOM = 10;

/** Order sizes compared with the market's. Only recordings of bars with volumes have the data. */
export const VOLUME_CHECKS = [
  {
    id: 'sizeAgainstVolume',
    title: 'Orders are large for the volume',
    reportedIf: `the fills of the run in one bar are ${percent(LARGE_SHARE)} of its volume or more; critical from 100 %`,
    why: 'An order of that size moves the price, or is not filled at all: the simulator does neither by default.',
    advice: 'Trade smaller, or set `backtest.fills.barVolumeShare`.',
    evaluate: ({ context: { bars } }) => {
      const { bars: all = 0, large = 0, largest = 0 } = bars.volumeShares() ?? {};
      if (large === 0) return undefined;
      return {
        severity: largest < 1 ? 'warning' : 'critical',
        figures: {
          bars: String(large),
          ofBars: String(all),
          largest: Number.isFinite(largest) ? percent(largest) : 'a bar without volume',
        },
      };
    },
  },
  {
    id: 'littleRoom',
    title: 'Little room to grow',
    reportedIf: `in at least ${FEWEST_FILLS} bars with fills, these are on average more than ${percent(LARGE_SHARE / ROOM)} of the volume: with ${ROOM} times the capital they would be ${percent(LARGE_SHARE)}`,
    why: 'The result does not scale to much more capital.',
    advice: `Hold no more equity than \`room\`: beyond it own fills are on average ${percent(LARGE_SHARE)} of their bars (the capacity of the statistics goes by whole days). Spread orders over more time or more symbols.`,
    evaluate: ({ record: { startEquity, currency }, context: { bars } }) => {
      const { measured: count = 0, sum = 0 } = bars.volumeShares() ?? {};
      if (count < FEWEST_FILLS) return undefined;
      const average = sum / count;
      if (average <= LARGE_SHARE / ROOM) return undefined;
      const room = startEquity.times(LARGE_SHARE).div(average);
      return { severity: 'info', figures: { averageShare: percent(average), room: money(room, currency) } };
    },
  },
] as const satisfies readonly Check[];
