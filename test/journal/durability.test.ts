import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { newPath, open, troubleOf } from './builders.ts';

const child = (name: string, ...args: readonly string[]) =>
  spawn(process.execPath, [join(import.meta.dirname, 'children', name), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

/** Ends the process as a crash would, and gives all that it had said. */
async function kill(process: ChildProcess, said: () => string): Promise<string> {
  process.kill('SIGKILL');
  await once(process, 'close');
  return said();
}

function listen(process: ChildProcess): { said: () => string; first: Promise<unknown> } {
  let text = '';
  process.stdout!.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { said: () => text, first: once(process.stdout!, 'data') };
}

test('killed at any moment, nothing acknowledged is lost and nothing uncommitted shows', async () => {
  const path = newPath();
  let before = 0;
  for (let round = 1; round <= 20; round++) {
    const writer = child('writer.mjs', path, String(round));
    const { said, first } = listen(writer);
    await first;
    await pause((round * 37) % 60);
    const lines = (await kill(writer, said)).trim().split('\n');
    const acknowledged = Number(lines.at(-1));

    // The lock went with the process.
    const journal = open(path);
    const records = [...journal.records()];
    const last = records.at(-1)!;
    const note = journal.lastOf('note')!;
    expect(records.map(({ id }) => id)).toEqual(records.map((_, index) => index + 1));
    expect(records.length).toBeGreaterThanOrEqual(acknowledged);
    // A round of the writer ends with its memory and then a request, or with the memory.
    expect(note.value).toMatchObject({ count: journal.recall('count') });
    expect(last.id - note.id).toBeLessThanOrEqual(1);
    // At most the one commit under way had no time to be acknowledged: five notes and a request.
    expect(records.length - acknowledged).toBeLessThanOrEqual(6);
    expect(acknowledged).toBeGreaterThan(before);
    before = records.length;
    journal.close();
  }
});

test('a second process is refused while the bot runs', async () => {
  const path = newPath();
  const first = child('opener.mjs', path, '1');
  const { said, first: opened } = listen(first);
  await opened;
  const second = listen(child('opener.mjs', path, '1'));
  await second.first;
  expect(JSON.parse(second.said())).toEqual({ code: 'BOT_RUNNING', message: expect.stringContaining(path) });
  expect(troubleOf(() => open(path))).toMatch(/^BOT_RUNNING: .*bot b runs already; stop that process first/);
  await kill(first, said);
  open(path).close();
});

test('one process opens a journal once, by whatever path', () => {
  const path = newPath();
  const journal = open(path);
  expect(troubleOf(() => open(path))).toMatch(/^BOT_RUNNING/);
  expect(troubleOf(() => open(join(path, '../../', path.split('/').at(-2)!, 'b.journal')))).toMatch(/^BOT_RUNNING/);
  journal.close();
  open(path).close();
});
