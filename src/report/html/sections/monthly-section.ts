import type { YearReturns } from '../../../statistics/returns/monthly-returns.ts';
import type { RunReport } from '../../run-report.ts';
import { figure } from '../markup/escape.ts';
import { type Section, section } from './section.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const STEPS = 5;

/** Monthly returns in percent, a row a year; the stronger the colour, the further from zero. */
export function monthlySection({ monthly }: Pick<RunReport, 'monthly'>): Section[] {
  if (monthly.length === 0) return [];
  const largest = Math.max(...monthly.flatMap(({ months }) => months.map((month) => Math.abs(month ?? 0))));
  const head = ['Year', ...MONTHS, 'Total'].map((label) => `<th scope="col">${label}</th>`).join('');
  const body = monthly.map((year) => row(year, largest)).join('');
  const table = `<div class="card scroll" tabindex="0" role="region" aria-label="Table of monthly returns"><table class="heat"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
  const note = 'Percent, by UTC month; the first and the last may be partial.';
  return [section('monthly', 'Monthly returns', table, { note, short: 'Months' })];
}

function row({ year, months, total }: YearReturns, largest: number): string {
  const cells = months.map((month) => (month === null ? '<td></td>' : `<td class="${step(month, largest)}">${percent(month)}</td>`));
  return `<tr><th scope="row" class="year">${year}</th>${cells.join('')}<td class="total">${percent(total)}</td></tr>`;
}

/** `p1` to `p5` for gains and `n1` to `n5` for losses, by fifths of the largest month. */
function step(value: number, largest: number): string {
  if (Math.abs(value) < 0.0005) return '';
  return `${value > 0 ? 'p' : 'n'}${Math.max(1, Math.ceil((Math.abs(value) / largest) * STEPS))}`;
}

function percent(value: number): string {
  return figure((value * 100).toFixed(1).replace(/^-0\.0$/, '0.0'));
}
