import { createHash } from 'node:crypto';
import { Decimal } from '../model/decimal.ts';
import { TidegateError } from '../model/errors.ts';
import type { PageReport } from './page-report.ts';

/** The file in a run's folder from which its page is made anew. */
export const REPORT_FILE = 'report.json';
/** Goes up when an older file can no longer be read as it is; a field more or less that may be absent does not count. */
const VERSION = 1;
const FORMAT = 'tidegate-report';
/** How a decimal stands in the file: `{"$decimal":"1.5"}`. */
const MARK = '$decimal';

/** The report as text: format, version, and a hash of all the rest. */
export function encodeReport(report: PageReport): string {
  const body = JSON.stringify(report, tagDecimal);
  return `{"format":"${FORMAT}","version":${VERSION},"sha256":"${hashOf(body)}","report":${body}}\n`;
}

/**
 * The report out of the text of `path`.
 * @throws TidegateError DATA_CORRUPT where the text was damaged, DATA_INVALID where it is no report or one of another version.
 */
export function decodeReport(text: string, path: string): PageReport {
  const file = parse(text, path);
  if (file.format !== FORMAT)
    throw new TidegateError('DATA_INVALID', `${path}: is not the report of a run; expected a file with "format":"${FORMAT}"`);
  if (file.version !== VERSION) {
    const hint = 'run the backtest again, or use the version of Tidegate that wrote it';
    throw new TidegateError(
      'DATA_INVALID',
      `${path}: is of version ${String(file.version)}, this Tidegate reads version ${VERSION}: ${hint}`,
    );
  }
  if (hashOf(JSON.stringify(file.report) ?? '') !== file.sha256) {
    throw new TidegateError(
      'DATA_CORRUPT',
      `${path}: its content does not match its hash, so it was changed or damaged: run the backtest again`,
    );
  }
  return revive(file.report) as PageReport;
}

interface ReportFile {
  readonly format?: unknown;
  readonly version?: unknown;
  readonly sha256?: unknown;
  readonly report?: unknown;
}

function parse(text: string, path: string): ReportFile {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    const place = cause instanceof Error ? cause.message : String(cause);
    throw new TidegateError('DATA_CORRUPT', `${path}: cannot be read to its end (${place}): run the backtest again`, { cause });
  }
  throw new TidegateError('DATA_INVALID', `${path}: is not the report of a run; expected a JSON object`);
}

/** A decimal's own `toJSON` has made text of it by now: what it was stands in its holder. */
function tagDecimal(this: unknown, key: string, value: unknown): unknown {
  const before = (this as Readonly<Record<string, unknown>>)[key];
  return before instanceof Decimal ? { [MARK]: before.toFixed() } : value;
}

function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === MARK && typeof first[1] === 'string') return new Decimal(first[1]);
  return Object.fromEntries(entries.map(([key, inner]) => [key, revive(inner)]));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
