// npm run mutate -- [--files src/risk,src/journal] [--sample N] [--seed S] [--jobs J] [--limit SECONDS]: breaks the sources on purpose, one
// small change at a time, and runs the tests of their room. A change that no test notices is printed: there a rule has no test.
import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import jestConfig from '../jest.config.mjs';
import { countOption } from './long-proof.mjs';
import { mutantsOf } from './mutants.mjs';
import { buildIfNeeded, installIfNeeded, requireNode, root } from './tools.mjs';

/** Folders of sources, and the tests that state their rules. */
const ROOMS = [
  [
    'src/risk',
    ['test/risk', 'test/engine/limits.test.ts', 'test/engine/protective-closes.test.ts', 'test/properties/risk-properties.test.ts'],
  ],
  ['src/journal', ['bot-journal', 'codec', 'event-line', 'trouble'].map((name) => `test/journal/${name}.test.ts`)],
  ['src/matching', ['test/matching', 'test/engine', 'test/local-exchange/conformance.test.ts']],
  ['src/venues/rest', ['test/venues/rest']],
];

requireNode();
await installIfNeeded();
await buildIfNeeded();
const files = wordOption('files', ROOMS.map(([folder]) => folder).join(',')).split(',');
const seed = countOption('seed', 1);
const limitMs = 1_000 * countOption('limit', 60);
const sources = files.flatMap((place) => sourcesIn(place)).filter((path) => roomOf(path) !== undefined);
// As they are now: whoever works on them meanwhile changes no mutant.
const texts = new Map(sources.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
const all = [...texts].flatMap(([path, text]) => mutantsOf(path, text));
const mutants = shuffled(all, seed).slice(0, countOption('sample', all.length));
if (mutants.length === 0) {
  console.error(`--files names no source of ${ROOMS.map(([folder]) => folder).join(', ')}: ${files.join(',')}`);
  process.exit(2);
}
console.log(`${mutants.length} of ${all.length} mutants of ${new Set(all.map(({ path }) => path)).size} files, seed ${seed}`);

const started = performance.now();
const queue = [...mutants];
const running = new Set();
const sandboxes = Array.from({ length: Math.min(countOption('jobs', 1), mutants.length) }, () => sandbox());
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(signal === 'SIGINT' ? 130 : 143));
const results = [];
try {
  const [first] = sandboxes;
  for (const room of new Set(mutants.map(({ path }) => roomOf(path)))) {
    const verdict = await tests(first, room[1], 20 * limitMs);
    if (verdict === 'passed') continue;
    console.error(`the tests of ${room[0]} fail without any change (${verdict}): ${room[1].join(' ')}`);
    end(1);
  }
  await Promise.all(sandboxes.map((folder) => work(folder)));
} finally {
  for (const folder of sandboxes) rmSync(folder, { recursive: true, force: true });
}

const survivors = results.filter(({ verdict }) => verdict === 'passed');
const timedOut = results.filter(({ verdict }) => verdict === 'timed out').length;
const caught = results.length - survivors.length;
console.log(
  `${results.length} mutants, ${caught} noticed (${timedOut} of them by the time they took), ${survivors.length} survived: ${((100 * caught) / results.length).toFixed(1)} % in ${Math.round((performance.now() - started) / 1000)} s`,
);

async function work(folder) {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const { path, start, end: stop, text } = mutant;
    const source = texts.get(path);
    writeFileSync(join(folder, path), source.slice(0, start) + text + source.slice(stop));
    // The nearest tests first: most mutants are noticed there.
    const [, of] = roomOf(path);
    const near = nearest(path, of);
    let verdict = near.length === 0 ? 'passed' : await tests(folder, near, limitMs);
    if (verdict === 'passed') verdict = await tests(folder, of, limitMs, near);
    writeFileSync(join(folder, path), source);
    results.push({ ...mutant, verdict });
    if (verdict === 'passed') console.log(`  survived  ${path}:${mutant.line}  ${mutant.what}`);
    if (process.stdout.isTTY) process.stdout.write(`\r${results.length} of ${mutants.length}\r`);
  }
}

/** Tests of the room that import the file itself. */
function nearest(path, of) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const importing = new RegExp(`from '[^']*/${name.replaceAll('.', '\\.')}'`);
  return of
    .flatMap((place) => sourcesIn(place))
    .filter((test) => test.endsWith('.test.ts') && importing.test(readFileSync(join(root, test), 'utf8')));
}

/** @returns `passed`, `failed`, or `timed out`. */
function tests(folder, places, withinMs, without = []) {
  const words = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', join(root, 'node_modules/jest/bin/jest.js')];
  const patterns = places.map((place) => `^${folder}/${place}`);
  const skipped =
    without.length === 0 ? [] : ['--passWithNoTests', '--testPathIgnorePatterns', ...without.map((test) => `^${folder}/${test}`)];
  const flags = ['--config', 'jest.mutate.json', '--rootDir', folder, '--runInBand', '--bail', '--silent'];
  const child = spawn(process.execPath, [...words, ...flags, ...skipped, '--testPathPatterns', ...patterns], {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
  });
  running.add(child);
  return new Promise((resolve) => {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      stop(child);
    }, withinMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      running.delete(child);
      resolve(timedOut ? 'timed out' : code === 0 ? 'passed' : 'failed');
    });
  });
}

/** A copy of what the tests read, in which sources may be broken. */
function sandbox() {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-mutate-'));
  // Tests that have no rights on a file run as somebody else.
  chmodSync(folder, 0o755);
  for (const name of ['src', 'test', 'scripts', 'strategies', 'configs', 'data', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(folder, name), { recursive: true });
  }
  // Child processes of tests run what is built, without the mutant.
  for (const name of ['node_modules', 'dist']) symlinkSync(join(root, name), join(folder, name));
  // No test of these rooms runs the built program.
  const { globalSetup: _, ...config } = jestConfig;
  writeFileSync(join(folder, 'jest.mutate.json'), JSON.stringify(config));
  return folder;
}

function roomOf(path) {
  return ROOMS.find(([folder]) => path.startsWith(`${folder}/`));
}

/** The TypeScript files in a folder, or whose paths begin so, sorted. */
function sourcesIn(place) {
  const path = join(root, place);
  const folder = existsSync(path) && statSync(path).isDirectory() ? place : place.slice(0, place.lastIndexOf('/'));
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((one) => one.startsWith(place))
    .sort();
}

/** The same order for the same seed (mulberry32). */
function shuffled(list, seed) {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const drawn = list.map((one) => [random(), one]);
  return drawn.sort(([a], [b]) => a - b).map(([, one]) => one);
}

function wordOption(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? '');
}

/** With all that it has started: tests start processes of their own. */
function stop(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
}

function end(code) {
  for (const child of running) stop(child);
  for (const folder of sandboxes) rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
