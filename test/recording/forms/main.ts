import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { FORMATS } from './formats.ts';
import { FORMS } from './forms.ts';
import { importedRows } from './import-case.ts';
import { independentCase } from './independent.ts';

// Imports every form and many tables of an independent writer. Arguments: the number of tables, and the first seed.

const [cases, from] = process.argv.slice(2).map(Number) as [number, number];
const folder = mkdtempSync(join(tmpdir(), 'tidegate-forms-'));
const counts = { right: 0, refused: 0, wrong: 0 };

function wrong(what: string, why: string): void {
  counts.wrong++;
  console.log(`wrong: ${what}: ${why}`);
}

try {
  for (const [index, { title, files, options, expected }] of [...FORMS, ...FORMATS].entries()) {
    const bySymbol = expected instanceof RegExp ? {} : Array.isArray(expected) ? { [options.symbol!]: expected } : expected;
    try {
      const rows = await importedRows(join(folder, `form-${index}`), files, options, Object.keys(bySymbol));
      if (expected instanceof RegExp) wrong(title, 'imported, but to be refused');
      else if (isDeepStrictEqual(rows, bySymbol)) counts.right++;
      else wrong(title, `${JSON.stringify(rows)}, expected ${JSON.stringify(bySymbol)}`);
    } catch (error) {
      const { message } = error as Error;
      if (expected instanceof RegExp && expected.test(message)) counts.refused++;
      else wrong(title, message);
    }
  }
  const forms = counts.right + counts.refused + counts.wrong;
  console.log(`${forms} forms: ${counts.right} right, ${counts.refused} refused with the option that helps, ${counts.wrong} wrong`);
  for (let seed = from; seed < from + cases; seed++) {
    const { text, kind, options, expected } = independentCase(seed);
    try {
      const own = { ...options, kind, symbol: 'BTC-USDT' };
      const rows = await importedRows(join(folder, `case-${seed}`), { 'in.csv': text }, own, ['BTC-USDT']);
      if (!isDeepStrictEqual(rows['BTC-USDT'], expected))
        wrong(`table ${seed}`, `${JSON.stringify(rows)}, expected ${JSON.stringify(expected)}`);
    } catch (error) {
      wrong(`table ${seed}`, (error as Error).message);
    }
  }
  console.log(`${cases} tables of an independent writer, from seed ${from}: ${counts.wrong} wrong in all`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = counts.wrong === 0 ? 0 : 1;
