import { expect, test } from '@jest/globals';
import { answering, serving } from './serving.ts';

const ASSETS = /(?:src|href)="(assets\/[^"]+)"/g;

test('the document of the pages has no inline script, style or foreign address, and comes without a token', async () => {
  const { send } = await serving(() => []);
  const { status, headers, text } = await send('/');
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self'");
  expect(text).not.toMatch(/<script>|<style| style=| on\w+=|https?:/);
  const names = [...text.matchAll(ASSETS)].map(([, name]) => name!);
  expect(names).toHaveLength(2);
  const [style, script] = await Promise.all(names.map((name) => send(`/${name}`)));
  expect(style!.headers).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect(script!.headers['content-type']).toBe('text/javascript; charset=utf-8');
  // The page calls the API by relative paths, so that it is right below any base path.
  expect(script!.text).toContain('"api/events"');
  expect(script!.text).not.toMatch(/["'`]\/api\//);
});

test('below a base path, the address without the slash leads to the one with it', async () => {
  const { send } = await serving(() => [], { basePath: '/bots' });
  const { status, headers } = await send('');
  expect({ status, location: headers.location }).toEqual({ status: 302, location: '/bots/' });
  expect((await send('/')).text).toContain('href="assets/');
});

test.each(['/assets/pages.js', '/assets/%2e%2e%2fpackage.json', '/assets/..%2f..%2fpackage.json', '/assets/constructor'])(
  'there is no file %s',
  async (path) => {
    const { send } = await serving(() => [answering('one')]);
    expect((await send(path)).status).toBe(404);
  },
);

test('another host name gets no page', async () => {
  const { send } = await serving(() => []);
  expect((await send('/', { headers: { host: 'evil.example' } })).status).toBe(421);
});
