import type { ComparedFigure } from '../../statistics/comparison/compared-figures.ts';
import type { EquitySamplePoint } from '../../statistics/comparison/compared-run.ts';
import {
  CAUSES,
  type ComparedTrade,
  type Comparison,
  type OtherDifference,
  type RoundTrip,
} from '../../statistics/comparison/comparison.ts';
import { SETUP_KINDS, type SetupDifference } from '../../statistics/comparison/run-setup.ts';
import { thinExtremes } from '../chart-bars.ts';
import {
  amountOf,
  causesOf,
  causesText,
  exact,
  figureTexts,
  filledText,
  ordersText,
  periodsText,
  setupText,
  tripText,
} from '../comparison-text.ts';
import { formatCount, formatTime } from '../format.ts';
import { chart } from './chart-sections.ts';
import { type Column, escapeHtml, figure, htmlTable, type Section, section } from './markup.ts';
import type { SeriesPicture } from './page-data.ts';
import { pageShell } from './page-shell.ts';
import { PALETTES } from './palette.ts';

/** The contents of the page. */
interface ComparisonParts {
  readonly names: { readonly a: string; readonly b: string };
  readonly comparison: Comparison;
  readonly equity: { readonly a: readonly EquitySamplePoint[]; readonly b: readonly EquitySamplePoint[] };
}

/** A comparison of two runs as one self-contained page. */
export function renderComparisonPage({ names, comparison, equity }: ComparisonParts, clientScript: string): string {
  const { currency, difference, finalEquityA, finalEquityB } = comparison;
  const pictures = equityPictures(equity.a, equity.b);
  const header = `<header>
<div class="brand"><span>Tidegate</span><span>Two runs compared</span><button type="button" id="theme" class="screen" hidden></button></div>
<h1>${escapeHtml(names.a)} and ${escapeHtml(names.b)}</h1>
<p class="lead">A is <b>${escapeHtml(names.a)}</b> and ends with ${figure(finalEquityA.toFixed())} ${escapeHtml(currency)}, B is <b>${escapeHtml(names.b)}</b> and ends with ${figure(finalEquityB.toFixed())}.
The difference is <b>${figure(exact(difference))}</b>. All times are UTC.</p>${periodsNote(comparison)}
</header>`;
  const titles = ['Equity of both', 'B less A'];
  const charts = pictures.map((_, index) => section(`series-${index}`, titles[index]!, chart(`series-${index}`, titles[index]!, 'price')));
  return pageShell({
    title: `${names.a} and ${names.b} - Tidegate comparison`,
    skip: 'comparison',
    header,
    sections: [
      causesSection(comparison),
      figuresSection(comparison),
      setupSection(comparison),
      ...charts,
      ...tripsSection(comparison),
      ...tradesSection(comparison),
      ...othersSection(comparison),
    ],
    data: { currency, palettes: PALETTES, equity: undefined, rolling: undefined, charts: [], dots: undefined, series: pictures },
    clientScript,
  });
}

function periodsNote({ periods }: Comparison): string {
  if (periods === undefined) return '';
  const [a, b] = [periods.a, periods.b].map(({ from, to }) => `from ${formatTime(from)} to ${formatTime(to)}`);
  return `\n<p class="lead"><b>Different periods</b>: A runs ${a}, B ${b}. ${escapeHtml(periodsText(periods))}</p>`;
}

function setupSection({ setup: { differences, unknown }, periods }: Comparison): Section {
  const columns: readonly Column<SetupDifference>[] = [
    { label: 'kind', kind: 'text', cell: ({ kind }) => SETUP_KINDS[kind] },
    { label: 'name', kind: 'name', cell: ({ name }) => name },
    { label: 'A', kind: 'wrap', cell: ({ a }) => setupText(a) },
    { label: 'B', kind: 'wrap', cell: ({ b }) => setupText(b) },
  ];
  const kinds = periods === undefined ? 'Parameters, config, code and data' : 'Parameters, config and code';
  const none = `<p class="note">${kinds} are the same, as far as both runs contain them.</p>`;
  const missing = unknown.length === 0 ? '' : `<p class="note">Unknown for at least one run: ${escapeHtml(unknown.join(', '))}.</p>`;
  const body = differences.length === 0 ? none : htmlTable('differences of the setup', columns, differences);
  return section('setup', 'Different setup of the two runs', `${body}${missing}`, { short: 'Setup' });
}

function figuresSection({ figures }: Comparison): Section {
  const columns: readonly Column<ComparedFigure>[] = [
    { label: 'figure', kind: 'text', cell: ({ label }) => label },
    { label: 'A', kind: 'figure', cell: (one) => figureTexts(one)[0] },
    { label: 'B', kind: 'figure', cell: (one) => figureTexts(one)[1] },
  ];
  return section('figures', 'Figures of both runs', htmlTable('figures of both runs', columns, figures), { short: 'Figures', long: true });
}

function tripsSection({ roundTrips, currency }: Comparison): Section[] {
  if (roundTrips.length === 0) return [];
  const columns: readonly Column<RoundTrip>[] = [
    { label: 'from', kind: 'text', cell: ({ from }) => formatTime(from) },
    { label: 'to', kind: 'text', cell: ({ to }) => formatTime(to) },
    { label: 'strategy', kind: 'name', cell: ({ strategyId }) => strategyId },
    { label: 'what', kind: 'text', cell: tripText },
    { label: 'A', kind: 'text', cell: ({ trades }) => ordersText(trades.map(({ a }) => a)) },
    { label: 'B', kind: 'text', cell: ({ trades }) => ordersText(trades.map(({ b }) => b)) },
    { label: 'cause', kind: 'text', cell: ({ trades }) => causesOf(trades.flatMap(({ parts }) => parts)) },
    { label: currency, kind: 'figure', cell: ({ amount }) => exact(amount), sign: ({ amount }) => amount.toNumber() },
  ];
  const note = 'Each row sums the orders from flat to flat: the cost of the entry and the proceeds of the exit.';
  return [section('trips', 'Round trips that differ', htmlTable('round trips', columns, roundTrips, 'dense'), { note, long: true })];
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
  const body =
    rows.length === 0 ? '<p class="note">The two runs end with the same equity.</p>' : `${htmlTable('causes', columns, rows)}${sum}`;
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
    { label: 'details', kind: 'wrap', cell: ({ parts }) => parts.map(({ note }) => note).join('; ') },
  ];
  const differing = trades.filter(({ parts }) => parts.length > 0).length;
  const note = `${formatCount(differing)} of ${formatCount(trades.length)} trades differ.`;
  return [section('trades', 'Trade by trade', htmlTable('trades', columns, trades, 'dense'), { note, long: true })];
}

function othersSection({ others, currency }: Comparison): Section[] {
  if (others.length === 0) return [];
  const columns: readonly Column<OtherDifference>[] = [
    { label: 'time', kind: 'text', cell: ({ time }) => (time === undefined ? '' : formatTime(time)) },
    { label: 'cause', kind: 'text', cell: ({ cause }) => CAUSES[cause] },
    { label: 'details', kind: 'wrap', cell: ({ note }) => note },
    { label: currency, kind: 'figure', cell: ({ amount }) => exact(amount), sign: ({ amount }) => amount.toNumber() },
  ];
  return [
    section('others', 'Differences without a trade', htmlTable('differences without a trade', columns, others, 'dense'), { long: true }),
  ];
}

/** More points than a screen has columns. */
const POINTS = 4_000;

interface Both {
  /** Epoch seconds. */
  readonly t: number;
  readonly a: number;
  readonly b: number;
}

/** The equities of two runs in one plot, and the difference between them: two pictures, or none where a run has no equity. */
function equityPictures(a: readonly EquitySamplePoint[], b: readonly EquitySamplePoint[]): SeriesPicture[] {
  if (a.length === 0 || b.length === 0) return [];
  const points = thinExtremes(merged(a, b), POINTS, [(point) => point.a, (point) => point.b, (point) => point.b - point.a]);
  const t = points.map((point) => point.t);
  const stepSeconds = Math.max(1, (t.at(-1)! - t[0]!) / Math.max(1, t.length - 1));
  const lines = (['a', 'b'] as const).map((name) => ({
    label: `equity of ${name.toUpperCase()}`,
    values: points.map((point) => point[name]),
  }));
  const more = { label: 'B less A', values: points.map((point) => Number((point.b - point.a).toFixed(8))) };
  return [
    { places: 2, t, stepSeconds, lines },
    { places: 2, t, stepSeconds, lines: [more] },
  ];
}

/** A point at each second at which either run has one. The other run has its last value, or before its first point its starting value. */
function merged(a: readonly EquitySamplePoint[], b: readonly EquitySamplePoint[]): Both[] {
  const [byA, byB] = [bySecond(a), bySecond(b)];
  const times = [...new Set([...byA.keys(), ...byB.keys()])].sort((one, other) => one - other);
  let [lastA, lastB] = [a[0]!.equity.toNumber(), b[0]!.equity.toNumber()];
  return times.map((t) => {
    lastA = byA.get(t) ?? lastA;
    lastB = byB.get(t) ?? lastB;
    return { t, a: lastA, b: lastB };
  });
}

function bySecond(points: readonly EquitySamplePoint[]): Map<number, number> {
  return new Map(points.map(({ time, equity }) => [Math.floor(time / 1_000), equity.toNumber()]));
}
