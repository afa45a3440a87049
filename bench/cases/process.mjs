import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareQuotes } from '../bare-quotes.mjs';
import { makeBars } from '../lib/bars.mjs';
import { measure, median, RUNS, row } from '../lib/measure.mjs';
import { runTidegate } from '../lib/process.mjs';
import { makeQuotes } from '../lib/quotes.mjs';
import { price, writeRows } from '../lib/write-rows.mjs';

const STRATEGIES = new URL('../strategies/', import.meta.url).pathname;
const BARE = { fast: 60, slow: 240, steps: 100, cash: 1_000_000_000 };

/** From a CSV of a million one-minute bars to summary and report: import and backtest, whole processes. */
export async function processBarsCase() {
  const count = 1_000_000;
  const bars = makeBars(count, 5);
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  const [opens, highs, lows, closes, volumes] = bars.columns;
  writeRows(join(folder, 'bars.csv'), 'open_time,open,high,low,close,volume', count, (i) =>
    [bars.time[i], price(opens[i]), price(highs[i]), price(lows[i]), price(closes[i]), volumes[i]].join(','),
  );
  writeConfig(folder, 'bar-cross.ts');
  const times = [];
  let detail = '';
  for (let run = 0; run < RUNS; run++) {
    for (const made of ['data', 'out']) rmSync(join(folder, made), { recursive: true, force: true });
    const imported = await runTidegate(folder, ['data', 'import', 'bars.csv', '--symbol', 'COIN-USD', '--kind', 'bar', '--name', 'bench']);
    const tested = await runTidegate(folder, ['backtest', 'bench.yaml', '--json', '--quiet', '--out', 'out']);
    times.push(imported.ms + tested.ms);
    const { fills } = JSON.parse(tested.output);
    detail = `import ${Math.round(imported.ms)} ms, backtest ${Math.round(tested.ms)} ms, ${fills} fills, peak ${Math.max(imported.peakMb, tested.peakMb)} MB`;
  }
  rmSync(folder, { recursive: true });
  const bare = await measure(count, () => bareQuotes(opens, closes, BARE));
  return [row('process-bars-1m', count, (median(times) * 1e6) / count, bare.nsPerEvent, detail)];
}

/** Ten million quotes replayed from a recording: whole process, and the memory it needs. */
export async function processQuotesCase() {
  const count = 10_000_000;
  const part = 1_000_000;
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  const quotes = makeQuotes(part, 3);
  const [bids, asks, bidSteps, askSteps] = quotes.columns;
  writeRows(join(folder, 'quotes.csv'), 'time,bid,ask,bid_qty,ask_qty', count, (i) => {
    const at = i % part;
    const time = quotes.time[0] + i * 100;
    return [time, price(bids[at]), price(asks[at]), bidSteps[at], askSteps[at]].join(',');
  });
  writeConfig(folder, 'quote-cross.ts');
  await runTidegate(folder, ['data', 'import', 'quotes.csv', '--symbol', 'COIN-USD', '--kind', 'quote', '--name', 'bench']);
  const { ms, peakMb, output } = await runTidegate(folder, ['backtest', 'bench.yaml', '--json', '--quiet', '--out', 'out']);
  rmSync(folder, { recursive: true });
  const { fills, marketEvents } = JSON.parse(output);
  if (marketEvents !== count) throw new Error(`${marketEvents} of ${count} quotes were replayed`);
  return [row('process-quotes-10m', count, (ms * 1e6) / count, undefined, `one run, ${fills} fills, peak ${peakMb} MB`)];
}

function writeConfig(folder, strategy) {
  mkdirSync(folder, { recursive: true });
  const config = {
    name: 'bench',
    dataDir: 'data',
    account: { kind: 'netting', balances: { USD: '100000000' } },
    instruments: { 'COIN-USD': { tickSize: '0.01', stepSize: '0.01', makerFee: '0.0005', takerFee: '0.0005' } },
    strategies: [{ id: 'cross', file: join(STRATEGIES, strategy), symbols: ['COIN-USD'], params: { fast: 150, slow: 600 } }],
    risk: { account: { maxDrawdown: '0.9', maxExposure: '1000000000', maxOpenOrders: 100 } },
    backtest: { data: ['bench'] },
  };
  writeFileSync(join(folder, 'bench.yaml'), JSON.stringify(config));
}
