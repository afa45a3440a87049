import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { removeTemporaryFolders, temporaryFolder } from './temporary-folder.ts';

test('temporary folders go with everything in them', () => {
  const folders = [temporaryFolder(), temporaryFolder('other')];
  for (const folder of folders) writeFileSync(join(folder, 'file'), 'text');
  removeTemporaryFolders();
  expect(folders.filter(existsSync)).toEqual([]);
});

test('a test that makes a folder of its own removes it', () => {
  const root = join(import.meta.dirname, '..');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const leaking = files.filter((name) => {
    const text = readFileSync(join(root, name), 'utf8');
    return text.includes('mkdtempSync(') && !text.includes('rmSync(');
  });
  expect(leaking).toEqual([]);
});
