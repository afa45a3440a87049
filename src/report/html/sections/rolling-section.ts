import type { PageReport } from '../../page-report.ts';
import type { PageData } from '../page/page-data.ts';
import { chart } from './chart-sections.ts';
import { type Section, section } from './section.ts';

/** The Sharpe ratio and the volatility of the windows that end with each day, as far as the run is long enough for one. */
export function rollingSection({ rolling }: PageReport, data: PageData): Section[] {
  if (data.rolling === undefined) return [];
  const longer = rolling.filter(({ points }) => points.length === 0).map(({ days }) => days);
  const tooShort = longer.length === 0 ? '' : ` The run is too short for windows of ${longer.join(' and ')}.`;
  const note = `Annualised, of the daily returns in the window that ends with each day.${tooShort}`;
  return [
    section('rolling', 'Rolling Sharpe ratio and volatility', chart('rolling', 'Rolling Sharpe ratio and volatility'), {
      note,
      short: 'Rolling',
    }),
  ];
}
