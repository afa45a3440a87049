import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { formatTime, formatValue } from '../../report/format.ts';
import { plainLine, TerminalTable, wrap } from '../../report/terminal-table.ts';
import { STATISTIC_DEFINITIONS } from '../../statistics/statistics.ts';
import { entryJson } from './list-runs.ts';
import { type RunEntry, readEntry } from './run-entry.ts';

/**
 * A run by its folder, or by its name in a folder of runs.
 * @throws TidegateError DATA_NOT_FOUND
 */
export function findRun(run: string, folder: string, now: number): RunEntry {
  const places = [run, join(folder, run)];
  for (const place of places) {
    const entry = existsSync(place) ? readEntry(place, now) : undefined;
    if (entry !== undefined) return entry;
  }
  const what = existsSync(run) ? `${run} is not the folder of a run` : `there is no run ${places.join(' and no run ')}`;
  throw new TidegateError('DATA_NOT_FOUND', `${what}; list the runs with: npx tidegate runs list ${folder}`);
}

const SHOWN = ['finalEquity', 'totalReturn', 'cagr', 'maxDrawdown', 'sharpe', 'sortino', 'trades', 'winRate', 'profitFactor', 'expectancy'];
const MORE = ['fees', 'funding', 'exposure'];

/** A run as text: its state, parameters, main figures, warnings and findings. */
export function runText(entry: RunEntry, look: { readonly columns: number; readonly color: boolean; readonly unicode: boolean }): string {
  const { folder, name, kind, state, date, from, to, currency, setup, statistics, trouble } = entry;
  const table = new TerminalTable(look.columns, look);
  const facts: [string, string][] = [
    ['Name', name],
    ['Kind', kind],
    ['State', state],
    [kind === 'backtest' ? 'Began' : 'Last active', formatTime(Math.floor(date / MINUTE_MS) * MINUTE_MS)],
    ...(from !== null && to !== null
      ? [['Period', `${formatTime(Date.parse(from))} to ${formatTime(Date.parse(to))}`] as [string, string]]
      : []),
    ...(currency !== null ? [['Currency', currency] as [string, string]] : []),
  ];
  const parameters = [...(setup.parameters ?? [])];
  const figures = [...SHOWN, ...MORE].flatMap((key) => {
    const definition = STATISTIC_DEFINITIONS.find((one) => one.key === key);
    const value = statistics[key];
    return definition === undefined || value === undefined ? [] : [[definition.label, formatValue(definition.unit, value)]];
  });
  const left = ['left', 'left'] as const;
  const blocks = [
    table.section(folder, ['fact', 'value'], facts, left),
    ...(parameters.length > 0 ? [table.section('Parameters', ['name', 'value'], parameters, left)] : []),
    ...(figures.length > 0 ? [table.section('Figures', ['figure', 'value'], figures)] : []),
    ...notes('Warnings', textsOf(entry.summary?.warnings), look.columns),
    ...notes('Findings', textsOf(entry.summary?.findings, 'title'), look.columns),
    ...(trouble === undefined ? [] : [trouble]),
    ...(kind === 'backtest'
      ? []
      : [
          wrap(`The figures of a bot are those of its last report; make a new one with: npx tidegate report ${folder}`, look.columns).join(
            '\n',
          ),
        ]),
  ];
  return blocks.join('\n\n');
}

const MINUTE_MS = 60_000;

const BULLET = '- ';

function notes(title: string, texts: readonly string[], columns: number): string[] {
  const lines = texts.flatMap((text) =>
    wrap(plainLine(text), columns - BULLET.length).map((line, index) => `${index === 0 ? BULLET : '  '}${line}`),
  );
  return texts.length === 0 ? [] : [[title, ...lines].join('\n')];
}

/** The texts of a list, or a field of its items. */
function textsOf(list: unknown, field?: string): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const text = field === undefined ? item : (item as Readonly<Record<string, unknown>> | null)?.[field];
    return typeof text === 'string' ? [text] : [];
  });
}

/** A run for `--json`: the row of the list, its whole config, and its summary. */
export function runJson(entry: RunEntry): object {
  return { ...entryJson(entry), config: Object.fromEntries(entry.setup.config ?? []), summary: entry.summary ?? null };
}
