import type { ClosedTrade } from '../../../statistics/trades/trade.ts';
import { formatCount, formatDuration, formatMoney, formatNumber, formatShare, formatTime } from '../../format.ts';
import type { PageReport } from '../../page-report.ts';
import { type Column, htmlTable } from '../markup/table.ts';
import { type Section, section } from './section.ts';

type TradeColumn = Column<ClosedTrade>;

const SYMBOL: TradeColumn = { label: 'Symbol', kind: 'text', cell: (trade) => trade.symbol };
/** Left out where all trades are of one: the table is wide enough without. */
const STRATEGY: TradeColumn = { label: 'Strategy', kind: 'word', cell: (trade) => trade.strategyId };
const PRICES: readonly TradeColumn[] = [
  { label: 'Side', kind: 'text', cell: (trade) => trade.side },
  { label: 'Entry', kind: 'text', cell: (trade) => formatTime(trade.entryTime) },
  { label: 'Exit', kind: 'text', cell: (trade) => formatTime(trade.exitTime) },
  { label: 'Held', kind: 'figure', cell: (trade) => formatDuration(trade.holdingMs), value: (trade) => trade.holdingMs },
  { label: 'Quantity', kind: 'figure', cell: (trade) => formatNumber(trade.maxQuantity) },
  { label: 'Entry price', kind: 'figure', cell: (trade) => formatNumber(trade.entryPrice) },
  { label: 'Exit price', kind: 'figure', cell: (trade) => formatNumber(trade.exitPrice) },
  { label: 'Fees', kind: 'figure', cell: (trade) => formatMoney(trade.fees) },
];
/** Of futures accounts. */
const FUNDING: TradeColumn = {
  label: 'Funding',
  kind: 'figure',
  cell: (trade) => formatMoney(trade.funding),
  sign: (trade) => trade.funding.toNumber(),
};
const OUTCOME: readonly TradeColumn[] = [
  { label: 'Net profit', kind: 'figure', cell: (trade) => formatMoney(trade.netProfit), sign: (trade) => trade.netProfit.toNumber() },
  { label: 'Return', kind: 'figure', cell: (trade) => formatShare(trade.returnOnEntry), sign: (trade) => trade.returnOnEntry },
  { label: 'MAE', kind: 'figure', cell: (trade) => formatShare(trade.maeShare) },
  { label: 'MFE', kind: 'figure', cell: (trade) => formatShare(trade.mfeShare) },
  { label: 'Tag', kind: 'word', cell: (trade) => trade.tag },
  { label: 'Exit tag', kind: 'word', cell: exitText, sign: (trade) => (trade.liquidated ? -1 : 0) },
];

const NONE = 'No closed trade: a trade ends where its strategy is flat in the symbol.';

/** The closed trades in order of exit; of more than a page can bear, those that gained or lost most. */
export function tradesSection({ trades, openTrades, futures, whole }: PageReport): Section {
  const open = openTrades.length === 0 ? '' : ` ${formatCount(openTrades.length)} still open at the end.`;
  if (trades.length === 0) return section('trades', 'Trades', `<p class="note">${NONE}${open}</p>`);
  const oneStrategy = trades.every(({ strategyId }) => strategyId === trades[0]?.strategyId);
  const columns = [SYMBOL, ...(oneStrategy ? [] : [STRATEGY]), ...PRICES, ...(futures ? [FUNDING] : []), ...OUTCOME];
  const note =
    trades.length < whole.trades
      ? `The ${formatCount(trades.length)} of ${formatCount(whole.trades)} that gained or lost most; the others are left out here and in print.`
      : `All ${formatCount(trades.length)}.`;
  return section('trades', 'Trades', htmlTable('trades', columns, trades, true), { note: `${note}${open}`, long: true });
}

function exitText({ exitTag, liquidated }: ClosedTrade): string {
  return liquidated ? `✕ ${exitTag}` : exitTag;
}
