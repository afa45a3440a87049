import { BOT_STATES } from '../../fleet/bot-state.ts';
import type { BotRow, Fleet } from '../api/bot-schemas.ts';

/** A figure of each bot: its name, its meaning, and its value; undefined for a bot without one. */
const FIGURES: readonly (readonly [name: string, help: string, value: (row: BotRow, time: number) => number | undefined])[] = [
  [
    'equity',
    'Equity in the currency of the bot, while it answers',
    ({ figures, isCounted }) => (isCounted ? Number(figures?.equity) : undefined),
  ],
  [
    'profit_today',
    "Profit of the strategies' own trades of this UTC day",
    ({ figures, isCounted }) => (isCounted ? Number(figures?.today) : undefined),
  ],
  ['open_orders', 'Open orders', ({ figures, isCounted }) => (isCounted ? figures?.openOrders : undefined)],
  ['latches', 'Latches in force', ({ isCounted, latches }) => (isCounted ? latches.length : undefined)],
  ['problems', 'Problems in its health', ({ isCounted, health }) => (isCounted ? health.length : undefined)],
  [
    'price_age_seconds',
    'Age of the newest price',
    ({ figures, isCounted }) => (isCounted && typeof figures?.lastTickAgeMs === 'number' ? figures.lastTickAgeMs / 1_000 : undefined),
  ],
  [
    'seen_seconds',
    'Time since its last sign of life',
    ({ seenAt }, time) => (seenAt === null ? undefined : Math.max(0, time - seenAt) / 1_000),
  ],
  ['watched', '1 if a watchdog runs for it', ({ isWatched }) => Number(isWatched)],
];

/** The bots as metrics for Prometheus. A bot that does not answer has its state, and no old figures. */
export function metricsOf({ bots, time }: Fleet): string {
  const lines = ['# HELP tidegate_bot_state 1 for the state of the bot, 0 for the others', '# TYPE tidegate_bot_state gauge'];
  for (const row of bots)
    for (const state of Object.keys(BOT_STATES)) lines.push(`tidegate_bot_state${labels(row, { state })} ${Number(row.state === state)}`);
  for (const [name, help, value] of FIGURES) {
    lines.push(`# HELP tidegate_bot_${name} ${help}`, `# TYPE tidegate_bot_${name} gauge`);
    for (const row of bots) {
      const found = value(row, time);
      if (found === undefined) continue;
      const currency = name === 'equity' || name === 'profit_today' ? { currency: row.figures?.currency ?? '' } : {};
      lines.push(`tidegate_bot_${name}${labels(row, currency)} ${found}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

function labels({ id, name, mode }: BotRow, more: Readonly<Record<string, string>>): string {
  const all = { id, bot: name, mode: mode ?? '', ...more };
  return `{${Object.entries(all)
    .map(([label, value]) => `${label}="${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`)
    .join(',')}}`;
}
