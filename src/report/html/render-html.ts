import type { PageReport } from '../page-report.ts';
import { pageColumns } from './page/page-columns.ts';
import type { PageData } from './page/page-data.ts';
import { pageShell } from './page/page-shell.ts';
import { equitySections, priceSection } from './sections/chart-sections.ts';
import { headline } from './sections/headline.ts';
import {
  deniedSection,
  findingsSection,
  monthlySection,
  pathsSection,
  rollingSection,
  sourcesSection,
  statisticsSection,
  warningsSection,
} from './sections/run-sections.ts';
import type { Section } from './sections/section.ts';
import { breakdownSection, distributionSection, scatterSection, timeSection, tradesSection } from './sections/trade-sections.ts';

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
