// npm run schema: writes configs/tidegate.schema.json and the tables of docs/config.md from src/app/config, and those of
// docs/statistics.md from src/statistics.
// The TypeScript is bundled first, so that this needs no build and cannot take a stale one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { configTables } from './config-tables.mjs';
import { withStatisticsTables } from './statistics-tables.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules/.cache/schema-'));
try {
  const { configJsonSchema } = await bundled('src/app/config/schema/schema.ts');
  const { STATISTIC_DEFINITIONS } = await bundled('src/statistics/statistics.ts');
  const text = configJsonSchema();
  writeFileSync(join(root, 'configs/tidegate.schema.json'), text);
  const docs = join(root, 'docs/config.md');
  const [start, , end = ''] = readFileSync(docs, 'utf8').split(/(?<=<!-- tables -->\n)|(?=<!-- end of tables -->)/);
  writeFileSync(docs, `${start}\n${configTables(JSON.parse(text))}\n${end}`);
  const statistics = join(root, 'docs/statistics.md');
  writeFileSync(statistics, withStatisticsTables(readFileSync(statistics, 'utf8'), STATISTIC_DEFINITIONS));
  console.log('wrote configs/tidegate.schema.json and the tables of docs/config.md and docs/statistics.md');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What a source file exports. */
async function bundled(path) {
  const build = await rolldown({
    input: join(root, path),
    platform: 'node',
    tsconfig: false,
    external: (id) => !/^[./]/.test(id),
  });
  const file = join(folder, `${basename(path, '.ts')}.mjs`);
  await build.write({ file, format: 'esm' });
  await build.close();
  return import(pathToFileURL(file).href);
}
