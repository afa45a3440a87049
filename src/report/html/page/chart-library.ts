import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** TradingView Lightweight Charts as one classic script, with its licence notice, from wherever it is installed. */
export function chartLibrary(): string {
  const manifest = require.resolve('lightweight-charts/package.json');
  return readFileSync(join(dirname(manifest), 'dist', 'lightweight-charts.standalone.production.js'), 'utf8');
}
