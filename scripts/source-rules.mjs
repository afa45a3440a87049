// npm run lint:rules: the house rules that biome and dependency-cruiser do not know.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceBreaches, testBreaches } from './rules.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

function filesIn(folder, ending) {
  if (!existsSync(join(root, folder))) return [];
  const names = readdirSync(join(root, folder), { recursive: true }).map((name) => `${folder}/${name.split('\\').join('/')}`);
  return names.filter((name) => name.endsWith(ending)).sort();
}

const read = (path) => readFileSync(join(root, path), 'utf8');
const sources = filesIn('src', '.ts');
const tests = filesIn('test', '.test.ts');
const breaches = [
  ...sources.flatMap((path) => sourceBreaches(path, read(path))),
  ...tests.flatMap((path) => testBreaches(path, read(path))),
];
for (const breach of breaches) console.error(breach);
if (breaches.length > 0) process.exitCode = 1;
else console.log(`house rules hold in ${sources.length} sources and ${tests.length} tests`);
