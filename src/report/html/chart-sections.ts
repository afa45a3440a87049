import { formatCount, formatShare } from '../format.ts';
import type { PageReport } from '../page-report.ts';
import type { AllocatedSymbol } from '../run-report.ts';
import { type Column, escapeHtml, htmlTable, type Section, section } from './markup.ts';
import type { PageData } from './page-data.ts';

/** The keys of the charts; every chart uses it as its description. */
export const CHART_KEYS =
  'Drag or use the arrow keys to move; click and scroll, or press + and −, to zoom; Home and End go to the ends; 0 or a double click shows all.';

/** Equity with its benchmark, the drawdown, and the exposure. */
export function equitySections({ equity, whole }: PageReport, data: PageData): Section[] {
  if (data.equity === undefined) return [];
  const thinned =
    equity.length < whole.equity
      ? `${formatCount(whole.equity)} points shown as ${formatCount(equity.length)}: of each stretch of time those with the lowest and highest equity, drawdown and leverage.`
      : '';
  const { benchmarkLabel, gross } = data.equity;
  const note = benchmarkLabel === undefined ? '' : `<span>Against ${escapeHtml(benchmarkLabel)}.</span>`;
  const scales = ['Money', 'Logarithmic', 'Percent'].map((name, mode) => `<option value="${mode}">${name}</option>`);
  const scale = `<label class="screen">Scale <select id="equity-scale" autocomplete="off">${scales.join('')}</select></label>`;
  const aside = `<div class="note choices">${note}${scale}</div>`;
  const below = thinned && `<p class="note">${thinned}</p>`;
  return [
    section('equity', 'Equity and drawdown', chart('equity', 'Equity and drawdown over time') + below, { aside, short: 'Equity' }),
    ...(gross === undefined ? [] : [exposureSection(data.equity.net !== undefined)]),
  ];
}

function exposureSection(hasShorts: boolean): Section {
  const sides = hasShorts ? ': gross counts both sides, net takes shorts from longs' : '';
  const note = `Value of the positions in percent of equity${sides}. 100 % is a leverage of 1.`;
  return section('exposure', 'Exposure and leverage', chart('exposure', 'Exposure over time', 'low'), { note, short: 'Exposure' });
}

const shareColumn = (label: string, share: (row: AllocatedSymbol) => number): Column<AllocatedSymbol> => ({
  label,
  kind: 'figure',
  cell: (row) => formatShare(share(row)),
});

const ALLOCATION_COLUMNS: readonly Column<AllocatedSymbol>[] = [
  { label: 'Symbol', kind: 'name', cell: ({ symbol }) => symbol },
  shareColumn('Mean', ({ mean }) => mean),
  shareColumn('Lowest', ({ lowest }) => lowest),
  shareColumn('Highest', ({ highest }) => highest),
  shareColumn('At the end', ({ last }) => last),
  shareColumn('Time held', ({ held }) => held),
];

/** The share of the equity in each symbol over time; nothing where fewer than two were held, as one alone is the exposure. */
export function allocationSection({ allocation, futures }: PageReport, data: PageData): Section[] {
  if (allocation === undefined || data.allocation === undefined) return [];
  const { each, symbols } = allocation;
  const rest = futures ? '' : ' The rest is cash.';
  const means = each === 1 ? '' : ` Each point is the mean of ${formatCount(each)} points of the equity curve.`;
  const note = `Net value of each position in percent of equity, longs above zero, shorts below.${rest}${means}`;
  const table = htmlTable('allocation', ALLOCATION_COLUMNS, symbols);
  const body = `${chart('allocation', 'Asset allocation over time', 'low')}${table}`;
  return [section('allocation', 'Asset allocation', body, { note, short: 'Allocation', long: true })];
}

/** Candles with every order and fill, one symbol at a time. */
export function priceSection({ charts }: PageData): Section[] {
  if (charts.length === 0) return [];
  const options = charts.map(({ symbol }, index) => `<option value="${index}">${escapeHtml(symbol)}</option>`);
  const symbol =
    charts.length > 1
      ? `<label>Symbol <select id="price-symbol" autocomplete="off">${options.join('')}</select></label>`
      : `<span>${escapeHtml(charts[0]?.symbol ?? '')}</span>`;
  const plotted = charts.some(({ plots }) => plots !== undefined);
  const boxes = ['Orders', 'Fills', ...(plotted ? ['Plots'] : [])].map(
    (name) => `<label><input type="checkbox" id="price-${name.toLowerCase()}" checked autocomplete="off"> ${name}</label>`,
  );
  const aside = `<div class="note choices">${symbol}<span class="choices screen">${boxes.join('')}</span></div>`;
  const keys = '<p class="note screen keys">N and P go to the next and the previous fill.</p>';
  const body = `${chart('price', 'Prices with orders and fills', 'price')}${keys}<p class="note" id="price-note"></p>`;
  return [section('price', 'Price, orders and fills', body, { aside, short: 'Price' })];
}

/** The frame of a chart: legend, canvas, and the period shown. The page's script draws the chart. */
export function chart(id: string, label: string, size = ''): string {
  return `<div class="card chart"><div class="legend" id="${id}-legend"></div><div class="canvas ${size}" id="${id}-chart" data-label="${escapeHtml(label)}"></div><p class="period screen" id="${id}-period" aria-live="polite"></p></div><noscript><p class="note">The charts need JavaScript.</p></noscript>`;
}
