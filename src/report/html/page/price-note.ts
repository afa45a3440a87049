import { formatCount, formatDuration } from '../../format.ts';
import type { PageChart } from '../../page-report.ts';

/** What the page says under a price chart: how its candles and marks came about. */
export function priceNote({ symbol, intervalMs, bars, madeFrom, fills, orders, whole }: PageChart): string {
  const length = formatDuration(intervalMs);
  const candles = formatCount(bars.length);
  const made =
    madeFrom > bars.length
      ? `${formatCount(madeFrom)} bars or prices of ${symbol} shown as ${candles} candles of ${length}.`
      : `${candles} candles of ${length}.`;
  const liquidated = fills.some(({ liquidation }) => liquidation === true) ? ', ✕ liquidation' : '';
  const marks = `${shown('fill', fills.length, whole.fills)} at ${whole.fills === 1 ? 'its' : 'their'} own time and price: ▲ buy, ▼ sell${liquidated}.`;
  const lives = `${shown('order', orders.length, whole.orders)} from placing to end: ━ limit, ┅ waits for its trigger, × ended without a fill; market orders have no line.`;
  return [made, marks, ...(whole.orders > 0 ? [lives] : [])].join(' ');
}

function shown(name: string, shownCount: number, whole: number): string {
  if (whole === 1) return `1 ${name}`;
  if (shownCount === whole) return `All ${formatCount(whole)} ${name}s`;
  return `${formatCount(shownCount)} of ${formatCount(whole)} ${name}s (of each stretch of time the highest and lowest buy and sell)`;
}
