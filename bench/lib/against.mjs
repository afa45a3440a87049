// Compares this tree with another one: the same case on both in turn, so that a busy machine slows both.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROCESS_CASES, prepareCase } from '../cases/process.mjs';
import { median } from './measure.mjs';
import { OWN_TREE } from './process.mjs';

/** Pairs of runs of each case, unless the caller wants another number; of processes, a first pair is not counted. */
export const PAIRS = 5;
const LONG_PAIRS = 1;

/** Checks a git ref out into a temporary worktree, installs what it depends on and builds it. */
export function buildTree(ref) {
  const folder = join(mkdtempSync(join(tmpdir(), 'tidegate-against-')), 'tree');
  const remove = () => {
    spawnSync('git', ['worktree', 'remove', '--force', folder], { cwd: OWN_TREE });
    rmSync(join(folder, '..'), { recursive: true, force: true });
  };
  try {
    call('git', ['worktree', 'add', '--detach', folder, ref], OWN_TREE);
    const lock = (tree) => readFileSync(join(tree, 'package-lock.json'), 'utf8');
    if (lock(folder) === lock(OWN_TREE)) symlinkSync(join(OWN_TREE, 'node_modules'), join(folder, 'node_modules'), 'dir');
    else call('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'], folder);
    call('npm', ['run', '--silent', 'build'], folder);
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, remove };
}

/**
 * @param flags of Node, for a case that is not a process. @param most so many pairs. @param announce receives a line for each pair.
 * @returns one row: both medians, and the other tree's time as a multiple of ours, pair by pair.
 */
export async function compareCase(name, other, { flags, most, announce }) {
  const progress = (pair, unit) => announce(`${name}: ${round(pair[0])} ${unit} against ${round(pair[1])}`);
  const measured =
    name in PROCESS_CASES ? await processPairs(name, other, most, progress) : enginePairs(name, other, { flags, most, progress });
  const { pairs, cpuPairs, unit, peaks, note } = measured;
  if (pairs.length === 0) return { name, note };
  const own = median(pairs.map(([one]) => one));
  const theirs = median(pairs.map(([, one]) => one));
  return {
    name,
    unit,
    ours: round(own),
    theirs: round(theirs),
    timesAsFast: ratiosOf(pairs),
    // Of processes on Linux: a busy machine changes CPU time less than time.
    cpuTimes: cpuPairs?.every(([one]) => one > 0) ? ratiosOf(cpuPairs) : undefined,
    peakMb: peaks && `${peaks[0]} against ${peaks[1]}`,
    note,
  };
}

/** Minimum, median and maximum of what the other tree takes as a multiple of ours. */
function ratiosOf(pairs) {
  const ratios = pairs.map(([own, theirs]) => theirs / own).sort((a, b) => a - b);
  return `${round(ratios[0])} / ${round(median(ratios))} / ${round(ratios.at(-1))}`;
}

async function processPairs(name, other, most, progress) {
  const long = PROCESS_CASES[name].runs === 1;
  const trees = [OWN_TREE, other];
  const cases = [];
  for (const tree of trees) cases.push(await prepareCase(name, tree));
  const pairs = [];
  const cpuPairs = [];
  const peaks = [0, 0];
  let note = '';
  try {
    for (let run = long ? 1 : 0; run <= (long ? LONG_PAIRS : most); run++) {
      const [own, theirs] = [await cases[0].once(), await cases[1].once()];
      if (own.eventLogSha256 !== theirs.eventLogSha256) note = 'the event logs differ';
      if (run === 0) continue;
      pairs.push([own.ms, theirs.ms]);
      cpuPairs.push([own.cpuMs, theirs.cpuMs]);
      progress(pairs.at(-1), 'ms');
      [own, theirs].forEach(({ peakMb }, at) => {
        peaks[at] = Math.max(peaks[at], peakMb);
      });
    }
  } catch (error) {
    note = error.message.slice(0, 200);
  }
  for (const one of cases) one.clean();
  return { pairs, cpuPairs, unit: 'ms', peaks, note };
}

function enginePairs(name, other, { flags, most, progress }) {
  const pairs = [];
  for (let run = 0; run < most; run++) {
    const both = [OWN_TREE, other].map((tree) => {
      if (!existsSync(join(tree, 'bench/case.mjs'))) return undefined;
      const { status, stdout } = spawnSync(process.execPath, [...flags, join(tree, 'bench/case.mjs'), name], { encoding: 'utf8' });
      return status === 0 ? JSON.parse(stdout)[0].nsPerEvent : undefined;
    });
    if (both.includes(undefined)) return { pairs: [], note: 'not in both trees' };
    pairs.push(both);
    progress(both, 'ns an event');
  }
  return { pairs, unit: 'ns an event', note: '' };
}

function call(command, args, cwd) {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}

function round(value) {
  return Number(value.toPrecision(3));
}
