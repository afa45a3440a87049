import { z } from 'zod';
import { ExchangeError } from '../../exchange/errors.ts';
import { parseJson } from '../../exchange/json.ts';
import { decodeRequest } from '../../exchange/operations/codecs.ts';
import type { Operation, OperationName } from '../../exchange/operations/operation-table.ts';
import { OPERATIONS } from '../../exchange/operations/operations.ts';
import { TidegateError } from '../../model/errors.ts';
import { suggestion } from '../../model/nearest.ts';
import { columns } from '../base/text.ts';
import { loadConfig } from '../config/load-config.ts';
import { type AccessOptions, accessOf, exchangeClient } from './access-settings.ts';

const HEAD = ['#', 'operation', 'method', 'path', 'host', 'envelope', 'IP/UID', 'parameters (? is optional)'];

/** The table of operations as rows of text, with the header first. Operations beyond the twenty of the document have no number. */
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
 * Parses `key=value` arguments to the parameters of the client. A value that begins with `[` or `{` is JSON.
 * @throws TidegateError USAGE for an argument of another form, an unknown key or a repeated key; REQUEST_INVALID for a value that breaks a rule.
 */
export function parseArguments(operation: Operation, given: readonly string[]): Record<string, unknown> {
  const pairs = given.map((argument) => pair(operation, argument));
  const wire = Object.fromEntries(pairs);
  const twice = pairs.find(([key], index) => pairs.findIndex(([other]) => other === key) < index);
  if (twice !== undefined) throw new TidegateError('USAGE', `the parameter ${twice[0]} is given twice`);
  const result = decodeRequest(operation, wire);
  if ('issues' in result) {
    const said = result.issues.map(({ field, rule }) => `${field} ${rule}`.trim()).join('; ');
    throw new TidegateError('REQUEST_INVALID', `${operation.name}: ${said}`);
  }
  // Defaults are left to the exchange.
  return Object.fromEntries(Object.entries(result.value).filter(([key]) => Object.hasOwn(wire, key)));
}

function pair(operation: Operation, argument: string): [string, unknown] {
  const [, key, value] = /^([A-Za-z_]+)=(.*)$/s.exec(argument) ?? [];
  if (key === undefined || value === undefined) throw new TidegateError('USAGE', `expected key=value, not "${argument}"`);
  const known = Object.keys(operation.request.shape);
  if (!known.includes(key)) throw new TidegateError('USAGE', `${operation.name} has no parameter "${key}"${suggestion(key, known)}`);
  if (!/^[[{]/.test(value)) return [key, value];
  try {
    return [key, parseJson(value)];
  } catch {
    throw new TidegateError('USAGE', `the value of ${key} is not JSON`);
  }
}

export interface ApiOptions extends AccessOptions {
  readonly list?: boolean;
  /** JSON on one line, the list of operations as well. */
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly config?: string;
}

/**
 * Calls one operation of the exchange.
 * @returns the text to print: its payload as JSON, or the list of operations.
 */
export async function callOperation(name: string | undefined, given: readonly string[], options: ApiOptions): Promise<string> {
  if (options.list === true) return options.json === true ? operationsJson() : columns(operationRows());
  const operation = operationNamed(name);
  const parameters = parseArguments(operation, given);
  if (operation.effect === 'withdrawal' && options.yes !== true) {
    throw new TidegateError('USAGE', `${operation.name} moves money: add --yes to confirm`);
  }
  return JSON.stringify(await callOnce(operation.name, parameters, options), null, options.json === true ? undefined : 2);
}

/** The list of operations as one JSON object, with the headings as keys. */
function operationsJson(): string {
  const [headings = [], ...rows] = operationRows();
  return JSON.stringify({
    operations: rows.map((cells) => Object.fromEntries(headings.map((heading, index) => [heading, cells[index] ?? '']))),
  });
}

function operationNamed(name: string | undefined): Operation & { readonly name: OperationName } {
  if (name === undefined) throw new TidegateError('USAGE', 'expected the name of an operation; --list prints them');
  if (Object.hasOwn(OPERATIONS, name)) return { ...(OPERATIONS[name as OperationName] as Operation), name: name as OperationName };
  throw new TidegateError('USAGE', `there is no operation "${name}"${suggestion(name, Object.keys(OPERATIONS))}; --list prints them`);
}

async function callOnce(name: OperationName, parameters: Record<string, unknown>, options: ApiOptions): Promise<unknown> {
  const live =
    options.config === undefined ? undefined : loadConfig(options.config, { withoutBacktest: true, env: process.env }).config.live;
  const client = exchangeClient(accessOf(options, process.env, live), live);
  try {
    return await (client[name] as (request: unknown) => Promise<unknown>).call(client, parameters);
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.outcome !== 'unknown') throw error;
    throw new TidegateError(error.code, `${error.message}\nThe exchange may have executed the request: check this before you repeat it.`, {
      cause: error,
    });
  } finally {
    await client.close();
  }
}
