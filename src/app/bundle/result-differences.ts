import type { BundleContent } from './bundle-file.ts';

/** A difference between two results. */
export interface ResultDifference {
  /** `summary.finalEquity`, `fills.csv line 3`. */
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

type Result = Pick<BundleContent, 'summary' | 'files' | 'hashes'>;

/** Keys of the summary that are computed from orders, fills and ledger. Another build may compute them in another way. */
const COMPUTED: readonly string[] = [
  'statistics',
  'findings',
  'breakdowns',
  'maxDrawdown',
  'paths',
  'pathDependentTrades',
  'pathDependentProfit',
];
/** Tables that are computed in the same way. */
const COMPUTED_TABLES: ReadonlySet<string> = new Set(['equity.csv', 'trades.csv']);

/**
 * Compares the results of a bundle with those of another build of Tidegate. Orders, fills, the ledger and the event log must be the same.
 * Statistics, trades and the equity curve may change, and a build may add figures and columns: these are notes.
 */
export function changesOfBuild(
  expected: Result,
  found: Result,
): { readonly differences: readonly ResultDifference[]; readonly notes: readonly string[] } {
  const tables = Object.keys(found.files).filter((name) => expected.files[name] !== undefined);
  const added = tables.flatMap((name) => addedColumns(expected.files[name]!, found.files[name]!).map((column) => ({ name, column })));
  const files = { ...found.files };
  for (const name of new Set(added.map((one) => one.name)))
    files[name] = withoutColumns(
      files[name]!,
      added.filter((one) => one.name === name).map(({ column }) => column),
    );
  const [differences, computed]: [ResultDifference[], ResultDifference[]] = [[], []];
  for (const one of resultDifferences(expected, { ...found, files })) (isComputed(one) ? computed : differences).push(one);
  return {
    differences,
    notes: [
      ...added.map(({ name, column }) => `${name}: this build adds the column ${column}`),
      ...computed.map(({ what, expected: old, found: now }) => `${what}: ${old} in the bundle, ${now} with this build`),
    ],
  };
}

function isComputed({ what, expected }: ResultDifference): boolean {
  const [table = ''] = what.split(' ');
  const [first, key = ''] = what.split('.');
  if (COMPUTED_TABLES.has(table)) return true;
  return first === 'summary' ? COMPUTED.includes(key) || expected === ABSENT : expected === ABSENT && !what.includes(' ');
}

/** The columns of the second table that the first does not have; none where the first has one that the second lacks. */
function addedColumns(one: string, other: string): string[] {
  const [own, more] = [columnsOf(one), columnsOf(other)];
  return own.every((column) => more.includes(column)) ? more.filter((column) => !own.includes(column)) : [];
}

function columnsOf(table: string): string[] {
  return table.slice(0, Math.max(0, table.indexOf('\n'))).split(',');
}

function withoutColumns(table: string, columns: readonly string[]): string {
  const dropped = new Set(columns.map((column) => columnsOf(table).indexOf(column)));
  let kept: string[] = [];
  let text = '';
  let column = 0;
  for (const [, cell = '', end = ''] of table.matchAll(CELL)) {
    if (!dropped.has(column)) kept.push(cell);
    column += 1;
    if (end === ',') continue;
    text += kept.join(',') + end;
    kept = [];
    column = 0;
  }
  return text;
}

/** A cell as it is written, quotes included, and the end of the cell. */
const CELL = /("(?:[^"]|"")*"|[^",\n]*)(,|\n|$)/g;

/** The differences of two results: every figure of the summary, and the first different line of each file. */
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
