import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { proofOf, runtimeFolder } from '../../../../src/app/live/process/control-address.ts';
import { askBot, openControlSocket } from '../../../../src/app/live/process/control-socket.ts';
import { troubleOf } from '../../../journal/builders.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A bot that says what it was asked, in a folder of this name. */
async function bot(name: string): Promise<{ readonly control: string; readonly asked: unknown[]; readonly socket: string }> {
  const folder = join(temporaryFolder(), name);
  mkdirSync(folder, { recursive: true });
  const control = join(folder, 'control.json');
  const asked: unknown[] = [];
  servers.push(await openControlSocket(control, (command) => asked.push(command)));
  return { control, asked, socket: JSON.parse(readFileSync(control, 'utf8')).socket };
}

/** The bot at this address is gone, and somebody else listens there, who answers anything with this. */
async function taken(socket: string, answer: string): Promise<void> {
  servers.pop()?.close();
  rmSync(socket, { force: true });
  const server = createServer((connection) => connection.on('error', () => {}).on('data', () => connection.end(`${answer}\n`)));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
}

const asking = (control: string) =>
  askBot(control, { command: 'status' }).then(
    (answer) => JSON.stringify(answer),
    (error: Error) => error.message,
  );

// 30 letters of 2 bytes each: with the folders above, fewer than 100 characters and more than 100 bytes.
test.each([
  ['long', 'x'.repeat(150)],
  ['of letters beyond ASCII', 'ü'.repeat(40)],
])('a bot in a folder whose name is %s is reached all the same', async (_, name) => {
  const { control, asked, socket } = await bot(name);
  expect(socket).not.toContain(name);
  expect(statSync(dirname(socket)).mode & 0o077).toBe(0);
  expect(await asking(control)).toBe('1');
  expect(asked).toEqual([{ command: 'status' }]);
});

test("if the folder's path is short, the socket is next to the journal, and only its user can read the address", async () => {
  const { control, socket } = await bot('short');
  expect(socket).toBe(join(dirname(control), 'control.sock'));
  expect(statSync(control).mode & 0o777).toBe(0o600);
  expect(await asking(control)).toBe('1');
});

test.each([['{"error":null}'], ['{"nonce":"1","text":"{}","proof":"2"}'], ['yes']])(
  'who has taken the name of the socket and answers %s is not believed',
  async (answer) => {
    const { control, socket } = await bot('short');
    await taken(socket, answer);
    expect(await asking(control)).toBe(`no bot replies at ${socket} (the process that listens there is not this bot)`);
  },
);

test('a command without the token is not carried out', async () => {
  const { control, asked, socket } = await bot('short');
  writeFileSync(control, JSON.stringify({ socket, token: '00' }));
  expect(await asking(control)).toContain('the process that listens there is not this bot');
  // As clients of earlier versions ask.
  rmSync(control);
  expect(await asking(control)).toContain('expected a command with a proof by the token in control.json');
  expect(asked).toEqual([]);
});

test('a command whose sender has given up while the bot hung is not carried out when it goes on', async () => {
  const { control, asked, socket } = await bot('short');
  const { token } = JSON.parse(readFileSync(control, 'utf8')) as { readonly token: string };
  const text = JSON.stringify({ command: 'reset' });
  const line = JSON.stringify({ nonce: '1', text, proof: proofOf(token, 'client', '1', text) });
  const send = `const s = require('net').connect(${JSON.stringify(socket)}, () => s.write(process.argv[1] + '\\n', () => s.destroy()));`;
  // No turn of this process passes meanwhile.
  execFileSync(process.execPath, ['-e', send, line]);
  // The next request is answered after the one before it was read.
  await askBot(control, { command: 'status' });
  expect(asked).toEqual([{ command: 'status' }]);
});

test("only a folder of mode 700 that is this user's own is taken for sockets", () => {
  const temporary = temporaryFolder();
  const open = temporaryFolder();
  chmodSync(open, 0o755);
  const own = join(temporary, `tidegate-${process.getuid?.()}`);
  expect(runtimeFolder({ XDG_RUNTIME_DIR: open }, temporary)).toBe(own);
  chmodSync(open, 0o700);
  expect(runtimeFolder({ XDG_RUNTIME_DIR: open }, temporary)).toBe(open);
  chmodSync(own, 0o777);
  expect(troubleOf(() => runtimeFolder({}, temporary))).toMatch(/^CONFIG_INVALID: .*it is not a folder of this user with mode 700/);
  rmSync(own, { recursive: true });
  symlinkSync(open, own);
  expect(troubleOf(() => runtimeFolder({}, temporary))).toMatch(/^CONFIG_INVALID/);
});
