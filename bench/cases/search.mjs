import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, row } from '../lib/measure.mjs';
import { OWN_TREE, runTidegate } from '../lib/process.mjs';
import { benchConfig, writeBars } from './process.mjs';

/** 10 x 20 pairs of averages. */
const FASTS = [5, 10, 15, 20, 25, 30, 35, 40, 45, 50];
const SLOWS = Array.from({ length: 20 }, (_, index) => 60 + 10 * index);
/** BENCH_SEARCH_BARS makes all cases of this file smaller, to see that they work. */
const BARS = Number(process.env.BENCH_SEARCH_BARS ?? 1_000_000);
const PEER_BARS = BARS / 10;
const COMMANDS = 10;
const PEERS = fileURLToPath(new URL('../peers/optimize.py', import.meta.url));

/** The grid in so many parts, each a search of its own: with one worker and with two by turns, so that a busy machine slows both. */
const PARTS = 5;

/**
 * 200 pairs of averages on a million bars: searches with one worker and with two, each one process, by turns with ten processes of
 * `backtest` that stand for two hundred.
 */
export async function searchCase() {
  const folder = await imported(BARS);
  const [commands, ones, twos] = [[], [], []];
  for (let part = 0; part < PARTS; part++) {
    const slows = SLOWS.filter((_, index) => index % PARTS === part);
    for (let index = 0; index < COMMANDS / PARTS; index++)
      commands.push(await command(folder, FASTS[(3 * part + 5 * index) % 10], slows[index]));
    const set = ['--set', `search.parameters.slow.values=${JSON.stringify(slows)}`];
    const one = () => search(folder, `one-${part}`, ['--workers', '1', ...set]).then((done) => ones.push(done));
    const two = () => search(folder, `two-${part}`, ['--workers', '2', ...set]).then((done) => twos.push(done));
    for (const run of part % 2 === 0 ? [one, two] : [two, one]) await run();
  }
  for (const { fast, slow, totalReturn } of commands) {
    for (const parts of [ones, twos]) {
      const trials = parts.flatMap((part) => part.trials);
      const { objective } = trials.find(({ params }) => params.fast === String(fast) && params.slow === String(slow));
      if (objective !== totalReturn) throw new Error(`the trial of ${fast} and ${slow} has ${objective}, its backtest ${totalReturn}`);
    }
  }
  const { sharedMb } = JSON.parse((await runTidegate(OWN_TREE, folder, ['search', 'bench.yaml', '--estimate', '--json'])).output);
  rmSync(folder, { recursive: true });
  const trials = FASTS.length * SLOWS.length;
  const ms = twos.reduce((sum, part) => sum + part.ms, 0);
  const timesOne = median(ones.map((one, part) => one.ms / twos[part].ms));
  const timesCommand = (median(commands.map((run) => run.ms)) * trials) / ms;
  const sumOf = (parts) => parts.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  const peakOf = (parts) => Math.max(...parts.map(({ peakMb }) => peakMb));
  const detail = [
    `two workers ${timesOne.toFixed(2)} times one (median of ${PARTS} parts), with ${(sumOf(twos) / sumOf(ones)).toFixed(2)} times its CPU time`,
    `${timesCommand.toFixed(2)} times ${trials} processes of backtest (median of ${COMMANDS})`,
    `peak ${peakOf(ones)} MB with one worker, ${peakOf(twos)} MB with two, ${sharedMb} MB of it the data`,
  ];
  return [row('search-200', BARS * trials, (ms * 1e6) / (BARS * trials), undefined, detail.join(', '))];
}

/** One pair as a process of the command line. */
async function command(folder, fast, slow) {
  rmSync(join(folder, 'out'), { recursive: true, force: true });
  const set = ['--set', `strategies.0.params.fast=${fast}`, '--set', `strategies.0.params.slow=${slow}`];
  const { ms, output } = await runTidegate(OWN_TREE, folder, ['backtest', 'bench.yaml', '--json', '--quiet', '--out', 'out', ...set]);
  return { ms, fast, slow, totalReturn: JSON.parse(output).statistics.totalReturn };
}

/** The same pairs on a tenth of the bars, by turns with `optimize` of backtesting.py and with vectorbt, if this machine has them. */
export async function searchPeersCase() {
  const folder = await imported(PEER_BARS);
  writeFileSync(join(folder, 'grid.json'), JSON.stringify({ fasts: FASTS, slows: SLOWS }));
  const ours = await search(folder, 'ours', []);
  const peers = [];
  for (const name of ['backtesting', 'vectorbt']) {
    const { stdout } = await promisify(execFile)(process.env.PYTHON ?? 'python3', [PEERS, name, folder]);
    peers.push(stdout.trim() === '' ? `${name} is not installed` : peerText(JSON.parse(stdout), ours));
  }
  rmSync(folder, { recursive: true });
  const trials = ours.trials.length;
  return [row('search-peers', PEER_BARS * trials, (ours.ms * 1e6) / (PEER_BARS * trials), undefined, peers.join('; '))];
}

function peerText({ name, version, ms, trials, least, most }, ours) {
  const perTrial = (ours.ms / ours.trials.length).toFixed(1);
  const counts = ours.trials.map(({ statistics }) => statistics.trades);
  const range = `${Math.min(...counts)} to ${Math.max(...counts)}`;
  return `${(ms / trials).toFixed(1)} ms a trial by ${name} ${version} (${least} to ${most} trades), ${perTrial} by ours (${range})`;
}

/** A folder with the recording and a config of the search. */
async function imported(count) {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'));
  writeBars(join(folder, 'rows.csv'), count);
  const config = benchConfig('bar-cross.ts', { fast: 20, slow: 50 });
  const search = { parameters: { fast: { values: FASTS }, slow: { values: SLOWS } }, objective: 'totalReturn' };
  writeFileSync(join(folder, 'bench.yaml'), JSON.stringify({ ...config, search }));
  await runTidegate(OWN_TREE, folder, ['data', 'import', 'rows.csv', '--symbol', 'COIN-USD', '--kind', 'bar', '--name', 'bench']);
  return folder;
}

/** One search as a process. */
async function search(folder, out, options) {
  const { ms, cpuMs, peakMb } = await runTidegate(OWN_TREE, folder, ['search', 'bench.yaml', '--out', out, '--quiet', ...options]);
  const shown = await runTidegate(OWN_TREE, folder, ['search', 'show', out, '--json', '--top', String(FASTS.length * SLOWS.length)]);
  const { trials } = JSON.parse(shown.output);
  if (trials.some(({ outcome }) => outcome !== 'done')) throw new Error(readFileSync(join(folder, 'bench.yaml'), 'utf8'));
  return { ms, cpuMs, peakMb, trials };
}
