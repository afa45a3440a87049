import type { Command } from 'commander';
import type { RecordOptions } from '../record/run-record.ts';

const HELP = `
Example:
  $ npx tidegate record configs/my-bot.yaml --set record.rotate=15m

It needs no key. docs/data.md says what is written, and where.
`;

/** `tidegate record <config>`: the exchange's tickers into a recording, until it is told to stop. */
export function addRecordCommand(program: Command): void {
  program
    .command('record')
    .description("record the exchange's tickers until Ctrl-C")
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'override a setting (repeatable)', collect)
    .option('--polls', 'a JSON line on stdout for each poll that is on disk')
    .option('--json', 'JSON lines on stdout, on a terminal too')
    .option('--quiet', 'nothing on stdout but what --polls asks for; log.jsonl is written all the same')
    .addHelpText('after', HELP)
    .action(async (config: string, options: RecordOptions) => {
      const { runRecord } = await import('../record/run-record.ts');
      await runRecord(config, options);
    });
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
