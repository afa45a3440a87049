import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { botFolder } from '../../src/app/planning/bot-folder.ts';
import { check } from '../kills/check.ts';
import { KilledBot } from '../kills/drive.ts';
import { readHere } from '../kills/here.ts';
import { writeBot, writeExchange } from '../kills/place.ts';
import { type Ended, launchExchange, type Running } from '../kills/processes.ts';
import { readThere } from '../kills/there.ts';
import { type Calls, casesOf, type DiskCase, type DiskRuns, fateOf, faultEnv, noRuns, noteRun } from './disk.ts';

export interface DiskFaultRun {
  readonly root: string;
  readonly folder: string;
  /** The compiled `faulty-disk.c`. */
  readonly shim: string;
  readonly cases: readonly DiskCase[];
  readonly seed: number;
}

/** What a bot does with its files in some seconds; the numbers are those of a run without faults. */
const OF_BOT: readonly Calls[] = [
  ['journal.sqlite-wal', 'write', 400],
  ['journal.sqlite-wal', 'fsync', 60],
  ['journal.sqlite-wal', 'read', 250],
  ['journal.sqlite', 'read', 20],
  ['journal.sqlite', 'write', 40],
  ['log.jsonl', 'write', 60],
  ['journal.sqlite.mark', 'write', 40],
  ['journal.sqlite', 'fsync', 2],
  ['heartbeat.json.new', 'write', 3],
  ['journal.sqlite-wal', 'open', 2],
  ['journal.sqlite', 'open', 1],
  ['log.jsonl', 'open', 1],
  ['journal.sqlite-shm', 'write', 3],
  ['journal.sqlite-shm', 'read', 60],
  ['journal.sqlite-shm', 'open', 2],
  ['journal.sqlite.mark', 'open', 1],
  ['journal.sqlite.lock', 'open', 1],
  ['heartbeat.json.new', 'open', 3],
  ['heartbeat.json', 'write', 3],
  ['control.json.new', 'open', 1],
  ['control.json.new', 'write', 1],
  ['KILL', 'open', 20],
];
const OF_EXCHANGE: readonly Calls[] = [
  ['exchange.state', 'write', 100],
  ['exchange.state', 'fsync', 20],
  ['exchange.state', 'read', 3],
  ['exchange.state', 'open', 1],
];

/** All cases of a bot's disk and of its exchange's. */
export function tradingCases(every: number): DiskCase[] {
  return [...casesOf('bot', OF_BOT, every), ...casesOf('exchange', OF_EXCHANGE, every)];
}

/** A bot that trades while calls on its files, and on the exchange's, fail; each life goes on where the one before ended. At last both are compared. */
export async function runTrading({ root, folder, shim, cases, seed }: DiskFaultRun): Promise<DiskRuns> {
  const place = { root, folder, seed, markets: 'both' } as const;
  const [config, stateFile] = [writeExchange(place, []), join(folder, 'exchange.state')];
  const result = noRuns();
  const children: Running[] = [];
  const killAll = () => {
    for (const { child } of children) child.kill('SIGKILL');
  };
  process.once('exit', killAll);
  const notes = join(folder, 'notes');
  let exchange = await launchExchange(root, config, stateFile);
  children.push(exchange.running);
  const bot = new KilledBot(root, writeBot(place, exchange.listing), exchange.listing.accounts[0]!);
  try {
    for (const { part, fault } of cases) {
      const isExchange = part === 'exchange';
      rmSync(notes, { force: true });
      const env = faultEnv(shim, fault, notes);
      if (isExchange) {
        exchange.running.child.kill('SIGKILL');
        await exchange.running.ended;
        let failed: Ended | undefined;
        const again = await launchExchange(root, config, stateFile, exchange.listing, env).catch((error: Error) => {
          failed = { code: Number(/^ended with (\d+)/.exec(error.message)?.[1] ?? 1), signal: null, stderr: error.message };
        });
        if (again === undefined) {
          noteRun(result, fault, failed, notes);
          exchange = await launchExchange(root, config, stateFile, exchange.listing);
          children.push(exchange.running);
          continue;
        }
        exchange = again;
        children.push(exchange.running);
      }
      const life = bot.start(isExchange ? {} : { env });
      children.push(life);
      const meant = isExchange ? exchange.running : life;
      const ended = await fateOf(life, meant, notes);
      noteRun(result, fault, ended, notes);
      life.child.kill('SIGKILL');
      await life.ended;
      if (!isExchange) continue;
      exchange.running.child.kill('SIGKILL');
      await exchange.running.ended;
      exchange = await launchExchange(root, config, stateFile, exchange.listing);
      children.push(exchange.running);
    }
    const unrest = await bot.rest(children, join(folder, 'bots'));
    result.wrong.push(...unrest);
    exchange.running.child.kill('SIGTERM');
    await exchange.running.ended;
    const there = readThere(config, stateFile);
    const here = readHere(botFolder(join(folder, 'bots'), 'kills', 'live').journal, 'kills', there.instruments);
    result.wrong.push(...check(here, there).map((one) => (unrest.length === 0 ? one : `after that: ${one}`)));
    result.orders = there.account.orders.all.length;
    if (result.orders === 0) result.wrong.push('no order was placed, which proves nothing');
    return result;
  } finally {
    process.off('exit', killAll);
    killAll();
  }
}
