import { ExchangeError } from '../../exchange/errors/exchange-error.ts';
import type { Operation } from '../../exchange/operations/operation.ts';
import type { OperationName } from '../../exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../exchange/operations/operations.ts';
import { TidegateError } from '../../model/errors.ts';
import { loadConfig } from '../config/load-config.ts';
import { suggestion } from '../config/reading/nearest.ts';
import { type AccessOptions, accessOf } from './access-settings.ts';
import { columns } from './columns.ts';
import { exchangeClient } from './exchange-client.ts';
import { operationRows } from './operation-list.ts';
import { parseArguments } from './parse-arguments.ts';

export interface ApiOptions extends AccessOptions {
  readonly list?: boolean;
  readonly yes?: boolean;
  readonly config?: string;
}

/**
 * Calls one operation of the exchange.
 * @returns what is to be printed: its payload as JSON, or the list of operations.
 */
export async function callOperation(name: string | undefined, given: readonly string[], options: ApiOptions): Promise<string> {
  if (options.list === true) return columns(operationRows());
  const operation = operationNamed(name);
  const parameters = parseArguments(operation, given);
  if (operation.effect === 'withdrawal' && options.yes !== true) {
    throw new TidegateError('USAGE', `${operation.name} moves money: add --yes if that is meant`);
  }
  return JSON.stringify(await callOnce(operation.name, parameters, options), null, 2);
}

function operationNamed(name: string | undefined): Operation & { readonly name: OperationName } {
  if (name === undefined) throw new TidegateError('USAGE', 'expected the name of an operation; --list shows them');
  if (Object.hasOwn(OPERATIONS, name)) return { ...(OPERATIONS[name as OperationName] as Operation), name: name as OperationName };
  throw new TidegateError('USAGE', `there is no operation "${name}"${suggestion(name, Object.keys(OPERATIONS))}; --list shows them`);
}

async function callOnce(name: OperationName, parameters: Record<string, unknown>, options: ApiOptions): Promise<unknown> {
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
