// npm run weex-sdk: every method of the Python package weex-sdk for trade and account, once, against a local exchange. The package is
// installed into a temporary folder. Ends with 0 and a line where Python or the package is not available, and with 1 where a method fails.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildIfNeeded, root } from './tools.mjs';

const PACKAGE = 'weex-sdk==1.0.10';
const FETCH_MS = 120_000;

await buildIfNeeded();
const { startExchange } = await import('../dist/entries/exchange.js');

const folder = mkdtempSync(join(tmpdir(), 'tidegate-weex-sdk-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--root-user-action', 'ignore', '--target', folder, PACKAGE];
const fetched = spawnSync('python3', pip, { encoding: 'utf8', timeout: FETCH_MS });
if (fetched.status !== 0) {
  const why = fetched.error?.message ?? fetched.stderr?.trim().split('\n').at(-1);
  console.log(`weex-sdk is skipped: python3 cannot install ${PACKAGE} (${why})`);
  process.exit(0);
}

const contract = { value: '0.000001', tiers: [{ maintenance: '0.005' }] };
const exchange = await startExchange({
  instruments: { 'BTC-USDT-PERP': { tickSize: '0.1', stepSize: '0.0001', makerFee: '0.0002', takerFee: '0.0006', contract } },
  accounts: [{ name: 'trader', balances: { futures: { USDT: '10000' } } }],
});
exchange.setPrice('BTC-USDT-PERP', '60000');
const { key, secret, passphrase } = exchange.accounts[0];
const script = join(root, 'scripts/weex-sdk.py');
const child = spawn('python3', [script, exchange.futures, key, secret, passphrase], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, PYTHONPATH: folder },
});
const counts = { plain: 0, async: 0, unknown: 0, failed: 0 };
createInterface({ input: child.stdout }).on('line', (line) => {
  const { method, kind, error } = JSON.parse(line);
  counts[error === '' ? kind : 'failed']++;
  if (error !== '') console.log(`${method} (${kind}): ${error}`);
  else if (kind === 'unknown') console.log(`${method}: no document describes it, and it is refused as unknown`);
});
const code = await new Promise((resolve) => child.on('close', resolve));
await exchange.close();
console.log(`${PACKAGE}: ${counts.plain} calls and ${counts.async} asynchronous ones right, ${counts.failed} wrong`);
process.exit(code === 0 && counts.failed === 0 ? 0 : 1);
