import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';

const PAGE = readFileSync(join(ROOT, 'docs/explanation/architecture.md'), 'utf8');

const source = (path: string) => readFileSync(join(ROOT, 'src', path), 'utf8');

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

test('every source file that the docs name is there', () => {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  const named = pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, 'docs', page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
    return [...text.matchAll(/(?<![\w/.-])([a-z][a-z-]*(?:\/[a-z-]+)+\.ts)\b/g)].map(([, path]) => ({ page, path: path! }));
  });
  expect(named.length).toBeGreaterThan(100);
  const roots = ['', 'src', 'src/app', 'templates'].map((folder) => join(ROOT, folder));
  expect(named.filter(({ path }) => !roots.some((root) => existsSync(join(root, path))))).toEqual([]);
});

test('every file that the architecture page names is there', () => {
  const named = [...PAGE.matchAll(/`([a-z-]+(?:\/[a-z-]+)*\/[a-z-]+\.ts)`/g)].map(([, path]) => path!.replace(/^src\//, ''));
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(ROOT, 'src', path)))).toEqual([]);
});

test('every class and function that the page names is in a file of its row or sentence', () => {
  const places = PAGE.split(/\n|(?<=\.) (?=[A-Z`])/).map((text) => ({
    names: [...text.matchAll(/`([A-Z]\w+[a-z]|[a-z]+)(?:\(\))?`/g)].map(([, name]) => name!),
    files: [...text.matchAll(/`([a-z-]+(?:\/[a-z-]+)*\/[a-z-]+\.ts)`/g)].map(([, path]) => path!.replace(/^src\//, '')),
  }));
  const checked = places
    .flatMap(({ names, files }) => names.map((name) => ({ name, files })))
    .filter(({ name, files }) => files.length > 0 && !existsSync(join(ROOT, 'src', name)));
  expect(checked.length).toBeGreaterThan(5);
  const missing = checked.filter(({ name, files }) => !files.some((file) => source(file).match(new RegExp(`\\b${name}\\b`))));
  expect(missing).toEqual([]);
});
