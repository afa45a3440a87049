// The process of independent-runs.test.ts: it runs backtests in a row from the built entry, and prints what they leave behind.
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';

const [root, runs] = process.argv.slice(2);
const { backtest } = await import(pathToFileURL(`${root}/dist/bundle/run.js`).href);
const { place, Sma, Strategy } = await import(pathToFileURL(`${root}/dist/bundle/index.js`).href);

class Cross extends Strategy {
  static needs = { bars: '1m' };
  fast = new Sma(10);
  slow = new Sma(30);
  onBar(bar) {
    this.fast.update(bar.closeTicks);
    this.slow.update(bar.closeTicks);
    if (!this.slow.ready) return undefined;
    const up = this.fast.compare(this.slow) > 0;
    const { quantity } = this.position(bar.symbol);
    if (up === quantity > 0) return undefined;
    this.log.info('turns');
    return place({ symbol: bar.symbol, side: up ? 'buy' : 'sell', type: 'market', quantity: up ? '0.5' : quantity });
  }
}

const config = {
  name: 'many',
  dataDir: `${root}/data`,
  account: { kind: 'spot', balances: { USDT: 100_000 } },
  instruments: { 'BTC-USDT': { tickSize: 0.01, stepSize: 0.00001, makerFee: 0.001, takerFee: 0.001 } },
  strategies: [{ id: 'cross', use: Cross, symbols: ['BTC-USDT'] }],
  backtest: { data: ['sample'], from: '2025-01-01', to: '2025-01-05' },
};

const listeners = () => process.eventNames().map((name) => [String(name), process.listenerCount(name)]);
const left = () => ({
  listeners: listeners(),
  resources: process
    .getActiveResourcesInfo()
    .filter((name) => !name.endsWith('Wrap') && name !== 'Immediate')
    .sort(),
  files: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
  temporary: readdirSync(tmpdir()),
});
/** Bytes in use after a collection. */
const memory = () => {
  for (let time = 0; time < 3; time++) globalThis.gc();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
};

const hashes = new Set();
const aborted = new AbortController();
await backtest(config, { signal: aborted.signal });
const before = left();
const bytes = [];
for (let run = 1; run <= Number(runs); run++) {
  const { eventLogSha256, fills, equity } = await backtest(config, { signal: aborted.signal, onProgress: () => {}, onLog: () => {} });
  hashes.add(`${eventLogSha256} ${fills.price.length} ${equity.equity.length}`);
  if (run % 10 === 0) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    bytes.push(memory());
  }
}
console.log(JSON.stringify({ hashes: [...hashes], before, after: left(), bytes }));
