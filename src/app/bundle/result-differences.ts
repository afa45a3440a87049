import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { TidegateError } from '../../model/errors.ts';
import { listRecordings, type RecordingPlace } from '../../recording/catalogue/find-recording.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { seriesFileName } from '../../recording/columns/series-meta.ts';
import { fileSha256 } from '../../recording/files.ts';
import { CODE_FILE } from '../backtest/results/code-file.ts';
import { type BundleContent, CodeSchema, writeBundle } from './bundle-file.ts';

/** What is the same whenever and wherever a run is made: report.html and report.json are drawn from it. */
const TABLES = ['account.json', 'denied.csv', 'equity.csv', 'fills.csv', 'funding.csv', 'log.jsonl', 'orders.csv'] as const;
const LARGE = ['events.jsonl'] as const;
/** How long it took, and where it was written. */
const OF_THE_TIME: ReadonlySet<string> = new Set(['elapsedMs', 'eventsPerSecond', 'out']);

/** The result in a run's folder, as far as the same run gives the same. */
export function runResult(folder: string): Pick<BundleContent, 'summary' | 'files' | 'hashes'> {
  const present = <Name extends string>(names: readonly Name[]) => names.filter((name) => existsSync(join(folder, name)));
  const summary = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Record<string, unknown>;
  return {
    summary: Object.fromEntries(Object.entries(summary).filter(([key]) => !OF_THE_TIME.has(key))),
    files: Object.fromEntries(present(TABLES).map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
    hashes: Object.fromEntries(present(LARGE).map((name) => [name, fileSha256(join(folder, name))])),
  };
}

/** The folder that a bundle's sources are unpacked to, beside its config. */
export const SOURCES_FOLDER = 'code';
/** Sections of bots, which no backtest reads, and what `verify` is told. */
const LEFT_OUT = ['paper', 'live', 'record', 'dataDir'];

/**
 * Packs the backtest of a folder into one file: config, sources, hashes of its data, result.
 * @param out the file, which must not be there; left out, the folder's name with `.bundle.gz`.
 * @throws TidegateError DATA_NOT_FOUND, DATA_INVALID, OUT_NOT_EMPTY
 */
export function bundleRun(run: string, out = `${run.replace(/[/\\]+$/, '')}.bundle.gz`): { readonly out: string; readonly sha256: string } {
  const code = codeOf(run);
  const result = runResult(run);
  const { error, interrupted } = result.summary;
  if (error !== null || interrupted === true) {
    throw new TidegateError('DATA_INVALID', `${run}: the run did not reach its end; expected one that did, whose result can be made again`);
  }
  const content: BundleContent = { config: configOf(run, code), code, ...result };
  return { out, sha256: writeBundle(out, content) };
}

function codeOf(run: string): BundleContent['code'] {
  const path = join(run, CODE_FILE);
  if (!existsSync(path) || !existsSync(join(run, 'summary.json'))) {
    const hint = 'expected the folder of a backtest that has ended, written by this or a later version: run it again';
    throw new TidegateError('DATA_NOT_FOUND', `${run}: holds no ${CODE_FILE}, or no summary.json; ${hint}`);
  }
  try {
    return CodeSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    const text = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new TidegateError('DATA_INVALID', `${path}: ${text}`, { cause });
  }
}

function configOf(run: string, { strategies }: BundleContent['code']): string {
  const config = parse(readFileSync(join(run, 'config.yaml'), 'utf8')) as Record<string, unknown>;
  const kept = Object.fromEntries(Object.entries(config).filter(([key]) => !LEFT_OUT.includes(key)));
  const own = (kept.strategies as Record<string, unknown>[]).map((one, index) => ({
    ...one,
    file: `${SOURCES_FOLDER}/${strategies[index]!.file}`,
  }));
  return stringify({ ...kept, strategies: own }, { lineWidth: 0, aliasDuplicateObjects: false });
}

type Needed = BundleContent['code']['data'][number];

/**
 * Finds the data of a bundle by its hashes: where it was recorded then, else in any recording of the directory.
 * @returns the names of the recordings, each once.
 * @throws TidegateError DATA_NOT_FOUND naming all that is missing, DATA_INVALID where only its content differs.
 */
export async function findData(dataDir: string, needed: readonly Needed[]): Promise<string[]> {
  const recordings = await listRecordings(dataDir);
  const found = new Set<string>();
  const complaints: string[] = [];
  let absent = false;
  for (const one of needed) {
    const own = recordings.filter(({ name }) => name === one.recording);
    const all = [...own, ...recordings.filter(({ name }) => name !== one.recording)];
    const seen: string[] = [];
    let place: string | undefined;
    for (const recording of all) {
      const sha256 = await hashIn(dataDir, recording, one.series);
      if (sha256 === one.sha256) place = recording.name;
      if (place !== undefined) break;
      if (sha256 !== undefined) seen.push(`${recording.name}/${one.series} has ${sha256}`);
    }
    if (place !== undefined) found.add(place);
    else {
      absent ||= seen.length === 0;
      const there = seen.length === 0 ? 'there is no such series' : seen.join(', ');
      complaints.push(`${one.recording}/${one.series} with SHA-256 ${one.sha256}: ${there}`);
    }
  }
  if (complaints.length === 0) return [...found];
  const text = `${dataDir}: lacks the data of the run; expected\n${complaints.join('\n')}`;
  throw new TidegateError(absent ? 'DATA_NOT_FOUND' : 'DATA_INVALID', text);
}

async function hashIn(dataDir: string, { series }: RecordingPlace, name: string): Promise<string | undefined> {
  const place = series.find((one) => seriesFileName(one) === name);
  return place === undefined ? undefined : (await openSeriesAt(dataDir, place)).meta.sha256;
}

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
