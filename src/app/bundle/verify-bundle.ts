import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { TidegateError } from '../../model/errors.ts';
import { fileSha256 } from '../../recording/files.ts';
import { isRemote, takenStorageSecrets } from '../../recording/remote-storage.ts';
import { CODE_FILE } from '../backtest/results/code-file.ts';
import { receivedError } from '../backtest/worker-protocol.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { OWN_FILES, ownCode } from '../base/own-files.ts';
import { onOneLine, printable } from '../base/printable.ts';
import { hideSecrets } from '../config/hide-secrets.ts';
import { findByHash, SIGNALS, type WantedData } from '../data/find-by-hash.ts';
import { type BundleContent, CodeSchema, readBundle } from './bundle-file.ts';
import { refuseForeignPaths } from './foreign-paths.ts';
import { runResult, SOURCES_FOLDER } from './make-bundle.ts';
import { changesOfBuild, type ResultDifference, resultDifferences } from './result-differences.ts';
import type { VerifyJob, VerifyReply } from './verify-child.ts';

export interface VerifyFlags {
  readonly dataDir: string;
  readonly latency?: string;
  readonly json?: boolean;
  /** The user trusts the code of the bundle: it runs without a question. */
  readonly trust?: boolean;
}

/** Runs a bundle again and prints the differences. @returns the exit code. */
export async function runVerify(bundle: string, flags: VerifyFlags, print: (line: string) => void): Promise<number> {
  const { trust = false, json } = flags;
  if (!trust && !canAsk()) {
    const text = `${bundle}: the code of a bundle runs with your rights; use --trust to confirm this, or run verify on a terminal`;
    throw new TidegateError('USAGE', text);
  }
  const verified = await verifyBundle(bundle, { ...flags, mayRun: trust ? undefined : mayRun });
  if (verified === 'interrupted') return EXIT_CODES.interrupted;
  const { differences, notes, sha256, identical } = verified;
  if (json === true) print(JSON.stringify({ same: differences.length === 0, ...verified }));
  else {
    for (const note of notes) print(onOneLine(`! ${note}`));
    for (const { what, expected, found } of differences) print(onOneLine(`${what}: expected ${expected}, found ${found}`));
    print(
      differences.length === 0
        ? `${identical ? 'Identical, bit for bit' : 'The same orders, fills and ledger; statistics changed with the build'}: ${bundle} (${sha256})`
        : `${differences.length} differences from ${bundle} (${sha256})`,
    );
  }
  return differences.length === 0 ? EXIT_CODES.ok : EXIT_CODES.findings;
}

/** Asks the user on stderr, because a program may read stdout. */
function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** The largest number of files that the question lists. */
const MOST_NAMED = 10;

async function mayRun({ code }: BundleContent): Promise<boolean> {
  const files = Object.keys(code.sources);
  const lines = Object.values(code.sources).reduce((sum, text) => sum + text.split('\n').length, 0);
  const more = files.length > MOST_NAMED ? [`and ${files.length - MOST_NAMED} more`] : [];
  const named = [...files.slice(0, MOST_NAMED), ...more].map((file) => `  ${onOneLine(file)}\n`);
  const prompt = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  try {
    process.stderr.write(`This runs the code of the bundle, ${lines} lines, with your rights:\n${named.join('')}`);
    // The input may end without an answer.
    const answer = await new Promise<string>((resolve) => {
      prompt.once('line', resolve).once('close', () => resolve(''));
      process.stderr.write('Do you trust its author? [y/N] ');
    });
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    prompt.close();
  }
}

/** The options of a verification. */
interface VerifyOptions {
  readonly dataDir: string;
  /** The file of recorded latencies, if the run used one. */
  readonly latency?: string;
  /** Called before code of the bundle runs; default: it may run. */
  readonly mayRun: ((content: BundleContent) => Promise<boolean>) | undefined;
}

/** The result of a verification. */
interface Verified {
  readonly bundle: string;
  readonly sha256: string;
  /** Empty if orders, fills, ledger and event log are identical, and with the same build everything else too. */
  readonly differences: readonly ResultDifference[];
  /** Every figure and every line is the same, bit for bit. */
  readonly identical: boolean;
  /** Other differences between the runs: versions, and with another build the figures that it computes in another way. */
  readonly notes: readonly string[];
}

/**
 * Runs a bundle again with its own sources and the data of its hashes, and compares the results.
 * @throws TidegateError DATA_CORRUPT for a bundle that was changed, DATA_NOT_FOUND and DATA_INVALID for its data, STRATEGY_LOAD_FAILED,
 * STRATEGY_THREW if its code ends the run, USAGE if it may not run.
 */
async function verifyBundle(bundle: string, options: VerifyOptions): Promise<Verified | 'interrupted'> {
  const { content, sha256 } = readBundle(bundle);
  refuseForeignPaths(bundle, content);
  const found = await findData(options.dataDir, content.code);
  const latency = content.code.latency && latencyFile(bundle, content.code.latency.sha256, options.latency);
  if ((await options.mayRun?.(content)) === false) throw new TidegateError('USAGE', `${bundle}: not verified: its code was not run`);
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-verify-'));
  try {
    const out = join(folder, 'out');
    const ended = await runAgain(bundle, content, { folder, out, dataDir: options.dataDir, latency, found });
    if (ended === 'interrupted') return ended;
    const { differences, notes } = differencesFrom(bundle, content, out);
    const identical = differences.length === 0 && notes.length === 0;
    return { bundle, sha256, differences, identical, notes: [...notesOf(content, found), ...notes] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads the results. @throws TidegateError STRATEGY_THREW if they are gone: only code of the bundle can have removed them. */
function differencesFrom(bundle: string, content: BundleContent, out: string): Pick<Verified, 'differences' | 'notes'> {
  try {
    const result = runResult(out);
    const same = ownCode().sha256 === content.code.tidegate.sha256;
    const { differences, notes } = same ? { differences: resultDifferences(content, result), notes: [] } : changesOfBuild(content, result);
    return { differences: [...codeDifferences(content, out), ...differences], notes };
  } catch (cause) {
    throw new TidegateError('STRATEGY_THREW', `${bundle}: the results of the run cannot be read: ${(cause as Error).message}`, { cause });
  }
}

interface RunPlaces {
  /** The folder of the unpacked bundle. */
  readonly folder: string;
  readonly out: string;
  readonly dataDir: string;
  readonly latency: string | undefined;
  readonly found: FoundData;
}

/** Runs the code of a bundle in its own process, which has no secrets and writes neither to stdout nor to the terminal. */
async function runAgain(bundle: string, content: BundleContent, places: RunPlaces): Promise<'done' | 'interrupted'> {
  const { folder, out, dataDir, latency, found } = places;
  unpack(bundle, folder, content);
  const where = isRemote(dataDir) ? dataDir : resolve(dataDir);
  const set = [`dataDir=${JSON.stringify(where)}`, `backtest.data=${JSON.stringify(found.recordings)}`];
  for (const [name, recording] of found.signals) set.push(`signals.${name}.recording=${JSON.stringify(recording)}`);
  if (latency !== undefined) set.push(`backtest.latency.recorded=${JSON.stringify(latency)}`);
  // The child's environment is copied from this one, and it can read that of its parent.
  hideSecrets();
  const { options, terms } = content.code;
  const token = randomUUID();
  const configPath = join(folder, 'config.yaml');
  const job: VerifyJob = { configPath, set, out, code: { options, terms }, storage: takenStorageSecrets(), token };
  const child = fork(fileURLToPath(OWN_FILES.verifyChild), { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  passOn(child.stdout);
  passOn(child.stderr);
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    child.kill('SIGKILL');
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    const reply = await answerOf(child, job);
    if (isInterrupted) return 'interrupted';
    if (typeof reply === 'string') {
      const text = `${bundle}: its code ended the process before the end of the run (${reply}): nothing was verified`;
      throw new TidegateError('STRATEGY_THREW', text);
    }
    if (reply.failure !== undefined) throw receivedError({ ...reply.failure, message: indented(reply.failure.message) });
    return 'done';
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/**
 * Sends the job and waits until the process has ended, so that it cannot change the results after its reply.
 * @returns the reply, or how the process ended without one.
 */
function answerOf(child: ChildProcess, job: VerifyJob): Promise<VerifyReply | string> {
  return new Promise((resolve, reject) => {
    let answer: VerifyReply | undefined;
    child.on('message', (reply: Partial<VerifyReply> | null) => {
      if (answer !== undefined || reply?.token !== job.token) return;
      answer = reply as VerifyReply;
      child.kill('SIGKILL');
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(answer ?? (signal === null ? `exit code ${code}` : `signal ${signal}`)));
    // Ignores an error of sending: if the process ended before it read the job, its exit is reported above.
    child.send(job, () => {});
  });
}

/** An error's text whose further lines are indented, so that none looks like a line of this program. */
function indented(message: string): string {
  return printable(message).replace(/\r?\n/g, '\n  ');
}

/** The limit of shown output of a bundle's code, in bytes. */
const MOST_PRINTED = 1 << 16;

/** Shows the output of a bundle's code on stderr, marked so that it does not look like the result. */
function passOn(stream: Readable | null): void {
  let left = MOST_PRINTED;
  let mark = 'bundle: ';
  stream?.setEncoding('utf8').on('data', (text: string) => {
    if (left <= 0) return;
    const shown = printable(text.slice(0, left));
    left -= text.length;
    process.stderr.write(mark + shown.replace(/\n(?!$)/g, '\nbundle: '));
    mark = shown.endsWith('\n') ? 'bundle: ' : '';
    if (left <= 0) process.stderr.write('\nbundle: ... further output is left out\n');
  });
}

/** @throws TidegateError DATA_INVALID for a name that is both a file and a folder. */
function unpack(bundle: string, folder: string, { config, code }: BundleContent): void {
  writeFileSync(join(folder, 'config.yaml'), config);
  for (const [name, text] of Object.entries(code.sources)) {
    const file = join(folder, SOURCES_FOLDER, name);
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    } catch (cause) {
      if (!['EEXIST', 'ENOTDIR', 'EISDIR'].includes((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
      throw new TidegateError('DATA_INVALID', `${bundle}: the source ${onOneLine(name)} is both a file and a folder`, { cause });
    }
  }
}

function latencyFile(bundle: string, sha256: string, path: string | undefined): string {
  if (path === undefined) {
    throw new TidegateError(
      'DATA_NOT_FOUND',
      `${bundle}: the run used recorded latencies: name their file (SHA-256 ${sha256}) with --latency`,
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

type Code = BundleContent['code'];

/** Where the data of a bundle is. */
interface FoundData {
  /** The names of the recordings, each once. */
  readonly recordings: readonly string[];
  /** The recording of each set of signals, by its name in the config. */
  readonly signals: ReadonlyMap<string, string>;
}

/** Finds the data of a bundle by its hashes. @throws as `findByHash`. */
async function findData(dataDir: string, code: Code): Promise<FoundData> {
  const signals = code.signals ?? [];
  const series = code.data.map(({ recording, series, sha256 }): WantedData => ({ recording, what: series, sha256 }));
  const places = await findByHash(dataDir, [
    ...series,
    ...signals.map(({ recording, sha256 }): WantedData => ({ recording, what: SIGNALS, sha256 })),
  ]);
  return {
    recordings: [...new Set(places.slice(0, series.length))],
    signals: new Map(signals.map(({ name }, index) => [name, places[series.length + index]!])),
  };
}

/** Sources whose hash differs from the run's: the bundle has other code than the run. */
function codeDifferences({ code }: BundleContent, out: string): ResultDifference[] {
  const again = CodeSchema.parse(JSON.parse(readFileSync(join(out, CODE_FILE), 'utf8')));
  const strategies = code.strategies.map(({ id, ...own }, index) => ({ what: `strategy ${id}`, own, again: again.strategies[index] }));
  const models = (code.models ?? []).map(({ setting, ...own }, index) => ({ what: setting, own, again: again.models?.[index] }));
  return [...strategies, ...models].flatMap(({ what, own: { file, sourceHash }, again: found }) =>
    found?.sourceHash === sourceHash
      ? []
      : [{ what: `sources of ${what} (${file})`, expected: sourceHash, found: found?.sourceHash ?? 'nothing' }],
  );
}

function notesOf({ code }: BundleContent, found: FoundData): string[] {
  const own = ownCode();
  const notes: string[] = [];
  if (own.version !== code.tidegate.version) notes.push(`the run used Tidegate ${code.tidegate.version}, this is ${own.version}`);
  else if (own.sha256 !== code.tidegate.sha256)
    notes.push(`the run used another build of Tidegate ${own.version}: ${code.tidegate.sha256}, this is ${own.sha256}`);
  if (process.versions.node !== code.node) notes.push(`the run used Node ${code.node}, this is ${process.versions.node}`);
  const moved = (code.signals ?? []).map(({ name, recording }) => [recording, found.signals.get(name)!] as const);
  const other = [
    ...found.recordings.filter((name) => !code.data.some(({ recording }) => recording === name)),
    ...moved.filter(([before, now]) => now !== before).map(([, now]) => `${now} (signals)`),
  ];
  if (other.length > 0) notes.push(`the data was found under another name: ${other.join(', ')}`);
  return notes;
}
