import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { STATISTIC_KEYS } from '../../src/app/config/search-rules.ts';
import { installed } from '../../src/app/search/queue/backend.ts';
import { NAMED_OBJECTIVES, objectiveOf, worthOf } from '../../src/search/objective.ts';
import { Study } from '../../src/search/study.ts';
import { ROOT, runCli } from '../support/cli.ts';
import { postgresTest, TestPostgres } from '../support/postgres.ts';
import { hasRedis, redisTest, TestRedis, tlsTest } from '../support/redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const folder = temporaryFolder('search-queue');
const SECRET = 'a secret that a search shares with its workers';
const ENV = { TIDEGATE_QUEUE_SECRET: SECRET, OTHER: 'other-word' };

/** Buys and sells in turn, every so many bars, on the side that another file says. */
const TURNS = `
import { appendFileSync, readFileSync } from 'node:fs';
import { Strategy, z } from 'tidegate';
import { sideOf } from './lib/sides.ts';

export class Turns extends Strategy {
  static readonly params = z.object({ every: z.int().min(1), quantity: z.string().default('0.1'), fail: z.string().default('') });
  static readonly needs = { bars: '1m' };
  #bars = 0;
  onBar(bar) {
    if (this.params.fail === 'throw') throw new Error('no figures today');
    if (this.params.fail === 'hang') for (;;) {}
    if (this.params.fail === 'grow') for (const all = []; ; ) all.push(Array.from({ length: 1000 }, Math.random));
    if (++this.#bars % this.params.every !== 0) return [];
    return [{ kind: 'place', symbol: bar.symbol, side: sideOf(this.#bars / this.params.every), type: 'market', quantity: this.params.quantity }];
  }
}
`;
/** Notes what it finds of the environment and of the memory in which the process got it. */
const CURIOUS = `appendFileSync(process.env.SEEN, JSON.stringify(process.env) + readFileSync('/proc/self/environ', 'latin1'));\n`;

const FILES = {
  'strategies/turns.ts': TURNS,
  'strategies/curious.ts': TURNS.replace('export class', `${CURIOUS}export class`),
  'strategies/slow.ts': TURNS.replaceAll('static readonly needs', 'static readonly slow = true;\n  static readonly needs'),
  'strategies/lib/sides.ts': `export const sideOf = (turn) => (turn % 2 === 1 ? 'buy' : 'sell');\n`,
  'configs/base.yaml': `
name: turns
account: { kind: spot, balances: { USDT: "100000" } }
instruments: { BTC-USDT: { tickSize: "0.01", stepSize: "0.00001", makerFee: "0", takerFee: "0" } }
strategies:
  # A number without quotes keeps its digits on the way.
  - { id: t, file: ../strategies/turns.ts, symbols: [BTC-USDT], params: { every: 5, quantity: 0.10 } }
backtest: { data: [sample], to: 2025-01-09 }
`,
};

const config = (search: string) => `extends: base.yaml\nsearch:\n${search}\n`;

const GRID = `
  parameters:
    every: { min: 5, max: 24 }
    strategies.0.file: { values: [../strategies/turns.ts, ../strategies/slow.ts] }
  objective: totalReturn
`;
const SMALL = `
  parameters: { every: { min: 20, max: 25 } }
  objective: totalReturn
`;
const TPE = `
  method: tpe
  batch: 3
  trials: 12
  parameters: { every: { min: 20, max: 400 } }
  objective: totalReturn
`;
const FAILS = `
  parameters:
    fail: { values: ["", throw, hang, grow] }
    strategies.0.file: { values: [../strategies/turns.ts, ../strategies/none.ts] }
    every: { values: [20, 0] }
  where: [every >= 0]
  timeoutMs: 8000
  memoryMb: 150
`;

/** A program whose output is read while it runs. */
interface Running {
  readonly child: ChildProcess;
  said(): string;
  readonly exit: Promise<number | null>;
}

const running = new Set<ChildProcess>();
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
});

function launch(
  args: readonly string[],
  { cwd = '', env = {} }: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Running {
  for (const one of [cwd, 'tmp']) mkdirSync(join(folder, one), { recursive: true });
  const child = spawn(process.execPath, [join(ROOT, 'bin/tidegate.mjs'), ...args], {
    cwd: join(folder, cwd),
    // A worker that is killed leaves the bundle of its study there.
    env: { ...process.env, ...ENV, TMPDIR: join(folder, 'tmp'), ...env },
  });
  running.add(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
  const exit = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  return { child, said: () => said, exit };
}

async function ended({ child, exit }: Running): Promise<number | null> {
  child.kill('SIGTERM');
  return exit;
}

let redis: TestRedis;

/** A worker in a folder of its own, as on another machine. */
function worker(env: Record<string, string> = {}, ...args: readonly string[]): Running {
  const data = args.includes('--data-dir') ? [] : ['--data-dir', join(folder, 'data')];
  return launch(['worker', redis.url, '--concurrency', '1', ...data, ...args], { cwd: 'elsewhere', env });
}

const searching = (name: string, ...args: readonly string[]) =>
  launch(['search', `configs/${name}.yaml`, '--out', `studies/${name}`, '--quiet', ...args]);
const queued = (name: string, ...args: readonly string[]) => searching(name, '--queue', redis.url, ...args);

function endedTrials(study: string): number {
  try {
    const opened = Study.open(join(folder, 'studies', study));
    const { size } = opened;
    opened.close();
    return size;
  } catch {
    return 0;
  }
}

const hasEnded = (study: string, trials: number) =>
  until(
    () => endedTrials(study),
    (ended) => ended >= trials,
  );
const hasSaid = ({ said }: Running, text: string) => until(said, (all) => all.includes(text));

async function tableOf(study: string): Promise<string> {
  const out = `${study}-${Math.random()}.csv`;
  await runCli(folder, ['search', 'export', `studies/${study}`, '--out', out]);
  return readFileSync(join(folder, out), 'utf8');
}

/** The table of a search on this machine. */
async function localTable(name: string, section: string, ...args: readonly string[]): Promise<string> {
  writeFileSync(join(folder, `configs/${name}.yaml`), config(section));
  expect(await searching(name, ...args).exit).toBe(0);
  const table = await tableOf(name);
  renameSync(join(folder, 'studies', name), join(folder, 'studies', `${name}-local`));
  return table;
}

/** Keys of jobs, and not those that BullMQ keeps for a queue. */
const jobKeys = () =>
  redis.ask(async (client) => (await client.keys('*')).filter((key) => !/:(meta|marker|id|events|stalled-check)$/.test(key)));

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  if (hasRedis) redis = await TestRedis.start();
  cpSync(join(ROOT, 'data/sample'), join(folder, 'data/sample'), { recursive: true });
});

describe('a search on a queue', () => {
  redisTest('makes the table of a local one while workers and the server are killed', async () => {
    const table = await localTable('kills', GRID, '--hash');
    const search = queued('kills', '--hash');
    let workers = [worker(), worker()];
    // At every sixth trial the older worker is killed, at the twelfth also the server, which has nothing on disk, and at the last both.
    for (const trials of [6, 12, 18, 24]) {
      await hasEnded('kills', trials);
      const [first, second] = workers as [Running, Running];
      first.child.kill('SIGKILL');
      if (trials === 24) second.child.kill('SIGKILL');
      if (trials === 12) {
        await redis.kill();
        await redis.run();
      }
      workers = trials === 24 ? [worker(), worker()] : [second, worker()];
    }
    expect(await search.exit).toBe(0);
    expect(await tableOf('kills')).toBe(table);
    expect(await jobKeys()).toEqual([]);
    for (const one of workers) expect(await ended(one)).toBe(0);
  });

  postgresTest('makes the same table on PostgreSQL, also if a worker and the server are killed', async () => {
    const postgres = await TestPostgres.start();
    const table = await localTable('postgres', TPE);
    const search = searching('postgres', '--queue', postgres.url);
    const launched = () => launch(['worker', postgres.url, '--concurrency', '1', '--data-dir', join(folder, 'data')], { cwd: 'elsewhere' });
    const first = launched();
    await hasEnded('postgres', 3);
    first.child.kill('SIGKILL');
    await postgres.kill();
    await postgres.run();
    const second = launched();
    expect(await search.exit).toBe(0);
    expect(await tableOf('postgres')).toBe(table);
    expect(await ended(second)).toBe(0);
  });

  tlsTest('goes over TLS, to a server whose certificate it knows', async () => {
    const secured = await TestRedis.start({ tls: true });
    const table = await localTable('secured', SMALL);
    const known = { NODE_EXTRA_CA_CERTS: secured.certificate! };
    const one = launch(['worker', secured.url, '--data-dir', join(folder, 'data')], { cwd: 'elsewhere', env: known });
    const search = (env: Record<string, string>) =>
      launch(['search', 'configs/secured.yaml', '--out', 'studies/secured', '--quiet', '--queue', secured.url], { env });
    const refused = search({});
    expect(await refused.exit).toBe(10);
    expect(refused.said()).toMatch(/^error QUEUE_UNREACHABLE: rediss:\/\/127\.0\.0\.1:\d+: self-signed certificate/m);
    expect(await search(known).exit).toBe(0);
    expect(await tableOf('secured')).toBe(table);
    expect(await ended(one)).toBe(0);
  });

  redisTest('that is stopped leaves its study to be resumed, and no jobs', async () => {
    const table = await localTable('stopped', TPE);
    const one = worker({}, '--json');
    const search = queued('stopped');
    await hasEnded('stopped', 3);
    search.child.kill('SIGINT');
    expect(await search.exit).toBe(130);
    expect(await jobKeys()).toEqual([]);
    expect(endedTrials('stopped')).toBeLessThan(12);
    expect(await queued('stopped', '--resume').exit).toBe(0);
    expect(await tableOf('stopped')).toBe(table);
    expect(await ended(one)).toBe(0);
    const news = one
      .said()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly kind: string; readonly study?: string });
    expect(news.map(({ kind }) => kind)).toEqual(['ready', 'working', 'left', 'working', 'left', 'ended']);
    expect(news[1]!.study).toBe('turns');
  });

  redisTest('runs and takes only what was signed with its secret', async () => {
    const table = await localTable('signed', SMALL);
    const search = queued('signed');
    const stranger = worker({ TIDEGATE_QUEUE_SECRET: SECRET.toUpperCase() });
    await hasSaid(stranger, 'it was not signed with the secret of this worker');
    const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
    const options = { connection, prefix: 'tidegate' };
    const [bundles, studies] = [new Queue('bundles', options), new Queue('studies', options)];
    const [bundle] = await bundles.getJobs(['waiting']);
    const run = bundle!.id!;
    // Results of somebody who has no secret.
    const forger = new Worker(`study-${run}`, async ({ data }) => ({ ...data, body: data.body }), options);
    await hasSaid(search, 'its result was not signed with the secret of this search');
    await forger.close();
    expect(endedTrials('signed')).toBe(0);
    // Another program in the place of the bundle, with the signature of the bundle.
    const { body, mac } = bundle!.data as { readonly body: string; readonly mac: string };
    await bundle!.updateData({ body: `${body.slice(0, -4)}AAAA`, mac });
    const refusing = worker();
    await hasSaid(refusing, 'its bundle was not signed with the secret of this worker');
    await bundle!.updateData({ body, mac });
    // A job that nobody has signed.
    const trials = new Queue(`study-${run}`, options);
    await trials.add('trial', { body, mac }, { jobId: 'forged', lifo: true });
    const honest = worker();
    expect(await search.exit).toBe(0);
    expect(await tableOf('signed')).toBe(table);
    for (const one of [trials, bundles, studies]) await one.close();
    connection.disconnect();
    for (const one of [stranger, refusing, honest]) expect(await ended(one)).toBe(0);
    expect(honest.said()).toContain('after 6 trials');
  });

  redisTest('finds its data by its content, and names what a worker lacks', async () => {
    const table = await localTable('data', SMALL);
    const search = queued('data');
    const without = worker({}, '--data-dir', join(folder, 'strategies'));
    await hasSaid(without, 'the data of the run was not found');
    await hasSaid(search, 'does not work for the search');
    // The same prices, and other terms of the instrument.
    cpSync(join(folder, 'data/sample'), join(folder, 'terms/sample'), { recursive: true });
    writeFileSync(
      join(folder, 'terms/sample/instruments.json'),
      '[{ "symbol": "BTC-USDT", "from": "2020-01-01", "tickSize": "0.01", "stepSize": "0.00001", "minQuantity": "0.2" }]',
    );
    const differing = worker({}, '--data-dir', join(folder, 'terms'));
    await hasSaid(differing, 'another terms of instruments');
    mkdirSync(join(folder, 'other'), { recursive: true });
    cpSync(join(folder, 'data/sample'), join(folder, 'other/another-name'), { recursive: true });
    const one = worker({}, '--data-dir', join(folder, 'other'));
    expect(await search.exit).toBe(0);
    expect(await tableOf('data')).toBe(table);
    for (const each of [without, differing, one]) expect(await ended(each)).toBe(0);
  });

  redisTest('gives reasons to trials that throw, never end or need too much memory, as a local one does', async () => {
    const table = await localTable('fails', FAILS);
    expect(table).toMatch(/,timeout,took longer than 8000 ms,/);
    expect(table).toMatch(/,memory,needed more than 150 MB of a worker,/);
    expect(table).toMatch(/,failed,.*no figures today/);
    expect(table).toContain(',failed,STRATEGY_NOT_FOUND: strategies[0].file: ../strategies/none.ts: no such strategy file,');
    expect(table).toContain(',failed,"STRATEGY_PARAMS_INVALID: strategies[0].params.every: expected at least 1, not 0",');
    const one = worker();
    expect(await queued('fails').exit).toBe(0);
    expect(await tableOf('fails')).toBe(table);
    expect(await ended(one)).toBe(0);
  });

  redisTest('shows no secret to strategies, and no password to anybody', async () => {
    writeFileSync(
      join(folder, 'configs/secret.yaml'),
      config(SMALL.replace('{ every', '{ strategies.0.file: { values: [../strategies/curious.ts] }, every')),
    );
    const seen = join(folder, 'seen.txt');
    const env = { SEEN: seen, TIDEGATE_QUEUE_PASSWORD: redis.password };
    const one = launch(['worker', redis.open, '--data-dir', join(folder, 'data')], { cwd: 'elsewhere', env });
    const search = launch(['search', 'configs/secret.yaml', '--out', 'studies/secret', '--queue', redis.open], { env });
    expect(await search.exit).toBe(0);
    expect(await ended(one)).toBe(0);
    const found = readFileSync(seen, 'utf8');
    expect(found).toContain('other-word');
    for (const text of [found, one.said(), search.said()]) for (const word of [SECRET, redis.password]) expect(text).not.toContain(word);
  });

  redisTest('has the same objectives in threads, in another process, and at two workers', async () => {
    // Two months: a Calmar ratio needs thirty days, and a Sharpe ratio of trades thirty trades.
    await runCli(folder, ['data', 'synth', '--name', 'long', '--bars', '60d', '--data-dir', 'data']);
    const section = '  parameters: { every: { values: [400, 500, 700] } }\nbacktest: { data: [long], to: 2025-03-02 }\n';
    await localTable('objectives', section, '--workers', '2');
    writeFileSync(join(folder, 'configs/again.yaml'), config(section));
    expect(await searching('again', '--workers', '1').exit).toBe(0);
    const workers = [worker(), worker()];
    expect(await queued('objectives').exit).toBe(0);
    for (const one of workers) expect(await ended(one)).toBe(0);
    const [threads, again, queue] = ['objectives-local', 'again', 'objectives'].map(objectivesOf);
    expect(Object.keys(queue!)).toEqual(Object.keys(NAMED_OBJECTIVES));
    for (const values of Object.values(queue!)) for (const value of values) expect(value).toEqual(expect.any(Number));
    expect(queue).toEqual(threads);
    expect(again).toEqual(threads);
  });

  test.each([
    ['another kind of URL', ['http://:word-x@127.0.0.1'], {}, 2, 'expected redis://host:port'],
    ['no secret', ['redis://127.0.0.1:1'], { TIDEGATE_QUEUE_SECRET: '' }, 2, 'set TIDEGATE_QUEUE_SECRET'],
    ['a short secret', ['redis://127.0.0.1:1'], { TIDEGATE_QUEUE_SECRET: 'word-x' }, 2, 'a secret of 32 characters or more'],
    ['a secret that others may read', ['redis://127.0.0.1:1', '--secret-file', 'configs/base.yaml'], {}, 2, 'others may read'],
    ['no server', ['redis://:word-x@127.0.0.1:1'], {}, 10, 'QUEUE_UNREACHABLE'],
  ])('is refused with %s', async (_, args, env, code, message) => {
    const { stderr } = await runCli(folder, ['worker', ...args], { env: { ...ENV, ...env }, code });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('word-x');
  });

  test('names the package that is missing', async () => {
    const missing = Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' });
    await expect(installed('ioredis', () => Promise.reject(missing))).rejects.toThrow('npm install bullmq ioredis');
  });
});

/** The values of each named objective, in the order of the trials. */
function objectivesOf(study: string): Record<string, (number | undefined)[]> {
  const opened = Study.open(join(folder, 'studies', study));
  const trials = [...opened.trials()];
  opened.close();
  const names = Object.keys(NAMED_OBJECTIVES);
  return Object.fromEntries(
    names.map((name) => [name, trials.map(({ statistics }) => worthOf(statistics, objectiveOf(name, STATISTIC_KEYS), []).value)]),
  );
}
