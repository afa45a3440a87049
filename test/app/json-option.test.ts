import { expect, test } from '@jest/globals';
import { commandLine } from '../../src/app/cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

type Command = ReturnType<typeof commandLine>;

/** Commands that do something, by name. */
function leaves(commands: readonly Command[], before = ''): [string, Command][] {
  return commands.flatMap((command): [string, Command][] => {
    const name = `${before}${command.name()}`;
    return command.commands.length === 0 ? [[name, command]] : leaves(command.commands, `${name} `);
  });
}

test('every command has --json, except the one that prints a script', () => {
  const without = leaves(commandLine().commands).filter(([, { options }]) => !options.some(({ long }) => long === '--json'));
  expect(without.map(([name]) => name)).toEqual(['completion']);
});

/** What a command writes to stdout. */
async function output(...args: string[]): Promise<string> {
  const { write } = process.stdout;
  let text = '';
  process.stdout.write = ((part: string) => {
    text += part;
    return true;
  }) as typeof write;
  try {
    await commandLine().parseAsync(['node', 'tidegate', ...args]);
  } finally {
    process.stdout.write = write;
  }
  return text;
}

test('commands of data print one object with their messages and the recordings that they name', async () => {
  const dir = temporaryFolder('json-option');
  const synth = ['data', 'synth', '--name', 'mine', '--bars', '2h', '--data-dir', dir];
  const series = { symbol: 'BTC-USDT', kind: 'bar', intervalMs: 60_000, rows: 120 };
  const made = JSON.parse(await output(...synth, '--json'));
  expect(made.recordings).toMatchObject([
    { name: 'mine', series: [{ ...series, from: '2025-01-01T00:00:00Z', to: '2025-01-01T01:59:00Z' }] },
  ]);
  expect(made.messages.join()).toContain('120 rows');
  await output('data', 'synth', '--name', 'other', '--bars', '1h', '--data-dir', dir);
  const list = JSON.parse(await output('data', 'list', '--json', '--data-dir', dir));
  expect(list.recordings.map(({ name }: { name: string }) => name)).toEqual(['mine', 'other']);
  const check = JSON.parse(await output('data', 'check', 'other', '--json', '--data-dir', dir));
  expect(check.recordings.map(({ name }: { name: string }) => name)).toEqual(['other']);
  expect(check.messages.join()).toContain('good');
  // Without it, lines.
  expect(await output('data', 'list', '--data-dir', dir)).toMatch(/^mine \(/);
});

test('the operations of the exchange are listed as one object', async () => {
  const { operations } = JSON.parse(await output('api', '--list', '--json'));
  expect(operations.length).toBeGreaterThan(20);
  expect(operations[0]).toMatchObject({ operation: 'currencies', method: 'GET' });
});
