import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/tidegate.mjs', import.meta.url));
const POLL_MS = 5;

/** Runs the command line to its end. @returns wall time and, on Linux, the most memory it held. */
export async function runTidegate(folder, args) {
  const started = performance.now();
  const child = spawn(process.execPath, [BIN, ...args], { cwd: folder });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  let peakKb = 0;
  const timer = setInterval(() => {
    peakKb = Math.max(peakKb, residentPeak(child.pid));
  }, POLL_MS);
  const code = await new Promise((resolve) => {
    child.on('close', resolve);
  });
  clearInterval(timer);
  if (code !== 0) throw new Error(`tidegate ${args.join(' ')} ended with ${code}: ${output}`);
  return { ms: performance.now() - started, peakMb: Math.round(peakKb / 1024), output };
}

function residentPeak(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
