import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** A test that needs redis-server (in Debian a package); without it, it is skipped and says so. */
export const redisTest = hasRedis ? test : test.skip;
if (!hasRedis) process.stderr.write('skipping tests of queues: there is no redis-server\n');

const PASSWORD = 'word-of-redis';
const open: TestRedis[] = [];
afterAll(() => Promise.all(open.map((one) => one.kill())));

/** A Redis of a test: on a free port of 127.0.0.1, with a password. It keeps nothing on disk, so a restart is the loss of everything. */
export class TestRedis {
  #server: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    private readonly folder: string,
  ) {
    open.push(this);
  }

  static async start(): Promise<TestRedis> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as { readonly port: number };
    probe.close();
    await once(probe, 'close');
    const redis = new TestRedis(port, temporaryFolder('redis'));
    await redis.run();
    return redis;
  }

  readonly password = PASSWORD;

  /** With the password. */
  get url(): string {
    return `redis://:${PASSWORD}@127.0.0.1:${this.port}`;
  }

  /** Without the password. */
  get open(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async run(): Promise<void> {
    const settings = { port: String(this.port), bind: '127.0.0.1', dir: this.folder, save: '', appendonly: 'no', requirepass: PASSWORD };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    this.#server = spawn('redis-server', args, { stdio: 'ignore' });
    await until(
      () => this.ask((client) => client.ping()).catch(() => ''),
      (answer) => answer === 'PONG',
    );
  }

  async kill(): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  }

  async ask<T>(what: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => {});
    try {
      await client.connect();
      return await what(client);
    } finally {
      client.disconnect();
    }
  }
}
