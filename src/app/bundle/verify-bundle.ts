import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { TidegateError } from '../../model/errors.ts';
import { listRecordings, type RecordingPlace } from '../../recording/catalogue/find-recording.ts';
import { openSeriesAt } from '../../recording/catalogue/open-recording.ts';
import { seriesFileName } from '../../recording/columns/series-meta.ts';
import { fileSha256 } from '../../recording/files.ts';
import { isRemote } from '../../recording/remote-storage.ts';
import { hideSecrets } from '../access/hide-secrets.ts';
import { CODE_FILE } from '../backtest/results/code-file.ts';
import { runBacktest } from '../backtest/run-backtest.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { ownCode } from '../base/own-files.ts';
import { type BundleContent, CodeSchema, readBundle } from './bundle-file.ts';
import { runResult, SOURCES_FOLDER } from './make-bundle.ts';

export interface VerifyFlags {
  readonly dataDir: string;
  readonly latency?: string;
  readonly json?: boolean;
}

/** Runs a bundle again and prints what differs. @returns the exit code. */
export async function runVerify(bundle: string, { dataDir, latency, json }: VerifyFlags, print: (line: string) => void): Promise<number> {
  const verified = await verifyBundle(bundle, { dataDir, latency, stopwatch: () => performance.now() });
  const { differences, notes, sha256 } = verified;
  if (json === true) print(JSON.stringify({ same: differences.length === 0, ...verified }));
  else {
    for (const note of notes) print(`! ${note}`);
    for (const { what, expected, found } of differences) print(`${what}: expected ${expected}, found ${found}`);
    print(
      differences.length === 0
        ? `The same, bit for bit: ${bundle} (${sha256})`
        : `${differences.length} differences from ${bundle} (${sha256})`,
    );
  }
  return differences.length === 0 ? EXIT_CODES.ok : EXIT_CODES.findings;
}

/** How a bundle is run again. */
interface VerifyOptions {
  readonly dataDir: string;
  /** The file of recorded times of latency, where the run had one. */
  readonly latency: string | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly stopwatch: () => number;
}

/** What became of it. */
export interface Verified {
  readonly bundle: string;
  readonly sha256: string;
  /** Empty where everything is as it was, bit for bit. */
  readonly differences: readonly ResultDifference[];
  /** In what else this run differs from that one: it need not change anything. */
  readonly notes: readonly string[];
}

/**
 * Runs a bundle again, out of its own sources and the data that its hashes name, and compares the results.
 * @throws TidegateError DATA_CORRUPT for a bundle that was changed, DATA_NOT_FOUND and DATA_INVALID for its data, STRATEGY_LOAD_FAILED
 */
export async function verifyBundle(bundle: string, options: VerifyOptions): Promise<Verified> {
  const { content, sha256 } = readBundle(bundle);
  const recordings = await findData(options.dataDir, content.code.data);
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-verify-'));
  try {
    const out = await runAgain(bundle, folder, content, { ...options, recordings });
    const differences = [...codeDifferences(content, out), ...resultDifferences(content, runResult(out))];
    return { bundle, sha256, differences, notes: notesOf(content, recordings) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAgain(
  bundle: string,
  folder: string,
  content: BundleContent,
  { dataDir, latency, stopwatch, recordings }: VerifyOptions & { readonly recordings: readonly string[] },
): Promise<string> {
  const { code } = content;
  unpack(folder, content);
  const where = isRemote(dataDir) ? dataDir : resolve(dataDir);
  const set = [`dataDir=${JSON.stringify(where)}`, `backtest.data=${JSON.stringify(recordings)}`];
  if (code.latency !== undefined)
    set.push(`backtest.latency.recorded=${JSON.stringify(latencyFile(bundle, code.latency.sha256, latency))}`);
  const out = join(folder, 'out');
  const { failure } = await runBacktest(join(folder, 'config.yaml'), {
    ...code.options,
    set,
    out,
    terms: { datedTicks: new Set(code.terms.datedTicks), warnings: code.terms.warnings },
    stopwatch,
    // The strategies may be a stranger's.
    onConfig: ({ live }) => hideSecrets(process.env, live),
  });
  if (failure !== undefined) throw failure.error;
  return out;
}

function unpack(folder: string, { config, code }: BundleContent): void {
  writeFileSync(join(folder, 'config.yaml'), config);
  for (const [name, text] of Object.entries(code.sources)) {
    const file = join(folder, SOURCES_FOLDER, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function latencyFile(bundle: string, sha256: string, path: string | undefined): string {
  if (path === undefined) {
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `${bundle}: ran with recorded times of latency; name their file (SHA-256 ${sha256}) with --latency`,
    );
  }
  let found: string;
  try {
    found = fileSha256(path);
  } catch (cause) {
    throw new TidegateError('DATA_NOT_FOUND', `--latency ${path}: cannot be read (${(cause as Error).message})`, { cause });
  }
  if (found === sha256) return resolve(path);
  throw new TidegateError('DATA_INVALID', `--latency ${path}: has SHA-256 ${found}, expected ${sha256}`);
}

type Needed = BundleContent['code']['data'][number];

/**
 * Finds the data of a bundle by its hashes: where it was recorded then, else in any recording of the directory.
 * @returns the names of the recordings, each once.
 * @throws TidegateError DATA_NOT_FOUND naming all that is missing, DATA_INVALID where only its content differs.
 */
async function findData(dataDir: string, needed: readonly Needed[]): Promise<string[]> {
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

/** Sources whose hash is not what the run had noted: the bundle carries other code than ran. */
function codeDifferences({ code }: BundleContent, out: string): ResultDifference[] {
  const again = CodeSchema.parse(JSON.parse(readFileSync(join(out, CODE_FILE), 'utf8')));
  return code.strategies.flatMap(({ id, file, sourceHash }, index) => {
    const found = again.strategies[index]?.sourceHash ?? 'nothing';
    return found === sourceHash ? [] : [{ what: `sources of strategy ${id} (${file})`, expected: sourceHash, found }];
  });
}

function notesOf({ code }: BundleContent, recordings: readonly string[]): string[] {
  const own = ownCode();
  const notes: string[] = [];
  if (own.version !== code.tidegate.version) notes.push(`ran on Tidegate ${code.tidegate.version}, this is ${own.version}`);
  else if (own.sha256 !== code.tidegate.sha256)
    notes.push(`ran on another build of Tidegate ${own.version}: ${code.tidegate.sha256}, this is ${own.sha256}`);
  if (process.versions.node !== code.node) notes.push(`ran on Node ${code.node}, this is ${process.versions.node}`);
  const other = recordings.filter((name) => !code.data.some(({ recording }) => recording === name));
  if (other.length > 0) notes.push(`the data was found under another name: ${other.join(', ')}`);
  return notes;
}

/** Something of a result that is not as it was. */
interface ResultDifference {
  /** `summary.finalEquity`, `fills.csv line 3`. */
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

type Result = Pick<BundleContent, 'summary' | 'files' | 'hashes'>;

/** Where two results differ: every figure of the summary, and of each file the first line. */
function resultDifferences(expected: Result, found: Result): ResultDifference[] {
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
