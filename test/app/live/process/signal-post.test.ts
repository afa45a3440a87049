import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, expect, test } from '@jest/globals';
import type { LoadedConfig } from '../../../../src/app/config/load-config.ts';
import { waitingRows } from '../../../../src/app/live/bot/signal-files.ts';
import { PostToken, postSettings, SignalReceiver } from '../../../../src/app/live/process/signal-post.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NOW = Date.UTC(2025, 0, 1);
const DAY_MS = 86_400_000;
const TOKEN = 'a-token-of-twenty-four!!';
const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies as they come.
  readonly body: any;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A receiver of the signals `preds`, which are available 10 s after their time, at a bot that has delivered none of them. */
class Bench {
  readonly file = join(temporaryFolder(), 'preds.jsonl');
  readonly lines: string[] = [];
  isOpen = true;
  receiver!: SignalReceiver;

  async start(port = 0): Promise<this> {
    const log = (text: string, fields?: object) => void this.lines.push(`${text} ${JSON.stringify(fields)}`);
    const sources = [{ name: 'preds', file: this.file, delayMs: 10_000, maxAheadMs: DAY_MS, post: true }] as const;
    this.receiver = await SignalReceiver.open({
      ...{ port, token: new PostToken(TOKEN), setting: 'paper.post', open: () => this.isOpen },
      sources,
      waiting: () => waitingRows(sources, { recall: () => ({ offset: 0, lines: 0, mark: '' }) }, NOW),
      clock: { now: () => NOW, schedule: () => () => {} },
      log: { debug: log, info: log, warn: log },
    });
    opened.push(this.receiver);
    return this;
  }

  get text(): string {
    return readFileSync(this.file, 'utf8');
  }

  get port(): number {
    return Number(new URL(this.receiver.status.url).port);
  }

  post(body: string | Buffer, { method = 'POST', path = '/signals/preds', headers = {} }: Sent = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const all = { authorization: `Bearer ${TOKEN}`, ...headers };
      const sent = request({ host: '127.0.0.1', port: this.port, method, path, headers: all, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: JSON.parse(text) }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

const row = (seconds: number, more: object) => JSON.stringify({ time: NOW + seconds * 1_000, ...more });

test('an object, an array and lines of JSON become lines of the file, and the reply counts them', async () => {
  const bench = await new Bench().start();
  expect(await bench.post(row(-20, { up: 1 }))).toMatchObject({
    status: 200,
    body: { rows: 1, written: 1, duplicates: 0, waiting: 0, botTime: '2025-01-01T00:00:00Z' },
  });
  // The time of the first plus 10 s has not come, and the second is after it.
  const array = `[\n  ${row(-9, { symbol: 'BTC-USDT', up: 2 })},\n ${row(-10, { up: 3, hold: true })} ]`;
  expect((await bench.post(array)).body).toMatchObject({ rows: 2, written: 2, waiting: 2, waitingUntil: '2025-01-01T00:00:01Z' });
  expect((await bench.post(`${row(-1, { up: 4 })}\r\n\r\n${row(0, { up: null })}`)).body).toMatchObject({
    rows: 2,
    written: 2,
    waiting: 4,
  });
  expect((await bench.post(JSON.stringify({ time: '2025-01-01', regime: 'ä' }, null, 2))).body).toMatchObject({ written: 1 });
  expect(bench.text).toBe(
    [
      row(-20, { up: 1 }),
      row(-9, { symbol: 'BTC-USDT', up: 2 }),
      row(-10, { up: 3, hold: true }),
      row(-1, { up: 4 }),
      row(0, { up: null }),
      '{"time":"2025-01-01","regime":"ä"}',
      '',
    ].join('\n'),
  );
  expect(bench.receiver.status).toEqual({
    ...{ url: `http://127.0.0.1:${bench.port}/signals`, names: ['preds'] },
    ...{ written: 6, duplicates: 0, refused: 0, lastTime: NOW },
  });
});

test('a reply counts the rows that wait in the file, also those of earlier requests', async () => {
  const bench = await new Bench().start();
  await bench.post(row(-60, { up: 1 }));
  await bench.post(row(3_590, { up: 2 }));
  const { body } = await bench.post(row(-30, { up: 3 }));
  expect(body).toMatchObject({ written: 1, waiting: 2, waitingUntil: '2025-01-01T01:00:00Z' });
});

test('a row more than maxAhead ahead of the clock of the bot is refused, and later rows do not wait for it', async () => {
  const bench = await new Bench().start();
  const far = `${row(-20, { up: 1 })}\n${row(86_400.001, { up: 2 })}`;
  expect(await bench.post(far)).toMatchObject({
    status: 400,
    body: {
      row: 2,
      error:
        'row 2: "time" is 2025-01-02T00:00:00.001Z, too far ahead of 2025-01-01T00:00:00Z, the clock of the bot: signals.preds.maxAhead allows 1d',
    },
  });
  expect(bench.text).toBe('');
  expect((await bench.post(row(-20, { up: 1 }))).body).toMatchObject({ written: 1, waiting: 0 });
  expect((await bench.post(row(86_400, { up: 2 }))).body).toMatchObject({ written: 1, waiting: 1 });
});

test.each([
  ['', 400, 'there is no row; expected one JSON object, an array of them, or one on each line'],
  ['[]', 400, 'there is no row'],
  ['[{"time":1},', 400, 'expected an array of JSON objects: '],
  ['{"time":1735689600,"up":1}\n{"time":', 400, 'row 2: expected one JSON object: '],
  ['[{"time":1735689600,"up":1},[2]]', 400, 'row 2: expected one JSON object'],
  ['"text"', 400, 'row 1: expected one JSON object'],
  ['{"up":1}', 400, 'row 1: "time": missing; expected epoch s'],
  ['{"time":1735689600,"symbol":"BTC"}', 400, 'row 1: "symbol": "BTC"; expected a symbol such as BTC-USDT, or none'],
  ['{"time":1735689600,"up":1e999}', 400, 'row 1: "up": expected a finite number, a text or null'],
  ['{"time":1735689600,"up":[1]}', 400, 'row 1: "up": expected a number, a text or null'],
  ['{"time":1735689600,"__proto__":1}', 400, 'row 1: "__proto__" cannot name a column'],
  [Buffer.from([0x7b, 0xff, 0x7d]), 400, 'the body is not UTF-8'],
  [`{"time":1735689600,"up":"${'x'.repeat(65_536)}"}`, 413, 'row 1 is longer than 65536 bytes'],
  [
    Array.from({ length: 1_001 }, (_, index) => row(0, { index })).join('\n'),
    413,
    'there are 1001 rows; expected at most 1000 in a request',
  ],
  [' '.repeat(1_048_577), 413, 'the body is longer than 1048576 bytes'],
] as const)('the body %# is refused as a whole: nothing is written', async (body, status, error) => {
  const bench = await new Bench().start();
  const answer = await bench.post(body);
  expect(answer).toMatchObject({ status, body: { error: expect.stringContaining(error) } });
  expect(bench.text).toBe('');
  expect(bench.receiver.status).toMatchObject({ written: 0, refused: 1 });
});

test.each<[string, Sent, number, object]>([
  ['no token', { headers: { authorization: '' } }, 401, { 'www-authenticate': 'Bearer' }],
  ['another token', { headers: { authorization: `Bearer ${TOKEN}x` } }, 401, {}],
  ['a token of another scheme', { headers: { authorization: `Basic ${TOKEN}` } }, 401, {}],
  ['another name', { path: '/signals/other' }, 404, {}],
  ['a name that every object has', { path: '/signals/constructor' }, 404, {}],
  ['another path', { path: '/' }, 404, {}],
  ['another method', { method: 'PUT' }, 405, { allow: 'POST' }],
  ['no token and another name', { path: '/signals/other', headers: { authorization: '' } }, 401, {}],
  ['an origin', { headers: { origin: 'http://127.0.0.1' } }, 403, {}],
  ['the name of another host', { headers: { host: 'evil.example' } }, 403, {}],
  ['a packed body', { headers: { 'content-encoding': 'gzip' } }, 415, {}],
])('a request with %s is refused', async (_, sent, status, headers) => {
  const bench = await new Bench().start();
  expect(await bench.post(row(0, { up: 1 }), sent)).toMatchObject({ status, headers, body: { error: expect.any(String) } });
  expect(bench.text).toBe('');
  // The next request is taken.
  expect((await bench.post(row(0, { up: 1 }), { headers: { host: 'localhost:1' } })).status).toBe(200);
});

test('a stopping bot takes nothing, and one that has ended has no connection', async () => {
  const bench = await new Bench().start();
  bench.isOpen = false;
  expect((await bench.post(row(0, { up: 1 }))).status).toBe(503);
  expect(bench.text).toBe('');
  const socket = connect(bench.port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.once('error', () => {});
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write('POST /signals/preds HTTP/1.1\r\n');
  bench.receiver.close();
  await closed;
  await expect(bench.post('')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a row that the file has is a duplicate: sent again, twice in a request, and after a restart', async () => {
  const bench = await new Bench().start();
  const body = `${row(0, { symbol: 'BTC-USDT', up: 0.5, regime: 'calm' })}\n${row(1, { up: 1 })}\n${row(1, { up: 1 })}`;
  expect((await bench.post(body)).body).toMatchObject({ rows: 3, written: 2, duplicates: 1 });
  const { text } = bench;
  expect((await bench.post(body)).body).toMatchObject({ written: 0, duplicates: 3 });
  await bench.start();
  // The same row with another order of its keys and another form of its time and its number.
  const same = '{"regime":"calm","up":0.50,"time":"2025-01-01T00:00:00Z","symbol":"BTC-USDT"}';
  expect((await bench.post(same)).body).toMatchObject({ written: 0, duplicates: 1 });
  expect(bench.text).toBe(text);
  // Another time, symbol or value is another row.
  const others = [
    row(2, { up: 1 }),
    row(1, { symbol: 'BTC-USDT', up: 1 }),
    row(1, { up: 2 }),
    row(1, { up: '1' }),
    row(1, { up: 1, x: 1 }),
  ];
  expect((await bench.post(others.join('\n'))).body).toMatchObject({ written: 5, duplicates: 0 });
});

test('rows of other writers count as rows of the file, and a new file has only its own', async () => {
  const bench = await new Bench().start();
  appendFileSync(bench.file, `${row(0, { up: 1 })}\n`);
  expect((await bench.post(row(0, { up: 1 }))).body).toMatchObject({ duplicates: 1 });
  renameSync(bench.file, `${bench.file}.1`);
  await bench.post(row(1, { up: 1 }));
  expect(bench.text).toBe(`${row(1, { up: 1 })}\n`);
});

test('only the last 10,000 rows are looked for', async () => {
  const bench = new Bench();
  writeFileSync(bench.file, Array.from({ length: 10_001 }, (_, up) => `${row(0, { up })}\n`).join(''));
  await bench.start();
  expect((await bench.post(row(0, { up: 1 }))).body).toMatchObject({ duplicates: 1 });
  expect((await bench.post(row(0, { up: 0 }))).body).toMatchObject({ written: 1 });
});

test.each([
  ['whole', row(0, { up: 1 }), 0],
  ['torn', row(0, { up: 1 }).slice(0, -3), 1],
])('a last line without an end that is %s gets its end, and the row is written if it is not whole', async (_, line, written) => {
  const bench = new Bench();
  writeFileSync(bench.file, line);
  await bench.start();
  expect((await bench.post(row(0, { up: 1 }))).body).toMatchObject({ written });
  expect(bench.text).toBe(`${line}\n${written === 0 ? '' : `${row(0, { up: 1 })}\n`}`);
});

test('rows that cannot be written are answered with 500, logged, and taken later', async () => {
  const bench = await new Bench().start();
  rmSync(bench.file);
  mkdirSync(bench.file);
  expect(await bench.post(row(0, { up: 1 }))).toMatchObject({ status: 500, body: { error: expect.stringContaining('EISDIR') } });
  expect(bench.lines.at(-1)).toContain('a request with signals was refused {"status":500,"error":"the rows cannot be written: EISDIR');
  rmSync(bench.file, { recursive: true });
  expect((await bench.post(row(0, { up: 1 }))).body).toMatchObject({ written: 1 });
});

test('a start is refused if the port is in use or the file cannot be written', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  opened.push(other);
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  await expect(new Bench().start(port)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: `paper.post.port: cannot listen on port ${port} of 127.0.0.1: another process uses it (EADDRINUSE): set another port`,
  });
  const bench = new Bench();
  Object.assign(bench, { file: join(bench.file, 'no-folder') });
  await expect(bench.start()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/^signals\.preds: the file .* cannot be written: ENOENT/),
  });
});

test('the first refusal of each status is logged, and none has the token', async () => {
  const bench = await new Bench().start();
  await bench.post('{}');
  await bench.post('{}');
  await bench.post('{}', { headers: { authorization: 'Bearer guess' } });
  const refusals = bench.lines.filter((line) => line.startsWith('a request with signals was refused'));
  expect(refusals).toEqual([expect.stringContaining('"status":400'), expect.stringContaining('"status":401')]);
  expect(bench.lines.join()).not.toContain(TOKEN);
});

test('a token shows nowhere', () => {
  const token = new PostToken(TOKEN);
  expect(token.redact(`a ${TOKEN} b`)).toBe('a *** b');
  expect(`${JSON.stringify({ token })}${inspect({ token })}`).not.toContain(TOKEN);
});

const config = (signals: object, post: object = {}) =>
  ({ config: { signals, paper: { post: { port: 1, ...post } } }, locate: () => ({ line: 0 }) }) as unknown as LoadedConfig;

test('the token comes from the variable of the config, is removed from the environment, and is needed only for posted signals', () => {
  const environment: Record<string, string | undefined> = { TIDEGATE_SIGNALS_TOKEN: TOKEN, OTHER: `${TOKEN}2` };
  expect(postSettings(config({ preds: { file: 'x' } }), 'paper', environment)).toBeUndefined();
  const posted = config({ preds: { post: true } });
  expect(postSettings(posted, 'paper', environment)?.token.isIn(`bearer ${TOKEN}`)).toBe(true);
  const other = postSettings(config({ preds: { post: true } }, { token: { env: 'OTHER' } }), 'paper', environment);
  expect(other?.token.isIn(`Bearer ${TOKEN}2`)).toBe(true);
  expect(environment).toEqual({});
});

test.each([
  [{}, 'the environment variable TIDEGATE_SIGNALS_TOKEN is not set'],
  [{ TIDEGATE_SIGNALS_TOKEN: 'fifteen letters' }, 'the token is too short, or has other characters'],
  [{ TIDEGATE_SIGNALS_TOKEN: 'sixteen letters and a blank' }, 'the token is too short, or has other characters'],
])('a start without a good token is refused (%#)', (environment: Record<string, string>, problem) => {
  const read = () => postSettings(config({ preds: { post: true } }), 'paper', { ...environment });
  expect(read).toThrow(
    expect.objectContaining({ code: 'KEYS_INVALID', message: expect.stringContaining(`signals.preds.post: ${problem}`) }),
  );
});
