import { CAUSES } from '../../statistics/comparison/cause.ts';
import type { EquitySamplePoint } from '../../statistics/comparison/compared-run.ts';
import type { ComparedTrade, Comparison, OtherDifference } from '../../statistics/comparison/comparison.ts';
import { formatCount, formatTime } from '../format.ts';
import { escapeHtml, figure } from '../html/markup/escape.ts';
import { type Column, htmlTable } from '../html/markup/table.ts';
import { pageShell } from '../html/page/page-shell.ts';
import { PALETTES } from '../html/page/palette.ts';
import { chart } from '../html/sections/chart-sections.ts';
import { type Section, section } from '../html/sections/section.ts';
import { equityPictures } from './equity-pictures.ts';
import { amountOf, causesText, exact, filledText } from './trade-lines.ts';

/** What the page is made of. */
export interface ComparisonParts {
  readonly names: { readonly a: string; readonly b: string };
  readonly comparison: Comparison;
  readonly equity: { readonly a: readonly EquitySamplePoint[]; readonly b: readonly EquitySamplePoint[] };
}

/** Two runs side by side as one self-contained page. */
export function renderComparisonPage({ names, comparison, equity }: ComparisonParts, clientScript: string): string {
  const { currency, difference, finalEquityA, finalEquityB } = comparison;
  const pictures = equityPictures(equity.a, equity.b);
  const header = `<header>
<div class="brand"><span>Tidegate</span><span>Two runs compared</span><button type="button" id="theme" class="screen" aria-pressed="false" hidden>Dark</button></div>
<h1>${escapeHtml(names.a)} and ${escapeHtml(names.b)}</h1>
<p class="lead">A is <b>${escapeHtml(names.a)}</b> and ends with ${figure(finalEquityA.toFixed())} ${escapeHtml(currency)}, B is <b>${escapeHtml(names.b)}</b> and ends with ${figure(finalEquityB.toFixed())}.
The difference is <b>${figure(exact(difference))}</b>. All times are UTC.</p>
</header>`;
  const titles = ['Equity of both', 'B less A'];
  const charts = pictures.map((_, index) => section(`series-${index}`, titles[index]!, chart(`series-${index}`, titles[index]!, 'price')));
  return pageShell({
    title: `${names.a} and ${names.b} - Tidegate comparison`,
    skip: 'comparison',
    header,
    sections: [causesSection(comparison), ...charts, ...tradesSection(comparison), ...othersSection(comparison)],
    data: { currency, palettes: PALETTES, equity: undefined, rolling: undefined, charts: [], dots: undefined, series: pictures },
    clientScript,
  });
}

function causesSection({ causes, difference, currency }: Comparison): Section {
  type Row = { readonly name: string; readonly count: string; readonly amount: typeof difference };
  const rows: Row[] = causes.map(({ cause, count, amount }) => ({ name: CAUSES[cause], count: formatCount(count), amount }));
  const columns: readonly Column<Row>[] = [
    { label: 'cause', kind: 'text', cell: ({ name }) => name },
    { label: 'parts', kind: 'figure', cell: ({ count }) => count },
    { label: currency, kind: 'figure', cell: ({ amount }) => exact(amount), sign: ({ amount }) => amount.toNumber() },
  ];
  const sum = `<p class="note">Together ${figure(exact(difference))} ${escapeHtml(currency)}, the whole difference.</p>`;
  const body = rows.length === 0 ? '<p class="note">The two runs end with the same.</p>' : `${htmlTable('causes', columns, rows)}${sum}`;
  return section('causes', 'The difference by cause', body, { short: 'Causes' });
}

function tradesSection({ trades, currency }: Comparison): Section[] {
  if (trades.length === 0) return [];
  const columns: readonly Column<ComparedTrade>[] = [
    { label: 'time', kind: 'text', cell: ({ time }) => formatTime(time) },
    { label: 'strategy', kind: 'name', cell: ({ strategyId }) => strategyId },
    { label: 'trade', kind: 'text', cell: ({ symbol, side }) => `${symbol} ${side}` },
    { label: 'A', kind: 'text', cell: ({ a }) => filledText(a) },
    { label: 'B', kind: 'text', cell: ({ b }) => filledText(b) },
    { label: 'cause', kind: 'text', cell: causesText },
    { label: currency, kind: 'figure', cell: (trade) => exact(amountOf(trade)), sign: (trade) => amountOf(trade).toNumber() },
    { label: 'what was seen', kind: 'wrap', cell: ({ parts }) => parts.map(({ note }) => note).join('; ') },
  ];
  const differing = trades.filter(({ parts }) => parts.length > 0).length;
  const note = `${formatCount(differing)} of ${formatCount(trades.length)} trades differ.`;
  return [section('trades', 'Trade by trade', htmlTable('trades', columns, trades, true), { note, long: true })];
}

function othersSection({ others, currency }: Comparison): Section[] {
  if (others.length === 0) return [];
  const columns: readonly Column<OtherDifference>[] = [
    { label: 'time', kind: 'text', cell: ({ time }) => (time === undefined ? '' : formatTime(time)) },
    { label: 'cause', kind: 'text', cell: ({ cause }) => CAUSES[cause] },
    { label: 'what was seen', kind: 'wrap', cell: ({ note }) => note },
    { label: currency, kind: 'figure', cell: ({ amount }) => exact(amount), sign: ({ amount }) => amount.toNumber() },
  ];
  return [section('others', 'Beside trades', htmlTable('differences beside trades', columns, others))];
}
