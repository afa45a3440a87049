import { numberText } from '../json/number-text.ts';
import { wireField } from './wire-field.ts';

/** Plain digits: no sign, no exponent, of a sane length. */
const PLAIN_DECIMAL = /^\d{1,24}(\.\d{1,24})?$/;
const CLIENT_ID = /^[A-Za-z0-9_-]{1,40}$/;

/** Text in a request: unlike in replies, nothing else will do. */
function parameter<T extends string>(expected: string, allows: (value: string) => boolean, code?: string) {
  const accepts = (value: unknown): value is T => typeof value === 'string' && allows(value);
  return wireField<T>({
    type: 'string',
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

/** An order id that the document has as text; clients that send it bare are understood. */
export const orderIdParameter = wireField<string>({
  type: 'string',
  expected: 'a whole number of at most 19 digits, in quotes',
  read: (wire) => {
    const id = typeof wire === 'string' ? wire : numberText(wire);
    return id !== undefined && /^\d{1,19}$/.test(id) ? id : undefined;
  },
  write: (value) => value,
  allows: (value) => typeof value === 'string' && /^\d{1,19}$/.test(value),
});
