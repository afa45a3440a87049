import { Decimal } from '../model/decimal.ts';
import { TidegateError } from '../model/errors.ts';
import { Fill } from '../model/fill.ts';
import { Instrument } from '../model/instrument.ts';
import { fillFields } from './fill-fields.ts';
import { isMarketEvent, marketColumns } from './market-columns.ts';

/** Deeper than any state; a cycle ends here rather than with the stack. */
export const MAX_DEPTH = 100;

/** The value as plain JSON with the tags of the codec. @throws TidegateError INVARIANT_BROKEN naming the place of what cannot be kept. */
export function encodeValue(value: unknown, place = 'value', depth = 0): unknown {
  if (depth > MAX_DEPTH) throw unkept(place, `something nested deeper than ${MAX_DEPTH}, or within itself`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { $n: Object.is(value, -0) ? '-0' : String(value) };
    case 'undefined':
      return { $u: 0 };
    case 'object':
      return value === null ? null : encodeObject(value, place, depth + 1);
    default:
      throw unkept(place, `a ${typeof value}`);
  }
}

function encodeObject(value: object, place: string, depth: number): unknown {
  if (Array.isArray(value)) return Array.from(value, (item, index) => encodeValue(item, `${place}[${index}]`, depth));
  // toFixed drops the sign of a negative zero.
  if (value instanceof Decimal) return { $d: value.isZero() ? value.valueOf() : value.toFixed() };
  if (value instanceof Instrument) return { $i: value.symbol };
  if (value instanceof Fill) return { $f: encodeFields(fillFields(value), place, depth) };
  if (isMarketEvent(value)) return { $e: encodeValue(marketColumns(value), place, depth) };
  if (value instanceof Map) return { $m: Array.from(value, (pair) => encodeValue(pair, `${place}.entry`, depth)) };
  if (!isPlain(value)) throw unkept(place, `a ${value.constructor?.name ?? 'thing'} rather than plain data`);
  const fields = encodeFields(Object.entries(value), place, depth);
  return Object.keys(fields).some((key) => key.startsWith('$')) ? { $o: fields } : fields;
}

function encodeFields(entries: readonly (readonly [string, unknown])[], place: string, depth: number): object {
  const present = entries.filter(([, field]) => field !== undefined);
  return Object.fromEntries(present.map(([key, field]) => [key, encodeValue(field, `${place}.${key}`, depth)]));
}

/** An object literal, of whatever realm; instances of classes would come back as something else. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function unkept(place: string, what: string): TidegateError {
  return new TidegateError('INVARIANT_BROKEN', `the journal cannot keep ${place}: it is ${what}; expected JSON, Decimals and model types`);
}
