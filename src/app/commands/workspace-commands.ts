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
    .option('--json', 'print {"folder", "messages"} as one JSON object')
    .addHelpText('after', '\nExample:\n  $ npx tidegate init demo && cd demo && npm start\n')
    .action(async (dir: string, options: InitOptions) => {
      const { initWorkspace } = await import('../workspace/init-workspace.ts');
      await printed(options, print, { folder: dir }, async (line) => await initWorkspace(dir, options, line));
    });
}

/** Prints the lines of a command, or one object with them. */
async function printed(
  { json }: { readonly json?: boolean | undefined },
  print: (line: string) => void,
  about: object,
  act: (line: (text: string) => void) => Promise<void>,
): Promise<void> {
  const messages: string[] = [];
  await act(json === true ? (text) => void messages.push(text) : print);
  if (json === true) print(JSON.stringify({ ...about, messages }));
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
    .option('--json', 'print {"name", "messages"} as one JSON object')
    .addHelpText('after', '\nExample:\n  $ npx tidegate new strategy my-idea --template mean-reversion\n')
    .action(async (name: string, { template, json }: { readonly template: Template; readonly json?: boolean }) => {
      const { newStrategy } = await import('../workspace/new-strategy.ts');
      await printed({ json }, print, { name }, async (line) => await newStrategy(name, template, line));
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
