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
