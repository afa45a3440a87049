import { z } from 'zod';
import type { Operation } from './operation-table.ts';

/** A reply without its envelope: the payload, or the exchange's own refusal. */
type Opened = { readonly payload: unknown } | { readonly code: string; readonly message: string } | { readonly complaint: string };

/** Codes that mean success. Affiliate operations send either: the official sample of operation 17 has `00000`. */
const GOOD: Readonly<Record<Operation['envelope'], readonly string[]>> = {
  standard: ['00000'],
  affiliate: ['200', '00000'],
  bare: ['00000', '200'],
};

/** Codes have five digits. Errors and logs repeat them, so a much longer text is no code. */
const LONGEST_CODE = 32;

/**
 * Unwraps a parsed body. A bare operation's error has the envelope that its success lacks, so any `code` there is
 * checked; operation 10 replies with a bare array on the futures host.
 */
export function openEnvelope(operation: Operation, body: unknown): Opened {
  if (typeof body !== 'object' || body === null) return { complaint: 'the body is neither object nor array' };
  if (Array.isArray(body)) return operation.payloadAt === 'top' ? { complaint: 'the body is an array' } : { payload: body };
  const { code, data, msg } = body as Record<string, unknown>;
  if (code === undefined) return operation.envelope === 'bare' ? { payload: body } : { complaint: 'the body has no code' };
  if (typeof code !== 'string' && typeof code !== 'number') return { complaint: 'the code is neither text nor number' };
  if (String(code).length > LONGEST_CODE) return { complaint: 'the code is too long' };
  if (!GOOD[operation.envelope].includes(String(code))) return { code: String(code), message: typeof msg === 'string' ? msg : '' };
  return { payload: operation.payloadAt === 'top' ? body : data };
}

/** The body of a success, as a server sends it; `payload` is encoded, `now` in epoch ms. */
export function closeEnvelope(operation: Operation, payload: unknown, now: number): unknown {
  if (operation.envelope === 'bare') {
    return operation.payloadAt !== 'top' ? payload : { code: operation.success, msg: 'success', ...(payload as object), data: null };
  }
  if (operation.success === '00000') return { code: '00000', msg: 'success', requestTime: now, data: payload };
  if (operation.payloadAt === 'top') return { ...(payload as object), code: operation.success, timestamp: now };
  return { code: operation.success, timestamp: now, data: payload };
}

/** The body of every refusal, on bare operations too. */
export function errorBody(code: string, message: string, now: number): unknown {
  return { code, msg: message, requestTime: now, data: null };
}

/** The payload of a reply, or the first field that differs from the document. */
type Payload<T> = { readonly value: T } | { readonly complaint: string };

export function decodePayload<O extends Operation>(operation: O, wire: unknown): Payload<z.output<O['payload']>> {
  const decoded = decodeByRecord(operation.payload, wire);
  if ('value' in decoded) return { value: decoded.value as z.output<O['payload']> };
  const { at, issue } = decoded;
  const said =
    issue?.code === 'invalid_type' && issue.input === undefined && at.length > 0 ? 'is missing or of another type' : issue?.message;
  return { complaint: `${at.join('.') || 'the payload'}: ${said ?? 'unreadable'}` };
}

/** A decoded value, or the place of the first issue. */
type Decoded = { readonly value: unknown } | { readonly at: readonly PropertyKey[]; readonly issue: z.core.$ZodIssue | undefined };

/**
 * Decodes lists record by record, and ends at the first issue. A schema collects all issues of all records: those of 1 MB of empty records
 * take gigabytes.
 */
function decodeByRecord(schema: z.ZodType, wire: unknown): Decoded {
  if (schema instanceof z.ZodArray && Array.isArray(wire)) {
    const values: unknown[] = [];
    for (const [index, record] of wire.entries()) {
      const decoded = decodeByRecord(schema.element as z.ZodType, record);
      if ('issue' in decoded) return { ...decoded, at: [index, ...decoded.at] };
      values.push(decoded.value);
    }
    return { value: values };
  }
  const parts = schema instanceof z.ZodObject && typeof wire === 'object' && wire !== null ? partsOf(schema) : undefined;
  const { data, error } = z.safeDecode(parts?.rest ?? schema, wire);
  if (error !== undefined) return { at: error.issues[0]?.path ?? [], issue: error.issues[0] };
  if (parts === undefined) return { value: data };
  const value = data as Record<string, unknown>;
  for (const [field, list] of parts.lists) {
    const decoded = decodeByRecord(list, (wire as Record<string, unknown>)[field]);
    if ('issue' in decoded) return { ...decoded, at: [field, ...decoded.at] };
    value[field] = decoded.value;
  }
  return { value };
}

/** The lists of an object, and its other fields. */
interface Parts {
  readonly lists: readonly (readonly [field: string, list: z.ZodType])[];
  readonly rest: z.ZodObject;
}

const PARTS = new WeakMap<z.ZodObject, Parts | 'whole'>();

/** `undefined` for an object without lists. */
function partsOf(schema: z.ZodObject): Parts | undefined {
  let parts = PARTS.get(schema);
  if (parts === undefined) {
    const lists = Object.entries(schema.shape).filter((entry): entry is [string, z.ZodArray] => entry[1] instanceof z.ZodArray);
    const others = Object.entries(schema.shape).filter(([, field]) => !(field instanceof z.ZodArray));
    parts = lists.length === 0 ? 'whole' : { lists, rest: z.object(Object.fromEntries(others)) };
    PARTS.set(schema, parts);
  }
  return parts === 'whole' ? undefined : parts;
}

/**
 * A payload in the wire's forms, for `writeJson`.
 * @throws ZodError for a payload that breaks the document: an error of the server.
 */
export function encodePayload<O extends Operation>(operation: O, payload: z.output<O['payload']>): unknown {
  return z.encode(operation.payload, payload);
}

/** One parameter that breaks a rule. */
export interface RequestIssue {
  /** `orderList[0].price`; empty for the request as a whole. */
  readonly field: string;
  /** The text after the field's name: `must be …`, `is required`. */
  readonly rule: string;
  /** The error code with which a server refuses it. */
  readonly code: string;
}

type Checked<T> = { readonly value: T } | { readonly issues: readonly RequestIssue[] };

/** A caller's parameters in the wire's forms: for the query or, by `writeJson`, for the body. */
export function encodeRequest(operation: Operation, input: unknown): Checked<Record<string, unknown>> {
  const { data, error } = z.safeEncode(operation.request, input as Record<string, unknown>);
  return error === undefined ? { value: data } : { issues: error.issues.map((issue) => describe(issue, input)) };
}

/** The request that a server received (a parsed body, or the query's parameters as text) in a caller's form, with defaults. */
export function decodeRequest<O extends Operation>(operation: O, wire: unknown): Checked<z.output<O['request']>> {
  const { data, error } = z.safeDecode(operation.request, wire as Record<string, unknown>);
  if (error !== undefined) return { issues: error.issues.map((issue) => describe(issue, wire)) };
  const given = Object.entries(data).filter(([, value]) => value !== undefined);
  return { value: { ...operation.defaults, ...Object.fromEntries(given) } as z.output<O['request']> };
}

/** `?a=1&b=2` of encoded parameters, percent-encoded; empty if there are none. */
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
