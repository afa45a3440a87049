import type { Command } from 'commander';
import type { ReplayCommandOptions } from '../replay/run-replay.ts';

const HELP = `
Exits with 0 where every decision and the state are the same, with 9 at the first that is not. Nothing is sent, and no key is needed.

Examples:
  $ npx tidegate replay runs/sma-cross-paper
  $ npx tidegate replay runs/sma-cross-paper --set strategies.0.params.fast=10
`;

/** `tidegate replay <journal>`: a bot's run again, from what its journal says that it was told. */
export function addReplayCommand(program: Command, print: (line: string) => void): void {
  program
    .command('replay')
    .description("tell the engine again what a bot's journal says that it was told, and compare every decision")
    .argument('<journal>', 'folder of a bot, e.g. runs/sma-cross-paper, or its journal.sqlite')
    .option('--config <file>', "another config in place of the journal's own")
    .option('--strategy-dir <dir>', 'take the strategies from this folder, by the names of their files')
    .option('--set <path=value>', 'override a setting (repeatable)', collect)
    .option('--json', 'print what was compared, and the first difference, as one JSON object')
    .option('--quiet', 'no progress')
    .addHelpText('after', HELP)
    .action(async (journal: string, options: ReplayCommandOptions) => {
      const { runReplay } = await import('../replay/run-replay.ts');
      const { text, code } = await runReplay(journal, options);
      print(text);
      process.exitCode = code;
    });
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
