import { type Command, InvalidArgumentError, Option } from 'commander';
import { BREAKDOWNS, type BreakdownBy } from '../../statistics/breakdown-keys.ts';
import { ASKED_PATHS, type AskedPath } from '../backtest/asked-path.ts';
import { runInThread } from '../backtest/run-in-thread.ts';
import { type ReplyOptions, showReply } from './backtest-reply.ts';

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
