import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readTokens } from '../../../src/app/serve/access/tokens.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { answering, type Sent, type Serving, serving } from './serving.ts';

const EVIL = '<script>alert(1)</script>';
const start = (options = {}, parts = {}) => serving(() => [answering('one')], options, parts);

const login = (token: string, headers: Record<string, string>): Sent => ({ method: 'POST', body: { token }, headers });

const ATTACKS: readonly (readonly [
  what: string,
  status: number,
  code: string,
  path: string,
  sent: (server: Serving) => Sent | Promise<Sent>,
])[] = [
  ['no token', 401, 'NO_TOKEN', '/api/fleet', () => ({})],
  ['no token at a path that does not exist', 401, 'NO_TOKEN', '/api/bots', () => ({})],
  ['a wrong token', 401, 'WRONG_TOKEN', '/api/fleet', () => ({ headers: { authorization: 'Bearer x' } })],
  ['a token in the address', 401, 'NO_TOKEN', '/api/fleet?token=x', () => ({})],
  ['a cookie that was made up', 401, 'NO_TOKEN', '/api/fleet', () => ({ headers: { cookie: `tidegate=operator.x.9999999999999.x` } })],
  [
    'a viewer who calls himself an operator',
    401,
    'NO_TOKEN',
    '/api/fleet',
    async (server) => ({ headers: { cookie: (await server.login('viewer')).replace('viewer', 'operator') } }),
  ],
  [
    'a session that is made to last longer',
    401,
    'NO_TOKEN',
    '/api/fleet',
    async (server) => ({ headers: { cookie: (await server.login('viewer')).replace(/\.(\d+)\./, '.9$1.') } }),
  ],
  ['a name that was led here (rebinding)', 421, 'WRONG_HOST', '/api/session', () => ({ headers: { host: 'evil.example' } })],
  [
    'a name that was led here, with a token',
    421,
    'WRONG_HOST',
    '/api/fleet',
    ({ tokens }) => ({ headers: { host: 'evil.example', authorization: `Bearer ${tokens.viewer}` } }),
  ],
  ['another port of this machine', 421, 'WRONG_HOST', '/api/session', () => ({ headers: { host: 'localhost:1' } })],
  ['a forwarded host of nobody', 421, 'WRONG_HOST', '/api/session', () => ({ headers: { host: 'x', 'x-forwarded-host': 'localhost' } })],
  [
    'a login by the form of another page',
    403,
    'WRONG_ORIGIN',
    '/api/session',
    ({ tokens }) => login(tokens.viewer, { origin: 'https://evil.example' }),
  ],
  ['a login without an origin', 403, 'WRONG_ORIGIN', '/api/session', ({ tokens }) => login(tokens.viewer, {})],
  ['a login of a frame', 403, 'WRONG_ORIGIN', '/api/session', ({ tokens }) => login(tokens.viewer, { origin: 'null' })],
  [
    'a login that a browser calls cross-site',
    403,
    'WRONG_ORIGIN',
    '/api/session',
    ({ tokens, url }) => login(tokens.viewer, { origin: new URL(url).origin, 'sec-fetch-site': 'cross-site' }),
  ],
  [
    'a body as text',
    415,
    'USAGE',
    '/api/session',
    ({ url }) => ({ method: 'POST', body: '{}', headers: { origin: new URL(url).origin, 'content-type': 'text/plain' } }),
  ],
  [
    'a body that is no JSON',
    400,
    'USAGE',
    '/api/session',
    ({ url }) => ({ method: 'POST', body: '{', headers: { origin: new URL(url).origin } }),
  ],
  ['a huge body', 413, 'USAGE', '/api/session', ({ url }) => login('x'.repeat(20_000), { origin: new URL(url).origin })],
  [
    'a body with more in it',
    400,
    'USAGE',
    '/api/session',
    ({ url }) => ({ method: 'POST', body: { token: 'x', role: 'operator' }, headers: { origin: new URL(url).origin } }),
  ],
  [
    'a prototype in the body',
    400,
    'USAGE',
    '/api/session',
    ({ url }) => ({ method: 'POST', body: '{"__proto__":{"role":"operator"}}', headers: { origin: new URL(url).origin } }),
  ],
];

test.each(ATTACKS)('%s is refused', async (_, status, code, path, sent) => {
  const server = await start();
  const reply = await server.send(path, await sent(server));
  expect([reply.status, reply.json?.error?.code]).toEqual([status, code]);
  expect(reply.headers['set-cookie']).toBeUndefined();
  expect(server.reported).toEqual([]);
});

test('a token in a header, and the cookie of a login, read as their role; every answer has the headers of a safe page', async () => {
  const server = await start();
  for (const role of ['operator', 'viewer'] as const) {
    expect((await server.as(role, '/api/session')).json).toMatchObject({ role, until: null });
    const cookie = await server.login(role);
    expect((await server.send('/api/session', { headers: { cookie } })).json).toMatchObject({ role });
    const { status, headers, text } = await server.send('/api/fleet', { headers: { cookie } });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    for (const token of Object.values(server.tokens)) expect(text).not.toContain(token);
  }
  // Without a token there is only whether the server runs.
  expect((await server.send('/health', { headers: { host: 'anything' } })).json).toEqual({ ok: true });
  const origin = new URL(server.url).origin;
  const set = await server.send('/api/session', login(server.tokens.viewer, { origin }));
  expect(String(set.headers['set-cookie'])).toMatch(/; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
});

test('a session is renewed while it is used, ends when it is not, and after a logout', async () => {
  const server = await start();
  const hour = 3_600_000;
  const cookie = await server.login('operator');
  server.time += 11 * hour;
  const { headers, json } = await server.send('/api/session', { headers: { cookie } });
  expect(json.until).toBe(server.time + 12 * hour);
  const renewed = String(headers['set-cookie']).split(';')[0]!;
  server.time += 11 * hour;
  expect((await server.send('/api/fleet', { headers: { cookie } })).status).toBe(401);
  expect((await server.send('/api/fleet', { headers: { cookie: renewed } })).status).toBe(200);
  const { origin } = new URL(server.url);
  const out = await server.send('/api/session', { method: 'DELETE', headers: { cookie: renewed, origin } });
  expect(String(out.headers['set-cookie'])).toContain('tidegate=; Path=/; Max-Age=0');
  expect((await server.send('/api/fleet', { headers: { cookie: renewed } })).status).toBe(401);
});

test('after five wrong tokens within a minute an address waits, and the right one is of no use meanwhile', async () => {
  const server = await start();
  const headers = { origin: new URL(server.url).origin };
  const attempts = [];
  for (let index = 0; index < 6; index++) attempts.push((await server.send('/api/session', login('wrong', headers))).status);
  expect(attempts).toEqual([401, 401, 401, 401, 401, 429]);
  const { status, headers: more } = await server.send('/api/session', login(server.tokens.viewer, headers));
  expect([status, more['retry-after']]).toEqual([429, '60']);
  server.time += 60_000;
  expect((await server.send('/api/session', login(server.tokens.viewer, headers))).status).toBe(200);
});

test('behind a listed proxy its name, its TLS and the address of its client count; from others they do not', async () => {
  const forwarded = {
    host: '10.0.0.1',
    'x-forwarded-host': 'bots.example.com',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '6.6.6.6, 8.8.8.8',
  };
  const options = { origin: ['https://bots.example.com/'], basePath: '/my/bots/' };
  const listed = await start({ ...options, trustProxy: ['127.0.0.1'] });
  const { status, headers } = await listed.send(
    '/api/session',
    login(listed.tokens.viewer, { ...forwarded, origin: 'https://bots.example.com' }),
  );
  expect(status).toBe(200);
  expect(String(headers['set-cookie'])).toMatch(/; Path=\/my\/bots; .*; Secure$/);
  // The client writes what it likes before the entry of the proxy: it gets no new tries by that.
  const attempts = [];
  for (let index = 0; index < 6; index++) {
    const from = { ...forwarded, 'x-forwarded-for': `6.6.6.${index}, 8.8.8.8`, origin: 'https://bots.example.com' };
    attempts.push((await listed.send('/api/session', login('wrong', from))).status);
  }
  expect(attempts.at(-1)).toBe(429);
  const unlisted = await start(options);
  expect((await unlisted.send('/api/session', { headers: forwarded })).status).toBe(421);
});

test.each([
  [{ listen: '0.0.0.0' }, 'give --cert and --key'],
  [{ listen: '0.0.0.0', insecureListen: true }, 'name with --origin how pages are reached'],
  [{ listen: 'example.com' }, 'expected an IP address'],
  [{ cert: 'a.pem' }, 'expected --cert and --key together'],
  [{ cert: 'none.pem', key: 'none.pem' }, 'none.pem: cannot be read'],
  [{ basePath: '/a?b' }, 'expected a path such as /bots'],
  [{ trustProxy: ['proxy'] }, 'expected the IP address of a proxy'],
  [{ origin: ['bots.example.com'] }, 'expected the beginning of a URL'],
])('%j is refused at the start', async (options, message) => {
  await expect(start(options)).rejects.toThrow(message);
});

test('tokens are made once, for this user alone; those of the environment take their place, and short ones are refused', () => {
  const file = join(temporaryFolder(), 'serve', 'tokens.json');
  const first = readTokens(file, {});
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(first.made).toBe(true);
  expect(readTokens(file, {})).toEqual({ tokens: first.tokens, made: false });
  const given = { TIDEGATE_SERVE_VIEWER_TOKEN: 'v'.repeat(24) };
  expect(readTokens(file, given)).toEqual({ tokens: { viewer: 'v'.repeat(24) }, made: false });
  expect(() => readTokens(file, { TIDEGATE_SERVE_TOKEN: 'short' })).toThrow('has 5 characters; expected 24 or more');
  writeFileSync(file, EVIL);
  expect(() => readTokens(file, {})).toThrow('cannot be read as');
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

(hasOpenssl ? test : test.skip)('with a certificate it listens on other addresses, by TLS alone, with secure cookies', async () => {
  const folder = temporaryFolder();
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name)) as [string, string];
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
  spawnSync('openssl', [...words.split(' '), '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert]);
  const server = await start({ cert, key, listen: '0.0.0.0', origin: ['https://bots.example.com'] });
  const { port } = new URL(server.url);
  const headers = { host: 'bots.example.com', origin: 'https://bots.example.com', 'content-type': 'application/json' };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      method: 'POST',
      host: '127.0.0.1',
      port,
      path: '/api/session',
      headers,
      ca: readFileSync(cert),
      checkServerIdentity: () => undefined,
    };
    request(options, resolve)
      .on('error', reject)
      .end(JSON.stringify({ token: server.tokens.viewer }));
  });
  answer.resume();
  expect(answer.statusCode).toBe(200);
  expect(String(answer.headers['set-cookie'])).toMatch(/; HttpOnly; SameSite=Strict; Secure$/);
  expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
});
