import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { writeStyled } from '../terminal/guarded-output.ts';
import { terminalLook } from '../terminal/terminal-look.ts';
import { collect } from './collect.ts';

const FOLDER = 'runs';
const WHERE = 'folder of runs (default: the nearest folder "runs", here or above)';

interface ListFlags {
  readonly sort: string;
  readonly reverse?: boolean;
  readonly where?: readonly string[];
  readonly json?: boolean;
}

/** Registers `runs list`, `runs show` and `runs rm`. Their modules are loaded when a command runs. */
export function addRunsCommand(program: Command, print: (line: string) => void): void {
  const runs = program.command('runs').description('List, show and remove the runs of a folder.');
  runs
    .command('list', { isDefault: true })
    .description('List the runs of a folder with their main figures and the parameters that differ.')
    .argument('[folder]', WHERE)
    .option(
      '--sort <key>',
      'sort by run, name, state, date, period (from), return, drawdown, sharpe, trades, another statistic, or a parameter',
      'date',
    )
    .option('--reverse', 'reverse the order')
    .option('--where <condition>', 'list only runs that meet a condition: sharpe>1, drawdown<20%, name=sma*, fast=10 (repeatable)', collect)
    .option('--json', 'print the list as one JSON object')
    .addHelpText('after', "\nExample:\n  $ npx tidegate runs list --sort sharpe --where 'trades>=30'\n")
    .action(async (folder: string | undefined, { sort, reverse = false, where = [], json }: ListFlags) => {
      const { listRuns, runListJson, runListText } = await import('../run-folders/list-runs.ts');
      const list = listRuns(folder ?? nearestRuns(), { sort, reverse, where }, Date.now());
      if (json === true) print(JSON.stringify(runListJson(list)));
      else writeStyled(process.stdout, `${runListText(list, terminalLook())}\n`);
    });
  runs
    .command('show')
    .description('Show the parameters, main figures, warnings and findings of one run.')
    .argument('<run>', 'folder of the run, or its name in the folder of runs')
    .option('--dir <folder>', WHERE)
    .option('--json', 'print the run with its config and summary as one JSON object')
    .addHelpText('after', '\nExample:\n  $ npx tidegate runs show sma-cross-1\n')
    .action(async (run: string, { dir, json }: { readonly dir?: string; readonly json?: boolean }) => {
      const { findRun, runJson, runText } = await import('../run-folders/show-run.ts');
      const entry = findRun(run, dir ?? nearestRuns(), Date.now());
      if (json === true) print(JSON.stringify(runJson(entry)));
      else writeStyled(process.stdout, `${runText(entry, terminalLook())}\n`);
    });
  runs
    .command('rm')
    .description("Remove the folders of backtests that have ended; never a bot's folder or a run in progress.")
    .argument('<runs...>', 'folders of runs, or names in the folder of runs')
    .option('--dir <folder>', WHERE)
    .option('--json', 'print {"removed": [folders]} instead of lines')
    .addHelpText('after', '\nExample:\n  $ npx tidegate runs rm sma-cross-1 sma-cross-2\n')
    .action(async (names: string[], { dir, json }: { readonly dir?: string; readonly json?: boolean }) => {
      const { removeRuns } = await import('../run-folders/remove-runs.ts');
      const removed = removeRuns(names, dir ?? nearestRuns());
      print(json === true ? JSON.stringify({ removed }) : removed.map((path) => `Removed ${path}`).join('\n'));
    });
}

/** The nearest folder of runs, in the working directory or above it; without one, that of the working directory. */
function nearestRuns(): string {
  for (let at = process.cwd(); ; at = dirname(at)) {
    const folder = join(at, FOLDER);
    if (existsSync(folder)) return relative('', folder);
    if (at === dirname(at)) return relative('', resolve(FOLDER));
  }
}
