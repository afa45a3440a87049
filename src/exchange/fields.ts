import { z } from 'zod';
import { numberText } from './json.ts';

/** The forms of a field on the wire, in the document's words: a `long` is an integer that may exceed 2^53. */
type WireType = 'string' | 'string or null' | 'integer' | 'long' | 'boolean';

/** The meaning of a field of a record. The declarations of all fields are their table: `test/lies` makes each of them lie. */
export type FieldKind =
  | 'id'
  | 'clientId'
  | 'symbol'
  | 'coin'
  | 'word'
  | 'flag'
  | 'time'
  | 'count'
  | 'price'
  | 'quantity'
  | 'money'
  | 'rate'
  | 'text';

interface FieldFacts {
  readonly kind: FieldKind;
  /** A number that may be negative. */
  readonly signed?: boolean | undefined;
  /** Words that are known. Others are read, too, and mean nothing. */
  readonly words?: readonly string[] | undefined;
}

interface WireRule<T> extends FieldFacts {
  readonly type: WireType;
  /** The expected value, as a text after "must be". */
  readonly expected: string;
  /** The error code with which a server refuses any other value; by default 40020 (parameter invalid). */
  readonly code?: string;
  /** The inner value; `undefined` for an invalid wire value. */
  readonly read: (wire: unknown) => T | undefined;
  readonly write: (value: T) => unknown;
  /** Total: called with any value. */
  readonly allows: (value: unknown) => boolean;
  /** The value of a missing field; without it, a missing field is refused. */
  readonly absent?: T;
}

/**
 * A field as a two-way schema: `z.decode` reads the wire's form, `z.encode` writes it. Client and server use the
 * same one in opposite directions, so they cannot disagree.
 */
function wireField<T>({ type, kind, signed, words, expected, code, read, write, allows, absent }: WireRule<T>) {
  const error = `must be ${expected}`;
  const params = { code };
  const inside = z.custom<T>(allows, { error, params });
  // An object refuses a missing key before it calls the field, unless the field is optional on that side.
  const onWire: z.ZodType<unknown> = absent === undefined ? z.unknown() : z.unknown().optional();
  return z
    .codec(onWire, inside, {
      decode: (wire, payload) => {
        const value = wire === undefined ? absent : read(wire);
        if (value !== undefined) return value;
        payload.issues.push({ code: 'custom', message: error, input: wire, params, continue: false });
        return z.NEVER;
      },
      // Zod calls this before it has checked the value.
      encode: (value) => (allows(value) ? write(value) : undefined),
    })
    .meta({ wire: type, kind, ...(signed && { signed }), ...(words && { words }) });
}

const WORDS: Readonly<Record<string, boolean>> = { true: true, false: false };

const flagAs = (type: WireType) =>
  wireField<boolean>({
    type,
    kind: 'flag',
    expected: 'true or false',
    read: (wire) => (typeof wire === 'boolean' ? wire : typeof wire === 'string' && Object.hasOwn(WORDS, wire) ? WORDS[wire] : undefined),
    write: (value) => (type === 'string' ? String(value) : value),
    allows: (value) => typeof value === 'boolean',
  });

/** A JSON boolean; read from text too. */
export const flag = flagAs('boolean');
/** A boolean that is the text `true` or `false` on the wire. */
export const flagText = flagAs('string');

/** Whole and within 64 bits: 19 digits. */
const WHOLE = /^\d{1,19}$/;

const digitsOf = (wire: unknown): string | undefined => {
  const text = typeof wire === 'string' ? wire : numberText(wire);
  return text !== undefined && WHOLE.test(text) ? text : undefined;
};
const isDigits = (value: unknown): boolean => typeof value === 'string' && WHOLE.test(value);

/** An id or sequence number of up to 64 bits, a string inside: `long` is sent as a bare integer, `string` in quotes. */
const id = (type: 'long' | 'string') =>
  wireField<string>({
    type,
    kind: 'id',
    expected: 'a whole number of at most 19 digits',
    read: digitsOf,
    write: type === 'long' ? BigInt : (value) => value,
    allows: isDigits,
  });
export const idLong = id('long');
export const idText = id('string');

function safeWhole(wire: unknown): number | undefined {
  const digits = digitsOf(wire);
  const value = Number(digits);
  return digits !== undefined && Number.isSafeInteger(value) ? value : undefined;
}

/** A whole number between bounds, both included. */
export function whole(least = 0, most = Number.MAX_SAFE_INTEGER, type: WireType = 'integer', kind: FieldKind = 'count') {
  const allows = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`;
  return wireField<number>({
    type,
    kind,
    expected: `a whole number of at least ${least}${upTo}`,
    read: (wire) => {
      const value = safeWhole(wire);
      return allows(value) ? value : undefined;
    },
    write: (value) => (type === 'string' ? String(value) : value),
    allows,
  });
}

export const count = whole();
/** An id too small to need 64 bits. */
export const smallId = whole(0, Number.MAX_SAFE_INTEGER, 'integer', 'id');
/** Epoch ms sent as a bare integer; both forms are read. */
export const timeLong = whole(0, Number.MAX_SAFE_INTEGER, 'long', 'time');
/** Epoch ms sent in quotes; both forms are read. */
export const timeText = whole(0, Number.MAX_SAFE_INTEGER, 'string', 'time');

/** A field that may be missing: left out, `null` or an empty string on the wire, `undefined` inside, left out again. */
export function maybe<S extends z.ZodType>(field: S) {
  return z
    .codec(z.unknown(), field.optional(), {
      decode: (wire) => (wire === null || wire === '' ? undefined : wire) as z.input<S>,
      encode: (wire) => wire,
    })
    .optional()
    .meta({ ...field.meta() });
}

/** Plain digits: no sign, no exponent, of a plausible length. */
const PLAIN_DECIMAL = /^\d{1,24}(\.\d{1,24})?$/;
const CLIENT_ID = /^[A-Za-z0-9_-]{1,40}$/;

/** Text in a request: unlike in replies, no other type is accepted. */
function parameter<T extends string>(expected: string, allows: (value: string) => boolean, code?: string) {
  const accepts = (value: unknown): value is T => typeof value === 'string' && allows(value);
  return wireField<T>({
    type: 'string',
    kind: 'text',
    expected,
    ...(code === undefined ? {} : { code }),
    read: (wire) => (accepts(wire) ? wire : undefined),
    write: (value) => value,
    allows: accepts,
  });
}

export const name = parameter('text that is not empty', (value) => value !== '');
export const decimalParameter = parameter('a decimal number in quotes, without sign or exponent', (value) => PLAIN_DECIMAL.test(value));
export const decimalOrEmptyParameter = parameter(
  'a decimal number in quotes, or empty',
  (value) => value === '' || PLAIN_DECIMAL.test(value),
);
export const positiveParameter = parameter(
  'a decimal number above 0, in quotes',
  (value) => PLAIN_DECIMAL.test(value) && /[1-9]/.test(value),
);
export const clientId = parameter('1 to 40 letters, digits, "_" and "-"', (value) => CLIENT_ID.test(value), '40305');
export const clientIdOrEmpty = parameter(
  'at most 40 letters, digits, "_" and "-"',
  (value) => value === '' || CLIENT_ID.test(value),
  '40305',
);

/** An amount to transfer: above 0, at most 6 decimal places. */
export const transferAmount = parameter(
  'a decimal number above 0 with at most 6 places, in quotes',
  (value) => /^\d{1,18}(\.\d{1,6})?$/.test(value) && /[1-9]/.test(value),
);

/** One of a few words. */
export function word<const W extends string>(...words: readonly W[]) {
  return parameter<W>(`one of ${words.join(', ')}`, (value) => (words as readonly string[]).includes(value));
}

/** An order id that is text in the document; a bare number is accepted too. */
export const orderIdParameter = wireField<string>({
  type: 'string',
  kind: 'id',
  expected: 'a whole number of at most 19 digits, in quotes',
  read: (wire) => {
    const id = typeof wire === 'string' ? wire : numberText(wire);
    return id !== undefined && /^\d{1,19}$/.test(id) ? id : undefined;
  },
  write: (value) => value,
  allows: (value) => typeof value === 'string' && /^\d{1,19}$/.test(value),
});

/** Characters that any text of a reply may have: the longest are messages for people. */
const MOST_TEXT = 4_000;

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MOST_TEXT;
const same = (value: string): string => value;

/** Control characters, those that change the writing direction, and line separators. */
const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** Text of the exchange ends in logs, files and terminals, which must not obey it. */
export function withoutControls(said: string): string {
  return said.replace(CONTROLS, '');
}

const readText = (wire: unknown): string | undefined => (isText(wire) ? withoutControls(wire) : numberText(wire));
const readTextOrNull = (wire: unknown): string | undefined => (wire === null ? '' : readText(wire));

/** Text in a reply. A bare number is taken as its digits: the real exchange mixes the two. */
function textOf(facts: FieldFacts) {
  return wireField({ ...facts, type: 'string', expected: 'text', read: readText, write: same, allows: isText });
}

/** Text in a reply that may be empty; null and a missing field count as empty. */
function textOrEmptyOf(facts: FieldFacts) {
  return wireField({ ...facts, type: 'string', expected: 'text', read: readTextOrNull, write: same, allows: isText, absent: '' });
}

/** Text in a reply that may be null, or missing; inside, that is the empty string. */
function textOrNullOf(facts: FieldFacts) {
  return wireField<string>({
    ...facts,
    type: 'string or null',
    expected: 'text or null',
    read: readTextOrNull,
    write: (value) => (value === '' ? null : value),
    allows: isText,
    absent: '',
  });
}

export const text = textOf({ kind: 'text' });
export const textOrEmpty = textOrEmptyOf({ kind: 'text' });
export const textOrNull = textOrNullOf({ kind: 'text' });
export const symbol = textOf({ kind: 'symbol' });
export const symbolOrEmpty = textOrEmptyOf({ kind: 'symbol' });
export const coin = textOf({ kind: 'coin' });
/** An id that may be any text. */
export const textId = textOf({ kind: 'id' });
export const textIdOrEmpty = textOrEmptyOf({ kind: 'id' });
export const ownId = textOf({ kind: 'clientId' });
export const ownIdOrEmpty = textOrEmptyOf({ kind: 'clientId' });
export const ownIdOrNull = textOrNullOf({ kind: 'clientId' });
/** One of some words, in any case. Others are read, too: the exchange may have more. */
export const words = (...known: readonly string[]) => textOf({ kind: 'word', words: known });
export const wordsOrEmpty = (...known: readonly string[]) => textOrEmptyOf({ kind: 'word', words: known });

/** Larger amounts and more digits than any market has, and so few that sums of them stay exact and fast. */
const TOO_LARGE = 1e24;
const BOUNDED = /^[+-]?(\d{1,24}(\.\d{0,60})?|\.\d{1,60})([eE][+-]?\d{1,2})?$/;

/**
 * A number in a reply, as decimal text; `orEmpty`: the exchange may leave it empty (the price of a market order); `orRole`: a sample has the
 * word MAKER in its place.
 */
function figure(kind: FieldKind, { signed = false, orEmpty = false, orRole = false } = {}) {
  const allows = (value: unknown): value is string => {
    if (value === '') return orEmpty;
    if (orRole && (value === 'MAKER' || value === 'TAKER')) return true;
    if (!isText(value) || !BOUNDED.test(value)) return false;
    const amount = Number(value);
    return Math.abs(amount) < TOO_LARGE && (signed || amount >= 0);
  };
  const from = signed ? '' : 'not negative, ';
  return wireField({
    type: 'string',
    kind,
    signed,
    expected: `a decimal number ${from}below 1e24 of at most 60 places${orRole ? ', MAKER, TAKER' : ''}${orEmpty ? ', or empty' : ''}`,
    read: (wire) => {
      const digits = orEmpty ? readTextOrNull(wire) : readText(wire);
      return allows(digits) ? digits : undefined;
    },
    write: same,
    allows,
    ...(orEmpty && { absent: '' }),
  });
}

const isPlaces = (value: unknown): value is string => typeof value === 'string' && /^\d{1,2}$/.test(value);

/** A number of decimal places, as text. */
export const places = wireField({
  type: 'string',
  kind: 'count',
  expected: 'a whole number of at most two digits',
  read: (wire) => {
    const digits = readText(wire);
    return isPlaces(digits) ? digits : undefined;
  },
  write: same,
  allows: isPlaces,
});

export const price = figure('price');
export const priceOrEmpty = figure('price', { orEmpty: true });
export const quantity = figure('quantity');
export const quantityOrEmpty = figure('quantity', { orEmpty: true });
/** An amount of a coin that no account can owe. */
export const amount = figure('money');
export const amountOrEmpty = figure('money', { orEmpty: true });
/** An amount of a coin that may be paid or received: profit, fees, changes, what is owed. */
export const change = figure('money', { signed: true });
export const changeOrEmpty = figure('money', { signed: true, orEmpty: true });
export const changeOrRole = figure('money', { signed: true, orEmpty: true, orRole: true });
/** A share or a multiple. */
export const rate = figure('rate');
export const rateOrEmpty = figure('rate', { orEmpty: true });
/** Fees, rebates, funding. */
export const signedRate = figure('rate', { signed: true });
export const signedRateOrEmpty = figure('rate', { signed: true, orEmpty: true });
