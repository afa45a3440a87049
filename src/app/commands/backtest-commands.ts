import { performance } from 'node:perf_hooks';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ERROR_CODES } from '../../model/errors.ts';
import { parseInterval } from '../../model/time.ts';
import { renderComparison } from '../../report/comparison-text.ts';
import { BREAKDOWNS, type BreakdownBy } from '../../statistics/breakdown.ts';
import { isAtLeast, type Severity } from '../../statistics/diagnosis/check.ts';
import { runInThread } from '../backtest/run-in-thread.ts';
import { ASKED_PATHS, type AskedPath, type BacktestReply, type SentError } from '../backtest/worker-protocol.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { showsUnicode } from '../terminal/progress.ts';
import { rebuildReport } from '../write-report.ts';

interface ReplyOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

type Done = Extract<BacktestReply, { kind: 'done' }>;

/** Prints what a backtest's thread answered: as one JSON object, or as `text` says it. @returns the exit code. */
function showReply(reply: BacktestReply, options: ReplyOptions, text: (done: Done) => string): number {
  if (reply.kind === 'failed') {
    if (options.json === true) printJson({ error: { code: reply.failure.code ?? 'INTERNAL', message: reply.failure.message } });
    return complain(reply.failure);
  }
  const { summary, failure } = reply;
  if (options.json === true) printJson(summary);
  else if (options.quiet !== true) process.stdout.write(text(reply));
  if (failure !== undefined) {
    process.stderr.write(`what was done up to there is in ${summary.out}\n`);
    return complain(failure);
  }
  return summary.interrupted ? EXIT_CODES.interrupted : EXIT_CODES.ok;
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** @returns the exit code. */
function complain({ code, message, stack }: SentError): number {
  if (code === undefined) {
    process.stderr.write(`${stack ?? message}\n`);
    return EXIT_CODES.internal;
  }
  process.stderr.write(`error ${code}: ${message}\n`);
  return EXIT_CODES[ERROR_CODES[code]];
}

interface Options extends ReplyOptions {
  readonly set?: readonly string[];
  readonly out?: string;
  readonly events?: boolean;
  readonly breakdown?: readonly BreakdownBy[];
  readonly path?: AskedPath;
}

/** `tidegate backtest <config>`: the run in a thread of its own. */
export function addBacktestCommand(program: Command): void {
  program
    .command('backtest')
    .description('run the strategies of a config on recorded data')
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'override a setting, e.g. strategies.0.params.fast=10 (repeatable)', collect)
    .option('--out <dir>', 'folder for the results, absent or empty (default: runs/<name>-<n>)')
    .option('--json', 'print the summary as one JSON object on stdout')
    .option('--quiet', 'print no progress and no tables')
    .option('--breakdown <by>', `break the result down, by ${BREAKDOWNS.join(', ')} (repeatable)`, collectBreakdown)
    .addOption(new Option('--path <path>', 'assumed path inside bars; both: worst and best, compared').choices(ASKED_PATHS))
    .option('--events', 'write every intent, order event and ledger entry to events.jsonl')
    .addHelpText('after', '\nExample:\n  $ npx tidegate backtest configs/sma-cross.yaml --set strategies.0.params.fast=10\n')
    .action(async (config: string, options: Options) => {
      process.exitCode = await backtest(config, options);
    });
}

async function backtest(configPath: string, options: Options): Promise<number> {
  const { set = [], out, breakdown = [], path, quiet = false } = options;
  const asked = { configPath, set, out, events: options.events === true, breakdowns: breakdown, delay: undefined, path };
  const reply = await runInThread(asked, quiet);
  return showReply(reply, options, ({ summary, text }) => `${text}\nResults: ${summary.out}\nReport:  ${summary.out}/report.html\n`);
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

function collectBreakdown(value: string, earlier: readonly BreakdownBy[] = []): BreakdownBy[] {
  const by = BREAKDOWNS.find((known) => known === value);
  if (by === undefined) throw new InvalidArgumentError(`Expected one of ${BREAKDOWNS.join(', ')}.`);
  return [...earlier, by];
}

interface DiagnoseCommandOptions extends ReplyOptions {
  readonly set?: readonly string[];
  readonly out?: string;
  readonly delay?: number;
  readonly failOn?: Exclude<Severity, 'info'>;
}

const EXAMPLE = '\nExample:\n  $ npx tidegate diagnose configs/bracket-breakout.yaml --fail-on critical\n';

/** `tidegate diagnose <config>`: a backtest, the same again with everything later, and what a reviewer would say of both. */
export function addDiagnoseCommand(program: Command): void {
  program
    .command('diagnose')
    .description('run a backtest, and again with a delay, and say what a reviewer would')
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'override a setting (repeatable)', collectInDiagnoseCommand)
    .option('--out <dir>', 'folder for the results, absent or empty (default: runs/<name>-<n>)')
    .option('--delay <ms>', 'how much later orders and answers come the second time (default: one bar, or a second)', milliseconds)
    .addOption(new Option('--fail-on <severity>', 'exit with 8 on a finding as severe as that').choices(['warning', 'critical']))
    .option('--json', 'print the summary, findings included, as one JSON object on stdout')
    .option('--quiet', 'print no progress and no findings')
    .addHelpText('after', EXAMPLE)
    .action(async (config: string, options: DiagnoseCommandOptions) => {
      process.exitCode = await diagnose(config, options);
    });
}

async function diagnose(configPath: string, options: DiagnoseCommandOptions): Promise<number> {
  const { set = [], out, delay = 'bar', failOn } = options;
  const reply = await runInThread({ configPath, set, out, events: false, breakdowns: [], delay, path: undefined }, options.quiet === true);
  const code = showReply(reply, options, ({ summary, text }) => `${text}\nResults: ${summary.out}\n`);
  if (code !== EXIT_CODES.ok || reply.kind === 'failed' || failOn === undefined) return code;
  return reply.summary.findings?.some((finding) => isAtLeast(finding, failOn)) === true ? EXIT_CODES.findings : code;
}

function milliseconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number of ms above 0.');
  return value;
}

function collectInDiagnoseCommand(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

interface BiasCommandOptions {
  readonly set?: readonly string[];
  readonly cuts: number;
  readonly starts: number;
  readonly seed: number;
  readonly json?: boolean;
}

const HELP = '\nExample:\n  $ npx tidegate bias configs/sma-cross.yaml --set backtest.to=2025-01-08\n';

/** `tidegate bias <config>`: does a backtest know its future, and how long does it take to warm up? Heavy modules are loaded when it is called for. */
export function addBiasCommand(program: Command): void {
  program
    .command('bias')
    .description('find look-ahead: run a config again without its future, in other memory, at another time')
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'override a setting (repeatable)', collectInBiasCommand)
    .option('--cuts <count>', 'in how many places the future is cut off', count, 8)
    .option('--starts <count>', 'how many later starts are compared', count, 3)
    .option('--seed <number>', 'of the places of the cuts', count, 1)
    .option('--json', 'print what was found as one JSON object on stdout')
    .addHelpText('after', HELP)
    .action(async (config: string, options: BiasCommandOptions) => {
      process.exitCode = await bias(config, options);
    });
}

async function bias(configPath: string, { set = [], cuts, starts, seed, json }: BiasCommandOptions): Promise<number> {
  const { ThreadedRun } = await import('../bias/run-bias.ts');
  const { findBias } = await import('../../research/find-bias.ts');
  const { warmUpSensitivity } = await import('../../research/find-bias.ts');
  const { biasText } = await import('../bias/run-bias.ts');
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

function count(text: string): number {
  const value = Number(text);
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 0 or more.');
  return value;
}

function collectInBiasCommand(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

interface CompareCommandOptions {
  readonly out?: string;
  readonly window?: number;
  readonly tolerance: number;
  readonly currency?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const COMPARE_COMMAND_HELP = `
Example:
  $ npx tidegate compare runs/sma-cross-1 runs/sma-cross-paper
`;

/** How far apart two orders may be decided that are taken for one. */
const WINDOW_MS = 60_000;

/** `tidegate compare <a> <b>`: two runs side by side, and the causes of their difference. Heavy modules are loaded when it is called for. */
export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('lay two runs side by side, trade by trade, and name the cause of each difference')
    .argument('<a>', "folder of a backtest, or of a bot (or its journal): what B's difference is counted from")
    .argument('<b>', 'the same of another run')
    .option('--out <dir>', 'folder for comparison.html and comparison.json, absent or empty (default: runs/compare-<n>)')
    .option('--window <time>', 'how far apart orders may be decided that are taken for the same, e.g. 5m (default: 1m)', interval)
    .option('--tolerance <ms>', 'fills no further apart than this are of the same moment', millisecondsInCompareCommand, 0)
    .option('--currency <asset>', 'what bots are counted in, where both runs are bots that trade against several')
    .option('--json', 'print the comparison as one JSON object on stdout')
    .option('--quiet', 'print no tables')
    .addHelpText('after', COMPARE_COMMAND_HELP)
    .action(async (a: string, b: string, options: CompareCommandOptions) => {
      await compare(a, b, options);
    });
}

async function compare(
  a: string,
  b: string,
  { out, window: windowMs = WINDOW_MS, tolerance: toleranceMs, currency, json, quiet }: CompareCommandOptions,
): Promise<void> {
  const { compareFolders } = await import('../compare/compare-folders.ts');
  const written = await compareFolders({ a, b, out, windowMs, toleranceMs, currency });
  if (json === true) process.stdout.write(`${JSON.stringify({ ...written.json, out: written.out })}\n`);
  else if (quiet !== true) {
    const { columns = 100, isTTY } = process.stdout;
    const color = isTTY === true && process.env.NO_COLOR === undefined;
    const text = renderComparison({ a, b }, written.comparison, { columns, color, unicode: showsUnicode(process.env, process.platform) });
    process.stdout.write(`${text}\nResults: ${written.out}\nReport:  ${written.out}/comparison.html\n`);
  }
}

function interval(text: string): number {
  const value = parseInterval(text);
  if (value === undefined) throw new InvalidArgumentError('Expected a time such as 30s, 5m or 1h.');
  return value;
}

function millisecondsInCompareCommand(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number of ms, 0 or more.');
  return value;
}

const BUNDLE_HELP = '\nExample:\n  $ npx tidegate bundle runs/sma-cross-1 --out sma-cross.bundle.gz\n';
const VERIFY_HELP = '\nExample:\n  $ npx tidegate verify sma-cross.bundle.gz --data-dir data\n';

interface VerifyFlags {
  readonly dataDir: string;
  readonly latency?: string;
  readonly json?: boolean;
}

/** `tidegate bundle` and `tidegate verify`. Heavy modules are loaded when they are called for. */
export function addBundleCommands(program: Command): void {
  program
    .command('bundle')
    .description('pack config, strategy sources, data hashes and result of a backtest into one file')
    .argument('<run>', 'folder of the run, e.g. runs/sma-cross-1')
    .option('--out <file>', 'the file, which must not be there (default: <run>.bundle.gz)')
    .option('--json', 'print {"bundle": path, "sha256": hash of its content} instead of lines')
    .addHelpText('after', BUNDLE_HELP)
    .action(async (run: string, { out, json }: { out?: string; json?: boolean }) => {
      const { bundleRun } = await import('../bundle/result-differences.ts');
      const made = bundleRun(run, out);
      print(json ? JSON.stringify({ bundle: made.out, sha256: made.sha256 }) : `Bundle:  ${made.out}\nSHA-256: ${made.sha256}`);
    });
  program
    .command('verify')
    .description('run a bundle again and compare the result bit for bit')
    .argument('<bundle>', 'a file that tidegate bundle wrote; its strategies are run: verify none that you do not trust')
    .option('--data-dir <dir>', 'where the recordings are', 'data')
    .option('--latency <file>', 'the recorded times of latency, where the run had some')
    .option('--json', 'print the outcome as one JSON object on stdout')
    .addHelpText('after', VERIFY_HELP)
    .action(async (bundle: string, flags: VerifyFlags) => {
      process.exitCode = await verify(bundle, flags);
    });
}

async function verify(bundle: string, { dataDir, latency, json }: VerifyFlags): Promise<number> {
  const { verifyBundle } = await import('../bundle/verify-bundle.ts');
  const verified = await verifyBundle(bundle, { dataDir, latency, stopwatch: () => performance.now() });
  const { differences, notes, sha256 } = verified;
  if (json === true) print(JSON.stringify({ same: differences.length === 0, ...verified }));
  else {
    for (const note of notes) print(`! ${note}`);
    for (const { what, expected, found } of differences) print(`${what}: expected ${expected}, found ${found}`);
    print(
      differences.length === 0
        ? `The same, bit for bit: ${bundle} (${sha256})`
        : `${differences.length} differences from ${bundle} (${sha256})`,
    );
  }
  return differences.length === 0 ? EXIT_CODES.ok : EXIT_CODES.findings;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** `tidegate report <run>`: the page of a run that was, as this version draws it. */
export function addReportCommand(program: Command, print: (line: string) => void): void {
  program
    .command('report')
    .description("make a run's report.html anew from its report.json")
    .argument('<run>', 'folder of the run, e.g. runs/sma-cross-1')
    .option('--json', 'print {"report": path} instead of a line')
    .addHelpText('after', '\nExample:\n  $ npx tidegate report runs/sma-cross-1\n')
    .action(async (run: string, { json = false }: { json?: boolean }) => {
      const report = await rebuildReport(run);
      print(json ? JSON.stringify({ report }) : `Report: ${report}`);
    });
}

const WIDEST = 100;
const NARROWEST = 60;

/** `tidegate strategies`: which classes there are, what they need, and what can be set in them. */
export function addStrategiesCommand(program: Command, print: (line: string) => void): void {
  program
    .command('strategies')
    .description('list strategy classes with their parameters')
    .argument('[paths...]', 'files and folders (default: strategies)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  $ npx tidegate strategies strategies/grid.ts\n')
    .action(async (paths: string[], options: { readonly json?: boolean }) => {
      // Only now: the bundler takes a moment to load.
      const { listStrategies } = await import('../strategies/list-strategies.ts');
      const { listText } = await import('../strategies/list-strategies.ts');
      const list = await listStrategies(paths.length === 0 ? ['strategies'] : paths);
      const width = Math.max(NARROWEST, Math.min(WIDEST, process.stdout.columns ?? WIDEST));
      print(options.json === true ? JSON.stringify(list) : listText(list, width));
      const [first] = list.failed;
      if (first !== undefined) process.exitCode = EXIT_CODES[ERROR_CODES[first.error.code]];
    });
}
