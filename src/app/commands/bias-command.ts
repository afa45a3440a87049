import { type Command, InvalidArgumentError } from 'commander';
import { EXIT_CODES } from '../exit-codes.ts';

interface Options {
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
    .option('--set <path=value>', 'override a setting (repeatable)', collect)
    .option('--cuts <count>', 'in how many places the future is cut off', count, 8)
    .option('--starts <count>', 'how many later starts are compared', count, 3)
    .option('--seed <number>', 'of the places of the cuts', count, 1)
    .option('--json', 'print what was found as one JSON object on stdout')
    .addHelpText('after', HELP)
    .action(async (config: string, options: Options) => {
      process.exitCode = await bias(config, options);
    });
}

async function bias(configPath: string, { set = [], cuts, starts, seed, json }: Options): Promise<number> {
  const { ThreadedRun } = await import('../bias/threaded-run.ts');
  const { findBias } = await import('../../research/bias/find-bias.ts');
  const { warmUpSensitivity } = await import('../../research/bias/warm-up-sensitivity.ts');
  const { biasText } = await import('../bias/bias-text.ts');
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

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
