// .ci/newest-node: the built program and its package on the newest Node with long support, and the package on this one too. The newest
// Node comes from the registry's package `node`, in a temporary folder. Ends with 0 and a line where it cannot be fetched.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, normalize } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root } from './tools.mjs';

const BIN = join(root, 'bin/tidegate.mjs');
const FETCH_MS = 30_000;
/** A bot on paper may take so long until it is ready, and then runs so long. */
const READY_MS = 60_000;
const PAPER_MS = 10_000;
/** The package may be so large, in bytes. */
const PACKED = 4_500_000;
const UNPACKED = 10_400_000;
/** Configs of examples whose data is made and not kept: their pages link to them. */
const NOT_PACKED = /^configs\/ported\/(band-dip|momentum-ranking)\.yaml$/;

/** The class of a strategy that buys once. */
const BODY = `extends Strategy {
  static params = z.object({ size: z.number().default(0.1) });
  static needs = { bars: '1m' };
  onBar(bar) {
    return this.position(bar.symbol).quantity > 0 ? undefined : place({ symbol: bar.symbol, side: 'buy', type: 'market', quantity: this.params.size });
  }
}`;

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-newest-')));
const failures = [];
const DEMO = join(folder, 'empty/demo');
/** An engine that does not fit ends an install. */
const STRICT = { ...process.env, npm_config_engine_strict: 'true', npm_config_audit: 'false', npm_config_fund: 'false' };
try {
  // What needs no newest Node begins while that one is fetched.
  const here = check('the package makes a project on this Node', project);
  const node = await newestNode();
  if (node !== undefined) await everything(node, here);
  await here;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.log(`failed: ${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function everything(node, here) {
  console.log(`${await output(node, ['--version'])} beside ${process.version}`);
  await Promise.all([
    check('npm start gives the hash of its example', () => start(node)),
    check('an example gives the hash of its golden', () => hashOf(node, 'queue-maker')),
    check('strategies in CommonJS and TypeScript trade', () => strategies(node)),
    check('a bot on paper starts and stops', () => paper(node)),
    here.then((paths) => paths && check('the project installs and runs there', () => projectOn(node, paths))),
  ]);
}

async function check(title, run) {
  const begin = performance.now();
  try {
    const result = await run();
    console.log(`ok: ${title} (${((performance.now() - begin) / 1000).toFixed(1)} s)`);
    return result;
  } catch (error) {
    failures.push(`${title}: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
  }
}

/** The executable of the newest even major, or undefined. */
async function newestNode() {
  const at = join(folder, 'node');
  mkdirSync(at);
  writeFileSync(join(at, 'package.json'), '{ "private": true }');
  try {
    const { stdout } = await run('npm', ['view', 'node', 'versions', '--json'], { cwd: at, timeout: FETCH_MS });
    const majors = JSON.parse(stdout).map((version) => Number(version.split('.')[0]));
    const newest = Math.max(...majors.filter((major) => major % 2 === 0));
    await run('npm', ['install', `node@${newest}`, '--no-audit', '--no-fund'], { cwd: at, timeout: FETCH_MS });
    return realpathSync(join(at, 'node_modules/.bin/node'));
  } catch (error) {
    console.log(`newest-node is skipped: npm cannot fetch it (${error.message.split('\n')[0]})`);
    return undefined;
  }
}

async function start(node) {
  const out = join(folder, 'start');
  const summary = JSON.parse(await output(node, [join(root, 'scripts/start.mjs'), '--json', '--quiet', '--out', out]));
  sameHash(summary);
  if (!existsSync(join(out, 'report.html'))) throw new Error('there is no report.html');
}

async function hashOf(node, example) {
  sameHash(await backtest(node, BIN, join(root, 'configs', `${example}.yaml`), example));
}

function sameHash({ name, eventLogSha256 }) {
  const { summary } = JSON.parse(readFileSync(join(root, 'test/golden', `${name}.json`), 'utf8'));
  if (eventLogSha256 !== summary.eventLogSha256) throw new Error(`${name}: ${eventLogSha256}, not ${summary.eventLogSha256}`);
}

async function backtest(node, bin, config, out, ...more) {
  return JSON.parse(await output(node, [bin, 'backtest', config, '--json', '--quiet', '--out', join(folder, out), ...more]));
}

async function strategies(node) {
  const files = {
    's.cjs': `const { Strategy, place, z } = require('tidegate');\nexports.Mine = class Mine ${BODY};\n`,
    's.ts': `import { type Bar, Strategy, place, z } from 'tidegate';\nexport class Mine ${BODY.replace('(bar)', '(bar: Bar)')}\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    writeFileSync(file, text);
    const set = [`strategies=[{ id: mine, file: ${file}, symbols: [BTC-USDT] }]`, 'backtest.to=2025-01-02'];
    const { fills } = await backtest(
      node,
      BIN,
      join(root, 'configs/sma-cross.yaml'),
      `out-${name}`,
      ...set.flatMap((one) => ['--set', one]),
    );
    if (fills !== 1) throw new Error(`${name}: ${fills} fills, not 1`);
  }
}

async function paper(node) {
  const args = [BIN, 'paper', join(root, 'configs/sma-cross.yaml'), '--set', `paper.dir=${join(folder, 'paper')}`];
  const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const ready = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
        if (said.includes('"ready"')) resolve();
      });
    }
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await Promise.race([ready, ended, pause(READY_MS)]);
  await Promise.race([pause(PAPER_MS), ended]);
  child.kill('SIGTERM');
  const code = await ended;
  if (code !== 0 || !said.includes('"ready"') || !said.includes('"stopped"')) throw new Error(`it ended with ${code}\n${said}`);
}

/** Packs, makes a project from the package on this Node, and runs it. @returns the paths in the package. */
async function project() {
  const { stdout } = await run('npm', ['pack', root, '--ignore-scripts', '--json'], { cwd: folder });
  const [{ filename, size, unpackedSize, files }] = JSON.parse(stdout);
  if (size > PACKED || unpackedSize > UNPACKED) throw new Error(`the package is too large: ${size} bytes, unpacked ${unpackedSize}`);
  const paths = files.map(({ path }) => path);
  const dead = paths.filter((path) => /^(?!templates).*\.md$/.test(path)).flatMap((path) => deadLinks(path, paths));
  if (dead.length > 0) throw new Error(`links of the package lead nowhere:\n${dead.join('\n')}`);

  const at = join(folder, 'empty');
  mkdirSync(at);
  writeFileSync(join(at, 'package.json'), '{ "private": true }');
  const [, typescript] = /TYPESCRIPT = '(.*)'/.exec(readFileSync(join(root, 'src/app/workspace/init-workspace.ts'), 'utf8'));
  await run('npm', ['install', '--prefer-offline', join(folder, filename), `typescript@${typescript}`], { cwd: at, env: STRICT });
  // The project finds both packages in the folder above: one install is enough.
  await run('npx', ['tidegate', 'init', 'demo', '--no-install'], { cwd: at, env: STRICT });
  await Promise.all([['start'], ['test']].map((args) => run('npm', args, { cwd: DEMO, env: STRICT })));
  return paths;
}

async function projectOn(node, paths) {
  const env = { ...STRICT, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  // A dry run compares the engines too.
  await run('npm', ['install', '--prefer-offline', '--dry-run'], { cwd: DEMO, env });
  await Promise.all([
    ...[['test'], ['run', 'check']].map((args) => run('npm', args, { cwd: DEMO, env })),
    everyConfig(node, join(folder, 'empty/node_modules/tidegate'), paths),
  ]);
}

/** The package has the data of every config of a run that it has: all but that of the local exchange. */
async function everyConfig(node, installed, paths) {
  const configs = paths.filter((path) => /^configs\/(?!exchange\.yaml).*\.yaml$/.test(path)).map((path) => join(installed, path));
  const script = `const { main } = await import(${JSON.stringify(join(installed, 'dist/bundle/cli.js'))});
    for (const config of ${JSON.stringify(configs)}) await main(['', '', 'config', 'check', config]);`;
  await run(node, ['--input-type=module', '-e', script], { cwd: folder });
}

function deadLinks(page, paths) {
  const text = readFileSync(join(root, page), 'utf8')
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, target]) => target).filter((target) => !/^[a-z]+:/.test(target));
  return targets
    .map((target) => normalize(join(dirname(page), target)))
    .filter((target) => !paths.includes(target) && !paths.some((path) => path.startsWith(`${target}/`)) && !NOT_PACKED.test(target))
    .map((target) => `${page}: ${target}`);
}

function run(command, args, options = {}) {
  return promisify(execFile)(command, args, { maxBuffer: 64 * 1024 * 1024, ...options });
}

async function output(command, args) {
  return (await run(command, args, { cwd: folder })).stdout.trim();
}
