import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as rxjs from 'rxjs';
import { ATR } from 'trading-signals';
import { z } from 'zod';
import { loadStrategyClass } from '../../../src/app/loader/load-strategy.ts';
import { Decimal } from '../../../src/model/decimal.ts';
import { TidegateError } from '../../../src/model/errors.ts';
import { isMarked, standInIndex, writeFiles } from './strategy-files.ts';

const indexUrl = standInIndex();
const options = { isStrategy: isMarked, indexUrl };
const IMPORT = "import { Strategy } from 'tidegate';\n";

async function failure(promise: Promise<unknown>): Promise<TidegateError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(TidegateError);
  return error as TidegateError;
}

function loadText(text: string, exportName?: string) {
  return loadStrategyClass(join(writeFiles({ 'mine.ts': text }), 'mine.ts'), exportName, options);
}

describe('loads', () => {
  test.each([
    ['TypeScript', 'mine.ts', `${IMPORT}export class Mine extends Strategy { size: number = 3 as number; }\n`],
    ['JavaScript', 'mine.js', `${IMPORT}export class Mine extends Strategy { size = 3; }\n`],
    ['a module', 'mine.mjs', `${IMPORT}export class Mine extends Strategy { size = 3; }\n`],
    [
      'a type imported like a value',
      'mine.ts',
      `import { Strategy, Bar } from 'tidegate';\nexport class Mine extends Strategy { size = 3; bar?: Bar; }\n`,
    ],
  ])('loads %s from anywhere on disk', async (_, name, text) => {
    const loaded = await loadStrategyClass(join(writeFiles({ [name]: text }), name), undefined, options);
    expect(loaded.name).toBe('Mine');
    const StrategyClass = loaded.StrategyClass as new () => { size: number };
    expect(new StrategyClass().size).toBe(3);
    expect(isMarked(StrategyClass)).toBe(true);
  });

  test('includes the files that it imports by relative path, folders and JSON too', async () => {
    const folder = writeFiles({
      'my strategies/mine.ts': `${IMPORT}import { twice } from '../lib/twice.ts';\nimport sizes from './sizes.json';\nexport class Mine extends Strategy { size = twice(sizes.base); }\n`,
      'my strategies/sizes.json': '{ "base": 21 }',
      'lib/twice.ts': 'export function twice(value: number): number { return value * 2; }\n',
    });
    const { StrategyClass } = await loadStrategyClass(join(folder, 'my strategies/mine.ts'), undefined, options);
    expect(new (StrategyClass as new () => { size: number })().size).toBe(42);
  });

  test('gives the strategy our copies of the packages it shares with us', async () => {
    const text = `${IMPORT}import { z } from 'zod';\nimport { Subject } from 'rxjs';\nimport { map } from 'rxjs/operators';\nimport { Decimal } from 'decimal.js';\nimport { ATR } from 'trading-signals';\nimport { copies } from 'tidegate';
export class Mine extends Strategy { static shared = { z, Subject, map, Decimal, ATR, index: copies.index }; }\n`;
    const { StrategyClass } = await loadText(text);
    const { shared } = StrategyClass as { shared: Record<string, unknown> };
    expect(shared.z).toBe(z);
    expect(shared.Subject).toBe(rxjs.Subject);
    expect(shared.map).toBe(rxjs.map);
    expect(shared.ATR).toBe(ATR);
    expect(shared.index).toBe(indexUrl);
    expect(Object.getPrototypeOf(new Decimal(1)).constructor.prototype).toBe((shared.Decimal as typeof Decimal).prototype);
  });

  test('finds other packages from the folder of the strategy', async () => {
    const folder = writeFiles({
      'mine.ts': `${IMPORT}import { lucky } from 'lucky';\nimport { join } from 'path';\nexport class Mine extends Strategy { size = lucky; path = join('a', 'b'); }\n`,
      'node_modules/lucky/package.json': '{ "name": "lucky", "version": "1.0.0", "type": "module", "exports": "./index.js" }',
      'node_modules/lucky/index.js': 'export const lucky = 7;\n',
    });
    const { StrategyClass } = await loadStrategyClass(join(folder, 'mine.ts'), undefined, options);
    expect(new (StrategyClass as new () => object)()).toEqual({ size: 7, path: 'a/b' });
  });

  test('takes CommonJS, whose require finds our copies, its own files and other packages', async () => {
    const folder = writeFiles({
      'mine.cjs': `const { Strategy, copies } = require('tidegate');
const { z } = require('zod');
const { Subject } = require('rxjs');
const { Decimal } = require('decimal.js');
const { join } = require('path');
const { lucky } = require('lucky');
const { twice } = require('./twice.cjs');
class Mine extends Strategy { static shared = { z, Subject, Decimal, index: copies.index }; size = twice(lucky); path = join('a', 'b'); }
module.exports = { Mine, other: 1 };\n`,
      'twice.cjs': 'exports.twice = (value) => value * 2;\n',
      'node_modules/lucky/package.json': '{ "name": "lucky", "version": "1.0.0", "main": "./index.js" }',
      'node_modules/lucky/index.js': 'exports.lucky = 7;\n',
    });
    const { StrategyClass, name } = await loadStrategyClass(join(folder, 'mine.cjs'), undefined, options);
    const { shared } = StrategyClass as { shared: Record<string, unknown> };
    expect(name).toBe('Mine');
    expect(isMarked(StrategyClass)).toBe(true);
    expect(shared.z).toBe(z);
    expect(shared.Subject).toBe(rxjs.Subject);
    expect(shared.index).toBe(indexUrl);
    expect(Object.getPrototypeOf(new Decimal(1)).constructor.prototype).toBe((shared.Decimal as typeof Decimal).prototype);
    expect(new (StrategyClass as new () => object)()).toEqual({ size: 14, path: 'a/b' });
  });

  test('takes a CommonJS file that is one class', async () => {
    const folder = writeFiles({ 'mine.cjs': "module.exports = class Mine extends require('tidegate').Strategy {};\n" });
    const { StrategyClass } = await loadStrategyClass(join(folder, 'mine.cjs'), undefined, options);
    expect(isMarked(StrategyClass)).toBe(true);
  });

  test('lets the strategy see its own place, not that of the cache', async () => {
    const folder = writeFiles({
      'mine.ts': `${IMPORT}export class Mine extends Strategy { static place = [import.meta.url, import.meta.dirname]; }\n`,
    });
    const { StrategyClass } = await loadStrategyClass(join(folder, 'mine.ts'), undefined, options);
    expect((StrategyClass as { place: string[] }).place).toEqual([`file://${folder}/mine.ts`, folder]);
  });
});

describe('identity', () => {
  test('an unchanged file is the same class again, a changed import makes a new one', async () => {
    const folder = writeFiles({
      'mine.ts': `${IMPORT}import { size } from './size.ts';\nexport class Mine extends Strategy { size = size; }\n`,
      'size.ts': 'export const size: number = Number("1");\n',
    });
    const file = join(folder, 'mine.ts');
    const first = await loadStrategyClass(file, undefined, options);
    expect(await loadStrategyClass(file, undefined, options)).toEqual(first);
    writeFileSync(join(folder, 'size.ts'), 'export const size: number = Number("2");\n');
    const changed = await loadStrategyClass(file, undefined, options);
    expect(changed.sourceHash).not.toBe(first.sourceHash);
    expect(new (changed.StrategyClass as new () => { size: number })().size).toBe(2);
  });

  test('the hash of the sources does not depend on their folder', async () => {
    const files = { 'mine.ts': `${IMPORT}import './side.ts';\nexport class Mine extends Strategy {}\n`, 'side.ts': 'globalThis.name;\n' };
    const [one, other] = [writeFiles(files), writeFiles(files)];
    const first = await loadStrategyClass(join(one, 'mine.ts'), undefined, options);
    const second = await loadStrategyClass(join(other, 'mine.ts'), undefined, options);
    expect(first.sourceHash).toMatch(/^[0-9a-f]{64}$/);
    expect(second.sourceHash).toBe(first.sourceHash);
    expect(second.StrategyClass).not.toBe(first.StrategyClass);
  });

  test('loads of one file at one time all end well', async () => {
    const file = join(writeFiles({ 'mine.ts': `${IMPORT}export class Mine extends Strategy {}\n` }), 'mine.ts');
    const loaded = await Promise.all(Array.from({ length: 8 }, () => loadStrategyClass(file, undefined, options)));
    expect(new Set(loaded.map(({ StrategyClass }) => StrategyClass)).size).toBe(1);
  });
});

describe('which export', () => {
  const two = `${IMPORT}export class Fast extends Strategy {}\nexport class Slow extends Strategy {}\nexport const other = 1;\n`;

  test('takes the class that the config names', async () => {
    expect((await loadText(two, 'Slow')).name).toBe('Slow');
  });

  test('counts a class exported under two names once', async () => {
    expect((await loadText(`${IMPORT}class Mine extends Strategy {}\nexport { Mine, Mine as default };\n`)).name).toBe('Mine');
  });

  test.each([
    ['several without a choice', two, undefined, 'exports several strategies: set `export` in the config to one of Fast, Slow'],
    ['an unknown name', two, 'Fats', 'no export "Fats" (did you mean "Fast"?)'],
    ['a name that is no strategy', two, 'other', 'the export "other" is not a class that extends Strategy'],
    ['no strategy at all', 'export const a = 1;\nexport function b() {}\n', undefined, 'exports no class that extends Strategy, only a, b'],
    ['nothing', 'const a = 1;\n', undefined, 'exports nothing: export a class that extends Strategy'],
  ])('refuses %s', async (_, text, exportName, message) => {
    const error = await failure(loadText(text, exportName));
    expect(error.code).toBe('STRATEGY_LOAD_FAILED');
    expect(error.message).toContain(message);
  });
});

describe('a strategy that does not load', () => {
  test.each([
    ['a near name', 'sma-cros.ts', 'did you mean sma-cross.ts?'],
    ['a name without its ending', 'sma-cross', 'did you mean sma-cross.ts?'],
    ['a far name', 'zzz.ts', 'its folder has sma-cross.ts'],
    ['a missing folder', 'none/at/all.ts', 'does not exist either'],
  ])('names the export that was found for %s', async (_, name, hint) => {
    const path = join(writeFiles({ 'sma-cross.ts': '', 'notes.md': '' }), name);
    const error = await failure(loadStrategyClass(path, undefined, options));
    expect(error.code).toBe('STRATEGY_NOT_FOUND');
    expect(error.message).toContain(`${path}: no such strategy file`);
    expect(error.message).toContain(hint);
  });

  test.each([
    ['a syntax error', 'export class A {\n  x = ;\n}\n', ':2:7: Unexpected token'],
    ['a missing relative import', "import { a } from './none.ts';\nexport const b = a;\n", ":1:19: Could not resolve './none.ts'"],
    [
      'a missing package',
      "import { a } from 'no-such-package';\nexport const b = a;\n",
      ':1:19: cannot find the package "no-such-package": install it next to the strategy',
    ],
    [
      'a missing package, over lines',
      '// no-such-package\nexport {\n  a,\n} from "no-such-package";\n',
      ':4:8: cannot find the package "no-such-package": install it next to the strategy',
    ],
    [
      'a missing package, later',
      "export const b = await import('no-such-package/x');\n",
      ':1:31: cannot find the package "no-such-package/x": install it next to the strategy',
    ],
    [
      'a missing package of CommonJS',
      "const a = require('no-such-package');\nexports.b = a;\n",
      ':1:19: cannot find the package "no-such-package": install it next to the strategy',
    ],
    ['a name that tidegate lacks', "import { Nothing } from 'tidegate';\nexport class A extends Nothing {}\n", 'Nothing'],
  ])('gives the place of %s', async (_, text, message) => {
    const file = join(writeFiles({ 'mine.ts': text }), 'mine.ts');
    const error = await failure(loadStrategyClass(file, undefined, options));
    expect(error.code).toBe('STRATEGY_LOAD_FAILED');
    expect(error.message).toContain(file);
    expect(error.message).toContain(message);
    if (message.startsWith(':')) expect(error.message.startsWith(file + message)).toBe(true);
    expect(error.cause).toBeDefined();
  });

  test('has the error that a strategy throws during import as its cause', async () => {
    const file = join(writeFiles({ 'mine.ts': "throw new RangeError('too far');\nexport {};\n" }), 'mine.ts');
    const error = await failure(loadStrategyClass(file, undefined, options));
    expect(error.message).toContain('RangeError: too far');
    expect((error.cause as Error).message).toBe('too far');
  });
});
