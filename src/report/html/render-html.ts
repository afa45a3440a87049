import { createHash } from 'node:crypto';
import type { RunReport } from '../run-report.ts';
import { breakdownSection } from './breakdown-section.ts';
import { chartData } from './chart-data.ts';
import { chartLibrary } from './chart-library.ts';
import { chartSections, priceNote } from './chart-sections.ts';
import { clientScript } from './client/client-script.ts';
import { embedJson, escapeHtml } from './escape.ts';
import { headline } from './headline.ts';
import { monthlySection } from './monthly-section.ts';
import { deniedSection, sourcesSection, warningsBox } from './run-sections.ts';
import { statisticsSection } from './statistics-section.ts';
import { STYLE } from './style.ts';
import { tradesSection } from './trades-section.ts';

/**
 * The run as one self-contained HTML page that opens offline. Its content security policy allows its own
 * style and scripts by their hash and nothing else: no network, no other inline code.
 */
export function renderHtml(report: RunReport): string {
  const data = chartData(report);
  const charts = data.charts.map((chart) => ({ ...chart, note: priceNote(chart) }));
  const scripts = [chartLibrary(), clientScript()];
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
${headline(report)}
<main>
${body(report, chartSections(report, data))}
</main>
${FOOTER}
<script type="application/json" id="data">${embedJson({ ...data, charts })}</script>
${scripts.map((script) => `<script>${script}</script>`).join('\n')}
</body>
</html>
`;
}

function body(report: RunReport, charts: string): string {
  const sections = [
    warningsBox(report),
    charts,
    monthlySection(report),
    statisticsSection(report),
    breakdownSection('By side', 'Side', report.tables.bySide, report.futures),
    breakdownSection('By symbol', 'Symbol', report.tables.bySymbol, report.futures),
    breakdownSection('By tag', 'Tag', report.tables.byTag, report.futures),
    tradesSection(report),
    deniedSection(report),
    sourcesSection(report),
  ];
  return sections.filter((section) => section !== '').join('\n');
}

function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

/** The charting library's licence asks for its creator's name and a link; the link loads nothing by itself. */
const FOOTER = `<footer><p>Made by Tidegate. All times are UTC. Past results, simulated ones above all, promise nothing.<br>
Charts: <a href="https://www.tradingview.com/" rel="noopener noreferrer">TradingView Lightweight Charts™</a>, copyright TradingView, Inc., Apache License 2.0.</p></footer>`;
