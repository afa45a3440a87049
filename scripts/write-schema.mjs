// npm run schema: writes configs/tidegate.schema.json and the tables of docs/config.md from src/app/config.
// The TypeScript is bundled first, so that this needs no build and cannot take a stale one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { configTables } from './config-tables.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules/.cache/schema-'));
try {
  const build = await rolldown({
    input: join(root, 'src/app/config/json-schema.ts'),
    platform: 'node',
    tsconfig: false,
    external: (id) => !/^[./]/.test(id),
  });
  const file = join(folder, 'json-schema.mjs');
  await build.write({ file, format: 'esm' });
  await build.close();
  const { configJsonSchema } = await import(pathToFileURL(file).href);
  const text = configJsonSchema();
  writeFileSync(join(root, 'configs/tidegate.schema.json'), text);
  const docs = join(root, 'docs/config.md');
  const [start, , end = ''] = readFileSync(docs, 'utf8').split(/(?<=<!-- tables -->\n)|(?=<!-- end of tables -->)/);
  writeFileSync(docs, `${start}\n${configTables(JSON.parse(text))}\n${end}`);
  console.log('wrote configs/tidegate.schema.json and the tables of docs/config.md');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
