import { expect, test } from '@jest/globals';
import { showsUnicode } from '../../../src/app/terminal/progress.ts';

test.each([
  [{ LANG: 'en_GB.UTF-8' }, 'linux', true],
  [{ LANG: 'C.utf8' }, 'linux', true],
  [{ LANG: 'C' }, 'linux', false],
  [{}, 'linux', false],
  [{ LC_ALL: 'C', LANG: 'en_GB.UTF-8' }, 'linux', false],
  [{ LC_ALL: '', LC_CTYPE: 'UTF-8', LANG: 'C' }, 'darwin', true],
  [{}, 'win32', true],
])('%j on %s: %s', (env, platform, shows) => {
  expect(showsUnicode(env, platform)).toBe(shows);
});
