import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { fileSha256 } from '../../recording/files.ts';
import { isRemote } from '../../recording/remote-storage.ts';
import { CODE_FILE } from '../backtest/results/code-file.ts';
import { runBacktest } from '../backtest/run-backtest.ts';
import { ownCode } from '../base/own-files.ts';
import { type BundleContent, CodeSchema, readBundle } from './bundle-file.ts';
import { findData, type ResultDifference, resultDifferences, runResult, SOURCES_FOLDER } from './result-differences.ts';

/** How a bundle is run again. */
export interface VerifyOptions {
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
