import { stringify } from 'lossless-json';

/** JSON text of a value in which a `bigint` is a bare integer, as the wire's longs are. Undefined members are left out. */
export function writeJson(value: unknown): string {
  return stringify(value) ?? 'null';
}
