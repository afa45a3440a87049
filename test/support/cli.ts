import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from '@jest/globals';

export const ROOT = join(import.meta.dirname, '../..');
/** Reference data beside the project, where there is any. */
export const SHARED = join(ROOT, '../shared');
const BIN = join(ROOT, 'bin/tidegate.mjs');

/** A test that needs the reference data; without it, it is skipped and says so. */
export const sharedTest = existsSync(SHARED) ? test : test.skip;
if (!existsSync(SHARED)) process.stderr.write(`skipping tests over reference data: there is no ${SHARED}\n`);

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  /** Files to write below the folder first. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The exit code that is expected; another one fails with what the program said. */
  readonly code?: number;
  /** The working directory below the folder; default: the folder. */
  readonly cwd?: string;
}

/** Runs the built command line in a folder, as a user does. */
export async function runCli(folder: string, args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const child = spawn(process.execPath, [BIN, ...args], { cwd: join(folder, options.cwd ?? ''), env: { ...process.env, ...options.env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  const wanted = options.code ?? 0;
  if (code !== wanted) throw new Error(`tidegate ${args.join(' ')} ended with ${code}, not ${wanted}\n${stdout}\n${stderr}`);
  return { code, stdout, stderr };
}

/** The rows of a CSV file without quoted cells, by column. */
export function readCsv(path: string): Record<string, string>[] {
  const [header = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const names = header.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, index) => [names[index]!, cell])));
}
