import { afterEach, expect, test } from '@jest/globals';
import { request } from 'undici';
import { type Local, startLocal } from './local.ts';

let local: Local | undefined;
afterEach(async () => {
  await local?.close();
  local = undefined;
});

const BODY = JSON.stringify({ account: 'stranger', wallet: 'spot', coin: 'USDT', amount: '5' });
const JSON_TYPE = { 'content-type': 'application/json' };

async function deposit(headers: (port: string) => Readonly<Record<string, string>>) {
  local = await startLocal({ ports: { control: 0 } });
  const url = local.exchange.controlUrl!;
  const options = { method: 'POST', body: BODY, headers: headers(new URL(url).port) } as const;
  const reply = await request(`${url}/control/deposit`, options);
  const [balance] = await local.client('stranger').accountAssets();
  return { status: reply.statusCode, body: (await reply.body.json()) as { code: string; msg: string }, equity: balance?.equity };
}

test.each<[string, (port: string) => Record<string, string>]>([
  ['127.0.0.1', () => JSON_TYPE],
  ['localhost', (port) => ({ ...JSON_TYPE, host: `localhost:${port}` })],
  ['a forwarded port', () => ({ ...JSON_TYPE, host: '127.0.0.1:9' })],
  ['a content type with a charset', () => ({ 'content-type': 'application/json; charset=utf-8' })],
])('the control door takes a request of a program on this machine: %s', async (_, headers) => {
  expect(await deposit(headers)).toMatchObject({ status: 200, equity: '1005' });
});

// A page in a browser can send a POST anywhere: as text without asking first, and to a name of its own that leads to this machine.
test.each<[string, (port: string) => Record<string, string>, object]>([
  ['no content type', () => ({}), { status: 400, body: { code: '40007' } }],
  ['text', () => ({ 'content-type': 'text/plain' }), { status: 400, body: { code: '40007' } }],
  ['a form', () => ({ 'content-type': 'application/x-www-form-urlencoded' }), { status: 400, body: { code: '40007' } }],
  ['what only looks like JSON', () => ({ 'content-type': 'application/json-seq' }), { status: 400, body: { code: '40007' } }],
  [
    'a page of another site',
    () => ({ ...JSON_TYPE, origin: 'https://example.com' }),
    { status: 403, body: { code: '40014', msg: expect.stringMatching(/Origin.*https:\/\/example\.com/) } },
  ],
  ['a page without a site', () => ({ ...JSON_TYPE, origin: 'null' }), { status: 403, body: { code: '40014' } }],
  ['a page of this machine', (port) => ({ ...JSON_TYPE, origin: `http://127.0.0.1:${port}` }), { status: 403, body: { code: '40014' } }],
  [
    'another name of this machine',
    (port) => ({ ...JSON_TYPE, host: `evil.example:${port}` }),
    { status: 403, body: { code: '40014', msg: expect.stringMatching(/Host.*evil\.example/) } },
  ],
  ['a name that begins like one', (port) => ({ ...JSON_TYPE, host: `localhost.evil.example:${port}` }), { status: 403 }],
])('the control door refuses %s, and moves no money', async (_, headers, refusal) => {
  expect(await deposit(headers)).toMatchObject({ ...refusal, equity: '1000' });
});
