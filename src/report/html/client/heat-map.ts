import { median } from '../../../statistics/returns/moments.ts';
import type { StudyColumns } from '../page-data.ts';
import { byId, data, make, number } from './page.ts';

/** The strongest color of a cell, in percent of the accent: text stays readable on it. */
const STRONGEST = 62;
const WEAKEST = 6;

/** The contents of a cell, where it is not the median (0): the choices of the page. */
const [BEST, COUNT] = [1, 2];

/** The heat map of a study: a table over any two of its parameters, made again for each choice. */
export function drawHeatMap(): void {
  const { study } = data;
  const card = byId('heat-map');
  const [x, y, shows] = ['heat-x', 'heat-y', 'heat-shows'].map((id) => byId<HTMLSelectElement>(id));
  if (study === undefined || card === undefined || x === undefined || y === undefined || shows === undefined) return;
  let before = [x.value, y.value];
  const draw = () => {
    // The same parameter twice makes no map: the other one takes its place.
    if (x.value === y.value) [x.value, y.value] = [before[1]!, before[0]!];
    before = [x.value, y.value];
    card.replaceChildren(tableOf(study, Number(x.value), Number(y.value), Number(shows.value)));
  };
  for (const choice of [x, y, shows]) choice.addEventListener('change', draw);
  draw();
}

interface Cell {
  /** Objectives of the trials that count. */
  readonly values: number[];
  trials: number;
  best: number;
  hasBest: boolean;
}

function tableOf(study: StudyColumns, x: number, y: number, shows: number): HTMLTableElement {
  const [columns, rows] = [study.parameters[x]!, study.parameters[y]!];
  const cells = cellsOf(study, x, y);
  const shown = cells.map((row) => row.map((cell) => shownValue(study, cell, shows)));
  const known = shown.flat().filter((value) => value !== undefined);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const places = shows === COUNT ? 0 : placesOf((high - low) * study.scale);
  const table = make('table', 'heat map');
  const head = table.createTHead().insertRow();
  head.append(headCell('col', `${rows.name} \\ ${columns.name}`), ...columns.cells.map((text) => headCell('col', text)));
  const body = table.createTBody();
  rows.cells.forEach((text, row) => {
    const line = body.insertRow();
    line.append(headCell('row', text));
    columns.cells.forEach((_, column) => {
      const cell = cells[row]?.[column];
      const value = shown[row]?.[column];
      const item = line.insertCell();
      if (cell === undefined) return;
      item.textContent = `${value === undefined ? '✕' : cellText(study, value, places, shows)}${cell.hasBest ? ' ★' : ''}`;
      item.title = titleOf(study, cell, `${columns.name} ${columns.cells[column]}, ${rows.name} ${text}`);
      if (cell.hasBest) item.classList.add('of-best');
      if (value === undefined) return;
      const share = high > low ? (value - low) / (high - low) : 1;
      const better = study.maximize || shows === COUNT ? share : 1 - share;
      item.style.background = `color-mix(in srgb, var(--accent) ${Math.round(WEAKEST + better * (STRONGEST - WEAKEST))}%, var(--card))`;
    });
  });
  return table;
}

function headCell(scope: 'col' | 'row', text: string): HTMLTableCellElement {
  const cell = make('th', scope === 'row' ? 'year' : '', text);
  cell.scope = scope;
  return cell;
}

function cellsOf({ trials, values, valid, cells, maximize, best }: StudyColumns, x: number, y: number): (Cell | undefined)[][] {
  const map: (Cell | undefined)[][] = [];
  for (const [index, trial] of trials.entries()) {
    map[cells[y]![index]!] ??= [];
    const row = map[cells[y]![index]!]!;
    const column = cells[x]![index]!;
    row[column] ??= { values: [], trials: 0, best: 0, hasBest: false };
    const cell = row[column];
    cell.trials++;
    if (trial === best) cell.hasBest = true;
    const value = values[index];
    if (valid[index] !== 1 || typeof value !== 'number') continue;
    const most = bestOf(cell.values, maximize);
    if (most === undefined || (maximize ? value > most : value < most)) cell.best = trial;
    cell.values.push(value);
  }
  // Rows and columns without a trial are there too.
  return Array.from(map, (row) => Array.from(row ?? []));
}

function bestOf(values: readonly number[], maximize: boolean): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((a, b) => (maximize ? Math.max(a, b) : Math.min(a, b)));
}

function shownValue({ maximize }: StudyColumns, cell: Cell | undefined, shows: number): number | undefined {
  if (cell === undefined) return undefined;
  if (shows === COUNT) return cell.trials;
  return shows === BEST ? bestOf(cell.values, maximize) : median(cell.values);
}

/** Digits by which the values of a map differ at least. */
const DIGITS = 3;
const MOST_PLACES = 6;

/** The decimal places that show a range with enough digits. */
function placesOf(range: number): number {
  if (!(range > 0)) return 2;
  return Math.max(0, Math.min(MOST_PLACES, DIGITS - 1 - Math.floor(Math.log10(range))));
}

function cellText({ scale, suffix }: StudyColumns, value: number, places: number, shows: number): string {
  if (shows === COUNT) return number(value, 0);
  return `${number(value * scale, places).replace('-', '\u2212')}${suffix}`;
}

function titleOf(study: StudyColumns, { values, trials, best }: Cell, place: string): string {
  const many = `${number(trials, 0)} ${trials === 1 ? 'trial' : 'trials'}`;
  const middle = median(values);
  if (middle === undefined) return `${place}: ${many}, none meets all constraints`;
  const most = bestOf(values, study.maximize)!;
  const others = trials - values.length;
  const without = others === 0 ? '' : `; ${number(others, 0)} without an objective, or missed a constraint`;
  return `${place}: ${many}, median ${valueText(study, middle, 4)}, best ${valueText(study, most, 4)} in sample (trial ${best})${without}`;
}

/** An objective with so many digits. */
export function valueText({ scale, suffix }: StudyColumns, value: number, digits: number): string {
  const shown = Number((value * scale).toPrecision(digits));
  return `${shown.toLocaleString('en-US', { maximumFractionDigits: 8 }).replace('-', '\u2212')}${suffix}`;
}
