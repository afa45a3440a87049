import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { ROOT } from './cli.ts';

const BIN = join(ROOT, 'bin/tidegate.mjs');
const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** A test on a terminal; the `script` of other systems takes other options. */
export const terminalTest = process.platform === 'linux' ? test : test.skip;

/**
 * Runs the built command line on a terminal of its own, which `script` (util-linux) makes, and types `input`, at once or when `when` is shown.
 * @returns what the terminal got.
 */
export async function onTerminal(
  folder: string,
  args: readonly string[],
  input: string,
  when?: RegExp,
): Promise<{ code: number | null; text: string }> {
  // `exec`: some shells stay, receive a Ctrl-C too and end with 130 whatever the program ends with.
  const command = `exec ${[process.execPath, BIN, ...args].map(quoted).join(' ')}`;
  const child = spawn('script', ['--quiet', '--return', '--echo', 'never', '--command', command, '/dev/null'], { cwd: folder });
  let text = '';
  let typed = when === undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (typed || when?.test(text) !== true) return;
    typed = true;
    child.stdin.write(input);
  });
  if (typed) child.stdin.write(input);
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  return { code, text };
}
