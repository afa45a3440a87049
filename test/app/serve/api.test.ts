import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROUTES, type Route } from '../../../src/app/serve/api/routes.ts';
import { ROOT } from '../../support/cli.ts';
import { answering, serving } from './serving.ts';

test('docs/reference/serve.md has every route with its role', () => {
  const page = readFileSync(join(ROOT, 'docs/reference/serve.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z]+) (\/[^`?]*)`.* \| ([a-z]+) \| (.*) \|$/gm)].map((row) => row.slice(1));
  expect(rows).toEqual(Object.values<Route>(ROUTES).map(({ method, path, role, summary }) => [method, path, role, summary]));
});

test('the OpenAPI document has every route, its parameters, bodies and answers, of the declaration that the server runs by', async () => {
  const server = await serving(() => [answering('one')]);
  const { json } = await server.as('viewer', '/api/openapi.json');
  expect(json).toMatchObject({ openapi: '3.1.0', info: { title: 'Tidegate' } });
  const listed = Object.entries<Record<string, unknown>>(json.paths).flatMap(([path, of]) =>
    Object.keys(of).map((method) => `${method} ${path}`),
  );
  expect(listed.sort()).toEqual(
    Object.values<Route>(ROUTES)
      .map(({ method, path }) => `${method.toLowerCase()} ${path}`)
      .sort(),
  );
  const { post } = json.paths['/api/bots/{id}/acts'];
  expect(post.parameters).toEqual([{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]);
  const body = post.requestBody.content['application/json'].schema;
  expect(body).toMatchObject({ required: ['act', 'confirm'], additionalProperties: false });
  expect(body.properties.act.enum).toEqual(['stop', 'kill', 'flatten', 'reduce', 'pause', 'resume', 'reset']);
  expect(json.paths['/api/bots/{id}/fills'].get.parameters[1]).toMatchObject({ name: 'limit', in: 'query', schema: { maximum: 2000 } });
  expect(json.paths['/api/fleet'].get.responses[200].content['application/json'].schema.properties.totals.type).toBe('array');
  expect(json.paths['/health'].get.security).toEqual([]);
});
