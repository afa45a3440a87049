import { numberText } from '../json/number-text.ts';
import { type WireType, wireField } from './wire-field.ts';

/** Whole and within 64 bits: 19 digits. */
const WHOLE = /^\d{1,19}$/;

const digitsOf = (wire: unknown): string | undefined => {
  const text = typeof wire === 'string' ? wire : numberText(wire);
  return text !== undefined && WHOLE.test(text) ? text : undefined;
};
const isDigits = (value: unknown): boolean => typeof value === 'string' && WHOLE.test(value);

/** An id or sequence number of up to 64 bits, a string inside: `long` goes out as a bare integer, `string` in quotes. */
const id = (type: 'long' | 'string') =>
  wireField<string>({
    type,
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
export function whole(least = 0, most = Number.MAX_SAFE_INTEGER, type: WireType = 'integer') {
  const allows = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`;
  return wireField<number>({
    type,
    expected: `a whole number of at least ${least}${upTo}`,
    read: (wire) => {
      const value = safeWhole(wire);
      return allows(value) ? value : undefined;
    },
    write: (value) => (type === 'string' ? String(value) : value),
    allows,
  });
}

/** A counter, or an id too small to need 64 bits. */
export const count = whole();
/** Epoch ms that go out as a bare integer; both forms are read. */
export const timeLong = whole(0, Number.MAX_SAFE_INTEGER, 'long');
/** Epoch ms that go out in quotes; both forms are read. */
export const timeText = whole(0, Number.MAX_SAFE_INTEGER, 'string');
