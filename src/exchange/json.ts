import { isLosslessNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/** The digits of a number as `parseJson` returned it; `undefined` for other values. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === 'bigint') return value.toString();
  return isLosslessNumber(value) ? value.value : undefined;
}

/** Bare numbers that a double may not represent exactly: 16 digits and more, fractions, exponents. */
const NEEDS_CARE = /[[:,\s]-?(?:\d{16}|\d+[.eE])|^\s*-?\d/;

/**
 * The value of a JSON text, without loss: a number becomes a plain `number` if that prints the same digits, a
 * larger integer a `bigint` (order ids exceed 2^53), any other a `LosslessNumber`, which keeps its text.
 * @throws SyntaxError for text that is no JSON, or exceeds the depth of the stack.
 */
export function parseJson(text: string): unknown {
  // Numbers are in quotes nearly everywhere on this wire, so the native parser, about ten times faster, usually suffices.
  if (!NEEDS_CARE.test(text)) return JSON.parse(text) as unknown;
  try {
    return parse(text, null, exactNumber);
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError('JSON nests too deep', { cause: error });
    throw error;
  }
}

/** Longer numbers stay text: no field takes one, and reading it as a number would take seconds. */
const MOST_DIGITS = 100;

/** A number of the wire as text. Unlike the library's it can be compared whatever it is: that of `1e400` throws, in a schema's checks too. */
class NumberText extends LosslessNumber {
  override valueOf(): number {
    return Number(this.value);
  }
}

function exactNumber(text: string): number | bigint | NumberText {
  if (text.length > MOST_DIGITS) return new NumberText(text);
  const value = Number(text);
  if (String(value) === text) return value;
  return /^-?\d+$/.test(text) && text !== '-0' ? BigInt(text) : new NumberText(text);
}

/** JSON text of a value in which a `bigint` is a bare integer, like the wire's longs. Undefined members are left out. */
export function writeJson(value: unknown): string {
  return stringify(value) ?? 'null';
}
