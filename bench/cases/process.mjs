import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeBars } from '../lib/bars.mjs';
import { median, row } from '../lib/measure.mjs';
import { OWN_TREE, runTidegate } from '../lib/process.mjs';
import { makeQuotes } from '../lib/quotes.mjs';
import { price, writeRows } from '../lib/write-rows.mjs';

const STRATEGIES = new URL('../strategies/', import.meta.url).pathname;
const FROM_CODE = fileURLToPath(new URL('../lib/from-code.mjs', import.meta.url));
const SMA_20_50 = { strategy: 'bar-cross.ts', params: { fast: 20, slow: 50 } };
const EVERY_BAR = { strategy: 'every-bar.ts' };
const RARE_TRADER = { strategy: 'bar-cross.ts', params: { fast: 150, slow: 600 } };

/** A whole process of the command line: each case writes its input once and imports it, then times `backtest` alone. */
const BARS = { kind: 'bar', write: writeBars };
const QUOTES = { kind: 'quote', write: writeQuotes, strategy: 'quote-cross.ts', params: { fast: 150, slow: 600 } };

/** Every such case by the name of its row. */
export const PROCESS_CASES = {
  'process-start': { ...BARS, ...SMA_20_50, count: 1_000, runs: 11 },
  'process-bars-1m': { ...BARS, ...SMA_20_50, count: 1_000_000, runs: 5 },
  'process-bars-1m-rare': { ...BARS, ...RARE_TRADER, count: 1_000_000, runs: 5, withImport: true },
  'process-turnover-100k': { ...BARS, ...EVERY_BAR, count: 100_000, runs: 5 },
  'process-turnover-1m': { ...BARS, ...EVERY_BAR, count: 1_000_000, runs: 1 },
  'process-turnover-1m-parquet': { ...BARS, ...EVERY_BAR, count: 1_000_000, runs: 1, options: ['--format', 'parquet'] },
  'process-quotes-10m': { ...QUOTES, count: 10_000_000, runs: 3 },
};

/** The case of this name as one row: median time, highest memory. */
export async function processCase(name) {
  const { count, runs } = PROCESS_CASES[name];
  const case_ = await prepareCase(name, OWN_TREE);
  const done = [];
  for (let run = 0; run < runs; run++) done.push(await case_.once());
  case_.clean();
  const peak = Math.max(...done.map(({ peakMb }) => peakMb));
  const detail = `median of ${runs}, ${done.at(-1).detail}, peak ${peak} MB`;
  return [row(name, count, (median(done.map(({ ms }) => ms)) * 1e6) / count, undefined, detail)];
}

/** Writes the input of a case into a new folder, and imports it with the command line of `tree` unless the import is timed. */
export async function prepareCase(name, tree) {
  const { kind, write, count, strategy, params = {}, withImport = false, options = [] } = PROCESS_CASES[name];
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  write(join(folder, 'rows.csv'), count);
  writeConfig(folder, strategy, params);
  const importRows = () =>
    runTidegate(tree, folder, ['data', 'import', 'rows.csv', '--symbol', 'COIN-USD', '--kind', kind, '--name', 'bench']);
  if (!withImport) await importRows();
  return {
    async once() {
      for (const made of withImport ? ['data', 'out'] : ['out']) rmSync(join(folder, made), { recursive: true, force: true });
      const imported = withImport ? await importRows() : { ms: 0, cpuMs: 0, peakMb: 0 };
      const tested = await runTidegate(tree, folder, ['backtest', 'bench.yaml', '--json', '--quiet', '--out', 'out', ...options]);
      const { fills, marketEvents, eventLogSha256 } = JSON.parse(tested.output);
      if (marketEvents !== count) throw new Error(`${marketEvents} of ${count} rows were replayed`);
      const detail = withImport
        ? `import ${Math.round(imported.ms)} ms, backtest ${Math.round(tested.ms)} ms, ${fills} fills`
        : `${fills} fills`;
      const peakMb = Math.max(imported.peakMb, tested.peakMb);
      return { ms: imported.ms + tested.ms, cpuMs: imported.cpuMs + tested.cpuMs, peakMb, detail, eventLogSha256 };
    },
    clean() {
      rmSync(folder, { recursive: true });
    },
  };
}

/**
 * The same run from code, in a plain process, after one of the command line: reading, planning and replay without a page and tables.
 * @returns a row with the median time of a call, and its ratio to the process of the command line.
 */
export async function libraryCase() {
  const { count, runs, ...rest } = PROCESS_CASES['process-bars-1m'];
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  rest.write(join(folder, 'rows.csv'), count);
  writeConfig(folder, rest.strategy, rest.params);
  await runTidegate(OWN_TREE, folder, ['data', 'import', 'rows.csv', '--symbol', 'COIN-USD', '--kind', rest.kind, '--name', 'bench']);
  const calls = [];
  const processes = [];
  for (let run = 0; run < runs; run++) {
    rmSync(join(folder, 'out'), { recursive: true, force: true });
    const program = await runTidegate(OWN_TREE, folder, ['backtest', 'bench.yaml', '--json', '--quiet', '--out', 'out']);
    const script = await promisify(execFile)(process.execPath, [FROM_CODE, OWN_TREE], { cwd: folder });
    const call = JSON.parse(script.stdout);
    if (call.eventLogSha256 !== JSON.parse(program.output).eventLogSha256) throw new Error('code and command line gave two hashes');
    processes.push(program.ms);
    calls.push(call);
  }
  rmSync(folder, { recursive: true });
  const ms = median(calls.map((call) => call.ms));
  const peak = Math.round(Math.max(...calls.map(({ peakKb }) => peakKb)) / 1024);
  const ratio = (ms / median(processes)).toFixed(2);
  const detail = `median of ${runs}, ${calls[0].fills} fills, ${ratio} of the process of the command line, peak ${peak} MB`;
  return [row('library-bars-1m', count, (ms * 1e6) / count, undefined, detail)];
}

/** Writes one-minute bars of COIN-USD as CSV. */
export function writeBars(path, count) {
  const bars = makeBars(count, 5);
  const [opens, highs, lows, closes, volumes] = bars.columns;
  writeRows(path, 'open_time,open,high,low,close,volume', count, (i) =>
    [bars.time[i], price(opens[i]), price(highs[i]), price(lows[i]), price(closes[i]), volumes[i]].join(','),
  );
}

function writeQuotes(path, count) {
  const part = 1_000_000;
  const quotes = makeQuotes(part, 3);
  const [bids, asks, bidSteps, askSteps] = quotes.columns;
  writeRows(path, 'time,bid,ask,bid_qty,ask_qty', count, (i) => {
    const at = i % part;
    const time = quotes.time[0] + i * 100;
    return [time, price(bids[at]), price(asks[at]), bidSteps[at], askSteps[at]].join(',');
  });
}

function writeConfig(folder, strategy, params) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'bench.yaml'), JSON.stringify(benchConfig(strategy, params)));
}

/** The config of a run of one strategy over the recording `bench` of the working directory. */
export function benchConfig(strategy, params) {
  return {
    name: 'bench',
    dataDir: 'data',
    account: { kind: 'netting', balances: { USD: '100000000' } },
    instruments: { 'COIN-USD': { tickSize: '0.01', stepSize: '0.01', makerFee: '0.001', takerFee: '0.001' } },
    strategies: [{ id: 'bench', file: join(STRATEGIES, strategy), symbols: ['COIN-USD'], params }],
    risk: { account: { maxDrawdown: '0.9', maxExposure: '1000000000', maxOpenOrders: 100 } },
    backtest: { data: ['bench'] },
  };
}
