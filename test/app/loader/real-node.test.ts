import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rolldown } from 'rolldown';
import { standInIndex, writeFiles } from './strategy-files.ts';

// Under jest, modules and stacks go through jest. These run the loader in Node itself, as users do.
const root = fileURLToPath(new URL('../../../', import.meta.url));
let folder = '';

beforeAll(async () => {
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
  folder = mkdtempSync(join(root, 'node_modules/.cache/loader-'));
  const build = await rolldown({
    input: join(root, 'src/app/loader/load-strategy.ts'),
    platform: 'node',
    tsconfig: false,
    external: ['rolldown', 'zod', 'yaml', 'decimal.js'],
  });
  await build.write({ file: join(folder, 'loader.mjs'), format: 'esm', sourcemapIgnoreList: false });
  await build.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script that has `load(file)` at hand and returns what it prints. */
function run(script: string): string {
  const start = `import { loadStrategyClass } from './loader.mjs';
const load = (file) => loadStrategyClass(file, undefined, { isStrategy: (c) => 'isStrategyMark' in c, indexUrl: ${JSON.stringify(standInIndex())} });\n`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', start + script], { cwd: folder, encoding: 'utf8' });
}

const text = (thrower: string) => `import { Strategy } from 'tidegate';

interface Shape {
  size: number;
}

/** Long enough a comment that lines differ in the bundle. */
export class Mine extends Strategy {
  shape: Shape = { size: 1 };
  fail(): never {
    throw new Error('from the strategy');
  }
}
${thrower}`;

test('stacks name the TypeScript file and its line', () => {
  const file = join(writeFiles({ 'mine.ts': text('') }), 'mine.ts');
  const stack = run(
    `const { StrategyClass } = await load(${JSON.stringify(file)});\ntry { new StrategyClass().fail(); } catch (error) { console.log(error.stack); }`,
  );
  expect(stack).toContain(`${file}:11:11`);
});

test('a throw while importing is shown at its line', () => {
  const file = join(writeFiles({ 'mine.ts': text("throw new Error('at import');\n") }), 'mine.ts');
  const message = run(`try { await load(${JSON.stringify(file)}); } catch (error) { console.log(error.message); }`);
  expect(message.trim()).toBe(`${file}:14:7: Error: at import`);
});

test('a name that tidegate does not export is reported for tidegate, not for a path', () => {
  const file = join(writeFiles({ 'mine.ts': "import { Nothing } from 'tidegate';\nexport const a = new Nothing();\n" }), 'mine.ts');
  const message = run(`try { await load(${JSON.stringify(file)}); } catch (error) { console.log(error.message); }`);
  expect(message.trim()).toBe(`${file}: SyntaxError: The requested module 'tidegate' does not provide an export named 'Nothing'`);
});

test('a throw in an imported file is shown there', () => {
  const folder = writeFiles({
    'mine.ts': `import './deep.ts';\n${text('')}`,
    'deep.ts': "type A = 1;\n\nexport const a: A = ((): A => { throw new TypeError('deep'); })();\n",
  });
  const message = run(`try { await load(${JSON.stringify(join(folder, 'mine.ts'))}); } catch (error) { console.log(error.message); }`);
  expect(message).toContain(`${join(folder, 'deep.ts')}:3:`);
});

test('the strategy and the framework have one copy of zod, rxjs and decimal.js', () => {
  const file = join(
    writeFiles({
      'mine.ts': `import { Strategy } from 'tidegate';\nimport { z } from 'zod';\nimport { Subject } from 'rxjs';\nimport { Decimal } from 'decimal.js';\nexport class Mine extends Strategy { static shared = { z, Subject, Decimal }; }\n`,
    }),
    'mine.ts',
  );
  const same = run(`import { z } from 'zod'; import { Subject } from 'rxjs'; import { Decimal } from 'decimal.js';
const { StrategyClass: { shared } } = await load(${JSON.stringify(file)});
console.log(shared.z === z, shared.Subject === Subject, shared.Decimal === Decimal);`);
  expect(same.trim()).toBe('true true true');
});

test('worker threads load strategies as well', () => {
  const file = join(writeFiles({ 'mine.ts': text('') }), 'mine.ts');
  const code = `import { parentPort } from 'node:worker_threads';
import { loadStrategyClass } from ${JSON.stringify(`file://${folder}/loader.mjs`)};
const options = { isStrategy: (c) => 'isStrategyMark' in c, indexUrl: ${JSON.stringify(standInIndex())} };
parentPort.postMessage((await loadStrategyClass(${JSON.stringify(file)}, undefined, options)).name);`;
  const script = `import { Worker } from 'node:worker_threads';
new Worker(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(code)}))).on('message', (name) => console.log(name));`;
  expect(run(script).trim()).toBe('Mine');
});
