#!/usr/bin/env node
// Committed and executable: a bin that points into dist/ is remembered as broken by npx when called before the build.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const cli = new URL('../dist/bundle/cli.js', import.meta.url);
if (existsSync(cli)) {
  const { main } = await import(cli.href);
  await main(process.argv);
} else {
  console.error(`tidegate is not built yet. In ${fileURLToPath(new URL('..', import.meta.url))} run:\n\n  npm ci && npm run build\n`);
  process.exitCode = 2;
}
