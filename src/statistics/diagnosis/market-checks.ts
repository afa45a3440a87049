import type { Benchmark, RunRecord } from '../run-record.ts';
import { type BarAtFill, type Check, type DiagnosisContext, duration, gainOf, money, percent } from './check.ts';

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

/** More of a bar's volume moves the price by itself. */
const LARGE_SHARE = 0.1;
const FEWEST_FILLS = 20;
/** Room to grow tenfold before the average order is too large. */
const ROOM = 10;

/** Own size against that of the market. Recordings of bars alone tell it, and only those that have volumes. */
export const VOLUME_CHECKS = [
  {
    id: 'sizeAgainstVolume',
    title: 'Orders are large for the volume',
    speaks: `own fills in one bar are ${percent(LARGE_SHARE)} of its volume; critical from 100 %`,
    why: 'An order of that size moves the price, or is not filled at all: the simulator does neither unless told.',
    advice: 'Trade smaller, or set `backtest.fills.barVolumeShare`.',
    ask: ({ context }) => {
      const shares = volumeShares(context);
      const large = shares.filter((share) => share >= LARGE_SHARE);
      if (large.length === 0) return undefined;
      const largest = large.reduce((most, share) => Math.max(most, share), 0);
      return {
        severity: largest < 1 ? 'warning' : 'critical',
        figures: {
          bars: String(large.length),
          ofBars: String(shares.length),
          largest: Number.isFinite(largest) ? percent(largest) : 'a bar without volume',
        },
      };
    },
  },
  {
    id: 'littleRoom',
    title: 'Little room to grow',
    speaks: `over at least ${FEWEST_FILLS} bars with own fills, these are on average more than ${percent(LARGE_SHARE / ROOM)} of the volume: at ${ROOM} times the capital they would be ${percent(LARGE_SHARE)}`,
    why: 'The result cannot be scaled to much more money than it was made with.',
    advice: `Hold no more equity than \`room\`: beyond it own fills are on average ${percent(LARGE_SHARE)} of their bars (the capacity of the statistics goes by whole days). Spread orders over more time or more symbols.`,
    ask: ({ record: { startEquity, currency }, context }) => {
      const shares = volumeShares(context).filter(Number.isFinite);
      if (shares.length < FEWEST_FILLS) return undefined;
      const average = shares.reduce((sum, share) => sum + share, 0) / shares.length;
      if (average <= LARGE_SHARE / ROOM) return undefined;
      const room = startEquity.times(LARGE_SHARE).div(average);
      return { severity: 'info', figures: { averageShare: percent(average), room: money(room, currency) } };
    },
  },
] as const satisfies readonly Check[];

/** What own fills took of each bar that they happened in; nothing where no bar has a volume. */
function volumeShares({ bars }: DiagnosisContext): number[] {
  const taken = new Map<BarAtFill, number>();
  for (const [fill, bar] of bars) taken.set(bar, (taken.get(bar) ?? 0) + fill.quantity);
  if ([...taken.keys()].every(({ volume }) => volume === 0)) return [];
  return [...taken].map(([bar, quantity]) => quantity / bar.volume);
}
