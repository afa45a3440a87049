import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { commandLine } from '../../src/app/cli.ts';
import { completionScript } from '../../src/app/commands/completion-command.ts';

const BASH = ['/bin/bash', '/usr/bin/bash'].find((path) => existsSync(path));
const describeInBash = BASH === undefined ? describe.skip : describe;

/** What bash offers for a line whose last word is completed. */
function offered(line: string): string[] {
  const words = line.split(' ');
  const script = `${completionScript(commandLine(), 'bash')}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length - 1}
_tidegate
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync(BASH!, ['--norc', '-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

describeInBash('in bash (skipped without it)', () => {
  test('commands, and commands of commands', () => {
    expect(offered('tidegate back')).toEqual(['backtest']);
    expect(offered('tidegate ')).toEqual(expect.arrayContaining(['backtest', 'data', 'live', 'completion']));
    expect(offered('tidegate data im')).toEqual(['import']);
    expect(offered('tidegate data cache ')).toEqual(['show', 'clear']);
    expect(offered('tidegate completion z')).toEqual(['zsh']);
  });

  test('the options of the command, also after its arguments', () => {
    expect(offered('tidegate backtest configs/x.yaml --fo')).toEqual(['--format']);
    expect(offered('tidegate backtest configs/x.yaml --format csv --q')).toEqual(['--quiet']);
    expect(offered('tidegate --ver')).toEqual(['--version']);
  });

  test('values of an option, where they are known; else the shell completes files', () => {
    expect(offered('tidegate backtest x --times ')).toEqual(['ms', 'iso']);
    expect(offered('tidegate backtest x --out ')).toEqual([]);
    expect(offered('tidegate backtest con')).toEqual([]);
  });
});

test.each(['bash', 'zsh', 'fish'] as const)('the script of %s has every command and every option', (shell) => {
  const script = completionScript(commandLine(), shell);
  const wanted = (commands: ReturnType<typeof commandLine>['commands']): string[] =>
    commands.flatMap((command) => [
      command.name(),
      ...command.options.flatMap(({ long }) => (long ? [shell === 'fish' ? `-l ${long.slice(2)}` : long] : [])),
      ...wanted(command.commands),
    ]);
  expect(wanted(commandLine().commands).filter((word) => !script.includes(word))).toEqual([]);
});
