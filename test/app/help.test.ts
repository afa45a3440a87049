import { expect, test } from '@jest/globals';
import { commandLine, wrapHelp } from '../../src/app/cli.ts';

type Command = ReturnType<typeof commandLine>;

/** The whole help of each command, with the texts after it, by name. */
function helps(command: Command, name = command.name()): [string, string][] {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += wrapHelp(part);
    },
    getOutHelpWidth: () => 80,
  });
  command.outputHelp();
  return [[name, text], ...command.commands.flatMap((one) => helps(one, `${name} ${one.name()}`))];
}

test.each(helps(commandLine()))('the help of %s is at most 80 columns wide in a pipe', (_name, text) => {
  // A word alone, such as the name of a file, may be longer.
  expect(text.split('\n').filter((line) => line.length > 80 && line.trim().includes(' '))).toEqual([]);
});

test('a long command of an example is broken so that a shell reads it as one', () => {
  const line = `  $ npx tidegate data import ${'a-name-of-a-file '.repeat(4)}--kind bar`;
  expect(wrapHelp(line, 60)).toBe(
    '  $ npx tidegate data import a-name-of-a-file \\\n      a-name-of-a-file a-name-of-a-file a-name-of-a-file \\\n      --kind bar',
  );
  expect(wrapHelp('    some words that are too long for a line of this width', 40)).toBe(
    '    some words that are too long for a\n    line of this width',
  );
});
