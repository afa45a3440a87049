import type { Command } from 'commander';
import type { ApiOptions } from '../access/call-operation.ts';
import type { ServeOptions } from '../local-exchange/run-exchange.ts';
import { collect } from './collect.ts';

const API_HELP = `
In parameters and in the printed JSON, ids are strings, amounts are decimal text and times are epoch ms.
URLs and keys are read from the options, else from TIDEGATE_SPOT_BASE_URL, TIDEGATE_CONTRACT_BASE_URL, TIDEGATE_LOCALE,
TIDEGATE_API_KEY, TIDEGATE_API_SECRET, TIDEGATE_API_PASSPHRASE (or TIDEGATE_KEYS_FILE), else from the config's live section.

Examples:
  $ npx tidegate api --list
  $ npx tidegate api ticker symbol=BTCUSDT_SPBL --spot-url http://127.0.0.1:8601
  $ npx tidegate api fills symbol=BTCUSDT_SPBL pageSize=100 --keys keys.json
`;

/** `tidegate api`: calls one operation and prints its payload as JSON on stdout. */
export function addApiCommand(program: Command, print: (line: string) => void): void {
  program
    .command('api')
    .description("Call one of the exchange's operations and print the reply.")
    .argument('[operation]', 'name of the operation, as --list shows it')
    .argument('[parameters...]', 'parameters as key=value; lists and maps as JSON')
    .option('--list', 'print the operations with their parameters')
    .option('--json', 'print a reply on one line, and --list as one JSON object')
    .option('--yes', 'confirm an operation that moves money: internalWithdrawal requires it')
    .option('--config <file>', 'read base URLs, keys and limits from the live section of this config')
    .option('--spot-url <url>', 'base URL of the spot host')
    .option('--contract-url <url>', 'base URL of the futures host')
    .option('--locale <tag>', 'language tag of signed requests')
    .option('--keys <file>', 'JSON file of mode 600 with key, secret and passphrase')
    .addHelpText('after', API_HELP)
    .action(async (name: string | undefined, given: string[], options: ApiOptions) => {
      // Imported here because a backtest does not use the exchange, and the modules take memory.
      const { callOperation } = await import('../access/call-operation.ts');
      print(await callOperation(name, given, options));
    });
}

const EXCHANGE_HELP = `
Example:
  $ npx tidegate exchange configs/exchange.yaml --set ports.spot=8601 --state exchange.state
`;

/** `tidegate exchange <config>`: runs a local exchange until Ctrl-C. */
export function addExchangeCommand(program: Command, print: (line: string) => void): void {
  program
    .command('exchange')
    .description("Run a local exchange that serves the exchange's HTTP API, until Ctrl-C.")
    .argument('<config>', 'config file (YAML)')
    .option('--json', 'print URLs, keys and pid as one JSON object on the first line')
    .option('--set <path=value>', 'change a setting, e.g. ports.spot=8601 (repeatable)', collect)
    .option('--state <file>', 'store the state in this file, and continue from it after a restart')
    .addHelpText('after', EXCHANGE_HELP)
    .action(async (path: string, options: ServeOptions) => {
      // Imported here because a backtest needs no server, and the modules take memory.
      const { serveExchange } = await import('../local-exchange/run-exchange.ts');
      await serveExchange(path, options, print);
    });
}
