import { encode } from '../../journal/codec.ts';

/** What of the codec's tags stands for one value. */
const TAGS = ['$d', '$i', '$n', '$f', '$m', '$o'];

/** A value of the journal as plain JSON, for people and for --json: amounts and symbols as text, fields of market events in a list. */
export function plainValue(value: unknown): unknown {
  return value === undefined ? undefined : untagged(JSON.parse(encode(value)));
}

function untagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untagged);
  if (typeof value !== 'object' || value === null) return value;
  const [[tag, content] = [], ...others] = Object.entries(value);
  if (tag === '$u') return null;
  if (tag === '$e') return (content as readonly unknown[]).join(' ');
  if (tag === '$m')
    return Object.fromEntries((content as [unknown, unknown][]).map(([key, one]) => [String(untagged(key)), untagged(one)]));
  if (tag !== undefined && others.length === 0 && TAGS.includes(tag)) return untagged(content);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, untagged(field)]));
}
