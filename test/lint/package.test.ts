import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';

const { dependencies, peerDependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
  'dependencies' | 'peerDependencies' | 'devDependencies',
  Readonly<Record<string, string>>
>;
const BUNDLE = join(ROOT, 'dist/bundle');

/** Parts of fastify that are never loaded: `scripts/bundle.mjs` leaves them out. */
const UNUSED = ['@fastify/ajv-compiler', '@fastify/fast-json-stringify-compiler', 'light-my-request'];

/** The packages that the built bundle imports or requires when it runs. */
function imported(): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(BUNDLE).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(BUNDLE, file), 'utf8');
    for (const [, name] of text.matchAll(
      /(?:^import [^"\n]*|\bimport\(|\brequire(?:\$\d+)?(?:\.resolve)?\()["'](?!\.|node:)((?:@[\w-]+\/)?[\w.-]+)[^"'\n]*["']/gm,
    )) {
      if (!isBuiltin(name!)) names.add(name!);
    }
  }
  return names;
}

test('every package that the bundle imports is a dependency, and is installed with the package', () => {
  const found = imported();
  expect(found).toContain('libsql');
  const known = { ...dependencies, ...peerDependencies };
  expect([...found].filter((name) => !(name in known) && !UNUSED.includes(name))).toEqual([]);
});

test('no package that is inside the bundle is installed a second time', () => {
  const found = imported();
  // Strategies import these by name, and the types of `tidegate` refer to them.
  const forStrategies = ['rxjs', 'trading-signals', 'zod'];
  expect(Object.keys(dependencies).filter((name) => !found.has(name) && !forStrategies.includes(name))).toEqual([]);
  expect(Object.keys(devDependencies)).toEqual(expect.arrayContaining(['commander', 'fastify', 'yaml']));
});

test('every example config that help and docs name is in the package, with the data that it reads', () => {
  const packed = spawnSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], { cwd: ROOT, encoding: 'utf8' });
  const [{ files }] = JSON.parse(packed.stdout) as [{ files: { path: string }[] }];
  const paths = new Set(files.map(({ path }) => path));
  const texts = ['README.md', ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`)];
  const commands = readdirSync(join(ROOT, 'src/app/commands')).map((name) => `src/app/commands/${name}`);
  const named = [...texts.filter((name) => name.endsWith('.md')), ...commands].flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/configs\/(?:ported\/)?[a-z-]+\.yaml/g)].map(([path]) => path),
  );
  const examples = [...new Set(named)].filter((path) => existsSync(join(ROOT, path)));
  expect(examples.length).toBeGreaterThan(10);
  expect(examples.filter((path) => !paths.has(path))).toEqual([]);
  const symbols = ['BTC-USDT', 'BTC-USDT-PERP', 'ETH-USDT'].filter(
    (symbol) => ![...paths].some((path) => path.startsWith(`data/sample/${symbol}/`)),
  );
  expect(symbols).toEqual([]);
});

test('on Windows the program and npm start end with the sentence of the README', () => {
  const sentence = 'Tidegate runs on Linux and macOS. On Windows, run it in WSL.';
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(sentence);
  for (const file of ['bin/tidegate.mjs', 'scripts/start.mjs']) {
    const script = `Object.defineProperty(process, 'platform', { value: 'win32' }); import(${JSON.stringify(join(ROOT, file))});`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
    expect({ file, status, stderr }).toEqual({ file, status: 2, stderr: `${sentence}\n` });
  }
});
