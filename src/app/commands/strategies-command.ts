import type { Command } from 'commander';
import { ERROR_CODES } from '../../model/errors.ts';
import { EXIT_CODES } from '../exit-codes.ts';

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
      const { listText } = await import('../strategies/list-text.ts');
      const list = await listStrategies(paths.length === 0 ? ['strategies'] : paths);
      const width = Math.max(NARROWEST, Math.min(WIDEST, process.stdout.columns ?? WIDEST));
      print(options.json === true ? JSON.stringify(list) : listText(list, width));
      const [first] = list.failed;
      if (first !== undefined) process.exitCode = EXIT_CODES[ERROR_CODES[first.error.code]];
    });
}
