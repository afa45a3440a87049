import { formatCount, formatDuration } from '../format.ts';
import type { RunReport } from '../run-report.ts';
import type { ChartData, EmbeddedChart } from './chart-data.ts';
import { escapeHtml } from './escape.ts';
import { section } from './section.ts';

const HINT = 'Drag to move, click and scroll to zoom, double-click for all.';

/** Where the page's script draws equity with its drawdown, and prices with the fills. */
export function chartSections(report: RunReport, data: ChartData): string {
  return [equitySection(report, data), priceSection(data)].join('');
}

function equitySection(report: RunReport, data: ChartData): string {
  if (data.equity.t.length === 0) return '';
  const thinned =
    data.equity.t.length < report.equity.length
      ? ` ${formatCount(report.equity.length)} points shown as ${formatCount(data.equity.t.length)}, each the last equity and the deepest drawdown of its stretch.`
      : '';
  return section('Equity and drawdown', `${frame('equity', 'canvas')}<p class="note screen">${HINT}${thinned}</p>`);
}

function priceSection({ charts }: ChartData): string {
  if (charts.length === 0) return '';
  const options = charts.map(({ symbol }, index) => `<option value="${index}">${escapeHtml(symbol)}</option>`);
  const aside =
    charts.length > 1
      ? `<label class="note">Symbol <select id="price-symbol" autocomplete="off">${options.join('')}</select></label>`
      : `<p class="note">${escapeHtml(charts[0]?.symbol ?? '')}</p>`;
  return section('Price and fills', `${frame('price', 'canvas price')}<p class="note" id="price-note"></p>`, { aside });
}

function frame(id: string, className: string): string {
  return `<div class="card chart"><div class="legend" id="${id}-legend"></div><div class="${className}" id="${id}-chart"></div></div><noscript><p class="note">The charts need JavaScript.</p></noscript>`;
}

/** What the page says under a price chart: how its candles and marks came about. */
export function priceNote(chart: EmbeddedChart): string {
  const length = formatDuration(chart.intervalMs);
  const candles = formatCount(chart.bars.t.length);
  const made =
    chart.madeFrom > chart.bars.t.length
      ? `${formatCount(chart.madeFrom)} bars or prices of ${chart.symbol} shown as ${candles} candles of ${length}.`
      : `${candles} candles of ${length}.`;
  const marked = chart.fills.t.length;
  const marks =
    marked < chart.fillCount
      ? `The first ${formatCount(marked)} of ${formatCount(chart.fillCount)} fills are marked`
      : marked === 1
        ? '1 fill is marked'
        : `${formatCount(marked)} fills are marked`;
  const liquidated = chart.fills.liquidations?.length ? ', ✕ liquidation' : '';
  return `${made} ${marks} at their own time and price: ▲ buy, ▼ sell${liquidated}.`;
}
