import type { Command } from 'commander';
import { ExchangeError } from '../../exchange/errors/exchange-error.ts';
import type { Operation } from '../../exchange/operations/operation.ts';
import type { OperationName } from '../../exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../exchange/operations/operations.ts';
import { TidegateError } from '../../model/errors.ts';
import { loadConfig } from '../config/load-config.ts';
import { suggestion } from '../config/nearest.ts';
import { type AccessOptions, accessOf } from '../exchange/access-settings.ts';
import { exchangeClient } from '../exchange/exchange-client.ts';
import { columns, operationRows } from '../exchange/operation-list.ts';
import { parseArguments } from '../exchange/parse-arguments.ts';

interface Options extends AccessOptions {
  readonly list?: boolean;
  readonly yes?: boolean;
  readonly config?: string;
}

const HELP = `
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
    .addHelpText('after', HELP)
    .action(async (name: string | undefined, given: string[], options: Options) => {
      if (options.list === true) return print(columns(operationRows()));
      const operation = operationNamed(name);
      const parameters = parseArguments(operation, given);
      if (operation.effect === 'withdrawal' && options.yes !== true) {
        throw new TidegateError('USAGE', `${operation.name} moves money: add --yes if that is meant`);
      }
      print(JSON.stringify(await callOnce(operation.name, parameters, options), null, 2));
    });
}

function operationNamed(name: string | undefined): Operation & { readonly name: OperationName } {
  if (name === undefined) throw new TidegateError('USAGE', 'expected the name of an operation; --list shows them');
  if (Object.hasOwn(OPERATIONS, name)) return { ...(OPERATIONS[name as OperationName] as Operation), name: name as OperationName };
  throw new TidegateError('USAGE', `there is no operation "${name}"${suggestion(name, Object.keys(OPERATIONS))}; --list shows them`);
}

async function callOnce(name: OperationName, parameters: Record<string, unknown>, options: Options): Promise<unknown> {
  const live = options.config === undefined ? undefined : loadConfig(options.config, { env: process.env }).config.live;
  const client = exchangeClient(accessOf(options, process.env, live), live);
  try {
    return await (client[name] as (request: unknown) => Promise<unknown>).call(client, parameters);
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.outcome !== 'unknown') throw error;
    throw new TidegateError(error.code, `${error.message}\nIt may have acted: look before you repeat it.`, { cause: error });
  } finally {
    await client.close();
  }
}
