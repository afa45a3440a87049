import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
};
/** The entries of the package, with their files. */
const ENTRIES = Object.entries(MANIFEST.exports).flatMap(([name, entry]) => (typeof entry === 'string' ? [] : [{ name, ...entry }]));

/** An empty project with the packed package and the packages on which it depends. */
const project = temporaryFolder('packed');
const installed = join(project, 'node_modules/tidegate');
let packed: readonly string[] = [];

const inProject = (file: string, args: readonly string[]) => execFileSync(file, args, { cwd: project, encoding: 'utf8', stdio: 'pipe' });

beforeAll(() => {
  const [{ filename, files }] = JSON.parse(inProject('npm', ['pack', ROOT, '--ignore-scripts', '--json']));
  packed = files.map(({ path }: { path: string }) => path);
  mkdirSync(installed, { recursive: true });
  inProject('tar', ['-xzf', filename, '-C', installed, '--strip-components=1']);
  const link = (name: string) => {
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  };
  // Not the types of Node: each project has its own.
  for (const name of Object.keys(MANIFEST.dependencies)) link(name);
  link('@types/node');
  writeFileSync(join(project, 'package.json'), '{ "private": true }');
});

/** The declarations that one refers to, itself included, and the packages from which they import. */
function declarationsFrom(entry: string): { readonly files: Set<string>; readonly packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [resolve(ROOT, entry)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const name = relative(ROOT, file);
    if (files.has(name)) continue;
    files.add(name);
    for (const [, from] of readFileSync(file, 'utf8').matchAll(
      /^(?:import |(?:import|export)\b[^'\n]* from |\} from )'([^'\n]+)';$|\bimport\("([^"]+)"\)/gm,
    )) {
      if (from === undefined) continue;
      if (from.startsWith('.')) waiting.push(resolve(dirname(file), from.replace(/\.[jt]s$/, '.d.ts')));
      else packages.add(from);
    }
  }
  return { files, packages };
}

test('each file of src/entries is an entry of the package, and its files are packed', () => {
  const own = readdirSync(join(ROOT, 'src/entries')).map((file) => `./${file.replace('.ts', '')}`);
  expect(ENTRIES.map(({ name }) => name).sort()).toEqual(['.', ...own].sort());
  for (const { types, default: file } of ENTRIES) expect(packed).toEqual(expect.arrayContaining([types.slice(2), file.slice(2)]));
});

test.each(ENTRIES)('every declaration that the entry $name needs is packed, and every package that it names is installed', ({ types }) => {
  const { files, packages } = declarationsFrom(types);
  expect([...files].filter((file) => !packed.includes(file))).toEqual([]);
  expect([...packages].filter((name) => !(name in MANIFEST.dependencies) && !isBuiltin(name))).toEqual([]);
});

const CONFIG = `${JSON.stringify(join(installed, 'configs/queue-maker.yaml'))}`;

test('a script, a CommonJS script and a TypeScript file get the hash of the command line from the packed package', () => {
  const { eventLogSha256 } = JSON.parse(
    inProject(process.execPath, [join(installed, 'bin/tidegate.mjs'), 'backtest', join(installed, 'configs/queue-maker.yaml'), '--json']),
  );
  expect(eventLogSha256).toMatch(/^[0-9a-f]{64}$/);
  const before = readdirSync(project).length;
  writeFileSync(
    join(project, 'esm.mjs'),
    `import { backtest } from 'tidegate/run';\nconst { eventLogSha256 } = await backtest(${CONFIG});\nconsole.log(eventLogSha256);\n`,
  );
  writeFileSync(
    join(project, 'common.cjs'),
    `import('tidegate/run').then(({ backtest }) => backtest(${CONFIG})).then(({ eventLogSha256 }) => console.log(eventLogSha256));\n`,
  );
  writeFileSync(
    join(project, 'typed.mts'),
    `import { place, Sma, Strategy, z, type Bar } from 'tidegate';
import { backtest, type BacktestResult, compare, type ConfigObject, loadConfig, type Progress, replay, TidegateError } from 'tidegate/run';
const Params = z.object({ length: z.int().default(50) });
class Above extends Strategy<typeof Params> {
  static override readonly params = Params;
  static override readonly needs = { bars: '1m' };
  readonly average = new Sma(this.params.length);
  override onBar(bar: Bar) {
    this.average.update(bar.closeTicks);
    if (!this.average.ready || this.position(bar.symbol).quantity > 0) return;
    return place({ symbol: bar.symbol, side: 'buy', type: 'market', quantity: '0.5' });
  }
}
const config: ConfigObject = {
  name: 'typed',
  dataDir: ${JSON.stringify(join(installed, 'data'))},
  account: { kind: 'spot', balances: { USDT: 100_000 } },
  instruments: { 'BTC-USDT': { tickSize: 0.01, stepSize: '0.00001', makerFee: 0.001, takerFee: 0.001 } },
  strategies: [{ id: 'above', use: Above, symbols: ['BTC-USDT'], params: { length: 20 } }],
  risk: { account: { maxDrawdown: 0.5 } },
  backtest: { data: ['sample'], from: new Date('2025-01-01'), to: '2025-01-03', fills: { market: 'nextOpen' } },
};
const own = await backtest(config, { signal: new AbortController().signal });
if (own.fills.length !== 1 || (await loadConfig(config)).settings.backtest.fills.market !== 'nextOpen') throw new Error('no fill');
const wrong: unknown[] = [];
for (const call of [() => replay('none'), () => compare('none', 'none')]) await call().catch((error: unknown) => wrong.push(error));
if (!wrong.every((error) => error instanceof TidegateError)) throw new Error('no code');
// @ts-expect-error: a kind of account that there is not
({ account: { kind: 'sport', balances: {} } }) satisfies ConfigObject;
const seen: Progress[] = [];
const result: BacktestResult = await backtest(${CONFIG}, { onProgress: (progress) => seen.push(progress) });
const equity: Float64Array = result.equity.equity;
const price: string | undefined = result.fills.at(0)?.price;
if (equity.length === 0 || price === undefined || seen.length === 0) throw new Error('no result');
console.log(result.eventLogSha256);
`,
  );
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { strict: true, skipLibCheck: false, module: 'nodenext', target: 'es2022', types: ['node'] },
      include: ['*.mts'],
    }),
  );
  inProject(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project]);
  for (const script of ['esm.mjs', 'common.cjs', 'typed.mjs']) {
    expect({ script, hash: inProject(process.execPath, [script]).trim() }).toEqual({ script, hash: eventLogSha256 });
  }
  expect(readdirSync(project).length - before).toBe(['esm.mjs', 'common.cjs', 'typed.mts', 'typed.mjs', 'tsconfig.json'].length);
  expect(existsSync(join(project, 'runs/queue-maker-2'))).toBe(false);
});
