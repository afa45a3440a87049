const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for an element or a quoted attribute. Everything that a user may have written passes through this. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** JSON for a `<script type="application/json">`: no `<`, so that no text in it can end the element. */
export function embedJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** Figures with typographic minus signs. */
export function figure(text: string): string {
  return escapeHtml(text.replace(/(?<![^\s])-(?=\d)/g, '\u2212'));
}

/** Steps of 1, 2, 2.5 or 5 times a power of ten, so that about `count` of them span the range. */
export function niceStep(range: number, count: number): number {
  const rough = range / Math.max(1, count);
  if (!(rough > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= rough * (1 - 1e-9)) ?? 10;
  return factor * power;
}

const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const DURATIONS = [
  ...[1, 5, 10, 30].flatMap((count) => [count * SECOND, count * 60 * SECOND]),
  ...[1, 2, 4, 8, 12].map((count) => count * HOUR),
  ...[1, 2, 5, 7, 14, 28, 56, 91, 182, 364].map((count) => count * DAY),
].sort((a, b) => a - b);

/** The same for durations in ms: seconds, minutes, hours and days that people count in. */
export function niceDuration(range: number, count: number): number {
  const rough = range / Math.max(1, count);
  return DURATIONS.find((step) => step >= rough) ?? niceStep(rough / (364 * DAY), 1) * 364 * DAY;
}

/** Multiples of `step` within [from, to]. */
export function ticksBetween(from: number, to: number, step: number): number[] {
  const [first, last] = [Math.ceil(from / step - 1e-9), Math.floor(to / step + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
}

/** A share in percent with as many decimals as the step of its axis needs: `2.5 %` for 0.025. */
export function percentTick(value: number, step: number): string {
  const places = Math.max(0, Math.min(4, -Math.floor(Math.log10(step * 100) + 1e-9)));
  const fine = Math.abs(step * 100 * 10 ** places - Math.round(step * 100 * 10 ** places)) > 1e-6 ? places + 1 : places;
  return `${(value * 100)
    .toFixed(fine)
    .replace(/^-(0(\.0+)?)$/, '$1')
    .replace('-', '\u2212')} %`;
}

/** One axis: its range, the distance of its ticks, and their texts. */
export interface Axis {
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly format: (value: number) => string;
  /** The ticks, instead of one each step. */
  readonly ticks?: readonly number[];
}

/** Maps values to positions on the drawing, in its units. */
export interface Places {
  x(value: number): number;
  y(value: number): number;
}

interface PlotSize {
  readonly width: number;
  readonly height: number;
}

/** Letters of a tick that fit between the end of an axis and the edge. */
const LONG_TICK = 8;
const MARGIN = { left: 52, right: 26, top: 30, bottom: 44 };

/**
 * A plot as inline SVG without script: it can be printed, and classes give it the page's colours. `draw` makes the marks; `summary`
 * describes the picture in words.
 */
export function svgPlot({ width, height }: PlotSize, xAxis: Axis, yAxis: Axis, summary: string, draw: (places: Places) => string): string {
  const inner = { width: width - MARGIN.left - MARGIN.right, height: height - MARGIN.top - MARGIN.bottom };
  const share = ({ from, to }: Axis, value: number) => (value - from) / (to - from || 1);
  const x = (value: number) => round(MARGIN.left + inner.width * share(xAxis, value));
  const y = (value: number) => round(MARGIN.top + inner.height * (1 - share(yAxis, value)));
  const bottom = MARGIN.top + inner.height;
  const ticksOf = ({ from, to, step, ticks }: Axis) => ticks ?? ticksBetween(from, to, step);
  const rows = ticksOf(yAxis).map((tick) => {
    const at = y(tick);
    const line = `<path class="${tick === 0 ? 'zero' : 'grid'}" d="M${MARGIN.left} ${at}H${width - MARGIN.right}"/>`;
    return `${line}<text x="${MARGIN.left - 8}" y="${round(at + 4)}" text-anchor="end">${escapeHtml(yAxis.format(tick))}</text>`;
  });
  const columns = ticksOf(xAxis).map((tick) => {
    const at = x(tick);
    const line = tick === 0 && xAxis.from < 0 && xAxis.ticks === undefined ? `<path class="zero" d="M${at} ${MARGIN.top}V${bottom}"/>` : '';
    const text = xAxis.format(tick);
    // A long text in the middle of the last tick would be cut at the edge of the drawing.
    const isLong = xAxis.ticks !== undefined && text.length > LONG_TICK && tick === xAxis.ticks.at(-1);
    return `${line}<text x="${isLong ? width - 4 : at}" y="${bottom + 18}" text-anchor="${isLong ? 'end' : 'middle'}">${escapeHtml(text)}</text>`;
  });
  const names = [
    `<text class="axis" x="${width - MARGIN.right}" y="${height - 6}" text-anchor="end">${escapeHtml(xAxis.label)}</text>`,
    `<text class="axis" x="4" y="14">${escapeHtml(yAxis.label)}</text>`,
  ];
  return `<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeHtml(summary)}">${[...rows, ...columns, ...names].join('')}${draw({ x, y })}</svg>`;
}

/** A tenth of a unit is finer than a pixel. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A column of an HTML table; figures are aligned right, `text`, `name`, `word` and `wrap` left. */
export interface Column<Row> {
  readonly label: string;
  readonly kind: 'figure' | 'text' | 'name' | 'word' | 'wrap';
  readonly cell: (row: Row) => string;
  /** Colours the cell by the sign of this number. */
  readonly sign?: (row: Row) => number;
  /** The value for sorting where the shown text is not enough, such as for a duration. */
  readonly value?: (row: Row) => number;
  /** The text is a link to a place on the price chart: the index of the chart, and two times in epoch seconds. */
  readonly jump?: (row: Row) => readonly [chart: number, from: number, to: number] | undefined;
}

/** Longer tables and texts are closed until a reader opens them, or prints the page. */
export const OPEN_ROWS = 20;
/** The look of a table that is inside a part which folds. */
export const FOLDED = 'folded';

/**
 * Rows as a table that scrolls sideways where it is too wide, and that is closed at first where it is long; cells are escaped here. The page's script sorts it by its heads and adds a
 * filter and pages to long tables. `name` is the table's subject: `Filter <name>`.
 */
export function htmlTable<Row>(name: string, columns: readonly Column<Row>[], rows: readonly Row[], look = ''): string {
  const head = columns.map(({ label, kind }) => `<th scope="col"${kind === 'figure' ? '' : ' class="text"'}>${escapeHtml(label)}</th>`);
  const body = rows.map((row) => `<tr>${columns.map((column) => cell(column, row)).join('')}</tr>`);
  const title = escapeHtml(name);
  const card = `<div class="card scroll${look && ` ${look}`}" tabindex="0" role="region" aria-label="Table of ${title}"><table class="sortable" data-name="${title}"><thead><tr>${head.join('')}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
  return rows.length <= OPEN_ROWS || look === FOLDED
    ? card
    : `<details class="rows"><summary>${rows.length} rows</summary>${card}</details>`;
}

function cell<Row>({ kind, cell, sign, value, jump }: Column<Row>, row: Row): string {
  const text = cell(row);
  const mood = moodOf(sign?.(row) ?? 0);
  const sorted = value === undefined ? '' : ` data-value="${value(row)}"`;
  if (kind === 'figure') return `<td${mood && ` class="${mood}"`}${sorted}>${figure(text)}</td>`;
  const place = jump?.(row);
  const title = (kind === 'name' || kind === 'word') && text.length > LONG ? ` title="${escapeHtml(text)}"` : '';
  return `<td class="text${kind === 'text' ? '' : ` ${kind}`}${mood && ` ${mood}`}"${title}${sorted}>${place === undefined ? escapeHtml(text) : `<a href="#price" data-jump="${place.join(' ')}">${escapeHtml(text)}</a>`}</td>`;
}

/** Longer words may be cut, and are shown completely under the pointer. */
const LONG = 12;

/** The class of a good or bad value. */
function moodOf(value: number): '' | 'gain' | 'loss' {
  if (value > 0) return 'gain';
  return value < 0 ? 'loss' : '';
}

/** A part of the page with an entry in the navigation. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** A shorter title for the navigation. */
  readonly short?: string;
  readonly html: string;
}

interface Options {
  /** Plain text next to the title. */
  readonly note?: string;
  /** HTML next to the title, instead of a note. */
  readonly aside?: string;
  readonly short?: string;
  /** May be divided between two sheets of paper. */
  readonly long?: boolean;
}

/** A titled section; `body` is HTML. */
export function section(id: string, title: string, body: string, { note = '', aside = '', short, long = false }: Options = {}): Section {
  const extra = aside || (note && `<p class="note">${escapeHtml(note)}</p>`);
  const head = `<div class="section-head"><h2 id="${id}-title">${escapeHtml(title)}</h2>${extra}</div>`;
  const html = `<section id="${id}" tabindex="-1" aria-labelledby="${id}-title"${long ? ' class="long"' : ''}>${head}${body}</section>`;
  return { id, title, html, ...(short !== undefined && { short }) };
}
