// Runs the backtest of each config, and compares its figures with those that were kept: the same data, config and code give the same
// run, to the last byte of its event log. The first run of a config keeps its figures; `npm run golden` keeps those of today.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backtest } from 'tidegate/run';
import { checkGolden } from 'tidegate/testing';

const configs = join(import.meta.dirname, '../configs');

for (const file of readdirSync(configs).filter((name) => name.endsWith('.yaml'))) {
  test(`configs/${file} trades as before`, async () => {
    const result = await backtest(join(configs, file));
    checkGolden(join(import.meta.dirname, 'golden', file.replace(/\.yaml$/, '.json')), result);
  });
}
