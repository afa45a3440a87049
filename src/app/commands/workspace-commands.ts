import { type Command, Option } from 'commander';
import type { CheckOptions } from '../inspect/check-config.ts';
import type { InspectOptions } from '../inspect/show-config.ts';
import type { InitOptions } from '../workspace/init-workspace.ts';
import { TEMPLATES, type Template } from '../workspace/templates.ts';
import { collect } from './collect.ts';

/** Registers the commands for a project of one's own: `init`, `new strategy`, `config show` and `config check`. */
export function addWorkspaceCommands(program: Command, print: (line: string) => void): void {
  addInit(program, print);
  addNew(program, print);
  addConfig(program, print);
}

/** `tidegate init [dir]`: makes a project that runs at once. */
function addInit(program: Command, print: (line: string) => void): void {
  program
    .command('init')
    .description('Make a project of your own: a strategy with its config, data and test, and install it.')
    .argument('[dir]', 'folder of the project; files that are there are never overwritten', '.')
    .option('--no-install', 'do not run npm install')
    .addHelpText('after', '\nExample:\n  $ npx tidegate init demo && cd demo && npm start\n')
    .action(async (dir: string, options: InitOptions) => {
      const { initWorkspace } = await import('../workspace/init-workspace.ts');
      await initWorkspace(dir, options, print);
    });
}

/** `tidegate new strategy <name>`: writes a strategy and its config. */
function addNew(program: Command, print: (line: string) => void): void {
  program
    .command('new')
    .description('Write the files of a new strategy.')
    .command('strategy')
    .description('Write strategies/<name>.ts and configs/<name>.yaml from a template.')
    .argument('<name>', 'name of both files: small letters, digits and dashes')
    .addOption(new Option('--template <template>', 'what the strategy does at first').choices(TEMPLATES).default('empty'))
    .addHelpText('after', '\nExample:\n  $ npx tidegate new strategy my-idea --template mean-reversion\n')
    .action(async (name: string, { template }: { readonly template: Template }) => {
      const { newStrategy } = await import('../workspace/new-strategy.ts');
      await newStrategy(name, template, print);
    });
}

/** `tidegate config show` and `tidegate config check`: look at a config without running it. */
function addConfig(program: Command, print: (line: string) => void): void {
  const config = program.command('config').description('Look at a config without running it.');
  inspects(config.command('show'))
    .description('Print the config as a run uses it: inherited settings, terms and defaults written out, secrets left out.')
    .addHelpText('after', '\nExample:\n  $ npx tidegate config show configs/sma-cross.yaml --set risk.account.maxDrawdown=0.1\n')
    .action(async (path: string, options: InspectOptions) => {
      const { showConfig } = await import('../inspect/show-config.ts');
      await showConfig(path, options, print);
    });
  inspects(config.command('check'))
    .description('Load the config, its strategies and its data, and print what would run. Nothing runs, and no request is sent.')
    .addOption(
      new Option('--mode <mode>', 'check for this command (default: each that the config has a section for)').choices([
        'backtest',
        'paper',
        'live',
      ]),
    )
    .addHelpText('after', '\nExample:\n  $ npx tidegate config check configs/sma-cross.yaml --mode paper\n')
    .action(async (path: string, options: CheckOptions) => {
      const { checkConfig } = await import('../inspect/check-config.ts');
      await checkConfig(path, options, print);
    });
}

function inspects(command: Command): Command {
  return command
    .argument('<config>', 'config file (YAML)')
    .option('--set <path=value>', 'change a setting of the config (repeatable)', collect)
    .option('--json', 'print one JSON object');
}
