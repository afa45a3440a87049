import type { RunRecord } from '../run-record.ts';
import { growth, over } from './moments.ts';

/** A time in which markets fell fast; dates are inclusive, in the zone of the run's days. */
interface Crisis {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

/** The windows of Lean's report, and those of cryptocurrencies since. */
const CRISES: readonly Crisis[] = [
  { name: 'Dotcom crash', from: '2000-03-10', to: '2000-09-10' },
  { name: 'September 11, 2001', from: '2001-09-11', to: '2001-10-11' },
  { name: 'Housing bubble', from: '2003-01-01', to: '2003-02-20' },
  { name: 'Global financial crisis', from: '2007-10-01', to: '2011-12-01' },
  { name: 'Flash crash', from: '2010-05-01', to: '2010-05-22' },
  { name: 'Fukushima', from: '2011-03-01', to: '2011-04-22' },
  { name: 'US credit downgrade', from: '2011-08-05', to: '2011-09-01' },
  { name: 'ECB interest rate event', from: '2012-09-05', to: '2012-10-12' },
  { name: 'October 2014', from: '2014-10-01', to: '2014-10-29' },
  { name: 'Fall 2015', from: '2015-08-15', to: '2015-09-30' },
  { name: 'COVID-19', from: '2020-02-10', to: '2020-09-20' },
  { name: 'China bans mining', from: '2021-05-10', to: '2021-07-20' },
  { name: 'Collapse of Terra', from: '2022-05-05', to: '2022-06-20' },
  { name: 'Collapse of FTX', from: '2022-11-05', to: '2022-11-22' },
  { name: 'Unwinding of yen carry trades', from: '2024-07-29', to: '2024-08-08' },
  { name: 'US tariffs', from: '2025-04-01', to: '2025-04-12' },
];

/** The run and its benchmark in one crisis. */
export interface CrisisReturn extends Crisis {
  /** From the last equity before the window to the last in it; null where equity was zero or less. */
  readonly run: number | null;
  /** Null without a benchmark. */
  readonly benchmark: number | null;
  /** The deepest fall of the run within the window, over the last equities of its days. */
  readonly drawdown: number | null;
  /** The way to these returns; absent in files of older versions. */
  readonly path?: CrisisPath | undefined;
}

/** Returns since the day before the window, at the ends of its days; of a long window, of every so many days. */
export interface CrisisPath {
  /** Epoch ms. The first is the end of the day before. */
  readonly times: readonly number[];
  readonly run: readonly number[];
  readonly benchmark?: readonly number[];
}

/** The most points of a path. */
const MOST_POINTS = 150;

type CrisisRecord = Pick<RunRecord, 'startEquity' | 'dayEquity' | 'benchmark'>;

const DAY_MS = 86_400_000;
/** A day ends at most so long after the UTC midnight of its date, in any zone. */
const ZONE_MS = DAY_MS / 2;

/** The crises that a run covers from their first day to their last; one that it covers in part is left out. */
export function crisisReturns({ startEquity, dayEquity, benchmark }: CrisisRecord): CrisisReturn[] {
  const first = dayEquity[0]?.time ?? Number.NaN;
  const last = dayEquity.at(-1)?.time ?? Number.NaN;
  return CRISES.flatMap(({ name, from, to }) => {
    const [begin, end] = [Date.parse(from) + ZONE_MS, Date.parse(to) + DAY_MS + ZONE_MS];
    if (!(first <= begin + DAY_MS && last > end - DAY_MS)) return [];
    const start = dayEquity.findIndex(({ time }) => time > begin);
    const after = dayEquity.findIndex(({ time }) => time > end);
    const stop = after < 0 ? dayEquity.length : after;
    if (start < 0 || stop <= start) return [];
    const days = dayEquity.slice(start, stop);
    const before = start === 0 ? { time: days[0]!.time - DAY_MS, equity: startEquity } : dayEquity[start - 1]!;
    const worths = [before, ...days].map(({ equity }) => equity.toNumber());
    const times = [before, ...days].map(({ time }) => time);
    const theirs = benchmark && [
      start === 0 ? startEquity.toNumber() : benchmark.dayEquity[start - 1]!,
      ...benchmark.dayEquity.slice(start, stop),
    ];
    return [
      {
        ...{ name, from, to },
        run: finite(growth(worths[0]!, worths.at(-1)!)),
        benchmark: theirs === undefined ? null : finite(growth(theirs[0]!, theirs.at(-1)!)),
        drawdown: finite(deepestFall(worths)),
        ...(worths[0]! > 0 && { path: pathOf(times, worths, theirs) }),
      },
    ];
  });
}

/** Evenly thinned; the last point is always there. */
function pathOf(times: readonly number[], worths: readonly number[], theirs: readonly number[] | undefined): CrisisPath {
  const every = Math.ceil(times.length / MOST_POINTS);
  const thinned = <Item>(items: readonly Item[]) => items.filter((_, index) => (items.length - 1 - index) % every === 0 || index === 0);
  const returns = (values: readonly number[]) => thinned(values).map((value) => Number((value / values[0]! - 1).toFixed(5)));
  return { times: thinned(times), run: returns(worths), ...(theirs && { benchmark: returns(theirs) }) };
}

function deepestFall(worths: readonly number[]): number {
  let [peak, depth] = [worths[0]!, 0];
  for (const worth of worths) {
    peak = Math.max(peak, worth);
    depth = Math.max(depth, over(peak - worth, peak));
  }
  return depth;
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
