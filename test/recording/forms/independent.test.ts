import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { importedRows } from './import-case.ts';
import { independentCase } from './independent.ts';

const folder = temporaryFolder('independent');
/** `npm run import-forms -- --cases 500` runs more. */
const CASES = 60;

test('tables of an independent writer give the same series in any form', async () => {
  for (let seed = 1; seed <= CASES; seed++) {
    const { text, kind, options, expected } = independentCase(seed);
    const rows = await importedRows(join(folder, String(seed)), { 'in.csv': text }, { ...options, kind, symbol: 'BTC-USDT' }, [
      'BTC-USDT',
    ]).catch((error: Error) => [error.message]);
    expect({ seed, rows }).toEqual({ seed, rows: { 'BTC-USDT': expected } });
  }
});
