import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';

const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

/** The folders in the page's drawing of the tree, by their indentation; several may share a line. */
function drawnFolders(): string[] {
  const [, tree] = /^src\/\n([\s\S]*?)^```/m.exec(PAGE)!;
  const above: string[] = [];
  return tree!
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [, indent, names] = /^( +)((?:[a-z-]+\/ +)+)/.exec(line)!;
      const folders = names!
        .trim()
        .split(/ +/)
        .map((name) => name.slice(0, -1));
      above.length = indent!.length / 2 - 1;
      const paths = folders.map((folder) => [...above, folder].join('/'));
      above.push(folders[0]!);
      return paths;
    });
}

test('the tree of the architecture page has every folder of src, and no other', () => {
  const folders = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(ROOT, 'src/').length).replaceAll('\\', '/'));
  expect(drawnFolders().sort()).toEqual(folders.sort());
});

test('every file that the architecture page names is there', () => {
  const named = [...PAGE.matchAll(/`([a-z-]+(?:\/[a-z-]+)*\/[a-z-]+\.ts)`/g)].map(([, path]) => path!.replace(/^src\//, ''));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(ROOT, 'src', path)))).toEqual([]);
});
