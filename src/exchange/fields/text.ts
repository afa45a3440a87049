import { isDecimalText } from '../../model/decimal.ts';
import { numberText } from '../json/number-text.ts';
import { wireField } from './wire-field.ts';

const isText = (value: unknown): value is string => typeof value === 'string';
const same = (value: string): string => value;
const readText = (wire: unknown): string | undefined => (isText(wire) ? wire : numberText(wire));
const readTextOrNull = (wire: unknown): string | undefined => (wire === null ? '' : readText(wire));

/** Text in a reply. A bare number is taken as its digits: the real exchange mixes the two. */
export const text = wireField({ type: 'string', expected: 'text', read: readText, write: same, allows: isText });

/** Text in a reply that may be empty; null and nothing at all are taken as empty. */
export const textOrEmpty = wireField({
  type: 'string',
  expected: 'text',
  read: readTextOrNull,
  write: same,
  allows: isText,
  absent: '',
});

/** Text in a reply that may be null, or missing; inside, that is the empty string. */
export const textOrNull = wireField<string>({
  type: 'string or null',
  expected: 'text or null',
  read: readTextOrNull,
  write: (value) => (value === '' ? null : value),
  allows: isText,
  absent: '',
});

const isDecimal = (value: unknown): value is string => isText(value) && isDecimalText(value);

/** A number in a reply, as decimal text. */
export const decimal = wireField({
  type: 'string',
  expected: 'a decimal number',
  read: (wire) => {
    const digits = readText(wire);
    return isDecimal(digits) ? digits : undefined;
  },
  write: same,
  allows: isDecimal,
});

const isDecimalOrEmpty = (value: unknown): value is string => value === '' || isDecimal(value);

/** A number in a reply that the exchange may leave empty (the price of a market order, a fill price). */
export const decimalOrEmpty = wireField({
  type: 'string',
  expected: 'a decimal number or empty',
  read: (wire) => {
    const digits = readTextOrNull(wire);
    return isDecimalOrEmpty(digits) ? digits : undefined;
  },
  write: same,
  allows: isDecimalOrEmpty,
  absent: '',
});
