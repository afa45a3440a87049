import { basename } from 'node:path';
import { formatCount, formatValue } from '../../report/format.ts';
import { TerminalTable } from '../../report/terminal-table.ts';
import { SETUP_KINDS, type SetupKind } from '../../statistics/comparison/run-setup.ts';
import type { StatisticUnit } from '../../statistics/statistic.ts';
import type { TerminalLook } from '../terminal/terminal-look.ts';
import { type RunEntry, readEntries } from './run-entry.ts';
import { filterRuns, sortRuns } from './run-query.ts';

/** The settings of a run that are not the same in all runs of its name. */
type RunDifferences = ReadonlyMap<RunEntry, readonly (readonly [name: string, value: string | undefined])[]>;

const SHOWN: readonly SetupKind[] = (Object.keys(SETUP_KINDS) as SetupKind[]).filter((kind) => kind === 'parameters' || kind === 'config');
/** A table shows these in columns of their own. */
const IN_COLUMNS = /^(name|backtest\.(from|to))$/;

interface ListOptions {
  readonly sort: string;
  readonly reverse: boolean;
  readonly where: readonly string[];
}

/** The runs of a folder in order, and what differs between those of one name. */
export interface RunList {
  readonly folder: string;
  readonly entries: readonly RunEntry[];
  /** The number of runs before the filter. */
  readonly found: number;
  readonly differences: RunDifferences;
}

/**
 * The runs of a folder that meet the conditions.
 * @throws TidegateError DATA_NOT_FOUND, USAGE
 */
export function listRuns(folder: string, { sort, reverse, where }: ListOptions, now: number): RunList {
  const all = readEntries(folder, now);
  const entries = sortRuns(filterRuns(all, where), sort, reverse);
  return { folder, entries, found: all.length, differences: runDifferences(entries) };
}

/** A column of the table; only texts are cut on a narrow terminal. */
interface Column {
  readonly head: string;
  readonly cell: (entry: RunEntry, differences: RunDifferences) => string;
  readonly isText?: true;
  /** The column is left out if this holds for no run. */
  readonly ifAny?: (entry: RunEntry) => boolean;
}

const statistic = (head: string, unit: StatisticUnit, key: string): Column => ({
  head,
  cell: ({ statistics }) => formatValue(unit, statistics[key] ?? null),
});

const COLUMNS: readonly Column[] = [
  { head: 'Run', isText: true, cell: ({ folder }) => basename(folder) },
  statistic('Return', 'share', 'totalReturn'),
  statistic('Drawdown', 'share', 'maxDrawdown'),
  statistic('Sharpe', 'ratio', 'sharpe'),
  statistic('Trades', 'count', 'trades'),
  { head: 'State', cell: stateText, ifAny: ({ state }) => state !== 'done' },
  { head: 'Differs in', isText: true, cell: differsText, ifAny: ({ kind }) => kind === 'backtest' },
  { head: 'Period', cell: periodText, ifAny: ({ from }) => from !== null },
  { head: 'Date', cell: ({ date }) => dayOf(new Date(date).toISOString()) },
];

/** The list as a table. On a narrow terminal, names are shortened and the last columns are left out. */
export function runListText({ folder, entries, found, differences }: RunList, look: TerminalLook): string {
  if (found === 0) return `${folder} has no runs; make one with: npx tidegate backtest <config>`;
  if (entries.length === 0) return `None of the ${formatCount(found)} runs in ${folder} meets the conditions.`;
  const title =
    entries.length === found ? `Runs in ${folder}` : `${formatCount(entries.length)} of ${formatCount(found)} runs in ${folder}`;
  const columns = COLUMNS.filter(({ ifAny }) => ifAny === undefined || entries.some(ifAny));
  const text = new TerminalTable(look.columns, look).section(
    title,
    columns.map(({ head }) => head),
    entries.map((entry) => columns.map(({ cell }) => cell(entry, differences))),
    columns.map(({ isText }) => (isText === true ? 'left' : 'right')),
  );
  const troubles = entries.flatMap(({ trouble }) => (trouble === undefined ? [] : [trouble]));
  return [text, ...troubles].join('\n');
}

function differsText(entry: RunEntry, differences: RunDifferences): string {
  return (differences.get(entry) ?? []).map(([name, value]) => `${name}=${value ?? 'not set'}`).join(' ');
}

function periodText({ from, to }: RunEntry): string {
  return from === null || to === null ? '' : `${dayOf(from)} to ${dayOf(to)}`;
}

/** The state of a backtest; a bot's kind, and that it runs. */
function stateText({ kind, state }: RunEntry): string {
  if (kind === 'backtest') return state;
  return state === 'running' ? `${kind}, runs` : kind;
}

const DAY_LENGTH = 10;

function dayOf(iso: string): string {
  return iso.slice(0, DAY_LENGTH);
}

/** The list for `--json`: money as text, ratios as numbers, times as ISO 8601. */
export function runListJson({ folder, entries, found, differences }: RunList): object {
  return { folder, found, runs: entries.map((entry) => entryJson(entry, differences)) };
}

/** One run for `--json`. */
export function entryJson(entry: RunEntry, differences: RunDifferences = new Map()): object {
  const { folder, name, kind, state, date, from, to, currency, setup, statistics, trouble } = entry;
  const { totalReturn = null, maxDrawdown = null, sharpe = null, trades = null, finalEquity = null } = statistics;
  return {
    ...{ run: folder, name, kind, state, date: new Date(date).toISOString(), from, to },
    parameters: Object.fromEntries(setup.parameters ?? []),
    differs: Object.fromEntries((differences.get(entry) ?? []).map(([setting, value]) => [setting, value ?? null])),
    ...{ currency, finalEquity, totalReturn, maxDrawdown, sharpe, trades },
    ...(trouble !== undefined && { trouble }),
  };
}

/**
 * For each backtest, the parameters and then the settings that differ between backtests of one name. A parameter of the only strategy
 * has no id before its name.
 */
function runDifferences(entries: readonly RunEntry[]): RunDifferences {
  const found = new Map<RunEntry, (readonly [string, string | undefined])[]>();
  const groups = new Map<string, RunEntry[]>();
  for (const entry of entries) {
    found.set(entry, []);
    if (entry.setup.config !== undefined) groups.set(entry.name, [...(groups.get(entry.name) ?? []), entry]);
  }
  for (const group of groups.values()) {
    for (const kind of SHOWN) {
      const names = new Set(group.flatMap(({ setup }) => [...(setup[kind]?.keys() ?? [])]));
      const one = kind === 'parameters' && new Set([...names].map((name) => name.split('.')[0])).size === 1;
      for (const name of [...names].sort()) {
        if (IN_COLUMNS.test(name) || new Set(group.map(({ setup }) => setup[kind]?.get(name))).size === 1) continue;
        const shown = one ? name.slice(name.indexOf('.') + 1) : name;
        for (const entry of group) found.get(entry)!.push([shown, entry.setup[kind]?.get(name)]);
      }
    }
  }
  return found;
}
