import type { z } from 'zod';
import { TidegateError } from '../../../model/errors.ts';
import { nearest, suggestion } from '../../base/nearest.ts';
import { knownKeys, schemasAt } from './schema-walk.ts';
import { maskSecrets, maskValues } from './secrets.ts';
import { type ConfigPath, formatPath, type Place, type Position, placeOf } from './tree.ts';

/** One thing wrong with a config, at its place. */
export interface Problem {
  readonly at: Position;
  /** The setting concerned; absent for trouble with the text itself. */
  readonly path?: ConfigPath | undefined;
  readonly message: string;
}

/** All problems as one CONFIG_INVALID, in the order of the text. */
export function configInvalid(problems: readonly Problem[]): TidegateError {
  const sources = [...new Set(problems.map((problem) => problem.at.source))];
  const sorted = [...problems].sort(
    (a, b) => sources.indexOf(a.at.source) - sources.indexOf(b.at.source) || a.at.line - b.at.line || a.at.column - b.at.column,
  );
  const texts = sorted.map(({ at, path, message }) => {
    const name = path === undefined ? '' : formatPath(path);
    return formatAt(placeOf(at), name === '' ? message : `${name}: ${message}`, path);
  });
  return new TidegateError('CONFIG_INVALID', [...new Set(texts)].join('\n'));
}

/** `file:line:column: message`, the line, and a caret under the column. Secrets in the line are masked. */
export function formatAt(place: Place, message: string, path: ConfigPath = []): string {
  const indent = place.text.slice(0, place.column - 1).replace(/[^\t]/g, ' ');
  const aboutKeys = path[0] === 'live' && path[1] === 'keys';
  const line = aboutKeys ? maskValues(place.text) : maskSecrets(place.text);
  return `${place.file}:${place.line}:${place.column}: ${message}\n  ${line}\n  ${indent}^`;
}

/** One complaint about a value; `aboutKey` when the key itself is wrong. */
export interface Complaint {
  readonly path: ConfigPath;
  readonly message: string;
  readonly aboutKey: boolean;
}

/** A complaint that points at the setting's value. */
export function aboutValue(path: ConfigPath, message: string): Complaint {
  return { path, message, aboutKey: false };
}

/** A complaint that points at the setting's key: it should not be there. */
export function aboutKey(path: ConfigPath, message: string): Complaint {
  return { path, message, aboutKey: true };
}

type Issue = z.core.$ZodIssue;

/** Says each of zod's issues in words: what was expected, what stands there, what it may have been meant to be. */
export function complaints(issues: readonly Issue[], schema: z.core.$ZodType, value: unknown, at: ConfigPath = []): Complaint[] {
  return issues.flatMap((issue): Complaint[] => {
    const path = [...at, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
    if (issue.code === 'unrecognized_keys') {
      const known = knownKeys(schemasAt(schema, path));
      return issue.keys.map((key) => aboutKey([...path, key], `unknown key${suggestion(key, known)}`));
    }
    if (issue.code === 'invalid_key') return [aboutKey(path, said(issue.issues[0]?.message ?? 'expected another name', path.at(-1)))];
    const found = valueAt(value, path);
    if (issue.code === 'invalid_union') {
      const branch = issue.errors.find(
        (errors) => errors.length > 0 && errors.every((error) => error.path.length > 0 || error.code === 'unrecognized_keys'),
      );
      if (branch !== undefined) return complaints(branch, schema, value, path);
    }
    return [aboutValue(path, said(expectation(issue, schema, path), found) + valueHint(issue, found))];
  });
}

function said(expected: string, found: unknown): string {
  if (!expected.startsWith('expected ')) return expected;
  return found === undefined ? `missing, ${expected}` : `${expected}, not ${shown(found)}`;
}

function expectation(issue: Issue, schema: z.core.$ZodType, path: ConfigPath): string {
  if (issue.message.startsWith('expected ')) return issue.message;
  if (issue.code === 'invalid_value') return `expected ${list(issue.values)}`;
  if (issue.code === 'invalid_union') return `expected ${list(choices(issue))}`;
  if (issue.code !== 'invalid_type') return issue.message;
  const keys = knownKeys(schemasAt(schema, path));
  return `expected ${TYPE_WORDS[issue.expected] ?? issue.expected}${issue.expected === 'object' && keys.length > 0 ? ` with ${keys.join(', ')}` : ''}`;
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

/** Text that is shown without quotes. */
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
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

/** A hint where the value is nearly one of the allowed ones. */
function valueHint(issue: Issue, found: unknown): string {
  // A number in the file is its digits only where the schema is known as it is read: those of strategies are not yet.
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
