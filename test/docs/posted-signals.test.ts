import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PostToken, SignalReceiver } from '../../src/app/live/process/signal-post.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { blocksOf } from './markdown.ts';

const PAGE = 'docs/how-to/use-signals-of-a-model.md';
const TOKEN = 'the-token-of-this-page';
const file = join(temporaryFolder(), 'preds.jsonl');
let receiver: SignalReceiver;
beforeAll(async () => {
  const log = { debug: () => {}, info: () => {}, warn: () => {} };
  const clock = { now: () => Date.UTC(2025, 0, 31, 12, 15, 0, 412), schedule: () => () => {} };
  const sources = [{ name: 'preds', file, delayMs: 0, maxAheadMs: 86_400_000, post: true }] as const;
  receiver = await SignalReceiver.open({
    port: 0,
    token: new PostToken(TOKEN),
    setting: 'paper.post',
    sources,
    clock,
    log,
    waiting: () => [],
    open: () => true,
  });
});
afterAll(() => receiver.close());

/** The block that has this text, with the address of the receiver. */
const blockWith = (what: string) => {
  const [block] = blocksOf(PAGE).filter(({ text }) => text.includes(what));
  return block!.text.replace('http://127.0.0.1:8790/signals', receiver.status.url);
};
const run = (program: string, args: readonly string[]) =>
  new Promise<string>((resolve, reject) => {
    const env = { ...process.env, TIDEGATE_SIGNALS_TOKEN: TOKEN };
    execFile(program, args, { env }, (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
  });
const ROW = '{"time":"2025-01-31T12:15:00Z","symbol":"BTC-USDT","up":0.62,"regime":"calm"}\n';

test('the curl example of posted signals has the reply that the page shows', async () => {
  const reply = JSON.parse(blockWith('"duplicates"')) as unknown;
  expect(JSON.parse(await run('bash', ['-e', '-c', blockWith('curl ')]))).toEqual(reply);
  expect(readFileSync(file, 'utf8')).toBe(ROW);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('skipping the Python example of posted signals: there is no python3\n');

(hasPython ? test : test.skip)('the Python example sends the same row, and raises the error of a wrong one', async () => {
  const code = blockWith('urllib.request');
  expect(
    JSON.parse((await run('python3', ['-c', `${code}\nprint(json.dumps(post([{'time': 1, 'symbol': 'BTC-USDT'}])))`])).trim()),
  ).toMatchObject({
    written: 1,
  });
  expect(receiver.status).toMatchObject({ written: 2, duplicates: 1 });
  expect(readFileSync(file, 'utf8')).toBe(`${ROW}{"time":1,"symbol":"BTC-USDT"}\n`);
  await expect(run('python3', ['-c', `${code}\npost({'up': 1})`])).rejects.toThrow('RuntimeError: {"error":"row 1: \\"time\\": missing');
});
