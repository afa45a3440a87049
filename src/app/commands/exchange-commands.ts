import type { Command } from 'commander';
import type { ApiOptions } from '../access/call-operation.ts';
import type { ServeOptions } from '../local-exchange/run-exchange.ts';
import { collect } from './collect.ts';

const API_HELP = `
Ids are strings, amounts decimal text, times epoch ms, as they are in the JSON that is printed.
Where the exchange is and the keys come from options, then from TIDEGATE_SPOT_BASE_URL, TIDEGATE_CONTRACT_BASE_URL,
TIDEGATE_LOCALE, TIDEGATE_API_KEY, TIDEGATE_API_SECRET, TIDEGATE_API_PASSPHRASE (or TIDEGATE_KEYS_FILE), then from the
config's live section.

Examples:
  $ npx tidegate api --list
  $ npx tidegate api ticker symbol=BTCUSDT_SPBL --spot-url http://127.0.0.1:8601
  $ npx tidegate api fills symbol=BTCUSDT_SPBL pageSize=100 --keys keys.json
`;

/** `tidegate api`: one call of one operation, its payload as JSON on stdout. */
export function addApiCommand(program: Command, print: (line: string) => void): void {
  program
    .command('api')
    .description("call one of the exchange's operations and print what it answers")
    .argument('[operation]', 'name of the operation, as --list shows it')
    .argument('[parameters...]', 'key=value; a list or map as JSON')
    .option('--list', 'show the operations with their parameters')
    .option('--yes', 'really move money: internalWithdrawal asks for it')
    .option('--config <file>', 'take base URLs, keys and limits from the live section of a config')
    .option('--spot-url <url>', 'base URL of the spot host')
    .option('--contract-url <url>', 'base URL of the futures host')
    .option('--locale <tag>', 'language tag that signed requests carry')
    .option('--keys <file>', 'JSON file of mode 600 with key, secret and passphrase')
    .addHelpText('after', API_HELP)
    .action(async (name: string | undefined, given: string[], options: ApiOptions) => {
      // Only now: the wire is of no use to a backtest, and takes memory.
      const { callOperation } = await import('../access/call-operation.ts');
      print(await callOperation(name, given, options));
    });
}

const EXCHANGE_HELP = `
Example:
  $ npx tidegate exchange configs/exchange.yaml --set ports.spot=8601 --state exchange.state
`;

/** `tidegate exchange <config>`: a local exchange until Ctrl-C. */
export function addExchangeCommand(program: Command, print: (line: string) => void): void {
  program
    .command('exchange')
    .description("run a local exchange that serves the exchange's HTTP API")
    .argument('<config>', 'config file (YAML)')
    .option('--json', 'print URLs, keys and pid as one JSON object on the first line')
    .option('--set <path=value>', 'override a setting, e.g. ports.spot=8601 (repeatable)', collect)
    .option('--state <file>', 'keep what happens in this file, and go on from it after a restart')
    .addHelpText('after', EXCHANGE_HELP)
    .action(async (path: string, options: ServeOptions) => {
      // Only now: the server is of no use to a backtest, and takes memory.
      const { serveExchange } = await import('../local-exchange/run-exchange.ts');
      await serveExchange(path, options, print);
    });
}
