import type { PageReport } from '../page-report.ts';
import { pageColumns } from './page/page-columns.ts';
import type { PageData } from './page/page-data.ts';
import { pageShell } from './page/page-shell.ts';
import { breakdownSection } from './sections/breakdown-section.ts';
import { equitySections, priceSection } from './sections/chart-sections.ts';
import { distributionSection } from './sections/distribution-section.ts';
import { findingsSection } from './sections/findings-section.ts';
import { headline } from './sections/headline.ts';
import { monthlySection } from './sections/monthly-section.ts';
import { pathsSection } from './sections/paths-section.ts';
import { rollingSection } from './sections/rolling-section.ts';
import { deniedSection, sourcesSection, warningsSection } from './sections/run-sections.ts';
import { scatterSection } from './sections/scatter-section.ts';
import type { Section } from './sections/section.ts';
import { statisticsSection } from './sections/statistics-section.ts';
import { timeSection } from './sections/time-section.ts';
import { tradesSection } from './sections/trades-section.ts';

/**
 * The run as one self-contained HTML page that opens offline.
 * @param clientScript the page's own script, which draws the charts and works the tables.
 */
export function renderHtml(report: PageReport, clientScript: string): string {
  const data = pageColumns(report);
  const sections = sectionsOf(report, data);
  return pageShell({
    title: `${report.name} - Tidegate run report`,
    skip: 'results',
    header: headline(report),
    sections,
    data,
    clientScript,
  });
}

/** In the order in which a reader asks: may I believe it, how did it go, what made it, trade by trade, out of what. */
function sectionsOf(report: PageReport, data: PageData): Section[] {
  const { tables, breakdowns, futures } = report;
  return [
    ...warningsSection(report),
    ...findingsSection(report),
    ...pathsSection(report),
    ...equitySections(report, data),
    ...rollingSection(report, data),
    ...monthlySection(report),
    ...distributionSection(report),
    statisticsSection(report),
    ...breakdownSection('side', tables.bySide, futures),
    ...breakdownSection('symbol', tables.bySymbol, futures),
    ...breakdownSection('tag', tables.byTag, futures),
    ...breakdownSection('exitReason', breakdowns.exitReason, futures),
    ...timeSection(report),
    ...scatterSection(report),
    ...priceSection(data),
    tradesSection(report),
    ...deniedSection(report),
    sourcesSection(report),
  ];
}
