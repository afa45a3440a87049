import { createHash } from 'node:crypto';
import type { PageReport } from '../page-report.ts';
import { breakdownSection } from './breakdown-section.ts';
import { chartLibrary } from './chart-library.ts';
import { CHART_KEYS, equitySections, priceSection } from './chart-sections.ts';
import { distributionSection } from './distribution-section.ts';
import { embedJson, escapeHtml } from './escape.ts';
import { findingsSection } from './findings-section.ts';
import { headline } from './headline.ts';
import { monthlySection } from './monthly-section.ts';
import { pageColumns } from './page-columns.ts';
import type { PageData } from './page-data.ts';
import { rollingSection } from './rolling-section.ts';
import { deniedSection, sourcesSection, warningsSection } from './run-sections.ts';
import { scatterSection } from './scatter-section.ts';
import type { Section } from './section.ts';
import { statisticsSection } from './statistics-section.ts';
import { STYLE } from './style.ts';
import { timeSection } from './time-section.ts';
import { tradesSection } from './trades-section.ts';

/**
 * The run as one self-contained HTML page that opens offline. Its content security policy allows its own
 * style and scripts by their hash and nothing else: no network, no other inline code.
 * @param clientScript the page's own script, which draws the charts and works the tables.
 */
export function renderHtml(report: PageReport, clientScript: string): string {
  const data = pageColumns(report);
  const sections = sectionsOf(report, data);
  const scripts = [chartLibrary(), clientScript];
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(hashSource).join(' ')}`,
    `style-src ${hashSource(STYLE)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escapeHtml(report.name)} - Tidegate run report</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
${headline(report)}
${navigation(sections)}
<main id="main" tabindex="-1">
${sections.map(({ html }) => html).join('\n')}
<p class="note screen" id="chart-keys">Charts: ${CHART_KEYS}</p>
</main>
${FOOTER}
<script type="application/json" id="data">${embedJson(data)}</script>
${scripts.map((script) => `<script>${script}</script>`).join('\n')}
</body>
</html>
`;
}

/** In the order in which a reader asks: may I believe it, how did it go, what made it, trade by trade, out of what. */
function sectionsOf(report: PageReport, data: PageData): Section[] {
  const { tables, breakdowns, futures } = report;
  return [
    ...warningsSection(report),
    ...findingsSection(report),
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

function navigation(sections: readonly Section[]): string {
  const links = sections.map(({ id, title, short = title }) => `<a href="#${id}">${escapeHtml(short)}</a>`);
  return `<nav class="screen" aria-label="Sections">${links.join('')}</nav>`;
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

/** The charting library's licence asks for its creator's name and a link; the link loads nothing by itself. */
const FOOTER = `<footer><p>Made by Tidegate. All times are UTC. Past results, simulated ones above all, promise nothing.<br>
Charts: <a href="https://www.tradingview.com/" rel="noopener noreferrer">TradingView Lightweight Charts™</a>, copyright TradingView, Inc., Apache License 2.0.</p></footer>`;
