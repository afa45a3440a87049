import { encode } from '../../../journal/codec.ts';
import type { Strategy } from '../../../strategy/strategy.ts';

/** What every strategy has, or is handed. */
const GIVEN = new Set(['id', 'symbols', 'params', 'account', 'log']);
/** Longer lists and maps are left out: a look at a strategy is to cost little. */
const LONGEST = 1_000;

/** A strategy's own fields as far as they can be read from outside and are plain data: not `#private` ones, nor classes of its own. */
export function readableFields(strategy: Strategy): Record<string, unknown> {
  return Object.fromEntries(Object.entries(strategy).filter(([name, value]) => !GIVEN.has(name) && isReadable(value)));
}

function isReadable(value: unknown): boolean {
  if (typeof value === 'function' || (Array.isArray(value) && value.length > LONGEST)) return false;
  if (value instanceof Map && value.size > LONGEST) return false;
  try {
    encode(value);
    return true;
  } catch {
    return false;
  }
}
