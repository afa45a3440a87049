import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../support/cli.ts';

/** Terms that a reader may not have seen before, with their plural. Common words of trading are in the glossary too. */
const TERMS = [
  'intents?',
  'held orders?',
  'trigger orders?',
  'reducing orders?',
  'opening orders?',
  'protective closes?',
  'excess closes?',
  'foreign orders?',
  'unknown outcomes?',
  'reconciliation',
  'latch(?:es)?',
  'halts?',
  'journals?',
  'event log',
  'local exchange',
  'weights?',
  'recordings?',
  'drawdown',
  'findings?',
  'bundles?',
];
const FOLDERS = ['docs/tutorials', 'docs/how-to', 'docs/reference', 'docs/explanation'];

const pages = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name)),
).sort();

/** The sentences of a page: without code, headings, tables, generated parts and links. */
function prose(text: string): string {
  return text
    .replace(/^---\n[\s\S]*?^---$/m, '')
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/<!-- [\w-]+(?:: [^>]*)? -->[\s\S]*?<!-- (?:end|end of [\w -]+|\/[\w-]+) -->/g, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^(#|\||\s*\|).*$/gm, '')
    .replace(/`[^`\n]*`/g, '')
    .replace(/\[[^\]\n]*\]\([^)\n]*\)/g, '');
}

/** The heading of the glossary that has a term, as a link names it. */
function headingOf(term: RegExp): string | undefined {
  let heading: string | undefined;
  for (const line of readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').split('\n')) {
    if (line.startsWith('## ')) heading = line.slice(3).toLowerCase().replaceAll(' ', '-');
    else if (term.test(line.split('|')[1] ?? '')) return heading;
  }
  return undefined;
}

test.each(pages)('%s links each term of the glossary that it uses', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const missing = TERMS.filter((term) => {
    if (!new RegExp(`(?<![\\w-])(?:${term})(?![\\w-])`, 'i').test(prose(text))) return false;
    const target = posix.relative(posix.dirname(page), `docs/glossary.md#${headingOf(new RegExp(`^ (?:${term}) $`, 'i'))}`);
    return !new RegExp(`\\[(?:${term})\\]\\(${target}\\)`, 'i').test(text);
  });
  expect(missing).toEqual([]);
});

test('each of these terms is in the glossary', () => {
  expect(TERMS.filter((term) => headingOf(new RegExp(`^ (?:${term}) $`, 'i')) === undefined)).toEqual([]);
});
