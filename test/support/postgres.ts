import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, test } from '@jest/globals';
import { temporaryFolder } from './temporary-folder.ts';

const DEBIAN = '/usr/lib/postgresql';
/** The folder of the programs: Debian has them in no folder of the path. */
const PROGRAMS = existsSync(DEBIAN)
  ? readdirSync(DEBIAN)
      .map((version) => join(DEBIAN, version, 'bin'))
      .findLast((folder) => existsSync(join(folder, 'initdb')))
  : undefined;

/** A test that needs PostgreSQL (in Debian a package); without it, it is skipped and says so. */
export const postgresTest = PROGRAMS === undefined ? test.skip : test;
if (PROGRAMS === undefined) process.stderr.write('skipping tests of queues on PostgreSQL: there is none\n');

/** The user nobody: PostgreSQL does not run as root. */
const NOBODY = 65_534;
const OTHER_USER = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

const open: TestPostgres[] = [];
afterAll(() => Promise.all(open.map((one) => one.kill())));

/** A PostgreSQL of a test, on a free port of 127.0.0.1. */
export class TestPostgres {
  #server: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
  ) {
    open.push(this);
  }

  static async start(): Promise<TestPostgres> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as { readonly port: number };
    probe.close();
    await once(probe, 'close');
    const folder = temporaryFolder('postgres');
    if (OTHER_USER.uid !== undefined) chownSync(folder, NOBODY, NOBODY);
    const args = ['-D', join(folder, 'db'), '-U', 'tester', '-A', 'trust', '--no-sync'];
    execFileSync(join(PROGRAMS!, 'initdb'), args, { ...OTHER_USER, cwd: folder, stdio: 'ignore' });
    const postgres = new TestPostgres(port, folder);
    await postgres.run();
    return postgres;
  }

  get url(): string {
    return `postgres://tester@127.0.0.1:${this.port}/postgres`;
  }

  async run(): Promise<void> {
    const { folder, port } = this;
    const args = ['-D', join(folder, 'db'), '-p', String(port), '-h', '127.0.0.1', '-k', folder];
    this.#server = spawn(join(PROGRAMS!, 'postgres'), args, { ...OTHER_USER, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    for await (const chunk of this.#server.stderr!) {
      said += String(chunk);
      if (said.includes('ready to accept connections')) break;
    }
  }

  async kill(): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }
}
