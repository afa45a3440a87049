import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { FORMATS } from './formats.ts';
import { FORMS } from './forms.ts';
import { importedRows } from './import-case.ts';

const folder = temporaryFolder('forms');

test.each([...FORMS, ...FORMATS].map((form, index) => [form.title, form, index] as const))('%s', async (_, form, index) => {
  const { files, expected, options } = form;
  const own = join(folder, String(index));
  if (expected instanceof RegExp) {
    await expect(importedRows(own, files, options, [])).rejects.toMatchObject({ message: expect.stringMatching(expected) });
    return;
  }
  const bySymbol = Array.isArray(expected) ? { [options.symbol!]: expected } : (expected as Record<string, readonly string[]>);
  expect(await importedRows(own, files, options, Object.keys(bySymbol))).toEqual(bySymbol);
});
