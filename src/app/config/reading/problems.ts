import type { z } from 'zod';
import { TidegateError } from '../../../model/errors.ts';
import { likelySymbol } from '../../../model/instrument.ts';
import { nearest, suggestion } from '../../../model/nearest.ts';
import { SYMBOL_ERROR } from '../schema/fields.ts';
import { knownKeys, pathsOf, schemasAt } from './schema-walk.ts';
import { hideBorrowed, maskSecrets, maskValues } from './secrets.ts';
import { type ConfigPath, formatPath, type Place, type Position, placeOf } from './tree.ts';

/** One problem of a config, with its place. */
export interface Problem {
  readonly at: Position;
  /** The setting; absent for a problem of the text itself. */
  readonly path?: ConfigPath | undefined;
  readonly message: string;
}

/** Makes one CONFIG_INVALID of all problems, in the order of the text. */
export function configInvalid(problems: readonly Problem[]): TidegateError {
  const sources = [...new Set(problems.map((problem) => problem.at.source))];
  const sorted = [...problems].sort(
    (a, b) => sources.indexOf(a.at.source) - sources.indexOf(b.at.source) || a.at.line - b.at.line || a.at.column - b.at.column,
  );
  const texts = sorted.slice(0, MOST_SHOWN).map(({ at, path, message }) => {
    const name = path === undefined ? '' : formatPath(path);
    return formatAt(placeOf(at), name === '' ? message : `${name}: ${message}`, path);
  });
  return new TidegateError('CONFIG_INVALID', listed([...new Set(texts)], problems.length));
}

/**
 * Does work about a setting. An error of it gets the place of the setting, unless it has places of its own.
 * @param path of the setting, or a function that finds it by the error; without a path, the error stays as it is.
 */
export async function placed<T>(
  { locate }: { locate(path: ConfigPath): Place },
  path: ConfigPath | ((error: TidegateError) => ConfigPath | undefined),
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error;
    const at = typeof path === 'function' ? path(error) : path;
    if (at === undefined) throw error;
    const name = formatPath(at);
    const message = error.message.startsWith(name) ? error.message : `${name}: ${error.message}`;
    throw new TidegateError(error.code, formatAt(locate(at), message, at), { cause: error });
  }
}

/** The largest number of problems that a message shows; the others are counted. */
export const MOST_SHOWN = 100;

/** Joins the texts of the first problems and the number of the others. @param all the number of all problems. */
export function listed(texts: readonly string[], all: number): string {
  return [...texts, ...(all > MOST_SHOWN ? [`... and ${all - MOST_SHOWN} more`] : [])].join('\n');
}

/** Longer lines are cut: they are shown from a little before the column. */
const LONGEST_LINE = 200;
const BEFORE = 80;

/**
 * `file:line:column: message`, the line (if it is long, the part around the column), and a caret under the column. Secrets in the line
 * and values from the environment in the message are masked. A value of an object has no place: only the message is shown.
 */
export function formatAt(place: Place, message: string, path: ConfigPath = []): string {
  if (place.line === 0) return hideBorrowed(message);
  // Below the last line of a file.
  if (place.text === '') return `${hideBorrowed(place.file)}:${place.line}:${place.column}: ${hideBorrowed(message)}`;
  const aboutKeys = (path[1] === 'keys' || path[1] === 'post') && path.at(-1) !== 'port';
  // The whole line is masked before it is cut: the key of a value may be far before it.
  const masked = aboutKeys ? maskValues(place.text) : maskSecrets(place.text);
  const isLong = masked.length > LONGEST_LINE;
  const start = isLong ? Math.max(0, place.column - 1 - BEFORE) : 0;
  const end = isLong ? start + LONGEST_LINE : masked.length;
  const line = `${start > 0 ? '...' : ''}${masked.slice(start, end)}${end < masked.length ? '...' : ''}`;
  const indent = line.slice(0, place.column - 1 - start + (start > 0 ? 3 : 0)).replace(/[^\t]/g, ' ');
  return `${hideBorrowed(place.file)}:${place.line}:${place.column}: ${hideBorrowed(message)}\n  ${line}\n  ${indent}^`;
}

/** One complaint about a value, or with `aboutKey` about the key. */
export interface Complaint {
  readonly path: ConfigPath;
  readonly message: string;
  readonly aboutKey: boolean;
}

/** Makes a complaint that points at the setting's value. */
export function aboutValue(path: ConfigPath, message: string): Complaint {
  return { path, message, aboutKey: false };
}

/** Makes a complaint that points at the setting's key. */
export function aboutKey(path: ConfigPath, message: string): Complaint {
  return { path, message, aboutKey: true };
}

type Issue = z.core.$ZodIssue;

/** The value at a path as written in the file, if a part of it came from the environment: messages show this instead of the value. */
export type WrittenAt = (path: ConfigPath) => string | undefined;

/** Describes zod's issues: the expected value, the found value, and a suggestion. */
export function complaints(
  issues: readonly Issue[],
  schema: z.core.$ZodType,
  value: unknown,
  written: WrittenAt = () => undefined,
  at: ConfigPath = [],
): Complaint[] {
  return issues.flatMap((issue): Complaint[] => {
    const path = [...at, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeys(schemasAt(schema, path));
      const others = keysOf(valueAt(value, path)).filter((key) => !issue.keys.includes(key));
      return issue.keys.map((key, index) => {
        const hint = () => (nearest(key, known) === undefined ? homeOf(key, schema) : '') || suggestion(key, known);
        // Another form of the setting has this key.
        if (known.includes(key) && others.length > 0)
          return aboutKey([...path, key], `cannot be used with ${others.join(' and ')}: use one of them`);
        return aboutKey([...path, key], `unknown key${index < MOST_SHOWN ? hint() : ''}`);
      });
    }
    if (issue.code === 'invalid_key') {
      const expected = issue.issues[0]?.message ?? 'expected another name';
      return [aboutKey(path, said(expected, path.at(-1)) + symbolHint(expected, path.at(-1)))];
    }
    const found = valueAt(value, path);
    if (issue.code === 'invalid_union') {
      const branch = meantBranch(issue, found);
      if (branch !== undefined) return complaints(branch, schema, value, written, path);
    }
    const source = written(path);
    const text = said(expectation(issue, schema, path), found, source);
    return [aboutValue(path, source === undefined ? text + symbolHint(issue.message, found) + valueHint(issue, found) : text)];
  });
}

/** The issues of the form that the map has the most keys of; `undefined` if no form is a map. */
function meantBranch({ errors }: Extract<Issue, { code: 'invalid_union' }>, found: unknown): readonly Issue[] | undefined {
  const maps = errors.filter(
    (issues) => issues.length > 0 && issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys'),
  );
  const [branch] = maps.sort((a, b) => refusedKeys(a).length - refusedKeys(b).length || a.length - b.length);
  const isStrange = branch !== undefined && refusedKeys(branch).length > 0 && refusedKeys(branch).length === keysOf(found).length;
  // If the form has none of the keys, what it misses says nothing.
  return isStrange ? branch.filter(({ code, path }) => code === 'unrecognized_keys' && path.length === 0) : branch;
}

function refusedKeys(issues: readonly Issue[]): string[] {
  return issues.flatMap((issue) => (issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : []));
}

function keysOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

function said(expected: string, found: unknown, written?: string): string {
  if (!expected.startsWith('expected ')) return expected;
  if (written !== undefined) return `${expected}, not the value of ${cut(written)}`;
  return found === undefined ? `missing, ${expected}` : `${expected}, not ${shown(found)}`;
}

function expectation(issue: Issue, schema: z.core.$ZodType, path: ConfigPath): string {
  if (issue.message.startsWith('expected ')) return issue.message;
  if (issue.code === 'invalid_value') return `expected ${list(issue.values)}`;
  if (issue.code === 'invalid_union') return `expected ${list(choices(issue))}`;
  const bound = boundOf(issue);
  if (bound !== undefined) return `expected ${bound}`;
  if (issue.code !== 'invalid_type') return issue.message;
  const keys = knownKeys(schemasAt(schema, path));
  return `expected ${TYPE_WORDS[issue.expected] ?? issue.expected}${issue.expected === 'object' && keys.length > 0 ? ` with ${keys.join(', ')}` : ''}`;
}

/** The bound of a schema in our words, if the issue has the words of the library. */
function boundOf(issue: Issue): string | undefined {
  if (!/^(Too (big|small): |Invalid number: |Invalid (string|input)\b)/.test(issue.message)) return undefined;
  if (issue.code === 'not_multiple_of') return `a multiple of ${issue.divisor}`;
  if (issue.code === 'invalid_format')
    return `text ${issue.pattern === undefined ? `in the form ${issue.format}` : `that matches ${issue.pattern}`}`;
  if (issue.code !== 'too_small' && issue.code !== 'too_big') return undefined;
  const isLeast = issue.code === 'too_small';
  const bound = isLeast ? issue.minimum : issue.maximum;
  if (issue.exact === true) return `exactly ${bound} ${UNITS[issue.origin] ?? ''}`.trim();
  const side = isLeast ? (issue.inclusive ? 'at least' : 'more than') : issue.inclusive ? 'at most' : 'less than';
  return `${side} ${bound} ${UNITS[issue.origin] ?? ''}`.trim();
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'items', set: 'items', map: 'entries', file: 'bytes' };

const MOST_HOMES = 3;

/** Where a key that is in the wrong section belongs: empty if no section has it, or many have. */
function homeOf(key: string, schema: z.core.$ZodType): string {
  const homes = pathsOf(schema, key).map((path) => formatPath(path.slice(0, -1)) || 'the top of the config');
  return homes.length === 0 || homes.length > MOST_HOMES ? '' : `: it belongs in ${homes.join(' or ')}`;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  object: 'a map',
  record: 'a map',
  array: 'a list',
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
};

function choices(issue: Extract<Issue, { code: 'invalid_union' }>): unknown[] {
  const branches: readonly (readonly Issue[])[] = issue.errors;
  return branches.flatMap((errors): unknown[] => {
    const first = errors[0];
    if (first?.code === 'invalid_value') return first.values;
    return first?.code === 'invalid_type' ? [new Words(TYPE_WORDS[first.expected] ?? first.expected)] : [];
  });
}

/** A choice that is shown without quotes. */
class Words {
  constructor(readonly text: string) {}
}

function list(values: readonly unknown[]): string {
  const texts = [...new Set(values.map((value) => (value instanceof Words ? value.text : String(value))))];
  return texts.length > 1 ? `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}` : (texts[0] ?? 'something else');
}

function shown(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') return 'a map';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return cut(text);
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

/** A hint for text that looks like a key and a value with a mistake between them; else empty. */
export function slipHint(text: string): string {
  const [, key = '', sign = '', rest = ''] = /^([\w.-]+)\s*([:=;\uFF1A\uFE55])(.*)$/s.exec(text.trim()) ?? [];
  if (key === '') return '';
  if (sign === ':' && /^[^\S ]/.test(rest)) return ': the blank after the colon may be a no-break space: type it again';
  if (sign === ':') return ': a blank may be missing after the colon';
  return `: write a colon and a blank instead of "${sign}"`;
}

/** A hint if a text where a symbol is expected is one in the form of another platform. */
function symbolHint(expected: string, found: unknown): string {
  const likely = expected === SYMBOL_ERROR && typeof found === 'string' ? likelySymbol(found) : undefined;
  return likely === undefined ? '' : ` (did you mean "${likely}"?)`;
}

/** A hint if the value is similar to an allowed one. */
function valueHint(issue: Issue, found: unknown): string {
  if (issue.code === 'invalid_type' && typeof found === 'string' && ['object', 'record'].includes(issue.expected)) return slipHint(found);
  // Unquoted numbers become text only if the schema is known when the file is read. The schemas of strategies are not yet known then.
  if (issue.code === 'invalid_type' && issue.expected === 'string' && typeof found === 'number') return ': put it in quotes';
  const allowed = issue.code === 'invalid_value' ? issue.values : issue.code === 'invalid_union' ? choices(issue) : [];
  const near =
    typeof found === 'string'
      ? nearest(
          found,
          allowed.filter((value) => typeof value === 'string'),
        )
      : undefined;
  return near === undefined ? '' : ` (did you mean "${near}"?)`;
}
