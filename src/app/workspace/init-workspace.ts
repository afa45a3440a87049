import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TidegateError } from '../../model/errors.ts';
import { goldenFigures, keepFigures } from '../backtest/results/golden.ts';
import { runBacktest } from '../backtest/run-backtest.ts';
import { OWN_FILES, ownVersion } from '../base/own-files.ts';
import { dataSynth } from '../data/resample-synth.ts';
import { strategyFiles, templateText, writeNewFiles } from './new-strategy.ts';
import { runNpm } from './npm.ts';
import { SYNTHETIC } from './templates.ts';

export interface InitOptions {
  /** False: write the files, but do not run `npm install`. */
  readonly install?: boolean;
  /** Prints nothing of npm. */
  readonly json?: boolean;
}

/**
 * Makes a project that runs at once: files, a synthetic recording, the package of this Tidegate in `vendor`, and the figures of its
 * golden test. Then installs it.
 * @throws TidegateError OUT_NOT_EMPTY if one of the files exists, NPM_FAILED.
 */
export async function initWorkspace(
  dir: string,
  { install = true, json = false }: InitOptions,
  print: (line: string) => void,
): Promise<void> {
  const folder = resolve(dir);
  const root = fileURLToPath(OWN_FILES.root);
  const { name, text, vendored } = packageJson(folder);
  writeNewFiles(folder, workspaceFiles(name));
  writeFileSync(join(folder, 'package.json'), text);
  print(`making the recording data/${SYNTHETIC} ...`);
  await dataSynth({ ...RECORDING, dataDir: join(folder, 'data') }, () => {});
  writeFileSync(join(folder, 'data', SYNTHETIC, 'README.md'), RECORDING_README);
  if (vendored) {
    mkdirSync(join(folder, 'vendor'), { recursive: true });
    runNpm(folder, ['pack', root, '--pack-destination', 'vendor', '--ignore-scripts', '--silent'], false);
  }
  await keepFiguresOf(folder);
  if (install) {
    print('npm install ...');
    runNpm(folder, ['install', '--no-audit', '--no-fund'], !json);
  }
  const into = relative('.', folder);
  print(`\n${name} is ready. Next:\n${into === '' ? '' : `\n  cd ${into}`}${install ? '' : '\n  npm install'}\n${runLines(text)}`);
}

/** The commands that run the project: a `start` or `test` script of its own stays as it was, and then the program itself is named. */
function runLines(text: string): string {
  const { scripts = {} } = JSON.parse(text) as PackageJson;
  const start = scripts.start === SCRIPTS.start ? 'npm start' : `npx ${SCRIPTS.start}`;
  const tests = scripts.test === SCRIPTS.test ? 'npm test' : SCRIPTS.test;
  return `  ${start}\n  ${tests}\n`;
}

/** Runs the backtest of the new project, and keeps its figures for the golden test. */
async function keepFiguresOf(folder: string): Promise<void> {
  // `npm install` needs the environment as it is.
  const { summary, failure } = await runBacktest(join(folder, 'configs/trend.yaml'), {
    env: process.env,
    embedded: true,
    out: false,
    stopwatch: () => 0,
  });
  if (failure !== undefined)
    throw new TidegateError('STRATEGY_THREW', `the backtest of the new project failed in ${folder}: ${summary.error?.message}`, {
      cause: failure.error,
    });
  keepFigures(join(folder, 'test/golden/trend.json'), goldenFigures(summary));
}

/** The files of a workspace except `package.json`, by their paths. */
function workspaceFiles(name: string): Record<string, string> {
  return {
    ...strategyFiles('trend', 'trend', SYNTHETIC),
    'configs/tidegate.schema.json': readFileSync(new URL('configs/tidegate.schema.json', OWN_FILES.root), 'utf8'),
    'test/golden.test.mjs': templateText('workspace', 'golden.test.mjs'),
    'tsconfig.json': `${JSON.stringify(TSCONFIG, null, 2)}\n`,
    '.gitignore': templateText('workspace', 'gitignore'),
    '.github/workflows/test.yml': templateText('workspace', 'test.yml'),
    '.vscode/launch.json': templateText('workspace', 'launch.json'),
    'README.md': templateText('workspace', 'README.md').replace('{{name}}', name),
  };
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023'],
    // As Tidegate bundles strategies: the `type` of package.json does not matter.
    module: 'preserve',
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    isolatedModules: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['strategies'],
};

/** The options of `data synth` for the recording: what all templates need. */
const RECORDING = {
  name: SYNTHETIC,
  seed: '8',
  from: '2025-01-01',
  instrument: ['BTC-USDT:0.01:94000', 'BTC-USDT-PERP:0.1:94000'],
  interval: '1m',
  bars: '28d',
  tickers: '1d',
  marks: '28d',
  funding: '28d',
};
const SYNTH_COMMAND = [
  `tidegate data synth --name ${RECORDING.name} --seed ${RECORDING.seed} --from ${RECORDING.from}`,
  ...RECORDING.instrument.map((one) => `--instrument ${one}`),
  ...(['bars', 'tickers', 'marks', 'funding'] as const).map((kind) => `--${kind} ${RECORDING[kind]}`),
  '--replace',
].join(' ');

const RECORDING_README = `# Synthetic data

No market ever traded at these prices: they were made from a seed, and trend more than real markets do. A strategy that does well here
has shown that it runs, and no more. This command makes the files again, byte for byte:

    npx ${SYNTH_COMMAND}
`;

const SCRIPTS = {
  start: 'tidegate backtest configs/trend.yaml',
  test: 'node --test',
  check: 'tsc && tidegate config check configs/trend.yaml',
  golden: 'RENEW_GOLDEN=1 node --test',
  paper: 'tidegate paper configs/trend.yaml',
  data: SYNTH_COMMAND,
};

/** A compiler for `npm run check`: strategies run without it. */
const TYPESCRIPT = '7.0.2';

interface PackageJson {
  readonly name?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** The project's `package.json`, made in a folder. One that is there keeps all that it has. `vendored`: it takes Tidegate from `vendor`. */
export function packageJson(folder: string): { readonly name: string; readonly text: string; readonly vendored: boolean } {
  const file = join(folder, 'package.json');
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as PackageJson) : { private: true };
  const own = { tidegate: `file:vendor/tidegate-${ownVersion()}.tgz` };
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '-')
    .replace(/^-|-$/g, '');
  const { engines } = JSON.parse(readFileSync(OWN_FILES.packageJson, 'utf8')) as { engines: object };
  const has = before as PackageJson;
  const made = {
    name: name === '' ? 'strategies' : name,
    version: '0.0.0',
    type: 'module',
    engines,
    ...before,
    // npm init writes a test that fails.
    scripts: {
      ...SCRIPTS,
      ...Object.fromEntries(Object.entries(has.scripts ?? {}).filter(([, text]) => !text.includes('no test specified'))),
    },
    dependencies: { ...own, ...has.dependencies },
    devDependencies: { typescript: TYPESCRIPT, ...has.devDependencies },
  };
  return { name: made.name, text: `${JSON.stringify(made, null, 2)}\n`, vendored: made.dependencies.tidegate === own.tidegate };
}
