import { type ComponentChild, h } from 'preact';
import type { Answer } from '../../api/routes.ts';
import { type Known, useApi } from './api.ts';
import { count, duration, size } from './format.ts';
import { At, Empty, Section, Trouble } from './parts.ts';
import { type Column, table } from './table.ts';

const LIST_MS = 30_000;

/** Where a list cannot be shown: a sentence in its place. */
function missing(title: string, { data, problem }: Known<'runs' | 'studies' | 'data'>): ComponentChild {
  if (data !== undefined) return undefined;
  return h(Section, { title }, problem === undefined ? h(Empty, null, 'Reading the folders …') : h(Trouble, { problem, what: title }));
}

/** The folders that could not be read. */
const troubles = (texts: readonly string[]) => texts.map((text) => h('p', { class: 'trouble', key: text }, text));
const none = h('span', { class: 'muted' }, '–');

type Run = Answer<'runs'>['runs'][number];

/** The figures of summary.json that say most, with their names. */
const STATISTICS = [
  ['totalReturn', 'Return'],
  ['maxDrawdown', 'Drawdown'],
  ['sharpe', 'Sharpe'],
  ['trades', 'Trades'],
] as const;

export function Runs(): ComponentChild {
  return runList(useApi('runs', 'api/runs', LIST_MS));
}

export function runList(known: Known<'runs'>): ComponentChild {
  const { data } = known;
  if (data === undefined) return missing('Runs', known)!;
  const columns: Column<Run>[] = [
    {
      label: 'Run',
      value: ({ name, folder }) => `${name} ${folder}`,
      cell: ({ id, name, folder, hasPage }) =>
        hasPage
          ? h(
              'a',
              { class: 'name', title: folder, href: `api/runs/${encodeURIComponent(id)}/page`, target: '_blank', rel: 'noopener' },
              name,
            )
          : h('span', { class: 'name', title: folder }, name),
    },
    { label: 'Kind', value: ({ kind }) => kind, cell: ({ kind }) => kind },
    { label: 'State', value: ({ state }) => state, cell: ({ state }) => state },
    { label: 'Date', value: ({ date }) => date, cell: ({ date }) => h(At, { time: date }) },
    {
      label: 'Period',
      value: ({ from, to }) => `${from ?? ''} ${to ?? ''}`,
      cell: ({ from, to }) => (from === null && to === null ? none : `${dayOf(from)} to ${dayOf(to)}`),
    },
    ...STATISTICS.map(
      ([key, label]): Column<Run> => ({
        ...{ label, kind: 'figure' },
        value: ({ statistics }) => statistics[key] ?? null,
        cell: ({ statistics }) => statistic(key, statistics[key] ?? null),
      }),
    ),
    {
      label: 'Settings that differ',
      kind: 'wrap',
      value: ({ differs }) => settingsOf(differs),
      cell: ({ differs }) => settingsOf(differs),
    },
    { label: 'Trouble', kind: 'wrap', value: ({ trouble }) => trouble, cell: ({ trouble }) => trouble ?? '' },
  ];
  return h(
    Section,
    { title: 'Runs', note: 'The newest first. A name opens the report.' },
    troubles(data.trouble),
    data.runs.length === 0
      ? h(Empty, null, 'There is no run yet: npx tidegate backtest configs/sma-cross.yaml')
      : table({ name: 'runs', rows: data.runs, keyOf: ({ id }) => id, columns }),
  );
}

/** A statistic of a summary: shares in percent, all others as short numbers. */
function statistic(key: (typeof STATISTICS)[number][0], value: string | number | null): ComponentChild {
  if (value === null) return none;
  const number = Number(value);
  if (!Number.isFinite(number)) return String(value);
  if (key === 'trades') return count(number);
  const text = key === 'sharpe' ? number.toFixed(2) : `${(number * 100).toFixed(2)} %`;
  return text.replace('-', '\u2212');
}

type Study = Answer<'studies'>['studies'][number];

export function Studies(): ComponentChild {
  return studyList(useApi('studies', 'api/studies', LIST_MS));
}

export function studyList(known: Known<'studies'>): ComponentChild {
  const { data } = known;
  if (data === undefined) return missing('Studies', known)!;
  const columns: Column<Study>[] = [
    {
      label: 'Study',
      value: ({ folder }) => folder,
      cell: ({ id, folder, hasPage }) =>
        hasPage
          ? h('a', { class: 'name', href: `api/studies/${encodeURIComponent(id)}/page`, target: '_blank', rel: 'noopener' }, folder)
          : h('span', { class: 'name' }, folder),
    },
    { label: 'Method', value: ({ method }) => method, cell: ({ method }) => method ?? none },
    { label: 'Objective', value: ({ objective }) => objective, cell: ({ objective }) => objective ?? none },
    { label: 'Trials', kind: 'figure', value: ({ trials }) => trials, cell: ({ trials }) => (trials === null ? none : count(trials)) },
    {
      label: 'Best',
      kind: 'figure',
      value: ({ best }) => best?.value ?? null,
      cell: ({ best }) => (best === null ? none : String(Number(best.value.toPrecision(6))).replace('-', '\u2212')),
    },
    {
      label: 'Its parameters',
      kind: 'wrap',
      value: ({ best }) => settingsOf(best?.params ?? {}),
      cell: ({ best }) => settingsOf(best?.params ?? {}),
    },
    { label: 'Trouble', kind: 'wrap', value: ({ trouble }) => trouble, cell: ({ trouble }) => trouble ?? '' },
  ];
  return h(
    Section,
    { title: 'Studies', note: 'A name opens the page of the study.' },
    troubles(data.trouble),
    data.studies.length === 0
      ? h(Empty, null, 'There is no study yet: npx tidegate search configs/search.yaml')
      : table({ name: 'studies', rows: data.studies, keyOf: ({ id }) => id, columns }),
  );
}

function settingsOf(settings: Readonly<Record<string, string | null>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value ?? 'absent'}`)
    .join(', ');
}

interface SeriesRow {
  readonly recording: string;
  readonly folder: string;
  readonly series: Answer<'data'>['recordings'][number]['series'][number];
}

export function Data(): ComponentChild {
  return dataList(useApi('data', 'api/data', LIST_MS));
}

export function dataList(known: Known<'data'>): ComponentChild {
  const { data } = known;
  if (data === undefined) return missing('Data', known)!;
  const rows = data.recordings.flatMap(({ name, folder, series }): SeriesRow[] =>
    series.map((one) => ({ recording: name, folder, series: one })),
  );
  const columns: Column<SeriesRow>[] = [
    {
      label: 'Recording',
      value: ({ recording }) => recording,
      cell: ({ recording, folder }) => h('span', { class: 'name', title: folder }, recording),
    },
    { label: 'Symbol', value: ({ series }) => series.symbol, cell: ({ series }) => series.symbol },
    { label: 'Kind', value: ({ series }) => kindOf(series), cell: ({ series }) => kindOf(series) },
    {
      label: 'Rows',
      kind: 'figure',
      value: ({ series }) => series.rows,
      cell: ({ series: { rows } }) => (rows === null ? none : count(rows)),
    },
    { label: 'From', value: ({ series }) => series.from, cell: ({ series: { from } }) => (from === null ? none : h(At, { time: from })) },
    { label: 'To', value: ({ series }) => series.to, cell: ({ series: { to } }) => (to === null ? none : h(At, { time: to })) },
    { label: 'Size', kind: 'figure', value: ({ series }) => series.bytes, cell: ({ series: { bytes } }) => size(bytes) },
    { label: 'Trouble', kind: 'wrap', value: ({ series }) => series.trouble, cell: ({ series: { trouble } }) => trouble ?? '' },
  ];
  return h(
    Section,
    { title: 'Data' },
    troubles(data.trouble),
    rows.length === 0
      ? h(Empty, null, 'There is no recording yet: npx tidegate record')
      : table({
          name: 'series',
          rows,
          keyOf: ({ folder, series }) => `${folder} ${series.symbol} ${series.kind} ${series.intervalMs}`,
          columns,
        }),
  );
}

/** Bars with their length. */
function kindOf({ kind, intervalMs }: SeriesRow['series']): string {
  return intervalMs === null ? kind : `${kind} ${duration(intervalMs)}`;
}

/** The day of a time in ISO form, as the run's config has it. */
function dayOf(time: string | null): string {
  return time?.slice(0, '2026-01-31'.length) ?? '…';
}
