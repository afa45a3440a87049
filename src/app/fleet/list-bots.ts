import { relative } from 'node:path';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import { formatDuration, formatMoney } from '../../report/format.ts';
import { plainLine, TerminalTable } from '../../report/terminal-table.ts';
import type { BotMode } from '../planning/bot-folder.ts';
import type { TerminalLook } from '../terminal/terminal-look.ts';
import { BOT_STATES, type SeenBot, seenBot } from './bot-state.ts';
import { type FoundBot, findBots } from './find-bots.ts';

/** A sum over the rows of one mode and one currency that have figures: paper money and real money are never added. */
export interface FleetTotal {
  readonly mode: BotMode;
  readonly currency: string;
  /** The rows in it. */
  readonly bots: number;
  readonly equity: string;
  readonly today: string;
}

/** The bots of a machine at one moment. */
export interface Fleet {
  /** Epoch ms. */
  readonly time: number;
  readonly bots: readonly SeenBot[];
  readonly totals: readonly FleetTotal[];
}

/**
 * Looks at all bots of configs and folders at once.
 * @throws TidegateError USAGE for a path that does not exist, and the errors of a config.
 */
export async function lookAtFleet(paths: readonly string[], now: number): Promise<Fleet> {
  return lookAtBots(findBots(paths), now);
}

/** Looks at bots that were found, all at once. */
export async function lookAtBots(found: readonly FoundBot[], now: number): Promise<Fleet> {
  const seen = await Promise.all(found.map((bot) => seenBot(bot, now)));
  const bots = seen.sort((a, b) => compare(a.name, b.name) || compare(a.mode ?? '', b.mode ?? '') || compare(a.folder.path, b.folder.path));
  return { time: now, bots: bots.map((bot) => named(bot, bots)), totals: totalsOf(bots) };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** A bot of which another folder has one of the same name says so. */
function named(bot: SeenBot, all: readonly SeenBot[]): SeenBot {
  const others = all.filter((one) => one !== bot && one.name === bot.name && one.mode === bot.mode);
  if (others.length === 0) return bot;
  const text = `also in ${others.map(({ folder }) => shown(folder.path)).join(', ')}`;
  return { ...bot, why: bot.why === '' ? text : `${bot.why}; ${text}` };
}

/** The sums of the rows that have figures. */
export function totalsOf(bots: readonly SeenBot[]): FleetTotal[] {
  const totals = new Map<string, { mode: BotMode; currency: string; bots: number; equity: Decimal; today: Decimal }>();
  for (const { status } of bots) {
    if (status === undefined) continue;
    const { mode, currency, equity, profit } = status;
    const key = `${mode} ${currency}`;
    const total = totals.get(key) ?? { mode, currency, bots: 0, equity: ZERO, today: ZERO };
    const equal = { bots: total.bots + 1, equity: total.equity.plus(equity), today: total.today.plus(profit.today) };
    totals.set(key, { ...total, ...equal });
  }
  return [...totals.values()].map((total) => ({ ...total, equity: total.equity.toFixed(), today: total.today.toFixed() }));
}

/** The fleet as one JSON object. */
export function fleetJson({ time, bots, totals }: Fleet): unknown {
  const rows = bots.map(({ name, mode, folder, state, why, seenAt, isWatched, status }) => ({
    ...{ name, mode: mode ?? null, folder: folder.path, state, proof: BOT_STATES[state], why, seenAt: seenAt ?? null, isWatched },
    status: status ?? null,
  }));
  return { time, bots: rows, totals };
}

/** A price of this age is shown, in ms. */
const OLD_MS = 60_000;

/** The fleet as a table, with a line below it for each bot that needs one. */
export function fleetText({ bots, totals }: Fleet, look: TerminalLook): string {
  if (bots.length === 0) return 'No bot found. Name configs or folders: npx tidegate bots configs/my-bot.yaml';
  const rows = bots.map((bot) => {
    const { status, mode = '' } = bot;
    if (status === undefined) return [bot.name, mode, bot.state, '', '', '', ''];
    const { equity, currency, profit, positions, orders, lastTickAgeMs } = status;
    const age = lastTickAgeMs !== null && lastTickAgeMs > OLD_MS ? ` (${formatDuration(lastTickAgeMs)} old)` : '';
    const held = Object.entries(positions).map(([symbol, quantity]) => `${quantity} ${symbol}`);
    return [
      ...[bot.name, mode, bot.state, `${formatMoney(equity)} ${currency}${age}`, formatMoney(profit.today)],
      ...[String(orders.length), held.join(', ')],
    ];
  });
  const head = ['Bot', 'Mode', 'State', 'Equity', 'Today', 'Orders', 'Positions'];
  const table = new TerminalTable(look.columns, look).section('Bots', head, rows, [
    'left',
    'left',
    'left',
    'right',
    'right',
    'right',
    'left',
  ]);
  const sums = totals.map(
    ({ mode, currency, bots: count, equity, today }) =>
      `Sum of ${count} ${mode} ${count === 1 ? 'bot' : 'bots'} with figures: ${formatMoney(equity)} ${currency}, today ${formatMoney(today)}`,
  );
  const notes = bots.flatMap((bot) =>
    bot.why === '' ? [] : [`${bot.name} ${bot.mode ?? ''}: ${bot.state}: ${bot.why} [${shown(bot.folder.path)}]`],
  );
  return [table, '', ...sums, ...notes.map(plainLine)].join('\n').trimEnd();
}

function shown(path: string): string {
  const near = relative(process.cwd(), path) || '.';
  return near.startsWith('..') ? path : near;
}
