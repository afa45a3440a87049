import { Worker } from 'node:worker_threads';
import { TidegateError } from '../../model/errors.ts';
import { isoTime } from '../../model/time.ts';
import { formatDuration } from '../../report/format.ts';
import {
  type BiasChange,
  type BiasFinding,
  type BiasOutcome,
  type BiasRun,
  type BiasSearch,
  findBias,
  type StartSensitivity,
  warmUpSensitivity,
} from '../../research/find-bias.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { OWN_FILES } from '../base/own-files.ts';
import type { BiasJob, BiasReply } from './worker.ts';

export interface BiasOptions {
  readonly set?: readonly string[];
  readonly cuts: number;
  readonly starts: number;
  readonly seed: number;
  readonly json?: boolean;
}

/** Looks for bias in a config's decisions and prints what it found. @returns the exit code. */
export async function runBias(configPath: string, { set = [], cuts, starts, seed, json }: BiasOptions): Promise<number> {
  const threads = new ThreadedRun({ configPath, set });
  try {
    const search = await findBias(threads.run, { cuts, seed });
    const later = await warmUpSensitivity(threads.run, search.full, starts);
    const { findings, full } = search;
    const told = { decisions: full.decisions.length, first: full.first, until: full.until, cuts: search.cuts, findings, starts: later };
    process.stdout.write(json === true ? `${JSON.stringify(told)}\n` : biasText(search, later));
    return findings.length === 0 ? EXIT_CODES.ok : EXIT_CODES.findings;
  } finally {
    await threads.close();
  }
}

/** What each thread begins with: the first may take keys out of the memory that the others' environments are copied from. */
const ENVIRONMENT = { ...process.env };

/** Runs a config in threads: each run in a fresh one, but those that are made again in that of the run as it stands. */
class ThreadedRun {
  #first: Worker | undefined;

  constructor(private readonly job: BiasJob) {}

  /** @throws TidegateError what the config or its strategies are refused for */
  readonly run: BiasRun = async (change) => {
    const { again = false, ...rest } = change;
    const isFirst = Object.keys(change).length === 0;
    if (isFirst || again) {
      this.#first ??= this.#thread();
      return ask(this.#first, rest);
    }
    const thread = this.#thread();
    try {
      return await ask(thread, rest);
    } finally {
      await thread.terminate();
    }
  };

  async close(): Promise<void> {
    await this.#first?.terminate();
  }

  #thread(): Worker {
    return new Worker(OWN_FILES.biasWorker, { workerData: this.job, env: ENVIRONMENT });
  }
}

function ask(worker: Worker, change: BiasChange): Promise<BiasOutcome> {
  return new Promise((resolve, reject) => {
    const answered = (reply: BiasReply) => {
      forget();
      if ('outcome' in reply) resolve(reply.outcome);
      else reject(errorOf(reply.failure));
    };
    const failed = (error: unknown) => {
      forget();
      reject(error);
    };
    const ended = (code: number) => failed(new Error(`the thread of a run ended with ${code} before it answered`));
    const forget = () => worker.off('message', answered).off('error', failed).off('exit', ended);
    worker.on('message', answered).on('error', failed).on('exit', ended);
    worker.postMessage(change);
  });
}

function errorOf({ code, message, stack }: Extract<BiasReply, { failure: unknown }>['failure']): Error {
  return code === undefined ? Object.assign(new Error(message), { stack }) : new TidegateError(code, message);
}

const TITLES: Readonly<Record<BiasFinding['kind'], string>> = {
  lookAhead: 'decisions change where the future is cut off',
  sharedState: 'decisions hang on what an earlier run left in memory',
  wallClock: 'decisions hang on the wall clock',
  chance: 'decisions hang on chance',
  date: 'decisions hang on dates: they change where the same prices come four weeks later',
  files: 'strategies read files, whose future no cut takes away',
};

/** What `tidegate bias` prints. */
function biasText({ full, cuts, findings }: BiasSearch, starts: readonly StartSensitivity[]): string {
  const period = `${isoTime(full.first)} to ${isoTime(full.until)}`;
  const lines = [`${full.decisions.length} decisions from ${period}, cut off in ${cuts.length} places.`, ''];
  if (findings.length === 0) lines.push('No look-ahead was found.');
  for (const finding of findings) lines.push(...findingLines(finding));
  if (starts.length > 0) lines.push('', 'Begun later:', ...starts.map(startLine));
  if (starts.some(({ sizesApart }) => sizesApart !== undefined)) lines.push(...SIZES_EXPLAINED);
  return `${lines.join('\n')}\n`;
}

function findingLines({ kind, shown, runs, cut, first, files }: BiasFinding): string[] {
  if (first === undefined) return [`${kind}: ${TITLES[kind]}: ${files.join(', ')}`];
  const at = cut === undefined ? '' : `, without data after ${isoTime(cut)}`;
  return [
    `${kind}: ${TITLES[kind]} (in ${shown} of ${runs} runs)`,
    `  first at ${isoTime(first.time)}, strategy ${first.strategyId}${at}`,
    `    as it stands  ${first.expected ?? 'nothing'}`,
    `    changed       ${first.found ?? 'nothing'}`,
  ];
}

const SIZES_EXPLAINED = [
  '',
  'Only sizes differ: the strategy sizes its orders by equity or by what it holds, and a run that begins later begins with',
  'another equity. That is no bias. Fix the size (`--set strategies.0.params...`) to compare the rest to the last digit.',
];

function startLine({ from, settledAt, first, decisions, unsettled, sizesApart }: StartSensitivity): string {
  const head = `  ${isoTime(from)}  `;
  if (first === undefined) return `${head}the same from the start on (${decisions} decisions)`;
  if (sizesApart !== undefined) {
    const { since, first: sized } = sizesApart;
    const when = since === from ? 'from the start on' : `after ${formatDuration(since - from)}`;
    const sizes = `${sizeOf(sized.expected)} as it stands, ${sizeOf(sized.found)} begun later`;
    return `${head}the same but for sizes, ${when} (${decisions} decisions; first ${isoTime(sized.time)}, ${sized.strategyId}: ${sizes})`;
  }
  if (settledAt === undefined)
    return `${head}never the same (${decisions} decisions; the first that differs at ${isoTime(first.time)}, ${first.strategyId})`;
  return `${head}the same after ${formatDuration(settledAt - from)} (${unsettled} of ${decisions} decisions before; first ${isoTime(first.time)}, ${first.strategyId})`;
}

/** The size that an intent asks for. */
function sizeOf(intent: string | undefined): string {
  const wanted = intent === undefined ? {} : (JSON.parse(intent) as { readonly quantity?: unknown; readonly quoteQuantity?: unknown });
  const { quantity, quoteQuantity } = wanted;
  return quantity === undefined && quoteQuantity === undefined ? 'nothing' : String(quantity ?? quoteQuantity);
}
