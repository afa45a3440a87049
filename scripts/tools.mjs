// What the scripts share. Node's own modules only: these run before anything is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Characters of a command line that a message shows. */
const SHOWN = 120;

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Ends with a message on Windows, and when Node is older than package.json's `engines` allow. */
export function requireNode() {
  if (process.platform === 'win32') {
    console.error('Tidegate runs on Linux and macOS. On Windows, run it in WSL.');
    process.exit(2);
  }
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Tidegate needs Node 20.19 or newer; this is ${process.version} (${process.execPath}).`);
  process.exit(1);
}

/**
 * Installs when node_modules is missing or older than the lockfile. `npm ci` removes what is there: a bot that runs from this folder would
 * die of a bus error, as its libraries are mapped files. So with such a process nothing is installed, and we end with a message.
 */
export async function installIfNeeded() {
  if (isInstalled(root)) return;
  const running = usersOf(join(root, 'node_modules'));
  if (running.length > 0) {
    console.error(`The dependencies changed, and these processes use the present ones in ${join(root, 'node_modules')}:`);
    for (const { pid, command } of running) console.error(`  ${pid}  ${command}`);
    console.error('Stop them, then run: npm ci');
    process.exit(1);
  }
  console.error('Installing dependencies: npm ci --include=dev');
  await runOrExit(...npm('ci', '--include=dev', '--no-audit', '--no-fund'));
}

/** True if the dependencies of a folder are there: by npm, not older than its lockfile; or by pnpm or yarn, which see to it themselves. */
export function isInstalled(folder) {
  const modules = join(folder, 'node_modules');
  if (['.modules.yaml', '.yarn-state.yml'].some((name) => existsSync(join(modules, name)))) return true;
  const installed = join(modules, '.package-lock.json');
  return existsSync(installed) && modified(installed) >= modified(join(folder, 'package-lock.json'));
}

/** Other processes that use files of a folder: on Linux by the files that they have mapped, elsewhere by their command lines. */
export function usersOf(folder) {
  const used = `${folder}/`;
  const others = existsSync('/proc/self/maps') ? processesOfLinux() : processesOfPs();
  return others.filter(({ pid, uses }) => pid !== process.pid && pid !== process.ppid && uses.includes(used));
}

function processesOfLinux() {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return [{ pid, command: command.slice(0, SHOWN), uses: readFileSync(`/proc/${pid}/maps`, 'utf8') }];
    } catch {
      // It has ended, or belongs to somebody else.
      return [];
    }
  });
}

function processesOfPs() {
  const listed = spawnSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).stdout ?? '';
  return [...listed.matchAll(/^\s*(\d+)\s+(.*)$/gm)].map(([, pid, args]) => ({
    pid: Number(pid),
    command: args.slice(0, SHOWN),
    uses: args,
  }));
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
