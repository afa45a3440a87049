import { Random } from '../model/random.ts';
import type { SignalLeak } from './signal-leaks.ts';

/** An intent of a strategy, in the form in which two runs are compared. */
export interface Decision {
  /** Epoch ms. */
  readonly time: number;
  readonly strategyId: string;
  /** The intent as text (JSON if it has sizes): equal intents have equal texts. */
  readonly intent: string;
  /** It followed from a price after the data of its time, such as a fill at the next open, which may have the same time. */
  readonly afterNext: boolean;
}

/** How one of the compared runs differs; empty: the unchanged run. */
export interface BiasChange {
  /** Epoch ms of its start. */
  readonly from?: number | undefined;
  /** Epoch ms: no data after this time. */
  readonly to?: number | undefined;
  /** It is made in the memory that the unchanged run has left behind. */
  readonly again?: boolean | undefined;
  /** The wall clock is ahead by this much, in ms. */
  readonly clockMs?: number | undefined;
  /** The seed of random numbers. */
  readonly seed?: number | undefined;
  /** The whole recording is later by this much, in ms; decisions have their original times. */
  readonly shiftMs?: number | undefined;
}

/** The result of one run. */
export interface BiasOutcome {
  /** In the order in which they were made. */
  readonly decisions: readonly Decision[];
  /** Epoch ms of the first market data, and of the last that may be compared: not after `to`. */
  readonly first: number;
  readonly until: number;
  /** Files that the strategies read during construction and run. */
  readonly files: readonly string[];
  /** Columns of signals that know prices after their time; of the unchanged run only. */
  readonly leaks?: readonly FoundLeak[] | undefined;
}

/** A column of signals that knows prices after its time. */
export interface FoundLeak extends SignalLeak {
  /** The name of the signals, and of the column. */
  readonly signal: string;
  readonly column: string;
  /** The symbol whose prices it knows. */
  readonly symbol: string;
}

/** Makes a run. Without `again` a run must share no memory with any other: the caller ensures that. */
export type BiasRun = (change: BiasChange) => Promise<BiasOutcome>;

/**
 * Where the future is cut off: half of the cuts at times of decisions of the run, where a look ahead shows first,
 * the others anywhere in it; the same seed gives the same cuts. @returns epoch ms, rising, each once.
 */
function cutTimes({ decisions, first, until }: BiasOutcome, count: number, seed: number): number[] {
  const random = new Random(seed, 'bias cuts');
  const decided = decisions.filter(({ time }) => time > first && time < until);
  const times = Array.from({ length: count }, (_, index) => {
    const draw = random.uniform();
    if (index % 2 === 0 && decided.length > 0) return decided[Math.floor(draw * decided.length)]!.time;
    return Math.floor(first + (until - first) * (0.05 + 0.9 * draw));
  });
  return [...new Set(times)].sort((a, b) => a - b);
}

/** The first decision in which two runs differ; one of them is missing if a run did not make it. */
interface FirstDifference {
  /** Epoch ms. */
  readonly time: number;
  readonly strategyId: string;
  readonly expected: string | undefined;
  readonly found: string | undefined;
}

/** Compares the decisions of two runs in [from, until], in their order. */
function firstDifference(
  full: BiasOutcome,
  other: BiasOutcome,
  { from = Number.NEGATIVE_INFINITY, until = Math.min(full.until, other.until) } = {},
): FirstDifference | undefined {
  // A decision that follows from a price after the last data cannot exist yet.
  const within = ({ time, afterNext }: Decision) => time >= from && (time < until || (time === until && !afterNext));
  const [expected, found] = [full.decisions.filter(within), other.decisions.filter(within)];
  for (let at = 0; at < Math.max(expected.length, found.length); at++) {
    const [one, two] = [expected[at], found[at]];
    if (one !== undefined && two !== undefined && one.time === two.time && one.strategyId === two.strategyId && one.intent === two.intent)
      continue;
    const first = two === undefined || (one !== undefined && one.time <= two.time) ? one! : two;
    const { time, strategyId } = first;
    const at1 = one?.time === time ? one.intent : undefined;
    const at2 = two?.time === time ? two.intent : undefined;
    return { time, strategyId, expected: at1, found: at2 };
  }
  return undefined;
}

/** Things on which decisions must not depend. */
export type BiasKind = 'signals' | 'lookAhead' | 'sharedState' | 'wallClock' | 'chance' | 'date' | 'files';

/** One kind of bias that was found. */
export interface BiasFinding {
  readonly kind: BiasKind;
  /** How many of the runs made to search for it show it. */
  readonly shown: number;
  readonly runs: number;
  /** Epoch ms: where the future was cut off in the run of `first`; absent if it was not. */
  readonly cut: number | undefined;
  /** The earliest decision that differs; absent for files and signals. */
  readonly first: FirstDifference | undefined;
  /** For `files` only. */
  readonly files: readonly string[];
  /** For `signals` only. */
  readonly leaks?: readonly FoundLeak[] | undefined;
}

/** The result of the search. */
export interface BiasSearch {
  /** The unchanged run. */
  readonly full: BiasOutcome;
  readonly cuts: readonly number[];
  /** Empty if decisions depend only on the past. */
  readonly findings: readonly BiasFinding[];
}

/** How thorough the search is. */
export interface BiasOptions {
  /** Number of places where the future is cut off. */
  readonly cuts: number;
  readonly seed: number;
}

/** A run and another one that must make the same decisions. */
interface Compared {
  readonly change: BiasChange;
  readonly as: BiasOutcome;
  /** Its outcome, if it has been made already. */
  readonly outcome?: BiasOutcome;
}

/** A year and a bit: another day, month and year. */
const CLOCK_MS = 400 * 86_400_000;
/** The same weekday and hour, another date. */
const SHIFT_MS = 28 * 86_400_000;

/**
 * Runs a strategy unchanged, and again with something cut off or changed on which no decision may depend.
 *
 * - `signals`: recorded signals know prices after their time. No cut removes this: the recording was made with them.
 * - `lookAhead`: decisions up to a point change if there is no data after it.
 * - `sharedState`: they change in the memory that the whole run has left behind, or in a plain second run.
 * - `wallClock`, `chance`: they change on another day, or with other random numbers.
 * - `date`: they change if the same prices come four weeks later, or 56 years with bars of months: the strategy recognizes prices by their
 *   dates.
 * - `files`: strategies read files, whose future no cut removes.
 */
export async function findBias(run: BiasRun, { cuts: count, seed }: BiasOptions): Promise<BiasSearch> {
  const full = await run({});
  const cuts = cutTimes(full, count, seed);
  const findings: BiasFinding[] = [];
  const { leaks = [] } = full;
  if (leaks.length > 0) findings.push({ kind: 'signals', shown: 1, runs: 1, cut: undefined, first: undefined, files: [], leaks });
  const look = async (kind: BiasKind, runs: readonly Compared[]) => {
    const seen: { readonly first: FirstDifference; readonly cut: number | undefined }[] = [];
    for (const { change, as, outcome } of runs) {
      const first = firstDifference(as, outcome ?? (await run(change)));
      if (first !== undefined) seen.push({ first, cut: change.to });
    }
    const [earliest] = seen.sort((one, other) => one.first.time - other.first.time);
    if (earliest !== undefined) findings.push({ kind, shown: seen.length, runs: runs.length, ...earliest, files: [] });
  };
  const fresh = await cutRuns(run, cuts);
  await look(
    'lookAhead',
    fresh.map((as, index) => ({ change: { to: cuts[index] }, as: full, outcome: as })),
  );
  await look('sharedState', [
    { change: { again: true }, as: full },
    ...fresh.map((as, index) => ({ change: { to: cuts[index], again: true }, as })),
  ]);
  await look('wallClock', [{ change: { clockMs: CLOCK_MS }, as: full }]);
  await look(
    'chance',
    [1, 2].map((more) => ({ change: { seed: seed + more }, as: full })),
  );
  await look('date', [{ change: { shiftMs: SHIFT_MS }, as: full }]);
  if (full.files.length > 0) findings.push({ kind: 'files', shown: 1, runs: 1, cut: undefined, first: undefined, files: full.files });
  return { full, cuts, findings };
}

async function cutRuns(run: BiasRun, cuts: readonly number[]): Promise<BiasOutcome[]> {
  const outcomes: BiasOutcome[] = [];
  for (const to of cuts) outcomes.push(await run({ to }));
  return outcomes;
}

/** How decisions depend on the start of a run. */
export interface StartSensitivity {
  /** Epoch ms of its start. */
  readonly from: number;
  /** Epoch ms from which on its decisions equal those of the whole run; undefined if they never do. */
  readonly settledAt: number | undefined;
  /** The first decision after its start that differs; undefined if none does. */
  readonly first: FirstDifference | undefined;
  /** Decisions of the whole run from there on, and how many came before it settled. */
  readonly decisions: number;
  readonly unsettled: number;
  /**
   * If it never settles: epoch ms from which on half of the decisions or more are equal except for sizes, and the
   * first decision after that whose size differs.
   */
  readonly sizesApart: { readonly since: number; readonly first: FirstDifference } | undefined;
}

/** The numbers of an intent that depend on the funds of the account. */
const SIZES = ['quantity', 'quoteQuantity'];
/** Ids are counted from the start of a run: those of a later one differ. */
const IDS = ['clientOrderId'];

/**
 * Starts the run later, at even shares of its period, and compares the decisions in the overlap with those of the whole run.
 * A strategy with enough history before its start makes equal decisions from the start on; one that carries a position or
 * its equity along may not. Many strategies size orders by equity, and equity depends on the start of a run: decisions
 * that are equal except for sizes are reported as that.
 * @param starts number of later starts.
 */
export async function warmUpSensitivity(run: BiasRun, full: BiasOutcome, starts: number): Promise<StartSensitivity[]> {
  const found: StartSensitivity[] = [];
  for (let index = 1; index <= starts; index++) {
    const from = Math.floor(full.first + ((full.until - full.first) * index) / (starts + 1));
    found.push(explained(full, await run({ from })));
  }
  return found;
}

function explained(full: BiasOutcome, later: BiasOutcome): StartSensitivity {
  const [as, begun] = [without(full, IDS), without(later, IDS)];
  const found = sensitivityOf(as, begun);
  if (found.settledAt !== undefined) return { ...found, sizesApart: undefined };
  const fields = [...IDS, ...SIZES];
  const { settledAt: since, decisions, unsettled } = sensitivityOf(without(full, fields), without(later, fields));
  // The last few may be equal by chance.
  const first = since === undefined || unsettled > decisions / 2 ? undefined : firstDifference(as, begun, { from: since });
  return { ...found, sizesApart: first && { since: since!, first } };
}

/** The same decisions, without these fields of their intents. */
function without(outcome: BiasOutcome, fields: readonly string[]): BiasOutcome {
  const keep = (key: string, value: unknown) => (fields.includes(key) ? undefined : value);
  const reduced = (intent: string) =>
    fields.some((field) => intent.includes(`"${field}"`)) ? JSON.stringify(JSON.parse(intent), keep) : intent;
  return { ...outcome, decisions: outcome.decisions.map((one) => ({ ...one, intent: reduced(one.intent) })) };
}

function sensitivityOf(full: BiasOutcome, later: BiasOutcome): Omit<StartSensitivity, 'sizesApart'> {
  const { first: from } = later;
  const first = firstDifference(full, later, { from });
  const times = full.decisions.filter(({ time }) => time >= from).map(({ time }) => time);
  if (first === undefined) return { from, settledAt: from, first, decisions: times.length, unsettled: 0 };
  // The latest difference, searched from the end: all decisions after it are equal.
  const all = [...new Set([...times, ...later.decisions.map(({ time }) => time)])].filter((time) => time >= from).sort((a, b) => b - a);
  let settledAt: number | undefined;
  for (const time of all) {
    if (firstDifference(full, later, { from: time }) !== undefined) break;
    settledAt = time;
  }
  return {
    from,
    settledAt,
    first,
    decisions: times.length,
    unsettled: times.filter((time) => time < (settledAt ?? Number.POSITIVE_INFINITY)).length,
  };
}
