import type { Command } from 'commander';
import type { ExplainOptions } from '../explain/run-explain.ts';

const HELP = `
Ids: a client order id or its beginning, the exchange's order id, or the number of an intent's record (of a backtest: line), as #142.

Examples:
  $ npx tidegate explain runs/sma-cross-paper 142
  $ npx tidegate explain runs/sma-cross-1 smacross-sma-1
  $ npx tidegate explain runs/sma-cross-paper --denied
`;

/** `tidegate explain <run> [id]`: what became of an intent, and why. */
export function addExplainCommand(program: Command, print: (line: string) => void): void {
  program
    .command('explain')
    .description('print the life of one intent: data, risk, requests, fills, ledger; or why intents were not carried out')
    .argument('<run>', "folder of a bot or its journal.sqlite, or a backtest's folder that was written with --events")
    .argument('[id]', 'of an order or an intent')
    .option('--denied', 'sum up why intents were not carried out')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (run: string, id: string | undefined, options: ExplainOptions) => {
      const { runExplain } = await import('../explain/run-explain.ts');
      print(runExplain(run, id, options));
    });
}
