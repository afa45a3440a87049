import { setupText } from '../../report/comparison-text.ts';
import { formatTime, formatValue } from '../../report/format.ts';
import { plainLine, TerminalTable } from '../../report/terminal-table.ts';
import { differentPeriods, periodOf } from '../../statistics/comparison/compare-runs.ts';
import { type FigureRow, figureRows, figuresOf, type RunFigures } from '../../statistics/comparison/compared-figures.ts';
import type { ComparedRun } from '../../statistics/comparison/compared-run.ts';
import type { RunPeriod } from '../../statistics/comparison/comparison.ts';
import { type RunSetup, SETUP_KINDS, type SetupRow, setupRows } from '../../statistics/comparison/run-setup.ts';
import { writeStyled } from '../terminal/guarded-output.ts';
import { showsUnicode } from '../terminal/progress.ts';
import { readRun } from './run-compare.ts';

interface SeveralOptions {
  readonly currency?: string | undefined;
  readonly json?: boolean | undefined;
  readonly all?: boolean | undefined;
  readonly quiet?: boolean | undefined;
}

/** Three or more runs next to each other: what differs in their setups, then their figures. */
interface SideBySide {
  readonly runs: readonly string[];
  /** The first and last time of the equity of each run; none if all have one period. */
  readonly periods: readonly (RunPeriod | undefined)[];
  readonly setup: readonly SetupRow[];
  readonly figures: readonly FigureRow[];
}

/**
 * Prints several runs side by side.
 * @param paths folders of backtests or bots, or journals.
 * @throws TidegateError with the run and its problem.
 */
export function compareSeveral(paths: readonly string[], { currency, json, all = false, quiet }: SeveralOptions): void {
  const { columns = 100, isTTY } = process.stdout;
  const result = sideBySide(paths, currency);
  if (json === true) process.stdout.write(`${JSON.stringify(sideBySideJson(result))}\n`);
  else if (quiet !== true) {
    const look = { color: isTTY === true && process.env.NO_COLOR === undefined, unicode: showsUnicode(process.env, process.platform) };
    writeStyled(process.stdout, `${sideBySideText(result, { ...look, columns: Math.max(NARROWEST, Math.min(columns, WIDEST)), all })}\n`);
  }
}

const NARROWEST = 40;
const WIDEST = 160;

/** Reads one run after the other and keeps only its setup and figures. */
export function sideBySide(paths: readonly string[], currency?: string): SideBySide {
  let [common, setups, figures, ranges] = [currency, [] as RunSetup[], [] as RunFigures[], [] as Pick<ComparedRun, 'equity'>[]];
  for (const path of paths) {
    const run = readRun(path, common);
    common ??= run.currency;
    setups = [...setups, run.setup ?? { mode: 'backtest' }];
    figures = [...figures, figuresOf(run)];
    ranges = [...ranges, { equity: [run.equity[0], run.equity.at(-1)].filter((point) => point !== undefined) }];
  }
  const differ = ranges.some((range) => differentPeriods(ranges[0]!, range) !== undefined);
  const periods = differ ? ranges.map(periodOf) : [];
  return { runs: paths, periods, setup: setupRows(setups), figures: figureRows(figures) };
}

function sideBySideJson({ runs, periods, setup, figures }: SideBySide): object {
  return {
    runs,
    periods: periods.length === 0 ? null : periods.map((period) => period ?? null),
    setup: setup.map(({ kind, name, values }) => ({ kind, name, values: values.map((value) => value ?? null) })),
    figures: Object.fromEntries(figures.map(({ key, values }) => [key, values])),
  };
}

interface Look {
  readonly columns: number;
  readonly color: boolean;
  readonly unicode: boolean;
  /** Every figure, not only the main ones. */
  readonly all: boolean;
}

/** The widest text of a setting in the table; the JSON has all of it. */
const WIDEST_SETTING = 24;
const GAP = 2;
/** Width that a block has left for the names of rows, at least. */
const ROW_NAMES = 20;

/** Tables with a column for each run. Where they are too wide, each table is split into blocks of runs. */
export function sideBySideText({ runs, periods, setup, figures }: SideBySide, look: Look): string {
  const table = new TerminalTable(look.columns, look);
  const letters = runs.map((_, index) => letterOf(index));
  const settingRows = setup.map(({ kind, name, values }) => [`${SETUP_KINDS[kind]} ${name}`, ...values.map(settingText)]);
  const figureTexts = figures
    .filter(({ main }) => look.all || main)
    .map(({ label, unit, values }) => [label, ...values.map((value) => formatValue(unit, value))]);
  const blocks = (title: string, head: string, rows: readonly (readonly string[])[]) =>
    blocksOf(rows, look.columns).map((columns) =>
      table.section(
        title,
        [head, ...columns.map((column) => letters[column]!)],
        rows.map((row) => [row[0]!, ...columns.map((column) => row[column + 1]!)]),
      ),
    );
  return [
    table.section(
      'Runs',
      ['', 'folder'],
      runs.map((run, index) => [letters[index]!, run]),
      ['left', 'left'],
    ),
    ...(periods.length === 0 ? [] : [periodsTable(periods, table)]),
    ...(setup.length === 0 ? ['All runs have the same setup, as far as it is known.'] : blocks('What differs', 'setting', settingRows)),
    ...blocks('Figures', 'figure', figureTexts),
    'Compare two of them trade by trade with: npx tidegate compare <a> <b>',
  ].join('\n\n');
}

function periodsTable(periods: SideBySide['periods'], table: TerminalTable): string {
  const rows = periods.map((period, index) => [
    letterOf(index),
    ...(period === undefined ? ['', ''] : [formatTime(period.from), formatTime(period.to)]),
  ]);
  return table.section('Different periods: the figures are not comparable', ['', 'from', 'to'], rows, ['left', 'left', 'left']);
}

function settingText(value: string | undefined): string {
  const text = plainLine(setupText(value));
  return text.length > WIDEST_SETTING ? `${text.slice(0, WIDEST_SETTING - 1)}~` : text;
}

/** The places of runs that fit next to each other, block by block: at least one in each. */
function blocksOf(rows: readonly (readonly string[])[], columns: number): number[][] {
  const count = (rows[0]?.length ?? 1) - 1;
  const blocks: number[][] = [];
  let left = 0;
  for (let column = 0; column < count; column++) {
    const width = Math.max(...rows.map((row) => row[column + 1]!.length)) + GAP;
    if (left < width) {
      blocks.push([]);
      left = columns - ROW_NAMES;
    }
    blocks.at(-1)!.push(column);
    left -= width;
  }
  return blocks;
}

const LETTERS = 26;

/** A, B, ... Z, then A1, B1. */
function letterOf(index: number): string {
  const round = Math.floor(index / LETTERS);
  return `${String.fromCharCode('A'.charCodeAt(0) + (index % LETTERS))}${round === 0 ? '' : round}`;
}
