import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadExchangeConfig, runExchange } from '../../src/app/local-exchange/run-exchange.ts';
import type { RunningExchange } from '../../src/local-exchange/start-exchange.ts';
import { blocksOf } from './markdown.ts';

let exchange: RunningExchange;
beforeAll(async () => {
  const config = loadExchangeConfig('configs/exchange.yaml', [], {});
  exchange = await runExchange(config, undefined, { debug: () => {}, info: () => {}, warn: () => {} });
});
afterAll(() => exchange.close());

const blocks = blocksOf('docs/reference/local-exchange.md').filter(({ text }) => text.includes('curl '));

test('docs/reference/local-exchange.md shows how to call it with curl', () => {
  expect(blocks).toHaveLength(3);
});

test.each(blocks.map(({ line, text }) => [line, text] as const))(
  'the curl example at line %i works as it stands there',
  async (_line, text) => {
    const { key, secret, passphrase } = exchange.accounts[1]!;
    const env = { ...process.env, SPOT: exchange.spot, KEY: key, SECRET: secret, PASSPHRASE: passphrase };
    const said = await new Promise<string>((resolve, reject) => {
      execFile('bash', ['-e', '-c', text], { env }, (error, stdout) => (error === null ? resolve(stdout) : reject(error)));
    });
    expect(JSON.parse(said)).toMatchObject({ code: '00000', msg: 'success' });
  },
);
