import { Decimal } from '../model/decimal.ts';
import { TidegateError } from '../model/errors.ts';
import type { Instrument } from '../model/instrument.ts';
import { MAX_DEPTH } from './encode-value.ts';
import { fillOf } from './fill-fields.ts';
import { marketEventOf } from './market-columns.ts';

type Instruments = ReadonlyMap<string, Instrument>;
/** Encoded values nest at most three levels for one of their own: `{"$m":[[key, value]]}`. */
const MAX_TEXT_DEPTH = 3 * MAX_DEPTH;

const NUMBERS: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
  '-0': -0,
};

/** Turns the tags of parsed JSON back into what they stand for. @throws Error where the JSON is not the codec's. */
export function reviveValue(value: unknown, instruments: Instruments, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_TEXT_DEPTH) throw new Error(`nested deeper than ${MAX_TEXT_DEPTH}`);
  if (Array.isArray(value)) return value.map((item) => reviveValue(item, instruments, depth + 1));
  const [tag, ...others] = Object.keys(value);
  if (tag === undefined || !tag.startsWith('$')) return reviveFields(value, instruments, depth);
  if (others.length > 0) throw new Error(`${tag} stands beside ${others[0]}`);
  return reviveTag(tag, (value as Record<string, unknown>)[tag], instruments, depth + 1);
}

function reviveTag(tag: string, content: unknown, instruments: Instruments, depth: number): unknown {
  switch (tag) {
    case '$d':
      return new Decimal(textOf(content));
    case '$i':
      return instrumentOf(textOf(content), instruments);
    case '$f':
      return fillOf(reviveFields(objectOf(content), instruments, depth));
    case '$e': {
      const columns = listOf(reviveValue(content, instruments, depth));
      return marketEventOf(columns, instrumentOf(textOf(columns[1]), instruments));
    }
    case '$m':
      return new Map(listOf(content).map((pair) => listOf(reviveValue(pair, instruments, depth + 1)) as [unknown, unknown]));
    case '$n':
      return numberOf(textOf(content));
    case '$u':
      return undefined;
    case '$o':
      return reviveFields(objectOf(content), instruments, depth);
    default:
      throw new Error(`${tag} stands for nothing`);
  }
}

function reviveFields(fields: object, instruments: Instruments, depth: number): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, reviveValue(field, instruments, depth + 1)]));
}

function instrumentOf(symbol: string, instruments: Instruments): Instrument {
  const found = instruments.get(symbol);
  if (found !== undefined) return found;
  throw new TidegateError(
    'CONFIG_INVALID',
    `the journal tells of ${symbol}, which the config does not list: list it again, or start with a new journal once the bot is flat`,
  );
}

function numberOf(text: string): number {
  if (!Object.hasOwn(NUMBERS, text)) throw new Error(`${JSON.stringify(text)} is no number outside JSON`);
  return NUMBERS[text]!;
}

function textOf(content: unknown): string {
  if (typeof content !== 'string') throw new Error('text is missing');
  return content;
}

function listOf(content: unknown): readonly unknown[] {
  if (!Array.isArray(content)) throw new Error('a list is missing');
  return content;
}

function objectOf(content: unknown): object {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) throw new Error('an object is missing');
  return content;
}
