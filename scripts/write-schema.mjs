// npm run schema: writes configs/tidegate.schema.json and the tables of docs/reference/config.md from src/app/config, and those of
// docs/reference/statistics.md and docs/reference/diagnosis.md from src/statistics and of docs/reference/cli.md from src/app/commands.
// The TypeScript is bundled first, so that this needs no build and cannot take a stale one.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { withOptionTables } from './cli-tables.mjs';
import { configTables } from './config-tables.mjs';
import { withCheckSections } from './diagnosis-sections.mjs';
import { withStatisticsTables } from './statistics-tables.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
const folder = mkdtempSync(join(root, 'node_modules/.cache/schema-'));
try {
  const { configJsonSchema } = await bundled('src/app/config/schema/schema.ts');
  const { STATISTIC_DEFINITIONS } = await bundled('src/statistics/statistics.ts');
  const text = configJsonSchema();
  writeFileSync(join(root, 'configs/tidegate.schema.json'), text);
  const docs = join(root, 'docs/reference/config.md');
  const [start, , end = ''] = readFileSync(docs, 'utf8').split(/(?<=<!-- tables -->\n)|(?=<!-- end of tables -->)/);
  writeFileSync(docs, `${start}\n${configTables(JSON.parse(text))}\n${end}`);
  const statistics = join(root, 'docs/reference/statistics.md');
  writeFileSync(statistics, withStatisticsTables(readFileSync(statistics, 'utf8'), STATISTIC_DEFINITIONS));
  const { CHECKS } = await bundled('src/statistics/diagnosis/diagnose.ts');
  const diagnosis = join(root, 'docs/reference/diagnosis.md');
  writeFileSync(diagnosis, withCheckSections(readFileSync(diagnosis, 'utf8'), CHECKS));
  const { commandLine } = await bundled('src/app/cli.ts');
  const cli = join(root, 'docs/reference/cli.md');
  writeFileSync(cli, withOptionTables(readFileSync(cli, 'utf8'), commandLine().commands));
  console.log('wrote configs/tidegate.schema.json and the tables of config.md, statistics.md, diagnosis.md and cli.md in docs/reference');
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
  const name = basename(path, '.ts');
  const file = join(folder, `${name}.mjs`);
  await build.write({ dir: folder, entryFileNames: '[name].mjs', chunkFileNames: `${name}-[hash].mjs`, format: 'esm' });
  await build.close();
  return import(pathToFileURL(file).href);
}
