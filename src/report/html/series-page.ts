import { formatCount } from '../format.ts';
import type { ColumnStatistics, ShownSeries } from '../shown-series.ts';
import { chart } from './chart-sections.ts';
import { type Column, escapeHtml, htmlTable, type Section, section } from './markup.ts';
import { pageShell } from './page-shell.ts';
import { PALETTES } from './palette.ts';

/** A series with its name for people. */
export interface TitledSeries extends ShownSeries {
  readonly title: string;
}

/** Recorded series as one self-contained page: for each a chart, its statistics, its first and last rows. */
export function renderSeriesPage(name: string, series: readonly TitledSeries[], clientScript: string): string {
  const rows = series.reduce((sum, one) => sum + one.rows, 0);
  const facts = `${formatCount(series.length)} series, ${formatCount(rows)} rows. All times are UTC.`;
  const header = `<header>
<div class="brand"><span>Tidegate</span><span>Recorded data</span><button type="button" id="theme" class="screen" hidden></button></div>
<h1>${escapeHtml(name)}</h1>
<p class="lead">${facts}</p>
</header>`;
  return pageShell({
    title: `${name} - Tidegate recorded data`,
    skip: 'data',
    header,
    sections: series.map(seriesSection),
    data: {
      currency: '',
      palettes: PALETTES,
      equity: undefined,
      rolling: undefined,
      charts: [],
      dots: undefined,
      series: series.map(({ picture }) => picture),
    },
    clientScript,
  });
}

function seriesSection({ title, rows, from, to, names, head, tail, statistics, note }: TitledSeries, index: number): Section {
  const id = `series-${index}`;
  if (rows === 0) return section(id, title, '<p class="note">There are no rows in this period.</p>');
  const columns = names.map(
    (name, column): Column<readonly string[]> => ({
      label: name,
      kind: column === 0 ? 'text' : 'figure',
      cell: (row) => row[column]!,
    }),
  );
  const body = [
    chart(id, `${title} over time`, 'price'),
    `<p class="note">${escapeHtml(note)}</p>`,
    `<h3>Columns</h3>${htmlTable(`columns of ${title}`, STATISTICS, statistics)}`,
    ...(head.length === 0 ? [] : [`<h3>First rows</h3>${htmlTable(`first rows of ${title}`, columns, head)}`]),
    ...(tail.length === 0 ? [] : [`<h3>Last rows</h3>${htmlTable(`last rows of ${title}`, columns, tail)}`]),
  ];
  return section(id, title, body.join('\n'), { note: `${formatCount(rows)} rows, ${from} to ${to}`, long: true });
}

const figureColumn = (label: string, cell: (row: ColumnStatistics) => string): Column<ColumnStatistics> => ({
  label,
  kind: 'figure',
  cell,
});

const STATISTICS: readonly Column<ColumnStatistics>[] = [
  { label: 'column', kind: 'text', cell: ({ name }) => name },
  figureColumn('first', ({ first }) => first),
  figureColumn('last', ({ last }) => last),
  figureColumn('least', ({ least }) => least),
  figureColumn('mean', ({ mean }) => mean),
  figureColumn('greatest', ({ greatest }) => greatest),
  figureColumn('zeros', ({ zeros }) => formatCount(zeros)),
];
