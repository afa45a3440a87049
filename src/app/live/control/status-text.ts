import { isoTime } from '../../../model/time-text.ts';
import { columns } from '../../exchange/columns.ts';
import type { BotStatus, LatchStatus } from './bot-status.ts';

/** A status for a person, a line a subject. */
export function statusText(status: BotStatus): string {
  const { name, mode, pid, phase, uptimeMs, time, strategies, positions, balances, openOrders, latches, health, differences } = status;
  const held = (of: Record<string, unknown>) =>
    listed(
      Object.entries(of).map(([what, quantity]) => `${what} ${quantity}`),
      'none',
    );
  const { lastTickAgeMs, pollMs, journal, recorder } = status;
  return columns([
    ['bot', `${name} (${mode}, pid ${pid}), ${phase} for ${Math.round(uptimeMs / 1_000)} s, its time ${isoTime(Math.floor(time))}`],
    ['trading', tradingText(latches)],
    ...strategies.map(({ id, symbols, positions: own }) => [`strategy ${id}`, `${symbols.join(', ')}: ${held(own)}`]),
    ['positions', held(positions)],
    [
      'balances',
      listed(
        Object.entries(balances).map(([asset, { total, frozen }]) => `${total} ${asset}${frozen === '0' ? '' : ` (${frozen} frozen)`}`),
        'none',
      ),
    ],
    ['equity', `${status.equity} ${status.currency}`],
    ['open orders', held(openOrders)],
    [
      'health',
      listed(
        health.map(({ subject, symbol, condition, reason }) => `${subject} ${symbol || 'all'} ${condition}: ${reason}`),
        'all is fresh',
      ),
    ],
    ['last price', lastTickAgeMs === null ? 'none yet' : `${lastTickAgeMs} ms ago`],
    ['asks every', `${pollMs.marketMs} ms (prices), ${pollMs.accountMs} ms (account)`],
    ['journal', `${journal.path}, ${journal.bytes} bytes`],
    ...(recorder === null
      ? []
      : [['recorder', `${recorder.polls} polls, ${recorder.incomplete} with gaps, ${recorder.lost} lost; ${recorder.kept} logs kept`]]),
    ...differences.map(({ what, subject, journal: ours, exchange, cause }) => [
      'at the start',
      `${what} ${subject}: journal ${ours}, exchange ${exchange}: ${cause}`,
    ]),
  ]);
}

/** The same in one line, for the foot of a terminal. */
export function statusLine({ time, equity, currency, positions, openOrders, latches, health }: BotStatus): string {
  const open = Object.values(openOrders).reduce((sum, count) => sum + count, 0);
  const trouble = [
    ...latches.map(({ rule, strategy }) => `LATCHED ${rule}${strategy === undefined ? '' : ` (${strategy})`}`),
    ...health.map(({ subject, condition }) => `${subject} ${condition}`),
  ];
  const held = listed(
    Object.entries(positions).map(([symbol, quantity]) => `${quantity} ${symbol}`),
    'flat',
  );
  return [isoTime(Math.floor(time)).slice(0, 19), `${Number(equity).toFixed(2)} ${currency}`, held, `${open} open`, ...trouble].join(' | ');
}

function listed(texts: readonly string[], none: string): string {
  return texts.length === 0 ? none : texts.join(', ');
}

/** Where strategies alone are latched, the others trade on. */
function tradingText(latches: readonly LatchStatus[]): string {
  if (latches.length === 0) return 'yes';
  const told = latches.map(({ rule, reason, strategy, until }) => {
    const who = strategy === undefined ? 'latched' : `${strategy} latched`;
    return `${who} by ${rule}${reason && ` (${reason})`}${until === undefined ? '' : ` until ${isoTime(until)}`}`;
  });
  const all = latches.some(({ strategy }) => strategy === undefined);
  return `${all ? 'NO' : 'in part'}: ${told.join(', ')}`;
}
