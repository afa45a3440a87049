// What the scripts share. Node's own modules only: these run before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Ends with a message when Node is older than package.json's `engines` allow. */
export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Tidegate needs Node 20.19 or newer; this is ${process.version} (${process.execPath}).`);
  process.exit(1);
}

/** Installs when node_modules is missing or older than the lockfile. */
export async function installIfNeeded() {
  const installed = join(root, 'node_modules/.package-lock.json');
  if (existsSync(installed) && modified(installed) >= modified(join(root, 'package-lock.json'))) return;
  console.error('Installing dependencies: npm ci --include=dev');
  await runOrExit(...npm('ci', '--include=dev', '--no-audit', '--no-fund'));
}

/** Builds when dist is missing or older than a source; a build with errors leaves none behind. */
export async function buildIfNeeded() {
  const built = join(root, 'dist/bundle/cli.js');
  const newest = Math.max(
    newestIn(join(root, 'src')),
    ...['tsconfig.json', 'tsconfig.build.json', 'scripts/bundle.mjs'].map((name) => modified(join(root, name))),
  );
  if (existsSync(built) && modified(built) >= newest) return;
  console.error('Building: npm run build');
  await runOrExit(...npm('run', '--silent', 'build'));
}

/** The exit code of a command that has our terminal. */
export function run(command, args) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
  const forward = (signal) => {
    // On a terminal, Ctrl-C reaches the child by itself; a second one might mean "at once".
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  return new Promise((resolve) => {
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(127);
    });
    child.on('exit', (code, signal) => {
      for (const name of signals) process.off(name, forward);
      // Ended by a signal: end in the same way, so that whoever waits for us can tell.
      if (signal !== null) process.kill(process.pid, signal);
      else resolve(code ?? 1);
    });
  });
}

async function runOrExit(command, args) {
  const code = await run(command, args);
  if (code !== 0) process.exit(code);
}

/** npm as a command, also where `npm` itself is no executable (Windows). */
function npm(...args) {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? [process.execPath, [script, ...args]] : ['npm', args];
}

function modified(file) {
  return statSync(file).mtimeMs;
}

function newestIn(folder) {
  const times = readdirSync(folder, { withFileTypes: true }).map((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? newestIn(path) : modified(path);
  });
  return Math.max(0, ...times);
}
