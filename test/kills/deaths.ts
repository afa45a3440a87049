import type { Random } from '../../src/model/random.ts';

/** In a commit of the journal, as `die-at.mjs` knows them; `term` says that the bot was told to stop before. */
export interface CommitDeath {
  readonly kind: string;
  readonly when: 'before' | 'after';
  readonly nth: number;
}

/** How one life of the bot ends. */
export interface Death {
  readonly at: CommitDeath | undefined;
  /** Ms after which SIGKILL comes from outside, at the latest: from the start of the process, or from when it is ready. */
  readonly from: 'start' | 'ready';
  readonly afterMs: number;
  /** Ms after it is ready at which it is told to stop (SIGTERM), where it is. */
  readonly termMs: number | undefined;
}

/** How the exchange dies in a life of the bot: beside it, while the bot lives on, or with it. */
export interface ExchangeDeath {
  readonly with: 'beside' | 'both';
  /** Ms after the start of the bot, where the bot lives on. */
  readonly afterMs: number;
  /** Ms that nobody answers. */
  readonly downMs: number;
  /** Bytes of an action that were written when it died: answered to nobody, and no line of its file. */
  readonly torn: boolean;
}

/** One life in three is one in which the exchange dies too. */
export function exchangeDeathOf(random: Random): ExchangeDeath | undefined {
  const draw = random.uniform();
  const [afterMs, downMs] = [random.between(200, 2_500), random.between(50, 1_500)];
  const torn = random.uniform() < 0.5;
  return draw < 1 / 3 ? { with: draw < 1 / 6 ? 'both' : 'beside', afterMs, downMs, torn } : undefined;
}

/** What a commit may hold, and the highest number of such a commit in which a bot dies. */
const COMMITS: readonly (readonly [kind: string, most: number])[] = [
  ['request', 6],
  ['reply', 6],
  ['orderSubmitted', 6],
  ['orderFilled', 4],
  ['any', 60],
  ['start', 1],
  ['orderAccepted', 6],
  ['cancelSubmitted', 3],
  ['orderCanceled', 3],
  ['held', 3],
  ['stop', 1],
  ['save', 20],
  ['balanceChanged', 6],
  ['orderUnknown', 1],
  ['market', 30],
  ['intent', 6],
  ['orderTriggered', 1],
  ['cancelRejected', 1],
  ['orderExpired', 1],
  ['heartbeat', 1],
];

/** A commit that does not come within this is not waited for. */
const PATIENCE_MS = 3_500;
/** A heartbeat comes every 10 s, and a stop waits until the last doubt has ended. */
const PATIENCE_FOR: Readonly<Record<string, number>> = { heartbeat: 13_000, stop: 50_000 };
const LONGEST_MS = 1_500;

/** Two in three die in a commit, every kind in turn and both sides of it; the others at any time, some while they start or stop. */
export function deathOf(index: number, random: Random): Death {
  if (index % 3 === 2) return atRandom(random);
  const turn = index - Math.floor(index / 3);
  const [kind, most] = COMMITS[Math.floor(turn / 2) % COMMITS.length]!;
  const at = { kind, when: turn % 2 === 0 ? 'before' : 'after', nth: Math.ceil(random.uniform() * most) } as const;
  const termMs = kind === 'stop' ? random.between(0, LONGEST_MS) : undefined;
  return { at, from: 'ready', afterMs: PATIENCE_FOR[kind] ?? PATIENCE_MS, termMs };
}

function atRandom(random: Random): Death {
  const draw = random.uniform();
  if (draw < 0.3) return { at: undefined, from: 'start', afterMs: random.between(0, LONGEST_MS), termMs: undefined };
  const termMs = draw < 0.5 ? random.between(0, LONGEST_MS) : undefined;
  return { at: undefined, from: 'ready', afterMs: (termMs ?? 0) + random.between(0, termMs === undefined ? LONGEST_MS : 400), termMs };
}
