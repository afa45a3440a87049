import { PARAMETERS } from '../../exchange/document.ts';
import type { Refused } from './contract.ts';

type Row = NonNullable<(typeof PARAMETERS)[number]>[number];

const SYMBOL: Row = { name: 'symbol', type: 'string', required: 'yes' };

/** The parameters of an operation as the document's tables have them. */
export function parametersOf(number: number): readonly Row[] {
  if (number === 12) return PARAMETERS[6]!;
  if (number === 16) return [{ name: 'coinId', type: 'long', required: 'yes' }];
  return number === 3 || number === 15 ? [SYMBOL] : (PARAMETERS[number] ?? []);
}

/** The document's type of a parameter. */
export function typeOf(number: number, name: string): string | undefined {
  return parametersOf(number).find((row) => row.name === name)?.type;
}

/** Every breach that the tables alone tell of: a parameter that is missing, of another type, or over its maximum. */
export function breachesOf(number: number, method: 'GET' | 'POST'): Refused[] {
  return parametersOf(number).flatMap((row) => [
    ...missing(row),
    ...(method === 'POST' ? noText(row) : []),
    ...mistyped(row),
    ...tooMuch(row),
  ]);
}

/** The same of the entries of operation 7's list; `wrap` puts an entry's change into the list. */
export function entryBreaches(wrap: (change: Refused['change']) => Refused['change']): Refused[] {
  return PARAMETERS[700]!
    .flatMap((row) => [...missing(row), ...noText(row)])
    .map(({ title, change, said, code }) => ({
      title: `${title} in an order`,
      change: wrap(change),
      said: `orderList[0].${said}`,
      code,
    }));
}

function missing({ name, required }: Row): Refused[] {
  return required === 'yes'
    ? [{ title: `without ${name}`, change: { [name]: undefined }, said: `${name} is required`, code: '40019' }]
    : [];
}

/** In a query all is text. */
function noText({ name, required, type }: Row): Refused[] {
  if (required !== 'yes' || type !== 'string') return [];
  const values = [
    [null, 'null'],
    [5, 'a number'],
    [['x'], 'a list'],
  ] as const;
  // A client id has a code of its own.
  const code = /^client/.test(name) ? '40305' : '40020';
  return values.map(([value, shown]) => ({ title: `with ${name} ${shown}`, change: { [name]: value }, said: `${name} must be`, code }));
}

function mistyped({ name, type }: Row): Refused[] {
  const breach = (value: unknown, shown: string): Refused => ({
    title: `with ${name} ${shown}`,
    change: { [name]: value },
    said: `${name} must be`,
    code: '40020',
  });
  if (type === 'array') return [breach('all', 'that is text'), breach([5], 'of numbers')].map((row) => ({ ...row, said: name }));
  if (type === 'string') return [];
  const negative = breach(type === 'long' ? '-1' : -1, 'below 0');
  return [breach('x', 'that is text'), breach(type === 'long' ? '1.5' : 1.5, 'with a fraction'), negative];
}

function tooMuch({ name, most }: Row): Refused[] {
  if (most === undefined) return [];
  const title = `with ${name} ${most + 1}`;
  return [{ title, change: { [name]: most + 1 }, said: `${name} must be a whole number of at least 1 and at most ${most}`, code: '40020' }];
}
