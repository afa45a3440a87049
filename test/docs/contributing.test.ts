import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';

const PAGES = ['docs/how-to/change-tidegate.md', 'CONTRIBUTING.md'];
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Readonly<Record<string, string>> };

/** The text of a file, or of all files below a folder. */
function textOf(path: string): string {
  if (statSync(path).isFile()) return readFileSync(path, 'utf8');
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), 'utf8')}`).join('\n');
}

/** Where a name is that has no file beside it: the code, and the names of its folders. */
const CODE = ['src', 'test', 'scripts'].map((folder) => textOf(join(ROOT, folder))).join('\n');

function isIn(name: string, text: string): boolean {
  const last = name.replace('()', '').split('.').at(-1)!;
  return new RegExp(`\\b${last}\\b`).test(text);
}

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  /** The code of each sentence and of each row of a table, without blocks. */
  const sentences = text
    .replace(/^```[\s\S]*?^```/gm, '')
    .split(/\n|(?<=\.) (?=[A-Z`])/)
    .map((sentence) => [...sentence.matchAll(/`([^`]+)`/g)].map(([, code]) => code!));
  const isPath = (code: string) => /^(?:(?:src|test|scripts|docs|configs|bench|strategies)\/[\w./-]+|[\w.-]+\.cjs)$/.test(code);

  test('names files and folders that are there', () => {
    const paths = [...text.matchAll(/(?<=[` ])((?:src|test|scripts|docs|configs|bench)\/[\w./-]*[\w])/g)].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test('names nothing that is not in a file of the same sentence', () => {
    const places = sentences.map((codes) => ({
      files: codes.filter(isPath),
      names: codes.filter((code) => /^[A-Za-z_][\w.]*(\(\))?$/.test(code) && !/\.(ts|mjs|json|md)$/.test(code)),
    }));
    const checked = places.flatMap(({ files, names }) => names.map((name) => ({ name, files })));
    expect(checked.length).toBeGreaterThan(20);
    const missing = checked.filter(({ name, files }) => {
      if (files.length === 0) return !isIn(name, CODE) && !existsSync(join(ROOT, name));
      return !files.some((file) => isIn(name, textOf(join(ROOT, file))));
    });
    expect(missing).toEqual([]);
  });

  test('names scripts that package.json has', () => {
    const names = [...text.matchAll(/npm run (?:-s )?([a-z:-]+)/g)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

test('every recipe that CONTRIBUTING names first is walked by npm run recipes', () => {
  const [, recipes] = /^## Recipes\n([\s\S]*?)^## /m.exec(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'))!;
  const named = [...recipes!.matchAll(/^- \[[^\]]+\]\(docs\/how-to\/change-tidegate\.md#([\w-]+)\)$/gm)].map(([, anchor]) => anchor!);
  const walked = readdirSync(join(ROOT, 'scripts/recipes')).map((file) => {
    const [, title] = /^ {2}title: '(.+)',$/m.exec(readFileSync(join(ROOT, 'scripts/recipes', file), 'utf8'))!;
    return title!.toLowerCase().replaceAll(' ', '-');
  });
  expect(named.sort()).toEqual(walked.sort());
});
