import { z } from 'zod';
import { ExchangeError } from '../../exchange/errors.ts';
import { parseJson } from '../../exchange/json.ts';
import { decodeRequest } from '../../exchange/operations/codecs.ts';
import type { Operation, OperationName } from '../../exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../exchange/operations/operations.ts';
import { TidegateError } from '../../model/errors.ts';
import { suggestion } from '../base/nearest.ts';
import { columns } from '../base/text.ts';
import { loadConfig } from '../config/load-config.ts';
import { type AccessOptions, accessOf, exchangeClient } from './access-settings.ts';

const HEAD = ['#', 'operation', 'method', 'path', 'host', 'envelope', 'IP/UID', 'parameters (? may be left out)'];

/** The table of operations as rows of text, the head first; extras beyond the twenty have no number. */
export function operationRows(): string[][] {
  const rows = (Object.values(OPERATIONS) as Operation[]).map((operation) => {
    const { number, name, method, path, host, envelope, weight, signed } = operation;
    return [
      number?.toString() ?? '-',
      name,
      method,
      path,
      host,
      envelope,
      `${weight.ip}/${signed ? weight.uid : '-'}`,
      parametersText(operation),
    ];
  });
  return [HEAD, ...rows];
}

/** Names of the parameters, as `api --list` shows them: `symbol orderId? clientOid?`. */
function parametersText({ request }: Operation): string {
  const fields = Object.entries(request.shape);
  return fields.map(([name, field]) => (field instanceof z.ZodOptional ? `${name}?` : name)).join(' ');
}

/**
 * The parameters of `key=value` arguments, in the forms that the client takes. A value that begins with `[` or `{` is JSON.
 * @throws TidegateError USAGE for an argument of another shape, an unknown key or one given twice, REQUEST_INVALID for a value that breaks a rule.
 */
export function parseArguments(operation: Operation, given: readonly string[]): Record<string, unknown> {
  const pairs = given.map((argument) => pair(operation, argument));
  const wire = Object.fromEntries(pairs);
  const twice = pairs.find(([key], index) => pairs.findIndex(([other]) => other === key) < index);
  if (twice !== undefined) throw new TidegateError('USAGE', `${twice[0]} is given twice`);
  const result = decodeRequest(operation, wire);
  if ('issues' in result) {
    const said = result.issues.map(({ field, rule }) => `${field} ${rule}`.trim()).join('; ');
    throw new TidegateError('REQUEST_INVALID', `${operation.name}: ${said}`);
  }
  // The exchange puts in its own defaults.
  return Object.fromEntries(Object.entries(result.value).filter(([key]) => Object.hasOwn(wire, key)));
}

function pair(operation: Operation, argument: string): [string, unknown] {
  const [, key, value] = /^([A-Za-z_]+)=(.*)$/s.exec(argument) ?? [];
  if (key === undefined || value === undefined) throw new TidegateError('USAGE', `expected key=value, not "${argument}"`);
  const known = Object.keys(operation.request.shape);
  if (!known.includes(key)) throw new TidegateError('USAGE', `${operation.name} takes no parameter "${key}"${suggestion(key, known)}`);
  if (!/^[[{]/.test(value)) return [key, value];
  try {
    return [key, parseJson(value)];
  } catch {
    throw new TidegateError('USAGE', `${key} is no JSON`);
  }
}

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
