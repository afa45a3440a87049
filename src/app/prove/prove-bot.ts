import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { RecordedJournal } from '../../journal/journal-reader.ts';
import type { RunStarted } from '../../journal/journal-record.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Wallet } from '../../model/ledger.ts';
import { isoTime } from '../../model/time.ts';
import { runBacktest } from '../backtest/run-backtest.ts';
import { EXIT_CODES } from '../base/exit-codes.ts';
import { compareFolders, WINDOW_MS } from '../compare/run-compare.ts';
import { loadConfig } from '../config/load-config.ts';
import { ProveSchema } from '../config/schema/live-schema.ts';
import type { Config } from '../config/schema/schema.ts';
import { controlBot } from '../live/process/control-bot.ts';
import { type BotFolder, type BotMode, botFolder } from '../planning/bot-folder.ts';
import { replayAt } from '../replay/run-replay.ts';
import type { TerminalLook } from '../terminal/terminal-look.ts';
import { causesWithin, faultsOf, type Proof, proofJson, proofText } from './proof.ts';

/** The options of `tidegate prove`. */
export interface ProveOptions {
  readonly set?: readonly string[] | undefined;
  readonly paper?: boolean | undefined;
  readonly live?: boolean | undefined;
  /** A day in UTC, e.g. `2026-03-01`: only what ended on it is compared. */
  readonly day?: string | undefined;
  readonly json?: boolean | undefined;
}

/**
 * Proves a bot: replays its journal, runs its backtest on its own recording, and compares both. The results are in the folder `proofs` of
 * the bot, one folder for each last day; a proof of the same day replaces it.
 * @returns the text to print and the exit code: `differs` if the bot is not proved.
 * @throws TidegateError USAGE without a bot, a recording or prices; and the errors of replays and backtests.
 */
export async function proveBot(
  config: string,
  options: ProveOptions,
  look: TerminalLook,
): Promise<{ readonly text: string; readonly code: number }> {
  const { proof, onDifference } = await provedBot(config, options);
  const faults = faultsOf(proof);
  const text = options.json === true ? JSON.stringify(proofJson(proof)) : proofText(proof, look);
  if (faults.length === 0) return { text, code: EXIT_CODES.ok };
  if (onDifference === 'report') return { text, code: EXIT_CODES.differs };
  const { text: note } = await reduced(config, proof, options);
  return { text: options.json === true ? text : `${text}\n${note}`, code: EXIT_CODES.differs };
}

async function reduced(config: string, { mode }: Proof, { set }: ProveOptions): Promise<{ readonly text: string }> {
  const reason = 'its proof found a difference without a cause';
  try {
    await controlBot(config, 'reduce', { [mode]: true, reason, ...(set !== undefined && { set }) });
    return { text: 'Reduced   it sends no opening orders until `npx tidegate reset`' };
  } catch (error) {
    if (!(error instanceof TidegateError) || error.code !== 'BOT_NOT_RUNNING') throw error;
    return { text: 'Reduced   nothing: the bot does not run' };
  }
}

async function provedBot(path: string, { set = [], paper, live, day }: ProveOptions) {
  const { config } = loadConfig(path, { withoutBacktest: true, set: [...set, 'live.enabled=false'], env: process.env });
  const recording = config.record?.name;
  if (recording === undefined)
    throw new TidegateError('USAGE', `${path}: a proof needs the bot's own recording: add \`record: { name: mine }\` to the config`);
  const { mode, folder } = theBot(config, { paper, live });
  const lived = livesOf(folder.journal);
  const out = join(folder.path, 'proofs', isoTime(lived.to).slice(0, 10));
  const [from, to] = day === undefined ? [lived.from, lived.to + 1] : dayOf(day);
  if (from > lived.to || to <= lived.from)
    throw new TidegateError('USAGE', `--day ${day}: the bot ran from ${isoTime(lived.from)} to ${isoTime(lived.to)}`);
  const replay = await replayAt(folder.journal, { env: process.env });
  rmSync(out, { recursive: true, force: true });
  const backtest = join(out, 'backtest');
  const { failure } = await runBacktest(lived.started.config!.file, {
    ...{ out: backtest, text: lived.started.config!.text, env: process.env, keysMayBeUnset: true, diagnosis: false },
    set: [
      `backtest.data=[${recording}]`,
      `backtest.from=${isoTime(lived.from)}`,
      `backtest.to=${isoTime(lived.to)}`,
      ...lived.balances,
      ...set.filter((one) => one.startsWith('backtest.')),
    ],
    stopwatch: () => performance.now(),
  });
  if (failure !== undefined) throw failure.error;
  const { comparison } = await compareFolders({
    ...{ a: folder.path, b: backtest, out: join(out, 'comparison'), currency: undefined, windowMs: WINDOW_MS, toleranceMs: 0 },
  });
  const { tolerance, onDifference } = config.prove ?? ProveSchema.parse({});
  const proof: Proof = {
    ...{ name: config.name, mode, from, to, replay, recording, comparison, out: shown(out) },
    ...causesWithin(comparison, from, to, to > lived.to),
    tolerance: new Decimal(tolerance),
  };
  writeFileSync(join(out, 'proof.json'), `${JSON.stringify(proofJson(proof), null, 2)}\n`);
  return { proof, onDifference };
}

/** The bot of a config that has a journal. */
function theBot(
  { name, live, paper }: Pick<Config, 'name' | 'live' | 'paper'>,
  wanted: { readonly paper?: boolean | undefined; readonly live?: boolean | undefined },
): { readonly mode: BotMode; readonly folder: BotFolder } {
  const dirs: Readonly<Record<BotMode, string | undefined>> = { live: live?.dir, paper: paper?.dir };
  const modes = (['live', 'paper'] as const).filter((mode) => wanted[mode] === true || (!wanted.live && !wanted.paper));
  const bots = modes.flatMap((mode) => {
    const dir = dirs[mode];
    return dir === undefined ? [] : [{ mode, folder: botFolder(dir, name, mode) }];
  });
  const found = bots.filter(({ folder }) => existsSync(folder.journal));
  const [bot] = found;
  if (bot === undefined) {
    const places = bots.map(({ folder }) => shown(folder.journal)).join(', ');
    throw new TidegateError('BOT_NOT_RUNNING', `bot ${name} has never run: no journal at ${places}`);
  }
  if (found.length > 1) throw new TidegateError('USAGE', `bot ${name} has run live and on paper: choose with --live or --paper`);
  return bot;
}

/** The time of a bot, its newest start, and the settings that give a backtest its first balances. */
interface Lived {
  /** Epoch ms on the bot's clock, of the first and the last price. */
  readonly from: number;
  readonly to: number;
  readonly started: RunStarted;
  readonly balances: readonly string[];
}

function livesOf(path: string): Lived {
  const journal = RecordedJournal.open(path);
  let started: RunStarted | undefined;
  let [from, to] = [Number.NaN, Number.NaN];
  const first: Record<Wallet, Map<string, Decimal>> = { spot: new Map(), futures: new Map() };
  try {
    for (const { kind, value, time } of journal.records()) {
      if (kind === 'run') started = value;
      else if (kind === 'market') {
        // The recording has the time of the price, which is before that of its arrival.
        if (Number.isNaN(from)) from = Math.min(time, value.time);
        to = time;
      } else if (kind === 'event' && value.event.kind === 'balanceChanged' && value.event.entry?.reason === 'deposit') {
        const { entry, balance } = value.event;
        const sums = first[balance.wallet];
        sums.set(entry.asset, (sums.get(entry.asset) ?? ZERO).plus(entry.amount));
      }
    }
  } finally {
    journal.close();
  }
  if (started?.config === undefined || Number.isNaN(from))
    throw new TidegateError('USAGE', `${path}: the bot has received no price yet, so there is nothing to prove`);
  const setting = (name: string, sums: ReadonlyMap<string, Decimal>) =>
    sums.size === 0 ? [] : [`account.${name}={${[...sums].map(([asset, amount]) => `${asset}: "${amount.toFixed()}"`).join(', ')}}`];
  const isFutures = first.futures.size > 0;
  const balances = [...setting('balances', isFutures ? first.futures : first.spot), ...(isFutures ? setting('spot', first.spot) : [])];
  return { from, to, started, balances };
}

const DAY_MS = 86_400_000;

function dayOf(day: string): [from: number, to: number] {
  const from = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(from)) throw new TidegateError('USAGE', `--day ${day}: expected a day such as 2026-03-01, in UTC`);
  return [from, from + DAY_MS];
}

function shown(path: string): string {
  return relative(process.cwd(), path) || '.';
}
