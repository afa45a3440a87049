import { z } from 'zod';
import type { Operation } from './operation.ts';

/** One parameter that breaks a rule. */
export interface RequestIssue {
  /** `orderList[0].price`; empty for the request as a whole. */
  readonly field: string;
  /** To follow the field's name: `must be …`, `is required`. */
  readonly rule: string;
  /** The error code with which a server refuses it. */
  readonly code: string;
}

export type Checked<T> = { readonly value: T } | { readonly issues: readonly RequestIssue[] };

/** A caller's parameters in the wire's forms: what goes into the query or, by `writeJson`, into the body. */
export function encodeRequest(operation: Operation, input: unknown): Checked<Record<string, unknown>> {
  const { data, error } = z.safeEncode(operation.request, input as Record<string, unknown>);
  return error === undefined ? { value: data } : { issues: error.issues.map((issue) => describe(issue, input)) };
}

/** What a server received (a parsed body, or the query's parameters as text) as a caller gave it, defaults filled in. */
export function decodeRequest<O extends Operation>(operation: O, wire: unknown): Checked<z.output<O['request']>> {
  const { data, error } = z.safeDecode(operation.request, wire as Record<string, unknown>);
  if (error !== undefined) return { issues: error.issues.map((issue) => describe(issue, wire)) };
  const given = Object.entries(data).filter(([, value]) => value !== undefined);
  return { value: { ...operation.defaults, ...Object.fromEntries(given) } as z.output<O['request']> };
}

/** `?a=1&b=2` of encoded parameters, percent-encoded; empty text where there are none. */
export function queryText(parameters: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return parts.length === 0
    ? ''
    : `?${parts.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(String(value))}`).join('&')}`;
}

function describe(issue: z.core.$ZodIssue, input: unknown): RequestIssue {
  const field = issue.path.reduce<string>(
    (at, part) => (typeof part === 'number' ? `${at}[${part}]` : at === '' ? String(part) : `${at}.${String(part)}`),
    '',
  );
  const params = issue.code === 'custom' ? (issue.params as { code?: string } | undefined) : undefined;
  const between = issue.code === 'custom' && !issue.message.startsWith('must be ') && params?.code !== undefined;
  if (!between && field !== '' && valueAt(input, issue.path) === undefined) return { field, rule: 'is required', code: '40019' };
  return {
    field,
    rule: issue.code === 'invalid_type' ? `must be ${TYPES[issue.expected] ?? issue.expected}` : issue.message,
    code: params?.code ?? '40020',
  };
}

const TYPES: Readonly<Record<string, string>> = { object: 'an object', array: 'a list' };

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined),
    value,
  );
}
