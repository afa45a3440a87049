import type { PageReport } from '../page-report.ts';
import { breakdownSection } from './breakdown-section.ts';
import { equitySections, priceSection } from './chart-sections.ts';
import { distributionSection } from './distribution-section.ts';
import { findingsSection } from './findings-section.ts';
import { headline } from './headline.ts';
import { monthlySection } from './monthly-section.ts';
import { pageColumns } from './page-columns.ts';
import type { PageData } from './page-data.ts';
import { pageShell } from './page-shell.ts';
import { pathsSection } from './paths-section.ts';
import { rollingSection } from './rolling-section.ts';
import { deniedSection, sourcesSection, warningsSection } from './run-sections.ts';
import { scatterSection } from './scatter-section.ts';
import type { Section } from './section.ts';
import { statisticsSection } from './statistics-section.ts';
import { timeSection } from './time-section.ts';
import { tradesSection } from './trades-section.ts';

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
