/** Whether this runs from the build's bundle, where all modules lie in one folder, or loose, as in `src` and `dist`. */
const BUNDLED = new URL('.', import.meta.url).pathname.endsWith('/dist/bundle/');
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

const own = (loose: string, bundled = loose) => new URL(BUNDLED ? bundled : loose, import.meta.url);

/** Where the program finds its own files, however it was built. */
export const OWN_FILES = {
  packageJson: own('../../package.json'),
  /** What `tidegate` means to a strategy. */
  index: own(`../index.${EXTENSION}`, './index.js'),
  /** What `zod` means to a strategy; `undefined` where it is the package. */
  zod: BUNDLED ? new URL('./zod.js', import.meta.url) : undefined,
  /** The thread of a backtest. */
  worker: own('./backtest/worker.js', './worker.js'),
  /** The thread of one run that bias is sought with. */
  biasWorker: own('./bias/worker.js', './bias-worker.js'),
  /** First module of the report page's script. */
  pageScript: own(`../report/html/client/main.${EXTENSION}`),
} as const;
