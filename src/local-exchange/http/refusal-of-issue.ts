import { codeRow, type ExchangeCode } from '../../exchange/errors/error-codes.ts';
import type { RequestIssue } from '../../exchange/operations/request-codec.ts';
import { Refusal } from '../refusal.ts';

/** Amounts that have a code of their own where they are negative. A `pageSize` is none. */
const NEGATIVE: readonly (readonly [RegExp, ExchangeCode])[] = [
  [/(^|[._])price$/, '43011'],
  [/(^|\.)(quantity|size|amount)$/, '43010'],
];

/** The documented refusal for a parameter that breaks a rule; `parameters` as they arrived. */
export function refusalOf({ field, rule, code }: RequestIssue, parameters: unknown): Refusal {
  const value = valueAt(parameters, field);
  const negative = /^-/.test(String(value)) ? NEGATIVE.find(([name]) => name.test(field)) : undefined;
  if (negative !== undefined) return new Refusal(negative[1], `${field} must not be negative`);
  const known: ExchangeCode = codeRow(code) === undefined ? '40020' : (code as ExchangeCode);
  return new Refusal(known, `${field === '' ? 'the request' : field} ${rule}`);
}

/** Of `orderList[0].price`. */
function valueAt(value: unknown, field: string): unknown {
  return field
    .split(/[.[\]]+/)
    .filter((part) => part !== '')
    .reduce((at, part) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[part] : undefined), value);
}
