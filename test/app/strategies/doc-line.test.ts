import { expect, test } from '@jest/globals';
import { docLine } from '../../../src/app/strategies/describe-file.ts';

test.each([
  ['one line', '/** Buys low. */\nexport class Mine extends Strategy {}', 'Buys low.'],
  [
    'the first sentence',
    '/**\n * Buys at 0.5 % below\n * the price. Sells later.\n */\nexport class Mine {}',
    'Buys at 0.5 % below the price.',
  ],
  ['the first paragraph', '/**\n * Buys\n *\n * No promise\n */\nexport class Mine {}', 'Buys'],
  ['a class that is exported elsewhere', '/** Buys. */\nclass Mine {}\nexport { Mine };', 'Buys.'],
  ['a default export', '/** Buys. */\nexport default class Mine {}', 'Buys.'],
  ['no other class', '/** Helps. */\nclass Minefield {}\nexport class Mine {}', ''],
  ['no other comment', '/** A constant. */\nconst A = 1;\n\nexport class Mine {}', ''],
  ['nothing', 'export class Mine {}', ''],
])('takes %s', (_, text, line) => {
  expect(docLine('Mine', [text])).toBe(line);
});

test('looks through all files', () => {
  expect(docLine('Mine', ['export { Mine } from "./mine.ts";', '/** Buys. */\nexport class Mine {}'])).toBe('Buys.');
});
