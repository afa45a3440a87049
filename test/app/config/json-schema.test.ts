import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { configJsonSchema } from '../../../src/app/config/schema/schema.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (name: string) => readFileSync(`${root}${name}`, 'utf8');

interface SchemaNode {
  readonly description?: string;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

/** Every key of the schema by its path, `[]` for list items and `<symbol>` for free keys. */
function keys(node: SchemaNode, path = ''): [path: string, node: SchemaNode][] {
  const own = Object.entries(node.properties ?? {}).flatMap(([key, value]): [string, SchemaNode][] => {
    const full = path === '' ? key : `${path}.${key}`;
    return [[full, value], ...keys(value, full)];
  });
  const free = typeof node.additionalProperties === 'object' ? keys(node.additionalProperties, `${path}.<symbol>`) : [];
  return [
    ...own,
    ...free,
    ...(node.items ? keys(node.items, `${path}[]`) : []),
    ...(node.anyOf ?? []).flatMap((option) => keys(option, path)),
  ];
}

const schema = JSON.parse(configJsonSchema()) as SchemaNode;

test('the committed JSON Schema is the one of the code (npm run schema writes it)', () => {
  expect(read('configs/tidegate.schema.json')).toBe(configJsonSchema());
});

test('every key is described, in the schema and in docs/config.md', () => {
  const docs = read('docs/config.md');
  const all = keys(schema);
  expect(all.length).toBeGreaterThan(110);
  for (const [path, node] of all) {
    expect({ path, description: node.description }).toEqual({ path, description: expect.stringMatching(/\S/) });
    expect(docs).toContain(`| \`${path}\` |`);
  }
});

test('the tables of docs/config.md are those that the schema gives', async () => {
  const { configTables } = (await import(`${root}scripts/config-tables.mjs`)) as { configTables(schema: unknown): string };
  expect(read('docs/config.md')).toContain(`<!-- tables -->\n\n${configTables(schema)}\n`);
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
