import { expect, test } from '@jest/globals';
import { Random } from '../../../src/model/random.ts';
import { type BiasChange, type BiasOutcome, type BiasRun, findBias, warmUpSensitivity } from '../../../src/research/find-bias.ts';

// Research code as people write it: closes in, for each of them a wish out. Each of ten looks ahead in its own way.

const MINUTE = 60_000;
const COUNT = 400;
const random = new Random(7, 'walk');
const CLOSES: readonly number[] = Array.from({ length: COUNT }).reduce<number[]>(
  (closes) => [...closes, (closes.at(-1) ?? 100) + random.uniform() - 0.5],
  [],
);

/** What a decision is made of: all closes that the run was given, the index of the bar that has just closed, and the rest of the world. */
interface World {
  readonly closes: readonly number[];
  readonly at: number;
  readonly now: number;
  readonly chance: () => number;
  readonly memory: Map<string, number>;
  /** Epoch ms of the bar. */
  readonly time: number;
}
type Rule = (world: World) => boolean;

/** A run of a rule: `memory` outlives it where it is made again. */
function runOf(rule: Rule): BiasRun {
  let left = new Map<string, number>();
  return async (change: BiasChange): Promise<BiasOutcome> => {
    const { from = 0, to = COUNT * MINUTE, again = false, clockMs = 0, seed = 1, shiftMs = 0 } = change;
    const memory = again ? left : new Map<string, number>();
    if (Object.keys(change).length === 0) left = memory;
    const start = Math.ceil(from / MINUTE);
    const closes = CLOSES.slice(0, Math.floor(to / MINUTE));
    const draws = new Random(seed, 'chance');
    const world = { closes, memory, now: 1_700_000_000_000 + clockMs, chance: () => draws.uniform() };
    const decisions = closes.flatMap((_, at) => {
      if (at < start || !rule({ ...world, at, time: (at + 1) * MINUTE + shiftMs })) return [];
      return [{ time: (at + 1) * MINUTE, strategyId: 's', intent: 'buy', afterNext: false }];
    });
    return { decisions, first: (start + 1) * MINUTE, until: closes.length * MINUTE, files: [] };
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const near = (closes: readonly number[], at: number, before: number, after: number) =>
  mean(closes.slice(Math.max(0, at - before), at + after + 1));
/** A signal that was computed over everything, and kept: by the minute of its bar. */
const PRECOMPUTED = new Map(CLOSES.map((close, at) => [(at + 1) * MINUTE, (CLOSES[at + 3] ?? close) > close]));

const PLANTED: readonly (readonly [what: string, kind: string, rule: Rule])[] = [
  ['the next close', 'lookAhead', ({ closes, at }) => closes[at + 1]! > closes[at]!],
  ['full-sample normalisation', 'lookAhead', ({ closes, at }) => closes[at]! < mean(closes) - 1],
  ['a centered moving average', 'lookAhead', ({ closes, at }) => closes[at]! < near(closes, at, 5, 5)],
  ['a resampled bar before its close', 'lookAhead', ({ closes, at }) => closes[at]! < (closes[at - (at % 15) + 14] ?? closes.at(-1)!)],
  [
    'a parameter fitted on the whole range',
    'lookAhead',
    ({ closes, at }) => {
      const span = [5, 20, 60].sort((a, b) => closes[closes.length - a]! - closes[closes.length - b]!)[0]!;
      return closes[at]! > near(closes, at, span, 0);
    },
  ],
  [
    'the rank in the whole sample',
    'lookAhead',
    ({ closes, at }) => [...closes].sort((a, b) => a - b).indexOf(closes[at]!) < closes.length / 4,
  ],
  [
    'state that outlives the run',
    'sharedState',
    ({ closes, at, memory }) => {
      const best = memory.get('highest') ?? 0;
      memory.set('highest', Math.max(best, closes[at]!));
      return closes[at]! >= best;
    },
  ],
  ['the wall clock', 'wallClock', ({ now, at }) => Math.floor(now / 86_400_000 + at) % 7 === 0],
  ['chance', 'chance', ({ chance }) => chance() < 0.2],
  ['a signal that is known by its date', 'date', ({ time }) => PRECOMPUTED.get(time) === true],
];

test.each(PLANTED)('%s is found', async (_, kind, rule) => {
  const { findings } = await findBias(runOf(rule), { cuts: 8, seed: 1 });
  expect(findings.map((finding) => finding.kind)).toEqual([kind]);
  expect(findings[0]!.first).toMatchObject({ strategyId: 's' });
});

const HONEST: readonly (readonly [what: string, rule: Rule])[] = [
  ['a moving average of the past', ({ closes, at }) => closes[at]! > near(closes, at, 20, 0)],
  ['the highest so far', ({ closes, at }) => closes[at] === Math.max(...closes.slice(0, at + 1))],
  ['the hour of the day', ({ time }) => Math.floor(time / 3_600_000) % 24 === 3],
];

test.each(HONEST)('%s is no bias, at any cut', async (_, rule) => {
  for (const seed of [1, 2, 3]) expect((await findBias(runOf(rule), { cuts: 12, seed })).findings).toEqual([]);
});

test('the first decision that differs is reported with both intents', async () => {
  // It buys at the last bar that it knows of, wherever that is.
  const { findings, cuts } = await findBias(
    runOf(({ closes, at }) => closes[at + 1] === undefined),
    { cuts: 5, seed: 5 },
  );
  const time = Math.floor(cuts[0]! / MINUTE) * MINUTE;
  expect(findings).toEqual([
    { kind: 'lookAhead', shown: 5, runs: 5, cut: cuts[0], first: { time, strategyId: 's', expected: undefined, found: 'buy' }, files: [] },
  ]);
});

test('how long a start takes to settle is measured', async () => {
  const settles = runOf(({ closes, at, memory }) => {
    memory.set('seen', (memory.get('seen') ?? 0) + 1);
    return memory.get('seen')! > 30 && closes[at]! > near(closes, at, 10, 0);
  });
  const full = await settles({});
  for (const { from, settledAt, first, unsettled } of await warmUpSensitivity(settles, full, 3)) {
    expect(first).toMatchObject({ expected: 'buy', found: undefined });
    // It is silent for thirty bars, and the same as the whole run from the first decision after those on.
    expect(settledAt! - from).toBeGreaterThanOrEqual(30 * MINUTE);
    expect(settledAt! - from).toBeLessThan(60 * MINUTE);
    expect(unsettled).toBeGreaterThan(0);
  }
  const never = runOf(({ at, memory }) => {
    memory.set('seen', (memory.get('seen') ?? 0) + 1);
    return memory.get('seen')! % 7 === 0 && at >= 0;
  });
  const counted = await warmUpSensitivity(never, await never({}), 1);
  expect(counted[0]!.first).toBeDefined();
  const steady = runOf(({ at }) => at % 7 === 0);
  expect(await warmUpSensitivity(steady, await steady({}), 1)).toMatchObject([{ first: undefined, unsettled: 0 }]);
});

test('decisions that differ only by sizes and ids of orders are distinguished from others', async () => {
  const sized =
    (size: (index: number, from: number) => number): BiasRun =>
    async ({ from = 0 }) => ({
      first: from,
      until: 100 * MINUTE,
      files: [],
      decisions: Array.from({ length: 10 }, (_, index) => index)
        .filter((index) => index * 10 * MINUTE >= from)
        .map((index) => ({
          time: index * 10 * MINUTE,
          strategyId: 's',
          intent: JSON.stringify({ kind: 'place', side: index % 2 === 0 ? 'buy' : 'sell', quantity: size(index, from) }),
          afterNext: false,
        })),
    });
  const byEquity = sized((index, from) => 1 + index - from / MINUTE / 1000);
  expect(await warmUpSensitivity(byEquity, await byEquity({}), 1)).toMatchObject([
    { settledAt: undefined, sizesApart: { since: 50 * MINUTE, first: { time: 50 * MINUTE } }, decisions: 5, unsettled: 5 },
  ]);
  const bySequence: BiasRun = async ({ from = 0 }) => {
    const outcome = await sized(() => 1)({ from });
    const decisions = outcome.decisions.map((one, index) => ({
      ...one,
      intent: JSON.stringify({ kind: 'cancel', clientOrderId: `c${index}` }),
    }));
    return { ...outcome, decisions };
  };
  expect(await warmUpSensitivity(bySequence, await bySequence({}), 1)).toMatchObject([{ first: undefined, sizesApart: undefined }]);
});
