import { type Command, InvalidArgumentError, Option } from 'commander';
import { ERROR_CODES, TidegateError } from '../../model/errors.ts';
import { parseInterval } from '../../model/time.ts';
import { BREAKDOWNS, type BreakdownBy } from '../../statistics/breakdown.ts';
import { type BacktestOptions, type DiagnoseOptions, printBacktest, printDiagnosis } from '../backtest/run-in-thread.ts';
import { ASKED_PATHS } from '../backtest/worker-protocol.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { TABLE_FORMATS, TABLE_NUMBERS, TABLE_TIMES, type TableForm } from '../base/table-formats.ts';
import type { BiasOptions } from '../bias/run-bias.ts';
import type { VerifyFlags } from '../bundle/verify-bundle.ts';
import type { CompareCommandOptions } from '../compare/run-compare.ts';
import { collect } from './collect.ts';

/**
 * Registers the commands that run backtests and those that read finished runs: `backtest`, `diagnose`, `bias`, `compare`,
 * `bundle`, `verify` and `report`. Heavy modules are loaded when a command runs.
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

/** The form of tables. */
const FORM_OPTIONS = {
  format: new Option('--format <format>', 'format of the tables: parquet writes Parquet files in addition to the CSV files').choices(
    TABLE_FORMATS,
  ),
  numbers: new Option('--numbers <form>', 'numbers in Parquet: exact decimals, or doubles for pandas').choices(TABLE_NUMBERS),
  times: new Option('--times <form>', 'times in CSV: epoch ms, or with ISO 8601 in further columns').choices(TABLE_TIMES),
};

/** `tidegate backtest <config>`: runs a backtest in a thread of its own. */
function addBacktest(program: Command): void {
  program
    .command('backtest')
    .description('Run the strategies of a config on recorded data and write the results to a folder.')
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'change a setting, e.g. strategies.0.params.fast=10 (repeatable)', collect)
    .option('--out <dir>', 'write the results to this new or empty folder (default: runs/<name>-<n>)')
    .option('--json', 'print the summary as one JSON object on stdout')
    .option('--quiet', 'print no progress and no tables')
    .option('--breakdown <by>', `print the results by ${BREAKDOWNS.join(', ')} (repeatable)`, collectBreakdown)
    .addOption(
      new Option('--path <path>', 'assume this path of prices inside bars; both: run the worst and the best path and compare them').choices(
        ASKED_PATHS,
      ),
    )
    .addOption(FORM_OPTIONS.format)
    .addOption(FORM_OPTIONS.numbers)
    .addOption(FORM_OPTIONS.times)
    .option('--events', 'write every intent, denial, order event, fill and ledger entry to events.jsonl')
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

/** `tidegate diagnose <config>`: runs a backtest twice, the second time with a delay, and prints the findings. */
function addDiagnose(program: Command): void {
  program
    .command('diagnose')
    .description('Run a backtest, run it again with a delay, and print weaknesses of the result with advice.')
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'change a setting of the config (repeatable)', collect)
    .option('--out <dir>', 'write the results to this new or empty folder (default: runs/<name>-<n>)')
    .option('--delay <ms>', 'delay of orders and replies in the second run (default: the shortest bar, or 1000 without bars)', positiveMs)
    .addOption(
      new Option('--fail-on <severity>', 'exit with 8 if there is a finding of this severity or a higher one').choices([
        'warning',
        'critical',
      ]),
    )
    .option('--json', 'print the summary with its findings as one JSON object on stdout')
    .option('--quiet', 'print no progress and no findings')
    .addHelpText('after', DIAGNOSE_HELP)
    .action(async (config: string, options: DiagnoseOptions) => {
      process.exitCode = await printDiagnosis(config, options);
    });
}

function positiveMs(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number of ms above 0.');
  return value;
}

const BIAS_HELP = '\nExample:\n  $ npx tidegate bias configs/sma-cross.yaml --set backtest.to=2025-01-08\n';

/** `tidegate bias <config>`: searches for look-ahead, and measures how long strategies take to warm up. */
function addBias(program: Command): void {
  program
    .command('bias')
    .description(
      'Search for look-ahead: repeat a backtest without its later data, after an earlier run, on another date and with other random numbers.',
    )
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'change a setting of the config (repeatable)', collect)
    .option('--cuts <count>', 'number of repeats in which the later data is cut off', count, 8)
    .option('--starts <count>', 'number of later starts to compare', count, 3)
    .option('--seed <number>', 'seed of the random times of the cuts', count, 1)
    .option('--json', 'print the findings as one JSON object on stdout')
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
  $ npx tidegate compare runs/sma-cross-1 runs/sma-cross-2 runs/sma-cross-3
`;

/** `tidegate compare <a> <b> [more...]`: compares two runs and prints the causes of their difference, or more runs side by side. */
function addCompare(program: Command): void {
  program
    .command('compare')
    .description('Compare two runs trade by trade and show the cause of each difference; or show three or more runs side by side.')
    .argument('<a>', "the base run: folder of a backtest or of a bot, a bot's journal, or a trial of a study, e.g. studies/sma#31")
    .argument('<b>', 'the run to compare with it, in the same forms')
    .argument('[more...]', 'further runs: then what differs in their setups, and their figures, are printed side by side')
    .option('--out <dir>', 'write comparison.html and comparison.json to this new or empty folder (default: runs/compare-<n>)')
    .option(
      '--window <time>',
      'largest time between the decisions of two orders that count as the same order, e.g. 5m (default: 1m)',
      interval,
    )
    .option('--tolerance <ms>', 'largest time between two fills that count as simultaneous', nonNegativeMs, 0)
    .option('--currency <asset>', 'currency of the amounts, needed if both runs are bots with several quote currencies')
    .option('--all', 'print every row of every table, not the 20 largest; of three or more runs, every figure')
    .option('--json', 'print the comparison as one JSON object on stdout')
    .option('--quiet', 'print no tables')
    .addHelpText('after', COMPARE_HELP)
    .action(async (a: string, b: string, more: string[], options: CompareCommandOptions, command: Command) => {
      if (more.length === 0) {
        const [runA, runB] = [await runOf(a), await runOf(b)];
        const { runCompare } = await import('../compare/run-compare.ts');
        await runCompare(runA, runB, options);
        return;
      }
      const given = ['out', 'window', 'tolerance'].find((name) => command.getOptionValueSource(name) === 'cli');
      if (given !== undefined) throw new TidegateError('USAGE', `--${given} applies to two runs; ${more.length + 2} are given`);
      const runs: string[] = [];
      for (const one of [a, b, ...more]) runs.push(await runOf(one));
      const { compareSeveral } = await import('../compare/several-runs.ts');
      compareSeveral(runs, options);
    });
}

/** Its module is loaded when it is needed. */
async function runOf(path: string): Promise<string> {
  const { trialOrRun } = await import('../search/trial-run.ts');
  return await trialOrRun(path);
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

/** `tidegate bundle <run>`: packs a backtest into one file. */
function addBundle(program: Command, print: (line: string) => void): void {
  program
    .command('bundle')
    .description('Pack the config, strategy sources, data hashes and result of a backtest into one file.')
    .argument('<run>', 'folder of the run, e.g. runs/sma-cross-1')
    .option('--out <file>', 'write this file, which must not exist (default: <run>.bundle.gz)')
    .option('--json', 'print {"bundle": path, "sha256": hash of its content, "needs": recordings} instead of lines')
    .addHelpText('after', BUNDLE_HELP)
    .action(async (run: string, { out, json }: { out?: string; json?: boolean }) => {
      const { bundleRun } = await import('../bundle/make-bundle.ts');
      const { out: bundle, sha256, needs } = bundleRun(run, out);
      print(json ? JSON.stringify({ bundle, sha256, needs }) : `Bundle:  ${bundle}\nSHA-256: ${sha256}\nNeeds:   ${needs.join(', ')}`);
    });
}

const VERIFY_HELP = `
verify shows that a run can be repeated. It proves nothing about hostile code, which can forge the compared values.
See docs/explanation/what-is-proved.md.

Example:
  $ npx tidegate verify sma-cross.bundle.gz --data-dir data --trust
`;

/** `tidegate verify <bundle>`: runs a packed backtest again. */
function addVerify(program: Command, print: (line: string) => void): void {
  program
    .command('verify')
    .description('Run a bundle again and compare the result bit for bit.')
    .argument('<bundle>', 'file from `tidegate bundle`; its code runs with your rights, so verify only bundles that you trust')
    .option('--trust', 'run the code of the bundle without a question; required without a terminal')
    .option('--data-dir <dir>', 'directory of the recordings, or s3://bucket/prefix', 'data')
    .option('--latency <file>', 'file of recorded latencies, if the run used one')
    .option('--json', 'print the result as one JSON object on stdout')
    .addHelpText('after', VERIFY_HELP)
    .action(async (bundle: string, flags: VerifyFlags) => {
      const { runVerify } = await import('../bundle/verify-bundle.ts');
      process.exitCode = await runVerify(bundle, flags, print);
    });
}

/** `tidegate report <run>`: renders the page of a backtest again, with this version, or makes that of a bot from its journal. */
function addReport(program: Command, print: (line: string) => void): void {
  program
    .command('report')
    .description(
      "Render a backtest's report.html again from its report.json, or make the report and tables of a bot from its journal, or the page of a study.",
    )
    .argument('<run>', 'folder of the run, e.g. runs/sma-cross-1, of a bot, of a study, or a trial of a study, e.g. studies/sma#31')
    .addOption(FORM_OPTIONS.format)
    .addOption(FORM_OPTIONS.numbers)
    .addOption(FORM_OPTIONS.times)
    .option('--json', 'print {"report": path} instead of a line')
    .addHelpText(
      'after',
      '\nExample:\n  $ npx tidegate report runs/sma-cross-1\n  $ npx tidegate report runs/sma-cross-paper\n  $ npx tidegate report studies/sma#31\n',
    )
    .action(async (run: string, { json = false, ...form }: { json?: boolean } & TableForm) => {
      const report = await reportOf(run, form);
      print(json ? JSON.stringify({ report }) : `Report: ${report}`);
    });
}

/** Makes the page of a run, of a trial or of a study. @returns its path. */
async function reportOf(path: string, form: TableForm): Promise<string> {
  const { isStudy, reportStudy } = await import('../search/study-page.ts');
  if (isStudy(path)) {
    const [given] = Object.keys(form);
    if (given !== undefined) throw new TidegateError('USAGE', `--${given} applies to a run; ${path} is a study`);
    return await reportStudy(path);
  }
  const run = await runOf(path);
  const { reportRun } = await import('../run-folders/report-run.ts');
  return await reportRun(run, form);
}

const WIDEST_LIST = 100;
const NARROWEST_LIST = 40;

/** `tidegate strategies`: lists strategy classes, their needs and their parameters. */
export function addStrategiesCommand(program: Command, print: (line: string) => void): void {
  program
    .command('strategies')
    .description('List strategy classes with their needs and parameters.')
    .argument('[paths...]', 'files and folders (default: strategies)')
    .option('--json', 'print the list as one JSON object')
    .addHelpText('after', '\nExample:\n  $ npx tidegate strategies strategies/grid.ts\n')
    .action(async (paths: string[], options: { readonly json?: boolean }) => {
      // Imported here because the bundler loads slowly.
      const { listStrategies, listText } = await import('../strategies/list-strategies.ts');
      const list = await listStrategies(paths.length === 0 ? ['strategies'] : paths);
      const width = Math.max(NARROWEST_LIST, Math.min(WIDEST_LIST, process.stdout.columns ?? WIDEST_LIST));
      print(options.json === true ? JSON.stringify(list) : listText(list, width));
      const [first] = list.failed;
      if (first !== undefined) process.exitCode = EXIT_CODES[ERROR_CODES[first.error.code]];
    });
}
