import { type Command, InvalidArgumentError, Option } from 'commander';
import { ERROR_CODES } from '../../model/errors.ts';
import { parseInterval } from '../../model/time.ts';
import { BREAKDOWNS, type BreakdownBy } from '../../statistics/breakdown.ts';
import { type BacktestOptions, type DiagnoseOptions, printBacktest, printDiagnosis } from '../backtest/run-in-thread.ts';
import { ASKED_PATHS } from '../backtest/worker-protocol.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import type { BiasOptions } from '../bias/run-bias.ts';
import type { VerifyFlags } from '../bundle/verify-bundle.ts';
import type { CompareCommandOptions } from '../compare/run-compare.ts';
import { rebuildReport } from '../write-report.ts';
import { collect } from './collect.ts';

/**
 * Registers the commands that run backtests, and those that look at finished runs: `backtest`, `diagnose`, `bias`, `compare`,
 * `bundle`, `verify` and `report`. Heavy modules are loaded when a command is called.
 */
export function addBacktestCommands(program: Command, print: (line: string) => void): void {
  addBacktest(program);
  addDiagnose(program);
  addBias(program);
  addCompare(program);
  addBundle(program, print);
  addVerify(program, print);
  addReport(program, print);
}

/** `tidegate backtest <config>`: the run in a thread of its own. */
function addBacktest(program: Command): void {
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
    .action(async (config: string, options: BacktestOptions) => {
      process.exitCode = await printBacktest(config, options);
    });
}

function collectBreakdown(value: string, earlier: readonly BreakdownBy[] = []): BreakdownBy[] {
  const by = BREAKDOWNS.find((known) => known === value);
  if (by === undefined) throw new InvalidArgumentError(`Expected one of ${BREAKDOWNS.join(', ')}.`);
  return [...earlier, by];
}

const DIAGNOSE_HELP = '\nExample:\n  $ npx tidegate diagnose configs/bracket-breakout.yaml --fail-on critical\n';

/** `tidegate diagnose <config>`: a backtest, the same again with everything later, and what a reviewer would say of both. */
function addDiagnose(program: Command): void {
  program
    .command('diagnose')
    .description('run a backtest, and again with a delay, and say what a reviewer would')
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'override a setting (repeatable)', collect)
    .option('--out <dir>', 'folder for the results, absent or empty (default: runs/<name>-<n>)')
    .option('--delay <ms>', 'how much later orders and answers come the second time (default: one bar, or a second)', positiveMs)
    .addOption(new Option('--fail-on <severity>', 'exit with 8 on a finding as severe as that').choices(['warning', 'critical']))
    .option('--json', 'print the summary, findings included, as one JSON object on stdout')
    .option('--quiet', 'print no progress and no findings')
    .addHelpText('after', DIAGNOSE_HELP)
    .action(async (config: string, options: DiagnoseOptions) => {
      process.exitCode = await printDiagnosis(config, options);
    });
}

function positiveMs(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number of ms above 0.');
  return value;
}

const BIAS_HELP = '\nExample:\n  $ npx tidegate bias configs/sma-cross.yaml --set backtest.to=2025-01-08\n';

/** `tidegate bias <config>`: does a backtest know its future, and how long does it take to warm up? */
function addBias(program: Command): void {
  program
    .command('bias')
    .description('find look-ahead: run a config again without its future, in other memory, at another time')
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'override a setting (repeatable)', collect)
    .option('--cuts <count>', 'in how many places the future is cut off', count, 8)
    .option('--starts <count>', 'how many later starts are compared', count, 3)
    .option('--seed <number>', 'of the places of the cuts', count, 1)
    .option('--json', 'print what was found as one JSON object on stdout')
    .addHelpText('after', BIAS_HELP)
    .action(async (config: string, options: BiasOptions) => {
      const { runBias } = await import('../bias/run-bias.ts');
      process.exitCode = await runBias(config, options);
    });
}

function count(text: string): number {
  const value = Number(text);
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Expected a whole number, 0 or more.');
  return value;
}

const COMPARE_HELP = `
Example:
  $ npx tidegate compare runs/sma-cross-1 runs/sma-cross-paper
`;

/** `tidegate compare <a> <b>`: two runs side by side, and the causes of their difference. */
function addCompare(program: Command): void {
  program
    .command('compare')
    .description('lay two runs side by side, trade by trade, and name the cause of each difference')
    .argument('<a>', "folder of a backtest, or of a bot (or its journal): what B's difference is counted from")
    .argument('<b>', 'the same of another run')
    .option('--out <dir>', 'folder for comparison.html and comparison.json, absent or empty (default: runs/compare-<n>)')
    .option('--window <time>', 'how far apart orders may be decided that are taken for the same, e.g. 5m (default: 1m)', interval)
    .option('--tolerance <ms>', 'fills no further apart than this are of the same moment', nonNegativeMs, 0)
    .option('--currency <asset>', 'what bots are counted in, where both runs are bots that trade against several')
    .option('--json', 'print the comparison as one JSON object on stdout')
    .option('--quiet', 'print no tables')
    .addHelpText('after', COMPARE_HELP)
    .action(async (a: string, b: string, options: CompareCommandOptions) => {
      const { runCompare } = await import('../compare/run-compare.ts');
      await runCompare(a, b, options);
    });
}

function interval(text: string): number {
  const value = parseInterval(text);
  if (value === undefined) throw new InvalidArgumentError('Expected a time such as 30s, 5m or 1h.');
  return value;
}

function nonNegativeMs(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number of ms, 0 or more.');
  return value;
}

const BUNDLE_HELP = '\nExample:\n  $ npx tidegate bundle runs/sma-cross-1 --out sma-cross.bundle.gz\n';

/** `tidegate bundle <run>`: a backtest packed into one file. */
function addBundle(program: Command, print: (line: string) => void): void {
  program
    .command('bundle')
    .description('pack config, strategy sources, data hashes and result of a backtest into one file')
    .argument('<run>', 'folder of the run, e.g. runs/sma-cross-1')
    .option('--out <file>', 'the file, which must not be there (default: <run>.bundle.gz)')
    .option('--json', 'print {"bundle": path, "sha256": hash of its content} instead of lines')
    .addHelpText('after', BUNDLE_HELP)
    .action(async (run: string, { out, json }: { out?: string; json?: boolean }) => {
      const { bundleRun } = await import('../bundle/make-bundle.ts');
      const made = bundleRun(run, out);
      print(json ? JSON.stringify({ bundle: made.out, sha256: made.sha256 }) : `Bundle:  ${made.out}\nSHA-256: ${made.sha256}`);
    });
}

const VERIFY_HELP = '\nExample:\n  $ npx tidegate verify sma-cross.bundle.gz --data-dir data\n';

/** `tidegate verify <bundle>`: the packed backtest again. */
function addVerify(program: Command, print: (line: string) => void): void {
  program
    .command('verify')
    .description('run a bundle again and compare the result bit for bit')
    .argument('<bundle>', 'a file that tidegate bundle wrote; its strategies are run: verify none that you do not trust')
    .option('--data-dir <dir>', 'where the recordings are', 'data')
    .option('--latency <file>', 'the recorded times of latency, where the run had some')
    .option('--json', 'print the outcome as one JSON object on stdout')
    .addHelpText('after', VERIFY_HELP)
    .action(async (bundle: string, flags: VerifyFlags) => {
      const { runVerify } = await import('../bundle/verify-bundle.ts');
      process.exitCode = await runVerify(bundle, flags, print);
    });
}

/** `tidegate report <run>`: the page of a run that was, as this version draws it. */
function addReport(program: Command, print: (line: string) => void): void {
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

const WIDEST_LIST = 100;
const NARROWEST_LIST = 60;

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
      const { listStrategies, listText } = await import('../strategies/list-strategies.ts');
      const list = await listStrategies(paths.length === 0 ? ['strategies'] : paths);
      const width = Math.max(NARROWEST_LIST, Math.min(WIDEST_LIST, process.stdout.columns ?? WIDEST_LIST));
      print(options.json === true ? JSON.stringify(list) : listText(list, width));
      const [first] = list.failed;
      if (first !== undefined) process.exitCode = EXIT_CODES[ERROR_CODES[first.error.code]];
    });
}
