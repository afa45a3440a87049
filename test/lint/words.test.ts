import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const rules = fileURLToPath(new URL('../../scripts/words.mjs', import.meta.url));
const { wordBreaches } = (await import(rules)) as { wordBreaches(path: string, text: string): string[] };

const places = (text: string, path = 'docs/a.md') => wordBreaches(path, text).map((breach) => breach.split(':').slice(0, 2).join(':'));

test.each([
  'The engine is told.',
  'It tells why.',
  'A price is heard of.',
  'It is reckoned.',
  'Two runs are laid beside each other.',
  'The result hangs on the path.',
  'It bears a time.',
  'It is asked again.',
  'The order stands at the exchange.',
  'All is known. Of futures, more is known.',
  'What a run leaves behind.',
  'Of a column.',
  'Bids beside asks.',
  'The order goes out as a limit order.',
  'The bar is under way.',
  'It is taken back.',
])('refuses "%s"', (text) => {
  expect(places(`/** ${text} */\n`, 'src/a.ts')).toEqual(['src/a.ts:1']);
  if (!/^(What|Of) /.test(text)) expect(places(`# A page\n\n${text}\n`)).toEqual(['docs/a.md:3']);
});

test('code and link targets in Markdown are no prose', () => {
  expect(places('Call `told()` or [this](heard.md).\n\n```ts\ntold();\n```\n')).toEqual([]);
});

const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ');

test('a sentence of a page has at most 40 words, also over line ends', () => {
  expect(places(`${words(40)}.`)).toEqual([]);
  expect(places(`First.\n\n${words(20)}\n${words(21)}.\n`)).toEqual(['docs/a.md:3']);
  expect(places(`${words(30)}; ${words(11)}.\n`)).toEqual(['docs/a.md:1']);
  expect(places(`${words(41)}.`, 'src/a.ts')).toEqual([]);
});

test.each([
  ['a full stop', `${words(30)}. ${words(30)}.`],
  ['a list item', `- ${words(30)}\n- ${words(30)}\n`],
  ['a cell', `| ${words(30)} | ${words(30)} |\n`],
  ['a paragraph', `${words(30)}\n\n${words(30)}\n`],
])('%s ends a sentence', (_, text) => {
  expect(places(text)).toEqual([]);
});
