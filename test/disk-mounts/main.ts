import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { botFolder } from '../../src/app/planning/bot-folder.ts';
import { check } from '../kills/check.ts';
import { KilledBot } from '../kills/drive.ts';
import { readHere } from '../kills/here.ts';
import { writeBot, writeExchange } from '../kills/place.ts';
import { type Ended, launchExchange, type Running } from '../kills/processes.ts';
import { readThere } from '../kills/there.ts';

// Called by scripts/disk-mounts.mjs with the project's folder, as root: prints what is wrong, as JSON.
const [root = '.'] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'tidegate-disk-mounts-'));
/** How long the bot trades before its disk fails, and how long it may take to notice, in ms. */
const TRADES_MS = 1_500;
const REACTION_MS = 60_000;
const MIB = 1024 * 1024;

const children: Running[] = [];
const mounted = new Set<string>();
const clean = () => {
  for (const { child } of children) child.kill('SIGKILL');
  for (const place of mounted) spawnSync('umount', ['--lazy', place]);
};
process.once('exit', clean);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** Mounts a file system for the bots of a case. @param image the file of an ext4 file system; without one it is in memory. */
function mount(place: string, image?: string): void {
  const what = image === undefined ? ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs'] : ['-o', 'loop', image];
  execFileSync('mount', [...what, place], { stdio: 'pipe' });
  mounted.add(place);
}

/** Before the journal is read here: the driver keeps its files open for a while. */
function unmount(place: string): void {
  execFileSync('umount', [place], { stdio: 'pipe' });
  mounted.delete(place);
}

function ext4(path: string, blockBytes: number): string {
  closeSync(openSync(path, 'w'));
  truncateSync(path, 32 * MIB);
  execFileSync('mke2fs', ['-q', '-F', '-t', 'ext4', '-b', String(blockBytes), path], { stdio: 'pipe' });
  return path;
}

/** Fills what room there is. @returns the file to remove. */
function fill(place: string): string {
  const ballast = join(place, 'ballast');
  const file = openSync(ballast, 'w');
  for (let bytes = MIB; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes));
    } catch {}
  }
  closeSync(file);
  return ballast;
}

/** One bot at one exchange, its folder on a file system of its own. */
class Case {
  readonly wrong: string[] = [];
  readonly mountPoint: string;
  private constructor(
    readonly name: string,
    readonly place: string,
    readonly config: string,
    readonly botConfig: string,
    readonly exchange: Running,
    readonly bot: KilledBot,
  ) {
    this.mountPoint = join(place, 'bots');
  }

  static async start(name: string, seed: number): Promise<Case> {
    const place = join(folder, name.replaceAll(' ', '-'));
    mkdirSync(join(place, 'bots'), { recursive: true });
    const parts = { root, folder: place, seed, markets: 'spot' } as const;
    const config = writeExchange(parts, []);
    const { running, listing } = await launchExchange(root, config, join(place, 'exchange.state'));
    children.push(running);
    const botConfig = writeBot(parts, listing);
    return new Case(name, place, config, botConfig, running, new KilledBot(root, botConfig, listing.accounts[0]!));
  }

  /** A bot that trades, and then meets what happens to its disk. */
  async trades(then: (life: Running) => void | Promise<void>): Promise<void> {
    const life = this.launched();
    if (!(await life.ready)) return this.ends('the first start', await life.ended, /^$/);
    await pause(TRADES_MS);
    await then(life);
    this.ends('the bot that trades', await this.ended(life), /^error JOURNAL_FAILED: /);
  }

  /** A start that is refused. */
  async refused(text: RegExp): Promise<void> {
    this.ends('the start', await this.ended(this.launched()), text);
  }

  /** The last life on a good disk; then journal and exchange are compared. */
  async rests(): Promise<void> {
    this.wrong.push(...(await this.bot.rest(children, this.mountPoint)));
    this.exchange.child.kill('SIGTERM');
    await this.exchange.ended;
    const there = readThere(this.config, join(this.place, 'exchange.state'));
    const here = readHere(botFolder(this.mountPoint, 'kills', 'live').journal, 'kills', there.instruments);
    this.wrong.push(...check(here, there));
    if (there.account.orders.all.length === 0) this.wrong.push('no order was placed, which proves nothing');
  }

  /** What doctor says about the journal. */
  doctor(): string {
    const bin = join(root, 'bin/tidegate.mjs');
    return spawnSync(process.execPath, [bin, 'doctor', this.botConfig, '--mode', 'live', '--only', 'journal', '--json'], {
      encoding: 'utf8',
    }).stdout;
  }

  private launched(): Running {
    const life = this.bot.start();
    children.push(life);
    return life;
  }

  private async ended(life: Running): Promise<Ended> {
    const timer = setTimeout(() => life.child.kill('SIGKILL'), REACTION_MS);
    const ended = await life.ended;
    clearTimeout(timer);
    return ended;
  }

  private ends(what: string, { code, signal, stderr }: Ended, text: RegExp): void {
    const last =
      stderr
        .trim()
        .split('\n')
        .find((line) => line.startsWith('error ')) ?? stderr;
    if ((code === 7 || code === 10) && text.test(last) && !last.includes('is damaged') && !/\n\s+at .*:\d+:\d+/.test(stderr)) return;
    this.wrong.push(`${what} ended with ${code ?? signal}, expected ${text}: ${stderr}`);
  }
}

async function fullDisk(): Promise<Case> {
  const one = await Case.start('full disk', 1);
  mount(one.mountPoint);
  let ballast = '';
  await one.trades(() => {
    ballast = fill(one.mountPoint);
  });
  writeFileSync(ballast, '');
  fill(one.mountPoint);
  await one.refused(/^error (JOURNAL_FAILED|DISK_FULL): /);
  if (one.doctor().includes('is damaged')) one.wrong.push('doctor calls the journal damaged');
  rmSync(ballast);
  await one.rests();
  return one;
}

async function readOnly(): Promise<Case> {
  const one = await Case.start('read-only', 2);
  const image = ext4(join(one.place, 'image'), 4096);
  mount(one.mountPoint, image);
  // As after an error of the device: the system lets nothing be written any more. The bot pauses meanwhile: between the abort of ext4's own
  // journal and the change to read-only, Linux confirms an fdatasync whose transaction it has just dropped.
  await one.trades(async ({ child }) => {
    child.kill('SIGSTOP');
    while (!/\) T /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8'))) await pause(5);
    execFileSync('mount', ['-o', 'remount,abort', one.mountPoint], { stdio: 'pipe' });
    child.kill('SIGCONT');
  });
  await one.refused(/^error (JOURNAL_FAILED|DISK_FULL): /);
  unmount(one.mountPoint);
  spawnSync('e2fsck', ['-fy', image]);
  mount(one.mountPoint, image);
  await one.rests();
  return one;
}

async function smallBlocks(): Promise<Case> {
  const one = await Case.start('small blocks', 3);
  mount(one.mountPoint, ext4(join(one.place, 'image'), 1024));
  await one.refused(/^error JOURNAL_FAILED: .* blocks of 1024 bytes/);
  return one;
}

const cases = await Promise.all([fullDisk(), readOnly(), smallBlocks()]);
const results = cases.map(({ name, wrong }) => ({ name, wrong }));
clean();
if (results.every(({ wrong }) => wrong.length === 0)) rmSync(folder, { recursive: true });
else process.stderr.write(`kept for a look: ${folder}\n`);
process.stdout.write(`${JSON.stringify(results)}\n`);
