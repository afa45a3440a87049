import type { ClosedTrade } from '../../statistics/trade.ts';
import { formatCount, formatDuration, formatMoney, formatNumber, formatShare, formatTime } from '../format.ts';
import type { RunReport } from '../run-report.ts';
import { section } from './section.ts';
import { type Column, htmlTable } from './table.ts';

const SHOWN_TRADES = 1_000;

const COLUMNS: readonly Column<ClosedTrade>[] = [
  { label: 'Symbol', kind: 'text', cell: (trade) => trade.symbol },
  { label: 'Strategy', kind: 'word', cell: (trade) => trade.strategyId },
  { label: 'Side', kind: 'text', cell: (trade) => trade.side },
  { label: 'Entry', kind: 'text', cell: (trade) => formatTime(trade.entryTime) },
  { label: 'Exit', kind: 'text', cell: (trade) => formatTime(trade.exitTime) },
  { label: 'Held', kind: 'figure', cell: (trade) => formatDuration(trade.holdingMs) },
  { label: 'Quantity', kind: 'figure', cell: (trade) => formatNumber(trade.maxQuantity) },
  { label: 'Entry price', kind: 'figure', cell: (trade) => formatNumber(trade.entryPrice) },
  { label: 'Exit price', kind: 'figure', cell: (trade) => formatNumber(trade.exitPrice) },
  { label: 'Fees', kind: 'figure', cell: (trade) => formatMoney(trade.fees) },
  { label: 'Net profit', kind: 'figure', cell: (trade) => formatMoney(trade.netProfit), sign: (trade) => trade.netProfit.toNumber() },
  { label: 'Return', kind: 'figure', cell: (trade) => formatShare(trade.returnOnEntry), sign: (trade) => trade.returnOnEntry },
  { label: 'Tag', kind: 'word', cell: (trade) => trade.tag },
  { label: 'Exit tag', kind: 'word', cell: (trade) => trade.exitTag },
];

/** The closed trades in order of exit, as many as a page can bear. */
export function tradesSection({ trades, openTrades }: RunReport): string {
  const open = openTrades.length === 0 ? '' : ` ${formatCount(openTrades.length)} still open at the end.`;
  if (trades.length === 0) return section('Trades', `<p class="note">No closed trade.${open}</p>`);
  const shown = trades.slice(0, SHOWN_TRADES);
  const note =
    shown.length < trades.length
      ? `The first ${formatCount(shown.length)} of ${formatCount(trades.length)}.`
      : `All ${formatCount(trades.length)}.`;
  return section('Trades', htmlTable(COLUMNS, shown, true), { note: `${note}${open}`, long: true });
}
