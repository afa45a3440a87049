// npm run mutate -- [--rooms risk,journal] [--sample N | --places src/risk/gate.ts:10-20] [--seed S] [--jobs J]: Stryker changes
// the sources on purpose, one small place at a time, and runs the tests that reach it. A change that no test notices shows a rule
// without a test.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countOption } from './long-proof.mjs';
import { buildIfNeeded, installIfNeeded, requireNode, root } from './tools.mjs';

/** The rooms, each with the tests that state its rules. */
const ROOMS = {
  risk: {
    folder: 'src/risk',
    tests: ['test/risk/', 'test/engine/', 'test/parity/protective-closes.test.ts', 'test/properties/risk-properties.test.ts'],
  },
  journal: {
    folder: 'src/journal',
    tests: [
      ...['bot-journal', 'codec', 'event-line', 'trouble'].map((name) => `test/journal/${name}.test.ts`),
      'test/app/planning/latency-rows.test.ts',
    ],
  },
  matching: {
    folder: 'src/matching',
    tests: ['test/matching/', 'test/engine/', 'test/local-exchange/conformance.test.ts', 'test/local-exchange/futures.test.ts'],
  },
  rest: { folder: 'src/venues/rest', tests: ['test/venues/rest/'] },
};
/** Lines that are drawn together for a sample. */
const BLOCK = 10;

requireNode();
await installIfNeeded();
// Child processes of tests run what is built, without the change.
await buildIfNeeded();
const rooms = option('rooms', Object.keys(ROOMS).join(',')).split(',');
const unknown = rooms.find((room) => !(room in ROOMS));
if (unknown !== undefined) {
  console.error(`--rooms names some of ${Object.keys(ROOMS).join(', ')}, not ${unknown}`);
  process.exit(2);
}
const blocks = rooms.flatMap((room) => blocksIn(ROOMS[room].folder));
const seed = countOption('seed', 1);
const places = option('places', '');
const sample = places === '' ? drawn(blocks, seed).slice(0, countOption('sample', blocks.length)) : places.split(',');
console.log(places === '' ? `${sample.length} of ${blocks.length} blocks of ${BLOCK} lines, seed ${seed}` : places);

const { Stryker } = await import('@stryker-mutator/core');
await new Stryker({
  mutate: sample,
  // Words of messages.
  mutator: { excludedMutations: ['StringLiteral'] },
  plugins: [import.meta.resolve('@stryker-mutator/jest-runner')],
  testRunner: 'jest',
  testRunnerNodeArgs: ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
  coverageAnalysis: 'perTest',
  jest: {
    projectType: 'custom',
    enableFindRelatedTests: false,
    config: {
      // No test of these rooms runs the built program.
      globalSetup: null,
      testEnvironment: 'node',
      testMatch: rooms.flatMap((room) =>
        ROOMS[room].tests.map((place) => `<rootDir>/${place}${place.endsWith('/') ? '**/*.test.ts' : ''}`),
      ),
    },
  },
  // A busy machine is no change that makes a test hang.
  timeoutMS: 20_000,
  concurrency: countOption('jobs', 1),
  ignorePatterns: ['/docs', '/.ci', '/data'],
  // Tests that have no rights on a file run as somebody else, who has to enter the copy.
  buildCommand: 'chmod 755 .',
  // Not below node_modules, where jest finds no tests.
  tempDirName: join(tmpdir(), 'tidegate-mutate'),
  reporters: ['clear-text', process.stdout.isTTY ? 'progress' : 'progress-append-only'],
  clearTextReporter: { logTests: false, reportTests: false, allowColor: process.stdout.isTTY },
  allowEmpty: true,
  allowConsoleColors: process.stdout.isTTY,
}).runMutationTest();

/** Places as Stryker reads them: `path:first-last`. */
function blocksIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .flatMap((path) => {
      const lines = readFileSync(join(root, path), 'utf8').split('\n').length;
      return Array.from({ length: Math.ceil(lines / BLOCK) }, (_, at) => `${path}:${at * BLOCK + 1}-${(at + 1) * BLOCK}`);
    });
}

/** The same order for the same seed. */
function drawn(list, from) {
  const rank = (one) => createHash('sha256').update(`${from} ${one}`).digest('hex');
  return list
    .map((one) => [rank(one), one])
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) => one);
}

function option(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? '');
}
