import { Worker } from 'node:worker_threads';
import { type Amount, type OrderSize, quantityText } from '../../model/intents.ts';
import { isoTime } from '../../model/time.ts';
import { formatDuration } from '../../report/format.ts';
import {
  type BiasChange,
  type BiasFinding,
  type BiasOutcome,
  type BiasRun,
  type BiasSearch,
  type FoundLeak,
  findBias,
  type StartSensitivity,
  warmUpSensitivity,
} from '../../research/find-bias.ts';
import { receivedError } from '../backtest/worker-protocol.ts';
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

/** Searches a config's decisions for bias and prints the findings. @returns the exit code. */
export async function runBias(configPath: string, { set = [], cuts, starts, seed, json }: BiasOptions): Promise<number> {
  const threads = new ThreadedRun({ configPath, set });
  try {
    const search = await findBias(threads.run, { cuts, seed });
    const later = await warmUpSensitivity(threads.run, search.full, starts);
    const { findings, full } = search;
    const result = { decisions: full.decisions.length, first: full.first, until: full.until, cuts: search.cuts, findings, starts: later };
    process.stdout.write(json === true ? `${JSON.stringify(result)}\n` : biasText(search, later));
    return findings.length === 0 ? EXIT_CODES.ok : EXIT_CODES.findings;
  } finally {
    await threads.close();
  }
}

/** The environment of each thread, copied before the first thread removes keys from the process's memory. */
const ENVIRONMENT = { ...process.env };

/** Runs a config in threads: each run in a new one, except runs that are repeated in the thread of the unchanged run. */
class ThreadedRun {
  #first: Worker | undefined;

  constructor(private readonly job: BiasJob) {}

  /** @throws TidegateError if the config or its strategies are refused */
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
      else reject(receivedError(reply.failure));
    };
    const failed = (error: unknown) => {
      forget();
      reject(error);
    };
    const ended = (code: number) => failed(new Error(`the thread of a run ended with code ${code} before it returned a result`));
    const forget = () => worker.off('message', answered).off('error', failed).off('exit', ended);
    worker.on('message', answered).on('error', failed).on('exit', ended);
    worker.postMessage(change);
  });
}

const TITLES: Readonly<Record<BiasFinding['kind'], string>> = {
  signals: 'values of signals know prices after their time',
  lookAhead: 'decisions change if later data is cut off',
  sharedState: 'decisions depend on variables that an earlier run left in memory',
  wallClock: 'decisions depend on the wall clock',
  chance: 'decisions depend on random numbers',
  date: 'decisions depend on dates: they change if the same prices come at a later date',
  files: 'strategies read files, whose later data cannot be cut off',
};

/** The text of `tidegate bias`. */
function biasText({ full, cuts, findings }: BiasSearch, starts: readonly StartSensitivity[]): string {
  const period = `${isoTime(full.first)} to ${isoTime(full.until)}`;
  const lines = [`${full.decisions.length} decisions from ${period}, later data cut off at ${cuts.length} times.`, ''];
  if (findings.length === 0) lines.push('No look-ahead was found.');
  for (const finding of findings) lines.push(...findingLines(finding));
  if (starts.length > 0) lines.push('', 'With a later start:', ...starts.map(startLine));
  if (starts.some(({ sizesApart }) => sizesApart !== undefined)) lines.push(...SIZES_EXPLAINED);
  return `${lines.join('\n')}\n`;
}

function findingLines({ kind, shown, runs, cut, first, files, leaks }: BiasFinding): string[] {
  if (leaks !== undefined) return [`${kind}: ${TITLES[kind]}`, ...leaks.map(leakLine), ...LEAKS_EXPLAINED];
  if (first === undefined) return [`${kind}: ${TITLES[kind]}: ${files.join(', ')}`];
  const at = cut === undefined ? '' : `, without data after ${isoTime(cut)}`;
  return [
    `${kind}: ${TITLES[kind]} (in ${shown} of ${runs} runs)`,
    `  first at ${isoTime(first.time)}, strategy ${first.strategyId}${at}`,
    `    unchanged run  ${first.expected ?? 'nothing'}`,
    `    changed run    ${first.found ?? 'nothing'}`,
  ];
}

function leakLine({ signal, column, symbol, horizonMs, correlation, ofChanges, signals }: FoundLeak): string {
  const what = ofChanges ? `changes of ${signal}.${column}` : `${signal}.${column}`;
  return `  ${what}: correlation ${correlation.toFixed(2)} with the return of ${symbol} in the ${formatDuration(horizonMs)} after the signal (${signals} signals)`;
}

const LEAKS_EXPLAINED = [
  '  No honest forecast comes near. The usual cause: a row has the time at which its bar opens and is made from the close of that bar.',
  '  Import the time at which the row was complete, or set `availableAfter` of the signals to the length of the bar and the time of the model.',
];

const SIZES_EXPLAINED = [
  '',
  'Only sizes differ: the strategy sizes its orders by equity or by its position, and a run that starts later starts with',
  'another equity. This is not a bias. Set a fixed size (`--set strategies.0.params...`) to compare everything else exactly.',
];

function startLine({ from, settledAt, first, decisions, unsettled, sizesApart }: StartSensitivity): string {
  const head = `  ${isoTime(from)}  `;
  if (first === undefined) return `${head}the same from the start on (${decisions} decisions)`;
  if (sizesApart !== undefined) {
    const { since, first: sized } = sizesApart;
    const when = since === from ? 'from the start on' : `after ${formatDuration(since - from)}`;
    const sizes = `${sizeOf(sized.expected)} in the unchanged run, ${sizeOf(sized.found)} with the later start`;
    return `${head}the same but for sizes, ${when} (${decisions} decisions; first ${isoTime(sized.time)}, ${sized.strategyId}: ${sizes})`;
  }
  if (settledAt === undefined)
    return `${head}never the same (${decisions} decisions; the first that differs at ${isoTime(first.time)}, ${first.strategyId})`;
  return `${head}the same after ${formatDuration(settledAt - from)} (${unsettled} of ${decisions} decisions before; first ${isoTime(first.time)}, ${first.strategyId})`;
}

/** The size of an intent. */
function sizeOf(intent: string | undefined): string {
  const wanted =
    intent === undefined ? {} : (JSON.parse(intent) as { readonly quantity?: Amount | OrderSize; readonly quoteQuantity?: unknown });
  const { quantity, quoteQuantity } = wanted;
  if (quantity !== undefined) return quantityText(quantity);
  return quoteQuantity === undefined ? 'nothing' : String(quoteQuantity);
}
