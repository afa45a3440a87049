import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from '@jest/globals';
import { Credentials, readSecret } from '../../src/exchange/client/credentials.ts';
import { HmacSigner } from '../../src/exchange/signing.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { KEYS } from './stub-server.ts';

const words = Object.values(KEYS);

test.each<[string, unknown]>([
  ['credentials', new Credentials(KEYS)],
  ['a signer', new HmacSigner(KEYS.secret)],
])('%s show nothing of themselves', (_, value) => {
  const shown = [
    String(value),
    JSON.stringify({ value }),
    inspect(value, { showHidden: true, depth: 9 }),
    inspect({ value }, { depth: 9, customInspect: false, showHidden: true }),
    JSON.stringify(Object.entries(value as object)),
  ].join('\n');
  for (const word of words) expect(shown).not.toContain(word);
});

test('a variable is gone once it is read', () => {
  const environment: Record<string, string | undefined> = { NAME: 'word' };
  expect(readSecret({ env: 'NAME' }, environment)).toBe('word');
  expect(environment).toEqual({});
  expect(() => readSecret({ env: 'NAME' }, environment)).toThrow(expect.objectContaining({ code: 'KEYS_INVALID' }));
});

test('a file is read if only its owner can read it', () => {
  const file = join(temporaryFolder(), 'secret');
  writeFileSync(file, 'word\n', { mode: 0o600 });
  expect(readSecret({ file }, {})).toBe('word');
  for (const mode of [0o640, 0o604, 0o660]) {
    chmodSync(file, mode);
    expect(() => readSecret({ file }, {})).toThrow(/chmod 600/);
  }
  expect(() => readSecret({ file: `${file}.none` }, {})).toThrow(/ENOENT/);
});
