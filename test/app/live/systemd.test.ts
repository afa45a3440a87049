import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, expect, test } from '@jest/globals';
import { ROOT } from '../../support/cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { botWorkspace } from './bot-process.ts';
import { type WallExchange, wallExchange } from './wall-exchange.ts';

/** A test that needs these programs; without them, it is skipped and says so. */
function testWith(...programs: string[]) {
  const missing = programs.filter((program) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0);
  if (missing.length > 0) process.stderr.write(`skipping a test of systemd: there is no ${missing.join(', ')}\n`);
  return missing.length === 0 ? test : test.skip;
}

testWith('systemd-analyze').each(['tidegate@.service', 'tidegate-record@.service', 'tidegate-watchdog@.service'])(
  '%s is one that systemd takes',
  (name) => {
    const unit = readFileSync(join(ROOT, 'docs/systemd', name), 'utf8');
    const path = join(temporaryFolder('unit'), name);
    const verify = (text: string) => {
      // Programs must exist; ours is where it is.
      writeFileSync(path, text.replace('/usr/bin/node', process.execPath));
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
      return { status, said: stderr.includes(name.replace('.service', '')) ? stderr : '' };
    };
    expect(verify(unit)).toEqual({ status: 0, said: '' });
    expect(verify(unit.replace('Type=notify', 'Type=notified')).said).toContain('notified');
  },
);

/** Prints what comes in, a line each: Node has no datagram sockets of the file system. */
const RECEIVER = `use strict; use Socket; $| = 1;
socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die; bind($s, pack_sockaddr_un($ARGV[0])) or die; print "bound\\n";
while (defined recv($s, my $m, 4096, 0)) { print "$_\\n" for split /\\n/, $m }`;

let exchange: WallExchange;
beforeAll(async () => {
  exchange = await wallExchange();
  exchange.price('BTC-USDT', '100');
});

testWith('systemd-notify', 'perl')('a bot notifies systemd over its socket that it is ready, alive, and stopping', async () => {
  const work = botWorkspace(exchange.section());
  const socket = work.path('notify');
  const receiver = spawn('perl', ['-e', RECEIVER, socket]);
  const states: string[] = [];
  const waiting = new Set<() => void>();
  createInterface(receiver.stdout).on('line', (line) => {
    states.push(line);
    for (const look of waiting) look();
  });
  const told = (state: string) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (states.includes(state)) resolve();
      };
      waiting.add(look);
      look();
    });
  try {
    await told('bound');
    const bot = work.launch(
      'live',
      { ...exchange.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '1000000' },
      'instruments.BTC-USDT.stepSize=0.0001',
    );
    await told('READY=1');
    expect(bot.lines.map(({ msg }) => msg)).toContain('ready');
    await told('WATCHDOG=1');
    expect(states).not.toContain('STOPPING=1');
    bot.child.kill('SIGTERM');
    await told('STOPPING=1');
    expect(await bot.exit).toBe(0);
    expect(bot.lines.filter(({ msg }) => msg === 'systemd-notify failed: systemd does not know the state of this process')).toEqual([]);
  } finally {
    receiver.kill('SIGKILL');
  }
});
