import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { accessOf } from '../../src/app/access/access-settings.ts';
import { Credentials } from '../../src/exchange/client/credentials.ts';
import { troubleOf } from '../journal/builders.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const keysOf = (parts: Partial<Record<'KEY' | 'SECRET' | 'PASSPHRASE', string>>) => ({
  TIDEGATE_API_KEY: parts.KEY ?? 'my-long-key',
  TIDEGATE_API_SECRET: parts.SECRET ?? 'my-secret',
  TIDEGATE_API_PASSPHRASE: parts.PASSPHRASE ?? 'my long phrase é',
});

test.each([
  ['a newline', 'PASSPHRASE', 'word\nword', 'character 5 (U+000A)'],
  ['an emoji', 'PASSPHRASE', 'ab🙂', 'character 3 (U+1F642)'],
  ['a space at an end', 'KEY', 'key ', 'character 4 (U+0020)'],
] as const)('a key with %s, which no request can carry, is KEYS_INVALID with its place and without the key', (_, part, value, says) => {
  const said = troubleOf(() => accessOf({}, keysOf({ [part]: value }), undefined));
  expect(said).toMatch(new RegExp(`^KEYS_INVALID: TIDEGATE_API_${part}: its `));
  expect(said).toContain(says);
  expect(said).not.toContain(value);
});

test('the place of an unsendable key in a file is the file with its field', () => {
  const file = join(temporaryFolder('keys'), 'keys.json');
  writeFileSync(file, JSON.stringify({ key: 'k', secret: 's\n', passphrase: 'é\u0100' }), { mode: 0o600 });
  expect(troubleOf(() => accessOf({ keys: file }, {}, undefined))).toMatch(`KEYS_INVALID: ${file}: "passphrase": its character 2 (U+0100)`);
});

test('keys with spaces inside and characters of Latin-1 are taken', () => {
  expect(accessOf({}, keysOf({ SECRET: 'any\n🙂' }), undefined).credentials).toBeDefined();
});

test('a short passphrase is not searched for in texts, a longer one is', () => {
  const secret = 'secret';
  const short = new Credentials({ key: 'my-long-key', secret, passphrase: 'USDT' });
  expect(short.redact('BTC-USDT my-long-key')).toBe('BTC-USDT ***');
  expect(short.unsearched).toEqual(['passphrase']);
  expect(new Credentials({ key: 'my-long-key', secret, passphrase: '12345678' }).redact('a 12345678')).toBe('a ***');
});
