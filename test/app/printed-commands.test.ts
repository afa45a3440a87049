import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkCommand } from '../../src/app/base/text.ts';
import { commandLine } from '../../src/app/cli.ts';
import { ROOT } from '../support/cli.ts';

type Command = ReturnType<typeof commandLine>;

/** Lines of the source that are no comments, with their place. */
const LINES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .flatMap((path) =>
    readFileSync(join(ROOT, 'src', path), 'utf8')
      .split('\n')
      .map((text, index) => ({ place: `src/${path}:${index + 1}`, text }))
      .filter(({ text }) => !/^\s*(\*|\/\*|\/\/)/.test(text)),
  );

/** A command that a text names: from `tidegate` to the quote, the end of the sentence or the end of the line. */
const NAMED = /(?<![\w.'/-])(?:npx )?tidegate ((?:--)?[a-z][\w-]*(?: [^`"'\n;]*)?)/g;
/** Words after `tidegate` in sentences about the program itself. */
const SENTENCES = /^(is|has|runs|reads|writes|works|does|cannot|needs|and|or|of|with|comparison|report|project|as)\b/;

const COMMANDS = LINES.flatMap(({ place, text }) =>
  [...text.matchAll(NAMED)]
    .map(([, words]) => ({ place, words: words!.replaceAll(/\$\{[^}]*\}/g, 'x').replace(/[.,:)]? .*[.]$|[.,:)]$/, '') }))
    .filter(({ words }) => !SENTENCES.test(words)),
);

/** The command of these words, with the words after it. */
function found(words: readonly string[], of: Command = commandLine()): { readonly command: Command; readonly rest: readonly string[] } {
  const sub = of.commands.find((one) => one.name() === words[0] || one.aliases().includes(words[0]!));
  return sub === undefined ? { command: of, rest: words } : found(words.slice(1), sub);
}

/** What is wrong with a command; nothing if it can be typed. */
function fault(words: string): string | undefined {
  const { command, rest } = found(words.split(' '));
  const [next] = rest;
  const isGroup = command.commands.length > 0 && command.registeredArguments.length === 0;
  if (command.parent === null || (isGroup && next !== undefined && /^[a-z]/.test(next))) return 'no such command';
  const options = rest.filter((word) => word.startsWith('--')).map((word) => word.replace(/[=,.)].*$/, ''));
  const known = [...command.options.map(({ long }) => long), '--help'];
  const unknown = options.find((option) => !known.includes(option));
  return unknown === undefined ? undefined : `no option ${unknown}`;
}

test('a command that does not exist, and an option that it lacks, are found', () => {
  expect(fault('data chekc x')).toBe('no such command');
  expect(fault('backtest x --pth both')).toBe('no option --pth');
  expect(fault('data check x --data-dir y')).toBeUndefined();
});

test('each command that the program prints exists, with its options', () => {
  expect(COMMANDS.length).toBeGreaterThan(80);
  const faults = COMMANDS.flatMap(({ place, words }) => {
    const wrong = fault(words);
    return wrong === undefined ? [] : [`${place}: tidegate ${words}: ${wrong}`];
  });
  expect(faults).toEqual([]);
});

test('a command that is printed with its arguments is one to paste: it begins with npx', () => {
  const typed = LINES.filter(({ text }) => /(?<!npx |^ {2}`)tidegate [a-z]+ [^`"']*\$\{/.test(text)).filter(
    ({ text }) => !/exec|spawn|title/.test(text),
  );
  expect(typed.map(({ place, text }) => `${place} ${text.trim()}`)).toEqual([]);
});

test('the check of recordings names their directory, unless it is the one that is found without', () => {
  const cwd = process.cwd();
  expect(checkCommand(['a', 'b'], join(cwd, 'data'))).toBe('npx tidegate data check a b');
  expect(checkCommand(['a'], 'data')).toBe('npx tidegate data check a');
  expect(checkCommand(['a'], join(cwd, 'my data'))).toBe("npx tidegate data check a --data-dir 'my data'");
  expect(checkCommand(['a'], 's3://bucket/x')).toBe('npx tidegate data check a --data-dir s3://bucket/x');
  expect(checkCommand(['a'], '/tmp')).toBe('npx tidegate data check a --data-dir /tmp');
});
