import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';

const FOLDERS = ['docs', 'data', 'bench', 'test', 'strategies', 'configs'];

function documents(): string[] {
  const below = FOLDERS.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return [...readdirSync(ROOT), ...below].filter((name) => name.endsWith('.md')).sort();
}

/** The text without its blocks and inline code, where brackets are code and no links. */
const prose = (text: string) => text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');

/** What a heading is called in a link, as GitHub makes it. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const headings = (path: string) =>
  [
    ...readFileSync(path, 'utf8')
      .replace(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, text]) => anchor(text!));

test.each(documents())('every link of %s leads somewhere', (document) => {
  const links = [...prose(readFileSync(join(ROOT, document), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  const broken = links
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file = '', name] = target.split('#');
      const path = file === '' ? join(ROOT, document) : join(ROOT, dirname(document), file);
      if (relative(ROOT, path).startsWith('..') || !existsSync(path)) return true;
      return name !== undefined && !(statSync(path).isFile() && headings(path).includes(name));
    });
  expect(broken).toEqual([]);
});

test('every page of the docs that a source names is there', () => {
  const sources = ['src', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const named = sources
    .filter((name) => /\.(ts|mjs)$/.test(name))
    .flatMap((name) => [...readFileSync(join(ROOT, name), 'utf8').matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([page]) => page));
  expect(named.length).toBeGreaterThan(15);
  const missing = named.filter((page) => {
    const [path, heading] = page.split('#');
    return !existsSync(join(ROOT, path!)) || (heading !== undefined && !headings(join(ROOT, path!)).includes(heading));
  });
  expect(missing).toEqual([]);
});

test.each(documents().filter((name) => name.startsWith('docs')))('no heading is twice on %s', (document) => {
  const all = headings(join(ROOT, document));
  expect(all.filter((heading, index) => all.indexOf(heading) < index)).toEqual([]);
});

test('the index of decisions lists each of them once, with its number and title', () => {
  const folder = join(ROOT, 'docs/explanation/decisions');
  const rows = readdirSync(folder)
    .filter((name) => /^\d{4}-/.test(name))
    .sort()
    .map((name) => {
      const [, number, title] = /^# (\d+)\. (.+)$/m.exec(readFileSync(join(folder, name), 'utf8'))!;
      return `| ${number}. [${title}](${name})`;
    });
  const listed = readFileSync(join(folder, 'README.md'), 'utf8').match(/^\| \d+\. \[[^\]]+\]\([^)]+\)/gm);
  expect(listed).toEqual(rows);
});
