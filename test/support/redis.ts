import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { temporaryFolder } from './temporary-folder.ts';
import { until } from './until.ts';

export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** A test that needs redis-server (in Debian a package); without it, it is skipped and says so. */
export const redisTest = hasRedis ? test : test.skip;
/** The same for one that needs openssl too, which makes the certificate of a server. */
export const tlsTest = hasRedis && spawnSync('openssl', ['version']).status === 0 ? test : test.skip;
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
    /** The file of the certificate by which clients know the server, if it speaks TLS alone. */
    readonly certificate?: string,
  ) {
    open.push(this);
  }

  /** @param tls whether it speaks TLS alone, with a certificate of its own. */
  static async start({ tls = false } = {}): Promise<TestRedis> {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as { readonly port: number };
    probe.close();
    await once(probe, 'close');
    const folder = temporaryFolder('redis');
    const redis = new TestRedis(port, folder, tls ? madeCertificate(folder) : undefined);
    await redis.run();
    return redis;
  }

  readonly password = PASSWORD;

  /** With the password. */
  get url(): string {
    return `${this.certificate === undefined ? 'redis' : 'rediss'}://:${PASSWORD}@127.0.0.1:${this.port}`;
  }

  /** Without the password. */
  get open(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async run(): Promise<void> {
    const settings = { bind: '127.0.0.1', dir: this.folder, save: '', appendonly: 'no', requirepass: PASSWORD };
    const { certificate, port } = this;
    const keys = {
      'tls-cert-file': certificate,
      'tls-ca-cert-file': certificate,
      'tls-key-file': `${certificate}.key`,
      'tls-auth-clients': 'no',
    };
    const ports = certificate === undefined ? { port: String(port) } : { port: '0', 'tls-port': String(port), ...keys };
    const args = Object.entries({ ...settings, ...ports }).flatMap(([name, value = '']) => [`--${name}`, value]);
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
    const tls = this.certificate === undefined ? {} : { tls: { ca: readFileSync(this.certificate) } };
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null, ...tls });
    client.on('error', () => {});
    try {
      await client.connect();
      return await what(client);
    } finally {
      client.disconnect();
    }
  }
}

/** A certificate for 127.0.0.1, and its key next to it. */
function madeCertificate(folder: string): string {
  const path = join(folder, 'server.pem');
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1';
  const place = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', `${path}.key`, '-out', path];
  const { status, stderr } = spawnSync('openssl', [...words.split(' '), ...place], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return path;
}
