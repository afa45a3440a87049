import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Whether this runs from the build's bundle, where all modules lie in one folder, or loose, as in `src` and `dist`. */
const BUNDLED = new URL('.', import.meta.url).pathname.endsWith('/dist/bundle/');
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

const own = (loose: string, bundled = loose) => new URL(BUNDLED ? bundled : loose, import.meta.url);

/** Where the program finds its own files, however it was built. */
export const OWN_FILES = {
  packageJson: own('../../../package.json', '../../package.json'),
  /** What `tidegate` means to a strategy. */
  index: own(`../../index.${EXTENSION}`, './index.js'),
  /** What `zod` means to a strategy; `undefined` where it is the package. */
  zod: BUNDLED ? new URL('./zod.js', import.meta.url) : undefined,
  /** The thread of a backtest. */
  worker: own('../backtest/worker.js', './worker.js'),
  /** The thread of one run that bias is sought with. */
  biasWorker: own('../bias/worker.js', './bias-worker.js'),
  /** First module of the report page's script. */
  pageScript: own(`../../report/html/client/main.${EXTENSION}`, `../report/html/client/main.${EXTENSION}`),
} as const;

/** The version of this package. */
export function ownVersion(): string {
  const text = readFileSync(OWN_FILES.packageJson, 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Which Tidegate this is. */
interface OwnCode {
  readonly version: string;
  /** SHA-256 over its modules as they run, by name: two builds of one version may differ. */
  readonly sha256: string;
}

let known: OwnCode | undefined;

/** The Tidegate that runs, by version and code. */
export function ownCode(): OwnCode {
  known ??= { version: ownVersion(), sha256: hashOfFolder(dirname(fileURLToPath(OWN_FILES.index))) };
  return known;
}

function hashOfFolder(folder: string): string {
  const hash = createHash('sha256');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[jt]s$/.test(name));
  for (const name of names.sort())
    hash
      .update(`${name.split(sep).join('/')}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0');
  return hash.digest('hex');
}
