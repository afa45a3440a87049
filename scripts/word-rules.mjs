// npm run lint:words [path ...]: docs, help, messages and comments in plain words.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wordBreaches } from './words.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const EVERYWHERE = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'SECURITY.md',
  'docs',
  'src',
  'strategies',
  'configs',
  'templates',
  'bin',
  'ecosystem.config.cjs',
];

function filesIn(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  const names = readdirSync(join(root, path), { recursive: true }).map((name) => join(path, name).split('\\').join('/'));
  return names.filter((name) => /\.(md|ts|mjs|cjs|yaml|service|timer)$/.test(name)).sort();
}

const asked = process.argv.slice(2).map((path) => relative(root, join(process.cwd(), path)));
const files = (asked.length > 0 ? asked : EVERYWHERE).flatMap(filesIn);
const breaches = files.flatMap((path) => wordBreaches(path, readFileSync(join(root, path), 'utf8')));
for (const breach of breaches) console.error(breach);
if (breaches.length > 0) process.exitCode = 1;
else console.log(`plain words in ${files.length} files`);
