import { type Command, Option } from 'commander';
import type { DoctorOptions } from '../doctor/run-doctor.ts';

const HELP = `
Nothing is changed, and no order is placed. Exits with 8 where a check fails. docs/doctor.md lists the checks.

Example:
  $ npx tidegate doctor configs/my-bot.yaml --mode live
`;

/** `tidegate doctor <config>`: what is wrong with a config and its surroundings, and how to mend it. */
export function addDoctorCommand(program: Command, print: (line: string) => void): void {
  program
    .command('doctor')
    .description('check config, strategies, data, disk, journal, keys and exchange, and say what to mend')
    .argument('<config>', 'config file (YAML)')
    .addOption(
      new Option('--mode <mode>', 'what it is to be run as (default: live, paper or backtest, the first that the config has)').choices([
        'backtest',
        'paper',
        'live',
      ]),
    )
    .option('--set <path=value>', 'override a setting (repeatable)', collect)
    .option('--only <check>', 'one check by its id, and what it needs (repeatable)', collect)
    .option('--json', 'print all findings as one JSON object')
    .addHelpText('after', HELP)
    .action(async (config: string, options: DoctorOptions) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts');
      process.exitCode = await runDoctor(config, options, print);
    });
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
