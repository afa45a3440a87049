import type { z } from 'zod';
import { BOT_STATES } from '../../../../src/app/fleet/bot-state.ts';
import type { BotDetail, BotRow, Fleet, Status } from '../../../../src/app/serve/api/bot-schemas.ts';

export const NOW = Date.UTC(2026, 2, 1, 12, 0, 0);

/** A flat paper bot that answers. */
export function row(change: Partial<BotRow> = {}): BotRow {
  const { state = 'ready', name = 'one' } = change;
  return {
    ...{
      id: `id-${name}`,
      name,
      mode: 'paper',
      folder: `/bots/${name}`,
      state,
      proof: BOT_STATES[state],
      why: '',
      seenAt: NOW,
      isWatched: false,
    },
    ...{ isCounted: true, latches: [], health: [], lastFill: null },
    figures: { time: NOW, currency: 'USDT', equity: '100', today: '1.5', total: '2', lastTickAgeMs: 5, positions: {}, openOrders: 0 },
    ...change,
  };
}

export function figures(change: Partial<NonNullable<BotRow['figures']>>): NonNullable<BotRow['figures']> {
  return { ...row().figures!, ...change };
}

export function fleet(bots: readonly BotRow[], totals: Fleet['totals'] = []): Fleet {
  return { time: NOW, everyMs: 2_000, bots: [...bots], totals, totalsAre: 'Sums of the rows that answer.', trouble: null };
}

const STATUS: z.output<typeof Status> = {
  ...{ name: 'one', mode: 'paper', pid: 7, uptimeMs: 60_000, phase: 'running', time: NOW, positions: { 'BTC-USDT': '0.75' } },
  strategies: [{ id: 'cross', symbols: ['BTC-USDT'], positions: { 'BTC-USDT': '0.5' } }],
  ...{ balances: { USDT: { total: '1234.5', frozen: '0' } }, currency: 'USDT', equity: '100', profit: { today: '1.5', total: '2' } },
  ...{ unprotected: {}, openOrders: {}, orders: [], lastOrder: null, lastFills: [], denied: {}, latches: [], trading: 'yes', health: [] },
  ...{ lastTickAgeMs: 5, pollMs: { marketMs: 1_000, accountMs: 5_000 }, requests: { queued: 0, oldestWaitMs: 0, free: 1 }, refused: [] },
  ...{ journal: { path: 'j', bytes: 1 }, differences: [], recorder: null, signals: null, waitingSignals: [], flatten: null, changes: [] },
  closes: { pending: [], closed: [] },
};

export function detail(change: Partial<BotDetail> = {}, status: Partial<z.output<typeof Status>> | null = {}): BotDetail {
  return {
    ...row(change),
    ...{ time: NOW, journal: { path: '/bots/one/journal.sqlite', bytes: 4_096 } },
    status: status === null ? null : { ...STATUS, ...status },
    acts: [
      { act: 'stop', words: 'Stops the bot.', confirm: 'stop', cannot: null },
      { act: 'flatten', words: 'Closes all positions at market.', confirm: 'one', cannot: null },
      { act: 'reset', words: 'Lifts latches.', confirm: 'reset', cannot: 'the bot does not answer' },
    ],
    ...change,
  };
}
