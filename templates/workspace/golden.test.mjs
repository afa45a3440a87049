// Runs the backtest of each config, and compares its figures with those that were kept: the same data, config and code give the same
// run, to the last byte of its event log. `npm run golden` keeps the figures of today.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = dirname(import.meta.dirname);
const goldens = join(import.meta.dirname, 'golden');
const renew = process.env.RENEW_GOLDEN === '1';
/** The figures that must not change by themselves. The hash of the event log changes with every order, fill and entry of the ledger. */
const KEPT = ['from', 'to', 'orders', 'fills', 'denied', 'closedTrades', 'finalEquity', 'totalFees', 'error', 'eventLogSha256'];

for (const file of readdirSync(join(root, 'configs')).filter((name) => name.endsWith('.yaml'))) {
  const golden = join(goldens, file.replace(/\.yaml$/, '.json'));
  const skip = !renew && !existsSync(golden) && 'no figures are kept yet: npm run golden';
  test(`configs/${file} trades as before`, { skip }, () => {
    const figures = backtest(join('configs', file));
    if (renew) {
      mkdirSync(goldens, { recursive: true });
      writeFileSync(golden, `${JSON.stringify(figures, null, 2)}\n`);
    }
    assert.deepEqual(figures, JSON.parse(readFileSync(golden, 'utf8')));
  });
}

function backtest(config) {
  const out = mkdtempSync(join(tmpdir(), 'golden-'));
  try {
    const args = [tidegate(), 'backtest', config, '--json', '--quiet', '--out', join(out, 'run')];
    const summary = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
    return Object.fromEntries(KEPT.map((key) => [key, summary[key]]));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function tidegate() {
  const found = process.env.TIDEGATE_BIN;
  return found ?? join(dirname(createRequire(import.meta.url).resolve('tidegate/package.json')), 'bin/tidegate.mjs');
}
