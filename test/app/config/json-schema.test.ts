import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { configJsonSchema } from '../../../src/app/config/schema/schema.ts';
import { schemaKeys } from './schema-keys.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (name: string) => readFileSync(`${root}${name}`, 'utf8');

const schema = JSON.parse(configJsonSchema());

test('the committed JSON Schema is the one of the code (npm run schema writes it)', () => {
  expect(read('configs/tidegate.schema.json')).toBe(configJsonSchema());
});

test('every key is described, in the schema and in docs/reference/config.md', () => {
  const docs = read('docs/reference/config.md');
  const all = schemaKeys(schema);
  expect(all.length).toBeGreaterThan(110);
  for (const [path, node] of all) {
    expect({ path, description: node.description }).toEqual({ path, description: expect.stringMatching(/\S/) });
    expect(docs).toContain(`| \`${path}\` |`);
  }
});

test('the tables of docs/reference/config.md are those that the schema gives', async () => {
  const { configTables } = (await import(`${root}scripts/config-tables.mjs`)) as { configTables(schema: unknown): string };
  expect(read('docs/reference/config.md')).toContain(`<!-- tables -->\n\n${configTables(schema)}\n`);
});

test('no heading of docs/reference/config.md is there twice', () => {
  const headings: readonly string[] = read('docs/reference/config.md').match(/^#+ .+$/gm) ?? [];
  expect(headings.filter((heading, index, all) => all.indexOf(heading) !== index)).toEqual([]);
});

test('every config names the schema for editors', () => {
  // The config of a local exchange is another kind, with a schema of its own.
  const configs = readdirSync(`${root}configs`).filter((name) => name.endsWith('.yaml') && name !== 'exchange.yaml');
  for (const name of configs)
    expect({ name, text: read(`configs/${name}`) }).toEqual({
      name,
      text: expect.stringContaining('# yaml-language-server: $schema=./tidegate.schema.json\n'),
    });
});
