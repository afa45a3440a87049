import { type Command, InvalidArgumentError, Option } from 'commander';
import { isAtLeast, type Severity } from '../../statistics/diagnosis/finding.ts';
import { runInThread } from '../backtest/run-in-thread.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { type ReplyOptions, showReply } from './backtest-reply.ts';

interface Options extends ReplyOptions {
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
    .option('--set <path=value>', 'override a setting (repeatable)', collect)
    .option('--out <dir>', 'folder for the results, absent or empty (default: runs/<name>-<n>)')
    .option('--delay <ms>', 'how much later orders and answers come the second time (default: one bar, or a second)', milliseconds)
    .addOption(new Option('--fail-on <severity>', 'exit with 8 on a finding as severe as that').choices(['warning', 'critical']))
    .option('--json', 'print the summary, findings included, as one JSON object on stdout')
    .option('--quiet', 'print no progress and no findings')
    .addHelpText('after', EXAMPLE)
    .action(async (config: string, options: Options) => {
      process.exitCode = await diagnose(config, options);
    });
}

async function diagnose(configPath: string, options: Options): Promise<number> {
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

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
