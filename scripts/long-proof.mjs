// What the long proofs share (faults, kills, disk-faults, record-kills, soak): their program, bundled, its processes, and their options.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './tools.mjs';

/** Bundles `test/<folder>/<name>.ts`, which runs faster so than in the sandbox of a test, and gives its path. */
export async function bundledProof(folder, name = 'main') {
  const { rolldown } = await import('rolldown');
  const cache = join(root, 'node_modules/.cache/tidegate');
  const program = join(cache, name === 'main' ? `${folder}.mjs` : `${folder}-${name}.mjs`);
  mkdirSync(cache, { recursive: true });
  const bundle = await rolldown({
    input: join(root, 'test', folder, `${name}.ts`),
    platform: 'node',
    external: [/^[^./]/],
    logLevel: 'silent',
  });
  await bundle.write({ file: program, format: 'esm', sourcemap: true, codeSplitting: false });
  return program;
}

/**
 * Runs a program in so many processes at once, each with the arguments of its job.
 * @returns what each printed, parsed as JSON; `undefined` for one that failed.
 */
export function resultsOf(program, jobs, argumentsOf) {
  const children = Array.from({ length: jobs }, (_, job) =>
    spawn(process.execPath, ['--enable-source-maps', program, ...argumentsOf(job).map(String)], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => children.map((child) => child.kill(signal)));
  const resultOf = (child) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    return new Promise((resolve) => child.on('close', (code) => resolve(code === 0 ? JSON.parse(text) : undefined)));
  };
  return Promise.all(children.map(resultOf));
}

/** The number after `--<name>`; ends the process with 2 where it is none above 0. */
export function countOption(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
  if (Number.isSafeInteger(value) && value > 0) return value;
  console.error(`--${name} is a whole number above 0`);
  process.exit(2);
}

/** The word after `--<name>`; ends the process with 2 where it is none of these. */
export function wordOption(name, words, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? otherwise : process.argv[at + 1];
  if (words.includes(value)) return value;
  console.error(`--${name} is one of ${words.join(', ')}`);
  process.exit(2);
}
