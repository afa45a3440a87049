import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the tree that this file belongs to. */
export const OWN_TREE = fileURLToPath(new URL('../..', import.meta.url));
const POLL_MS = 5;

/** Ticks of CPU time in /proc, each second. */
const TICKS = 100;

/** Runs the command line of a tree to its end. @returns wall time; on Linux also CPU time of all threads, and the most memory it held. */
export async function runTidegate(tree, folder, args) {
  const started = performance.now();
  const child = spawn(process.execPath, [join(tree, 'bin/tidegate.mjs'), ...args], { cwd: folder });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  let peakKb = 0;
  let cpuMs = 0;
  const timer = setInterval(() => {
    peakKb = Math.max(peakKb, residentPeak(child.pid));
    cpuMs = Math.max(cpuMs, cpuTime(child.pid));
  }, POLL_MS);
  const code = await new Promise((resolve) => {
    child.on('close', resolve);
  });
  clearInterval(timer);
  if (code !== 0) throw new Error(`tidegate ${args.join(' ')} ended with ${code}: ${output}`);
  return { ms: performance.now() - started, cpuMs, peakMb: Math.round(peakKb / 1024), output };
}

/** User and system time so far, in ms. */
function cpuTime(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may have spaces.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
  } catch {
    return 0;
  }
}

function residentPeak(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
