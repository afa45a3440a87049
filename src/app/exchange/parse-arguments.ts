import { parseJson } from '../../exchange/json/parse-json.ts';
import type { Operation } from '../../exchange/operations/operation.ts';
import { decodeRequest } from '../../exchange/operations/request-codec.ts';
import { TidegateError } from '../../model/errors.ts';
import { suggestion } from '../config/reading/nearest.ts';

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
