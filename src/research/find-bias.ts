import { Random } from '../model/random.ts';

/** Something that a strategy wanted, as far as two runs are compared by it. */
export interface Decision {
  /** Epoch ms. */
  readonly time: number;
  readonly strategyId: string;
  /** What it wanted, as text (JSON where it has sizes): two that want the same have the same. */
  readonly intent: string;
  /** It followed from a price after the data of its time, such as a fill at the next open, which may bear the same time. */
  readonly afterNext: boolean;
}

/** What is different about one of the runs that are compared; nothing: the run as it stands. */
export interface BiasChange {
  /** Epoch ms: it begins here. */
  readonly from?: number | undefined;
  /** Epoch ms: no data after this time. */
  readonly to?: number | undefined;
  /** It is made in the memory that the run as it stands has left behind. */
  readonly again?: boolean | undefined;
  /** The wall clock goes ahead by so much, in ms. */
  readonly clockMs?: number | undefined;
  /** Chance is drawn from this seed. */
  readonly seed?: number | undefined;
  /** The whole recording comes later by so much, in ms; decisions bear the times before that. */
  readonly shiftMs?: number | undefined;
}

/** What came of one run. */
export interface BiasOutcome {
  /** In the order in which they were made. */
  readonly decisions: readonly Decision[];
  /** Epoch ms of the first market data, and of the last that may be compared: not after `to`. */
  readonly first: number;
  readonly until: number;
  /** Files that the strategies read while they were made and ran. */
  readonly files: readonly string[];
}

/** Makes a run. A run without `again` must know nothing of any other: the caller provides for that. */
export type BiasRun = (change: BiasChange) => Promise<BiasOutcome>;

/**
 * Where the future is cut off: half of the cuts at times at which the run decided something, where a look ahead shows first,
 * the others anywhere in it; the same seed draws the same. @returns epoch ms, rising, each once.
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

/** The first decision in which two runs differ; one of them is missing where a run did not make it. */
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
  // What followed from a price after the last data cannot be there yet.
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

/** What decisions depend on and must not. */
export type BiasKind = 'lookAhead' | 'sharedState' | 'wallClock' | 'chance' | 'date' | 'files';

/** One kind of bias that was found. */
export interface BiasFinding {
  readonly kind: BiasKind;
  /** How many of the runs that were made to look for it show it. */
  readonly shown: number;
  readonly runs: number;
  /** Epoch ms: where the future was cut off in the run that `first` is of; absent where it was not. */
  readonly cut: number | undefined;
  /** The earliest decision that differs; absent of files. */
  readonly first: FirstDifference | undefined;
  /** Of files. */
  readonly files: readonly string[];
}

/** What came of the search. */
export interface BiasSearch {
  /** The run as it stands. */
  readonly full: BiasOutcome;
  readonly cuts: readonly number[];
  /** Empty where decisions hang on nothing but the past. */
  readonly findings: readonly BiasFinding[];
}

/** How thoroughly it is sought. */
export interface BiasOptions {
  /** In how many places the future is cut off. */
  readonly cuts: number;
  readonly seed: number;
}

/** One run beside another that it must do the same as. */
interface Compared {
  readonly change: BiasChange;
  readonly as: BiasOutcome;
  /** Where it has been made already. */
  readonly outcome?: BiasOutcome;
}

/** A year and a bit: another day, month and year. */
const CLOCK_MS = 400 * 86_400_000;
/** The same weekday and hour, another date. */
const SHIFT_MS = 28 * 86_400_000;

/**
 * Runs a strategy as it stands and again with something cut off or changed that no decision may hang on.
 *
 * - `lookAhead`: up to a point the decisions are others when there is no data after it.
 * - `sharedState`: the same in the memory that the whole run has left behind, or simply once more.
 * - `wallClock`, `chance`: they are others on another day, or with other draws.
 * - `date`: they are others when the same prices come four weeks later: prices that are known by their dates.
 * - `files`: strategies read files, whose future no cut takes away.
 */
export async function findBias(run: BiasRun, { cuts: count, seed }: BiasOptions): Promise<BiasSearch> {
  const full = await run({});
  const cuts = cutTimes(full, count, seed);
  const findings: BiasFinding[] = [];
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

/** How decisions hang on where a run begins. */
export interface StartSensitivity {
  /** Epoch ms: where it began. */
  readonly from: number;
  /** From here on it decides what the whole run does, epoch ms; undefined where it never does. */
  readonly settledAt: number | undefined;
  /** The first decision after its start that differs; undefined where none does. */
  readonly first: FirstDifference | undefined;
  /** Of the whole run from there on, and how many came before it settled. */
  readonly decisions: number;
  readonly unsettled: number;
  /**
   * Where it never settles: from when on (half of the decisions, or more) it decides the same but for sizes, epoch ms, and the
   * first decision after that whose size differs.
   */
  readonly sizesApart: { readonly since: number; readonly first: FirstDifference } | undefined;
}

/** The numbers of an intent that follow from what an account has. */
const SIZES = ['quantity', 'quoteQuantity'];
/** Ids are counted from the start of a run: those of a later one are others. */
const IDS = ['clientOrderId'];

/**
 * Begins the run later, at even shares of its period, and compares the decisions in the overlap with those of the whole run.
 * A strategy with enough history before its start decides the same from the start on; one that carries a position or
 * its equity along need not. Orders are sized by equity in many strategies, and equity depends on where a run begins: what is
 * the same but for sizes is told as that.
 * @param starts how many.
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
  // The last few may be the same by chance.
  const first = since === undefined || unsettled > decisions / 2 ? undefined : firstDifference(as, begun, { from: since });
  return { ...found, sizesApart: first && { since: since!, first } };
}

/** The same decisions, with these fields of their intents left out. */
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
  // The latest difference, sought from behind: what follows it is the same.
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
