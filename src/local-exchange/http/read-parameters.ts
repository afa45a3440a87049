import { parseJson } from '../../exchange/json/parse-json.ts';
import { Refusal } from '../refusal.ts';
import type { WireRequest } from './wire-request.ts';

/**
 * The parameters of a request as they arrived: of a GET the query, of a POST the body's JSON object.
 * @throws Refusal 40409 for a body that is none.
 */
export function readParameters({ method, target, body }: WireRequest): Record<string, unknown> {
  if (method === 'GET') {
    const at = target.indexOf('?');
    return at < 0 ? {} : Object.fromEntries(new URLSearchParams(target.slice(at + 1)));
  }
  if (body.length === 0) return {};
  let value: unknown;
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Refusal('40409', 'bad format: the body is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal('40409', 'bad format: the body is no JSON object');
  return { ...value };
}
