import { formatCount } from '../format.ts';
import type { PageReport } from '../page-report.ts';
import { escapeHtml, type Section, section } from './markup.ts';
import type { PageData } from './page-data.ts';

/** What the charts' keys do; every chart names it as its description. */
export const CHART_KEYS =
  'Drag or use the arrow keys to move; click and scroll, or press + and −, to zoom; Home and End go to the ends; 0 or a double click shows all.';

/** Equity with its benchmark and the fall from the peak, and the exposure. */
export function equitySections({ equity, whole }: PageReport, data: PageData): Section[] {
  if (data.equity === undefined) return [];
  const thinned =
    equity.length < whole.equity
      ? `${formatCount(whole.equity)} points shown as ${formatCount(equity.length)}: of each stretch of time those with the lowest and highest equity, drawdown and leverage.`
      : '';
  const { benchmarkLabel, gross } = data.equity;
  const note = benchmarkLabel === undefined ? '' : `Against ${benchmarkLabel}.`;
  const below = thinned && `<p class="note">${thinned}</p>`;
  return [
    section('equity', 'Equity and drawdown', chart('equity', 'Equity and drawdown over time') + below, { note, short: 'Equity' }),
    ...(gross === undefined ? [] : [exposureSection(data.equity.net !== undefined)]),
  ];
}

function exposureSection(hasShorts: boolean): Section {
  const sides = hasShorts ? ': gross counts both sides, net takes shorts from longs' : '';
  const note = `Value of the positions in percent of equity${sides}. 100 % is a leverage of 1.`;
  return section('exposure', 'Exposure and leverage', chart('exposure', 'Exposure over time', 'low'), { note, short: 'Exposure' });
}

/** Candles with every order and fill, one symbol at a time. */
export function priceSection({ charts }: PageData): Section[] {
  if (charts.length === 0) return [];
  const options = charts.map(({ symbol }, index) => `<option value="${index}">${escapeHtml(symbol)}</option>`);
  const symbol =
    charts.length > 1
      ? `<label>Symbol <select id="price-symbol" autocomplete="off">${options.join('')}</select></label>`
      : `<span>${escapeHtml(charts[0]?.symbol ?? '')}</span>`;
  const boxes = ['Orders', 'Fills'].map(
    (name) => `<label><input type="checkbox" id="price-${name.toLowerCase()}" checked autocomplete="off"> ${name}</label>`,
  );
  const aside = `<div class="note choices">${symbol}<span class="choices screen">${boxes.join('')}</span></div>`;
  const keys = '<p class="note screen">N and P go to the next and the previous fill.</p>';
  const body = `${chart('price', 'Prices with orders and fills', 'price')}${keys}<p class="note" id="price-note"></p>`;
  return [section('price', 'Price, orders and fills', body, { aside, short: 'Price' })];
}

/** The frame of a chart that the page's script draws: legend, canvas, the period shown. */
export function chart(id: string, label: string, size = ''): string {
  return `<div class="card chart"><div class="legend" id="${id}-legend"></div><div class="canvas ${size}" id="${id}-chart" data-label="${escapeHtml(label)}"></div><p class="period screen" id="${id}-period" aria-live="polite"></p></div><noscript><p class="note">The charts need JavaScript.</p></noscript>`;
}
