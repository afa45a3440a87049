import { createHash } from 'node:crypto';
import { embedJson, escapeHtml } from '../markup/escape.ts';
import { CHART_KEYS } from '../sections/chart-sections.ts';
import type { Section } from '../sections/section.ts';
import { chartLibrary } from './chart-library.ts';
import type { PageData } from './page-data.ts';
import { STYLE } from './style.ts';

export interface PageParts {
  /** Plain text. */
  readonly title: string;
  /** What the first link skips to, in a word. */
  readonly skip: string;
  /** HTML above the navigation. */
  readonly header: string;
  readonly sections: readonly Section[];
  /** What the script draws from. */
  readonly data: PageData;
  /** The page's own script, which draws the charts and works the tables. */
  readonly clientScript: string;
}

/**
 * One self-contained HTML page that opens offline. Its content security policy allows its own style and scripts by their
 * hash and nothing else: no network, no other inline code.
 */
export function pageShell({ title, skip, header, sections, data, clientScript }: PageParts): string {
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
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the ${skip}</a>
${header}
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
