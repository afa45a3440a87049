import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** True in the build's bundle, where all modules are in one folder; false in `src` and `dist`, which have one file for each module. */
const BUNDLED = new URL('.', import.meta.url).pathname.endsWith('/dist/bundle/');
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

const own = (loose: string, bundled = loose) => new URL(BUNDLED ? bundled : loose, import.meta.url);

/** The URLs of the program's own files, for both ways to build it. */
export const OWN_FILES = {
  packageJson: own('../../../package.json', '../../package.json'),
  /** The folder of the package. */
  root: own('../../../', '../../'),
  /** The module that a strategy imports as `tidegate`. */
  index: own(`../../index.${EXTENSION}`, './index.js'),
  /** The thread of a backtest. */
  worker: own('../backtest/worker.js', './worker.js'),
  /** The process that runs the code of a bundle. */
  verifyChild: own('../bundle/verify-child.js', './verify-child.js'),
  /** The thread of one run of the bias search. */
  biasWorker: own('../bias/worker.js', './bias-worker.js'),
  /** The thread of the trials of a search. */
  searchWorker: own('../search/worker.js', './search-worker.js'),
  /** The entry module of the report page's script. */
  pageScript: own(`../../report/html/client/main.${EXTENSION}`, `../report/html/client/main.${EXTENSION}`),
  /** The same script as one text, made by the build; `undefined` where it is to be bundled. */
  builtPageScript: BUNDLED ? new URL('./page-script.txt', import.meta.url) : undefined,
  /** The entry module of the script of the pages of `serve`, and the same script made by the build. */
  serveScript: own(`../serve/pages/client/main.${EXTENSION}`, `../app/serve/pages/client/main.${EXTENSION}`),
  builtServeScript: BUNDLED ? new URL('./serve-script.txt', import.meta.url) : undefined,
  /** The hash of the bundle's modules, made by the build. */
  builtHash: BUNDLED ? new URL('./code-sha256.txt', import.meta.url) : undefined,
} as const;

/** Packages that are inside the bundle and that strategies import from it, so that there is only one copy of each. */
const IN_BUNDLE = /^(zod|rxjs(\/\w+)?)$/;

/** The bundle's file that a strategy imports in place of this package; `undefined` if it imports the installed package. */
export function bundledPackage(name: string): URL | undefined {
  return BUNDLED && IN_BUNDLE.test(name) ? new URL(`./${name.replace('/', '-')}.js`, import.meta.url) : undefined;
}

/** The version of this package. */
export function ownVersion(): string {
  const text = readFileSync(OWN_FILES.packageJson, 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** The version and the code of this Tidegate. */
interface OwnCode {
  readonly version: string;
  /** SHA-256 of its modules as they were built, in the order of their names: two builds of one version may differ. */
  readonly sha256: string;
}

let known: OwnCode | undefined;

/** The version and the code of the Tidegate that runs. */
export function ownCode(): OwnCode {
  const { builtHash, index } = OWN_FILES;
  const sha256 = () => (builtHash === undefined ? hashOfModules(dirname(fileURLToPath(index))) : readFileSync(builtHash, 'utf8'));
  known ??= { version: ownVersion(), sha256: sha256() };
  return known;
}

/** SHA-256 of all modules in a folder and below it, in the order of their names. */
export function hashOfModules(folder: string): string {
  const hash = createHash('sha256');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[jt]s$/.test(name));
  for (const name of names.sort())
    hash
      .update(`${name.split(sep).join('/')}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0');
  return hash.digest('hex');
}
