import { EQUITY_SCRIPT } from './equity-chart.ts';
import { FILL_MARKS_SCRIPT } from './fill-marks.ts';
import { PRICE_SCRIPT } from './price-chart.ts';
import { SHARED_SCRIPT } from './shared.ts';

const START = `
const part = (id) => document.getElementById(id);
if (part('equity-chart') && data.equity.t.length > 0) drawEquity(part('equity-chart'), part('equity-legend'));
if (part('price-chart')) drawPrice(part('price-chart'), part('price-legend'), part('price-note'), part('price-symbol'));
`;

/** The page's own script, in one strict scope. */
export function clientScript(): string {
  return `'use strict';\n(() => {${[SHARED_SCRIPT, FILL_MARKS_SCRIPT, EQUITY_SCRIPT, PRICE_SCRIPT, START].join('')}})();\n`;
}
