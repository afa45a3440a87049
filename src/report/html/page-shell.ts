import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CHART_KEYS } from './chart-sections.ts';
import { embedJson, escapeHtml, type Section } from './markup.ts';
import { pack } from './packed.ts';
import type { PageData } from './page-data.ts';
import { customProperties, PALETTES } from './palette.ts';

const require = createRequire(import.meta.url);

/** TradingView Lightweight Charts as one classic script, with its licence notice, from its installed package. */
function chartLibrary(): string {
  const manifest = require.resolve('lightweight-charts/package.json');
  return readFileSync(join(dirname(manifest), 'dist', 'lightweight-charts.standalone.production.js'), 'utf8');
}

/** The page's whole style sheet, for light and dark screens and for paper. It loads no fonts or images. */
const STYLE = `
:root { color-scheme: light dark; ${customProperties(PALETTES.light)} }
@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { ${customProperties(PALETTES.dark)} } }
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; ${customProperties(PALETTES.dark)} }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 84px; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; font-variant-numeric: tabular-nums; }
main, header, footer, nav { max-width: 1260px; margin: 0 auto; padding: 0 28px; }
h1, h2 { font-family: Charter, 'Bitstream Charter', 'Iowan Old Style', 'Palatino Linotype', Georgia, 'Noto Serif', serif; font-weight: 600; text-wrap: balance; }
h1 { font-size: 40px; line-height: 1.15; letter-spacing: -0.01em; margin: 0 0 6px; overflow-wrap: anywhere; }
h2 { font-size: 21px; margin: 0; }
h3 { font-size: 12px; font-weight: 600; letter-spacing: 0.07em; text-transform: uppercase; color: var(--muted); margin: 0 0 6px; }
section > h3 { margin-top: 24px; }
header { padding-top: 44px; }
.brand { display: flex; align-items: center; gap: 16px; font-size: 12px; font-weight: 600; letter-spacing: 0.09em; text-transform: uppercase;
  color: var(--accent); border-bottom: 2px solid var(--accent); padding-bottom: 8px; margin-bottom: 22px; }
.brand span:first-child { flex: 1; }
.skip { position: absolute; left: -999px; top: 8px; z-index: 20; padding: 8px 14px; border-radius: 6px; background: var(--ink); color: var(--paper); } .skip:focus { left: 16px; }
nav { position: sticky; top: 0; z-index: 10; display: flex; flex-wrap: wrap; gap: 2px 18px; margin-top: 22px; padding-top: 9px; padding-bottom: 9px; background: var(--paper); border-bottom: 1px solid var(--rule); font-size: 13.5px; scrollbar-width: thin; }
nav a { color: var(--muted); text-decoration: none; white-space: nowrap; padding: 2px 0; } nav a:hover { color: var(--accent); text-decoration: underline; text-underline-offset: 4px; }
button, input, select { font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--rule); border-radius: 6px; padding: 3px 10px; }
button { cursor: pointer; } button:hover:not(:disabled) { border-color: var(--accent); } button:disabled { opacity: 0.4; cursor: default; }
#theme { letter-spacing: 0.04em; text-transform: none; color: var(--muted); background: none; }
[hidden] { display: none !important; }
.lead { color: var(--muted); margin: 0; }
.lead b { color: var(--ink); font-weight: 600; }
section { margin-top: 40px; break-inside: avoid-page; }
section.long { break-inside: auto; }
.section-head { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 4px 20px; margin-bottom: 10px; }
.note { color: var(--muted); font-size: 13px; margin: 8px 0 0; }
.section-head .note { margin: 0; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; min-width: 0; }
.decided { margin: 14px 0 0; padding: 8px 14px; border-left: 4px solid var(--loss); background: var(--card); font-weight: 600; }
.first { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr); gap: 18px; align-items: end; margin-top: 18px; } .first section { margin-top: 0; min-width: 0; } .first .tiles { grid-template-columns: 1fr 1fr; margin-top: 0; } .first .legend { right: 12px; } .first .legend div { white-space: normal; } .lead.counts { margin-top: 14px; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1px; background: var(--rule); border: 1px solid var(--rule); border-radius: 8px; overflow: hidden; margin-top: 26px; }
.tile { background: var(--card); padding: 14px 18px 15px; min-width: 0; }
.tile span { display: block; font-size: 13px; color: var(--muted); }
.tile strong { display: block; font-size: 25px; line-height: 1.3; font-weight: 600; letter-spacing: -0.01em; white-space: nowrap; }
.tile small { font-size: 0.68em; font-weight: 600; } .tile em { font-style: normal; font-size: 12.5px; color: var(--muted); }
.gain { color: var(--gain); } .loss { color: var(--loss); } .none { color: var(--muted); }
.rows > summary { cursor: pointer; padding: 6px 2px; color: var(--accent); font-size: 14px; } .rows .card { margin-top: 4px; }
.warnings { border-left: 4px solid var(--warn); padding: 12px 18px; margin-top: 26px; }
section:focus, main:focus { outline: none; }
.warnings h2 { font-size: 16px; color: var(--warn); }
.warnings ul { margin: 4px 0 0; padding-left: 18px; }
.chart { position: relative; padding: 4px 4px 2px; }
.canvas { height: 440px; } .frame { height: 100%; border-radius: 4px; }
.canvas.price { height: calc(520px + var(--panes, 0) * 110px); } .canvas.low { height: 250px; } .picture { display: none; width: 100%; }
.period { position: absolute; right: 84px; bottom: 34px; margin: 0; padding: 1px 8px; border-radius: 4px; font-size: 12px; color: var(--card); background: var(--accent); pointer-events: none; z-index: 4; } .period:empty { display: none; }
.choices { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 18px; } .choices label { display: flex; align-items: center; gap: 6px; } .choices input { accent-color: var(--accent); margin: 0; }
.legend { position: absolute; z-index: 4; top: 10px; left: 16px; right: 90px; min-height: 20px; font-size: 12.5px; color: var(--muted); pointer-events: none; }
.legend b { color: var(--ink); font-weight: 600; }
.legend div { width: fit-content; max-width: 100%; padding-right: 4px; background: color-mix(in srgb, var(--card) 80%, transparent); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.key-accent { color: var(--accent); } .key-loss { color: var(--loss); } .key-benchmark { color: var(--benchmark); } .key-buy { color: var(--buy); } .key-sell { color: var(--sell); } .key-warn { color: var(--warn); } .key-volume { color: var(--volume); } .key-muted { color: var(--muted); }
.plots { position: relative; display: grid; grid-template-columns: repeat(3, 1fr); gap: 8px; padding: 14px 12px 6px; } .plots.one { display: block; }
.plot { display: block; width: 100%; height: auto; font-size: 12px; } .one .plot { max-height: 340px; }
.plot text { fill: var(--muted); } .plot .axis { fill: var(--ink); font-weight: 600; font-size: 12px; }
.plot path { fill: none; } .plot .grid { stroke: var(--rule); } .plot .zero { stroke: var(--muted); } .plot .curve { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 5 4; }
.plot .of-run { stroke: var(--accent); stroke-width: 2; } .plot .of-benchmark { stroke: var(--benchmark); stroke-width: 1.5; stroke-dasharray: 5 3; } .card + .card, .card + .tools, noscript + .card, noscript + .tools { margin-top: 10px; } .pair > .card, .groups .card { margin-top: 0; }
.bar-gain { fill: var(--gain); } .bar-loss { fill: var(--loss); }
.plot .dots-gain { stroke: var(--gain); stroke-width: 6; stroke-linecap: round; stroke-opacity: 0.7; } .plot .dots-loss { stroke: var(--loss); stroke-width: 5; stroke-linecap: square; stroke-opacity: 0.7; }
.mark-buy { color: var(--buy); } .mark-sell { color: var(--sell); } .mark-liquidation { color: var(--loss); font-weight: 600; }
select { font-weight: 600; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 16px; align-items: start; } .pair > :only-child { grid-column: 1 / -1; }
.groups { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px; align-items: start; }
.groups > div { display: grid; gap: 16px; }
.groups .card { padding: 14px 18px 10px; }
dl { margin: 0; }
dl > div { display: flex; justify-content: space-between; gap: 16px; padding: 5px 0; border-top: 1px solid var(--rule); position: relative; }
dl > div:first-child { border-top: 0; }
.groups dd { white-space: nowrap; } dt { color: var(--muted); } dd { margin: 0; font-weight: 600; text-align: right; overflow-wrap: anywhere; }
.term { cursor: help; text-decoration: underline dotted; text-decoration-color: var(--muted); text-underline-offset: 3px; text-decoration-thickness: 1px; }
.tip { display: none; position: absolute; z-index: 6; left: 0; bottom: calc(100% - 2px); max-width: 100%; padding: 8px 12px; border-radius: 6px; font-size: 13px; line-height: 1.4; text-wrap: balance; color: var(--paper); background: var(--ink); }
.tip small { display: block; opacity: 0.75; }
.term:hover + .tip, .term:focus + .tip, .dot-tip:not(:empty) { display: block; } .dot-tip { pointer-events: none; width: max-content; }
.scroll { overflow-x: auto; }
.tools { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 6px 16px; margin-bottom: 8px; font-size: 13px; color: var(--muted); }
.filter { width: 220px; } .filter::placeholder { color: var(--muted); opacity: 1; } .pages { display: flex; align-items: center; gap: 8px; } .page { min-width: 32px; } .off-page { display: none; }
.scroll table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
.scroll th { position: sticky; top: 0; z-index: 1; background: var(--card); color: var(--muted); font-weight: 500; text-align: right; white-space: nowrap; padding: 9px 10px 8px; box-shadow: inset 0 -1px var(--rule); }
.scroll th.year { position: static; color: var(--ink); box-shadow: none; }
.sort { all: unset; box-sizing: border-box; cursor: pointer; font: inherit; color: inherit; } .sort:hover { color: var(--accent); }
[aria-sort] .sort { color: var(--ink); font-weight: 600; } [aria-sort=ascending] .sort::after { content: ' ▴'; } [aria-sort=descending] .sort::after { content: ' ▾'; }
.scroll td { text-align: right; white-space: nowrap; padding: 6px 10px; border-top: 1px solid var(--rule); }
.scroll tbody tr:first-child td { border-top: 0; }
.scroll tbody tr:hover td { background: var(--accent-soft); }
/* The trades: up to seventeen columns. */
.dense table { font-size: 12px; } .scroll.dense th, .scroll.dense td { padding: 5px 3px; } .dense td.word { max-width: 110px; }
.scroll.dense th:first-child, .scroll.dense td:first-child { padding-left: 10px; } .scroll.dense th:last-child, .scroll.dense td:last-child { padding-right: 10px; }
.scroll.dense td:not(.text) + td.text, .scroll.dense th:not(.text) + th.text { padding-left: 7px; }
.scroll th.text, .scroll td.text { text-align: left; } .scroll td.wrap { white-space: normal; overflow-wrap: anywhere; min-width: 160px; }
.scroll td.name { max-width: 260px; overflow: hidden; text-overflow: ellipsis; font-weight: 600; }
.scroll td.word { max-width: 160px; overflow: hidden; text-overflow: ellipsis; }
.scroll .heat { table-layout: fixed; min-width: 640px; }
.scroll .heat td, .scroll .heat th { text-align: center; padding: 8px 4px; } .scroll .heat td { border: 2px solid var(--card); border-radius: 4px; }
.scroll .heat tbody tr:hover td { background: none; }
.heat .year { font-weight: 600; } .heat .total { font-weight: 700; border-left: 8px solid var(--card); }
${heat('p', 'var(--gain)')}
${heat('n', 'var(--loss)')}
/* The page of a study. */
.lead { overflow-wrap: anywhere; } .choices { min-width: 0; max-width: 100%; } .choices label { min-width: 0; max-width: 100%; } .choices select { min-width: 0; max-width: 100%; }
@media (min-width: 761px) { .plots.two { grid-template-columns: 1fr 1fr; } }
.scroll .heat.map { table-layout: auto; min-width: 0; } .scroll .heat.map td { padding: 6px 5px; white-space: nowrap; min-width: 44px; } .scroll .heat.map th:first-child { position: sticky; left: 0; z-index: 2; background: var(--card); } .scroll .heat.map th.year { text-align: right; white-space: nowrap; padding-left: 12px; } .scroll .heat.map thead th:first-child { text-align: left; padding-left: 12px; } .scroll .heat td.of-best { outline: 2px solid var(--ink); outline-offset: -2px; font-weight: 700; }
.plot .dots-trial { stroke: var(--accent); stroke-width: 5; stroke-linecap: round; stroke-opacity: 0.45; } .plot .dots-missed { stroke: var(--muted); stroke-width: 4; stroke-linecap: square; stroke-opacity: 0.4; } .few .dots-trial { stroke-width: 8; stroke-opacity: 0.6; } .few .dots-missed { stroke-width: 6; } .tall .plot { max-height: none; } .plot .curve-median { stroke: var(--ink); stroke-width: 2; }
.parallel path[class^=q] { stroke: var(--muted); stroke-opacity: 0.22; } .plot.parallel .q2 { stroke: var(--benchmark); stroke-opacity: 0.35; } .plot.parallel .q1 { stroke: var(--accent); stroke-opacity: 0.45; } .plot.parallel .q0 { stroke: var(--accent); stroke-opacity: 1; stroke-width: 2.2; } .parallel text { paint-order: stroke; stroke: var(--card); stroke-width: 3px; }
[data-shows=quarter] .q3, [data-shows=tenth] :is(.q3, .q2), [data-shows=ten] :is(.q3, .q2, .q1) { display: none; }
.c0, .c5 { --line: var(--accent); } .c1, .c6 { --line: var(--sell); } .c2, .c7 { --line: var(--buy); } .c3, .c8 { --line: var(--benchmark); } .c4, .c9 { --line: var(--loss); }
.plot .run { stroke: var(--line); stroke-width: 1.6; } .plot .run:is(.c5, .c6, .c7, .c8, .c9) { stroke-dasharray: 6 3; } .plot .run.near { stroke-width: 3.4; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 10px; } .chip { display: flex; align-items: center; gap: 6px; padding: 2px 9px; font-size: 13px; color: var(--muted); } .chip i { width: 18px; border-top: 3px solid var(--rule); } .chip[aria-pressed=true] { color: var(--ink); border-color: var(--muted); } .chip[aria-pressed=true] i { border-color: var(--line); } .chip:is(.c5, .c6, .c7, .c8, .c9) i { border-top-style: dashed; }
.facts { padding: 12px 18px; } .facts dd { font-weight: 400; font-size: 13.5px; }
details { margin-top: 10px; } summary { cursor: pointer; padding: 10px 18px; font-weight: 600; } .fold summary { padding: 6px 0 8px; }
pre { margin: 0; padding: 4px 18px 16px; overflow-x: auto; font: 12.5px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; tab-size: 2; }
code { font: 0.9em ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; }
footer { margin-top: 56px; padding-top: 14px; padding-bottom: 48px; color: var(--muted); font-size: 12.5px; }
footer p { border-top: 1px solid var(--rule); margin: 0; padding-top: 14px; } a { color: var(--accent); }
a:focus-visible, button:focus-visible, input:focus-visible, select:focus-visible, summary:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 1020px) { .first { grid-template-columns: 1fr; } .first .tiles { grid-template-columns: repeat(4, 1fr); } .groups { grid-template-columns: 1fr 1fr; } .plots { grid-template-columns: 1fr 1fr; } }
@media (max-width: 760px) { nav { flex-wrap: nowrap; overflow-x: auto; } .cards thead { display: none; } .cards tr { display: block; padding: 10px 4px; border-top: 1px solid var(--rule); } .cards tbody tr:first-child { border-top: 0; } .scroll.cards td { display: block; max-width: none; padding: 2px 10px; border: 0; white-space: normal; } .cards td:empty { display: none; } .cards td:nth-child(2) { font-weight: 600; } .cards td:last-child { color: var(--muted); font-size: 12.5px; } .keys { display: none; } .pair { grid-template-columns: 1fr; } main, header, footer, nav { padding-left: 16px; padding-right: 16px; } h1 { font-size: 30px; } .tiles, .first .tiles { grid-template-columns: 1fr 1fr; } header { padding-top: 16px; } .brand { margin-bottom: 10px; } .first .canvas { height: 300px; } .groups, .plots { grid-template-columns: 1fr; } .one .plot { min-width: 560px; } .wide .plot { min-width: 860px; } .plots.one { overflow-x: auto; } .filter { width: 100%; } .legend { position: static; padding: 6px 10px; } .legend div { white-space: normal; } .tile strong { font-size: 21px; } .canvas { height: 360px; } .section-head .note { flex-basis: 100%; } }
@page { margin: 14mm 12mm; }
@media print {
  :root:root:root { color-scheme: light; ${customProperties(PALETTES.light)} --paper: #fff; --card: #fff; }
  body { font-size: 11px; } .scroll table { font-size: 9px; } .dense table { font-size: 7px; } .scroll th { position: static; } .scroll td, .scroll th { padding: 3px 5px !important; } tr { break-inside: avoid; }
  main, header, footer { max-width: none; padding-left: 0; padding-right: 0; } header { padding-top: 0; } section { margin-top: 22px; }
  .first { display: block; } .tiles, .first .tiles { grid-template-columns: repeat(4, 1fr); margin-top: 14px; } .groups { grid-template-columns: repeat(3, 1fr); gap: 10px; } .groups .card { padding: 10px; } dl > div { padding: 2px 0; } 
  .scroll { overflow: visible; } .tip, .screen, .pages, .filter, .skip, .frame { display: none !important; } .off-page { display: table-row; } .picture { display: block; } .chart .canvas { height: auto; } .legend { position: static; padding: 4px 10px; } .plots { grid-template-columns: 1fr 1fr; } .one .plot { min-width: 0; } pre { white-space: pre-wrap; font-size: 9px; }
  .heat td, .tile, .plot { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;

/** Five steps of one colour for the heat table: `.p1` faint to `.p5` strong. */
function heat(prefix: string, color: string): string {
  return [12, 24, 38, 54, 72]
    .map(
      (share, index) =>
        `.scroll .heat tr .${prefix}${index + 1}, .scroll .heat tbody tr:hover .${prefix}${index + 1} { background: color-mix(in srgb, ${color} ${share}%, var(--card)); }`,
    )
    .join('\n');
}

interface PageParts {
  /** Plain text. */
  readonly title: string;
  /** The target of the first link ("skip to"), in a word. */
  readonly skip: string;
  /** HTML above the navigation. */
  readonly header: string;
  readonly sections: readonly Section[];
  /** The data that the script draws. */
  readonly data: PageData;
  /** The page's own script, which draws the charts and sorts the tables. */
  readonly clientScript: string;
  /** Whether the page has charts over time, which need the charting library. */
  readonly timeCharts?: boolean;
}

/**
 * One self-contained HTML page that opens offline. Its content security policy allows its own style and scripts by their
 * hash and nothing else: no network, no other inline code.
 */
export function pageShell({ title, skip, header, sections, data, clientScript, timeCharts = true }: PageParts): string {
  const scripts = [...(timeCharts ? [chartLibrary()] : []), clientScript];
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
${timeCharts ? `<p class="note screen" id="chart-keys">Charts: ${CHART_KEYS}</p>\n` : ''}</main>
<footer><p>${timeCharts ? `${FOOTER}<br>\n${LICENCE}` : FOOTER}</p></footer>
<script type="application/json" id="data">${embedJson(pack(data))}</script>
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

const FOOTER = 'Made by Tidegate. All times are UTC. Past results, simulated ones above all, promise nothing.';
/** The charting library's licence requires its creator's name and a link; the link loads nothing by itself. */
const LICENCE = `Charts: <a href="https://www.tradingview.com/" rel="noopener noreferrer">TradingView Lightweight Charts™</a>, copyright TradingView, Inc., Apache License 2.0.`;
