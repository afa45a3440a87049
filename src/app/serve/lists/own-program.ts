import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { OWN_FILES } from '../../base/own-files.ts';
import { Refusal } from '../access/guard.ts';

/** Processes at once: the others wait. */
const MOST = 2;
/** Requests that wait; more are refused. */
const MOST_WAITING = 20;
const PATIENCE_MS = 60_000;
const MOST_BYTES = 64 * 1024 * 1024;

let running = 0;
const waiting: (() => void)[] = [];

/**
 * The result of a command of this program, as JSON. What reads long files or loads DuckDB has a process of its own: other pages are
 * answered meanwhile, and its memory is gone when it ends.
 * @param args after `--`, so that none of them is an option.
 * @throws Refusal with the error of the command.
 */
export async function ownProgram(command: readonly string[], args: readonly string[]): Promise<unknown> {
  if (running >= MOST) {
    if (waiting.length >= MOST_WAITING) throw new Refusal(503, 'BUSY', 'other pages are being read: try again', { 'Retry-After': '5' });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running++;
  try {
    return await run([...command, '--json', '--', ...args]);
  } finally {
    running--;
    waiting.shift()?.();
  }
}

function run(args: readonly string[]): Promise<unknown> {
  const bin = fileURLToPath(new URL('bin/tidegate.mjs', OWN_FILES.root));
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [bin, ...args], { timeout: PATIENCE_MS, maxBuffer: MOST_BYTES }, (error, text, stderr) => {
      const [, code = 'FAILED', message] = /^error ([A-Z_]+): (.*)$/m.exec(stderr) ?? [];
      if (error !== null) reject(new Refusal(code === 'USAGE' ? 400 : 409, code, message ?? error.message));
      else resolve(JSON.parse(text));
    });
  });
}
