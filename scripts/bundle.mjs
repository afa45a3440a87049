// The last step of npm run build: the command line in few files, with what it depends on. Loaded one by one, its fifteen
// hundred modules take longer than many a backtest. Packages that strategies may import next to `tidegate` are there once: zod and rxjs
// are entries of the bundle, decimal.js stays outside. Packages with files of their own stay outside too, and those that may be absent.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './tools.mjs';

const OPTIONAL = ['ccxt', 'bullmq', 'ioredis', 'pg'];
const OUTSIDE = ['decimal.js', 'libsql', 'pino', 'rolldown', 'undici', 'lightweight-charts', '@duckdb/node-api', 'tinypool', ...OPTIONAL];

/** Parts of fastify that the local exchange never loads: compilers of schemas, and requests without a server. */
const UNUSED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];

/** The entries of rxjs, as their modules: Node's way into the package has two hundred files. */
const RXJS = Object.fromEntries(
  ['', 'ajax', 'fetch', 'operators', 'testing', 'webSocket'].map((part) => [
    part === '' ? 'rxjs' : `rxjs/${part}`,
    join(root, 'node_modules/rxjs/dist/esm', part, 'index.js'),
  ]),
);

/** The modules that an entry loads before it runs, by entry. */
const loadedBy = { cli: new Set(), index: new Set(), worker: new Set() };

const findLoaded = {
  name: 'find-loaded',
  buildEnd() {
    for (const id of this.getModuleIds()) {
      const entry = Object.keys(loadedBy).find((name) => id === join(root, ENTRIES[name]));
      if (entry !== undefined) addLoaded(id, loadedBy[entry], (one) => this.getModuleInfo(one)?.importedIds ?? []);
    }
  },
};

function addLoaded(id, known, importsOf) {
  if (known.has(id)) return;
  known.add(id);
  for (const imported of importsOf(id)) addLoaded(imported, known, importsOf);
}

/**
 * The file of a module that a backtest needs. Node takes half a millisecond for each file, and a backtest has two threads: one has what
 * the command line loads, the other that, what strategies load, and the rest of the backtest.
 */
function fileOf(id) {
  const { cli, index, worker } = loadedBy;
  // An entry does its work when it is loaded.
  if (!worker.has(id) || Object.values(ENTRIES).some((entry) => id === join(root, entry))) return null;
  if (cli.has(id)) return 'base';
  if (!index.has(id)) return 'backtest';
  return id.includes('/node_modules/zod/') ? 'schemas' : 'strategy';
}

const ENTRIES = { cli: 'src/app/cli.ts', index: 'src/index.ts', worker: 'src/app/backtest/worker.ts' };

const build = await rolldown({
  cwd: root,
  input: {
    ...ENTRIES,
    // The command line's file imports it early.
    thread: 'src/app/backtest/thread.ts',
    'bias-worker': 'src/app/bias/worker.ts',
    'search-worker': 'src/app/search/worker.ts',
    'verify-child': 'src/app/bundle/verify-child.ts',
    // The other entries of the package: `tidegate/run` is this file.
    run: 'src/entries/run.ts',
    exchange: 'src/entries/exchange.ts',
    testing: 'src/entries/testing.ts',
    data: 'src/entries/data.ts',
    zod: 'zod',
    ...Object.fromEntries(Object.entries(RXJS).map(([name, file]) => [name.replace('/', '-'), file])),
    // For the tests that end a bot inside a commit: they need the very class that the bot uses.
    'bot-journal': 'src/journal/bot-journal.ts',
  },
  platform: 'node',
  external: [...OUTSIDE, ...UNUSED],
  logLevel: 'warn',
  resolve: { alias: RXJS },
  plugins: [findLoaded],
  preserveEntrySignatures: 'allow-extension',
});
await build.write({
  dir: join(root, 'dist/bundle'),
  cleanDir: true,
  format: 'esm',
  sourcemap: true,
  codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: fileOf, debugName: 'backtest' }] },
  // Doc comments are in `src`: they are a fifth of the package.
  comments: { jsdoc: false, legal: true, annotation: true },
});
await build.close();

// V8 holds a whole file in two bytes a character if one of them is outside of Latin-1. All such characters are in texts and patterns.
for (const name of readdirSync(join(root, 'dist/bundle')).filter((one) => one.endsWith('.js'))) {
  const path = join(root, 'dist/bundle', name);
  const escaped = (wide) => `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(path, readFileSync(path, 'utf8').replace(/[^\0-\xff]/g, escaped));
}

// The scripts of the report's page and of the pages of `serve`: a backtest need not start a bundler for them.
const { browserScript, clientScript } = await import(new URL('../dist/app/write-report.js', import.meta.url));
writeFileSync(join(root, 'dist/bundle/page-script.txt'), await clientScript());
const servePages = new URL('../dist/app/serve/pages/client/main.js', import.meta.url);
writeFileSync(join(root, 'dist/bundle/serve-script.txt'), await browserScript(undefined, servePages, true));

// The hash of the code that a run was made with: to read four megabytes again for each run takes longer than a small backtest's replay.
const { hashOfModules } = await import(new URL('../dist/app/base/own-files.js', import.meta.url));
writeFileSync(join(root, 'dist/bundle/code-sha256.txt'), hashOfModules(join(root, 'dist/bundle')));
