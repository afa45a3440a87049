import type { BundleContent } from './bundle-schema.ts';

/** Something of a result that is not as it was. */
export interface ResultDifference {
  /** `summary.finalEquity`, `fills.csv line 3`. */
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

type Result = Pick<BundleContent, 'summary' | 'files' | 'hashes'>;

/** Where two results differ: every figure of the summary, and of each file the first line. */
export function resultDifferences(expected: Result, found: Result): ResultDifference[] {
  return [
    ...valueDifferences('summary', expected.summary, found.summary),
    ...keysOf(expected.files, found.files).flatMap((name) => lineDifference(name, expected.files[name], found.files[name])),
    ...keysOf(expected.hashes, found.hashes)
      .filter((name) => expected.hashes[name] !== found.hashes[name])
      .map((name) => ({ what: `SHA-256 of ${name}`, expected: expected.hashes[name] ?? ABSENT, found: found.hashes[name] ?? ABSENT })),
  ];
}

const ABSENT = 'nothing';

function valueDifferences(what: string, expected: unknown, found: unknown): ResultDifference[] {
  if (isObject(expected) && isObject(found)) {
    return keysOf(expected, found).flatMap((key) => valueDifferences(`${what}.${key}`, expected[key], found[key]));
  }
  const [one, other] = [JSON.stringify(expected) ?? ABSENT, JSON.stringify(found) ?? ABSENT];
  return one === other ? [] : [{ what, expected: one, found: other }];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function lineDifference(name: string, expected: string | undefined, found: string | undefined): ResultDifference[] {
  if (expected === found) return [];
  const [one, other] = [expected?.split('\n'), found?.split('\n')];
  if (one === undefined || other === undefined) {
    return [{ what: name, expected: one === undefined ? ABSENT : 'a file', found: other === undefined ? ABSENT : 'a file' }];
  }
  const at = one.findIndex((line, index) => line !== other[index]);
  const line = at < 0 ? one.length : at;
  return [{ what: `${name} line ${line + 1}`, expected: one[line] ?? ABSENT, found: other[line] ?? ABSENT }];
}

function keysOf(...records: readonly object[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}
