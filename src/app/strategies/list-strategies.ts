import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCode, TidegateError } from '../../model/errors.ts';
import { describeFile, type StrategyDescription } from './describe-file.ts';
import type { Parameter } from './parameters.ts';

/** The strategies, and the files that could not be loaded. */
export interface StrategyList {
  readonly strategies: readonly StrategyDescription[];
  readonly failed: readonly { readonly file: string; readonly error: { readonly code: ErrorCode; readonly message: string } }[];
}

/**
 * Describes the strategies of files and folders. A file that does not load does not stop the others. A file without a strategy is an
 * error if it was named; in a folder it is ignored.
 * @throws TidegateError STRATEGY_NOT_FOUND.
 */
export async function listStrategies(paths: readonly string[]): Promise<StrategyList> {
  const strategies: StrategyDescription[] = [];
  const failed: StrategyList['failed'][number][] = [];
  for (const { path: file, named } of strategyFiles(paths)) {
    try {
      const found = await describeFile(file);
      if (found.length === 0 && named) throw new TidegateError('STRATEGY_LOAD_FAILED', `${file}: exports no class that extends Strategy`);
      strategies.push(...found);
    } catch (error) {
      if (!(error instanceof TidegateError)) throw error;
      failed.push({ file, error: { code: error.code, message: error.message } });
    }
  }
  return { strategies, failed };
}

/** A file to load. */
interface StrategyFile {
  readonly path: string;
  /** True if the file was named, and not found in a folder: then it must have a strategy. */
  readonly named: boolean;
}

/**
 * The files of paths of files and folders; only the files directly in a folder.
 * @throws TidegateError STRATEGY_NOT_FOUND for a missing path, and for a folder without such files.
 */
function strategyFiles(paths: readonly string[]): StrategyFile[] {
  return paths.flatMap((path): StrategyFile[] => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) throw new TidegateError('STRATEGY_NOT_FOUND', `${path}: no such file or folder`);
    if (!found.isDirectory()) return [{ path, named: true }];
    const names = readdirSync(path).filter((name) => /\.[cm]?[jt]s$/.test(name) && !/\.(d|test|spec)\.[cm]?[jt]s$/.test(name));
    if (names.length === 0) throw new TidegateError('STRATEGY_NOT_FOUND', `${path}: no .ts, .js or .mjs file in this folder`);
    return names.sort().map((name) => ({ path: join(path, name), named: false }));
  });
}

/** Formats strategies with their parameters as text of at most `width` columns. */
export function listText({ strategies, failed }: StrategyList, width: number): string {
  const faults = failed.map(({ file, error }) => [file, ...wrappedTable([[`error ${error.code}: ${error.message}`]], [], width, 2)]);
  return [...strategies.map((one) => strategyLines(one, width)), ...faults].map((lines) => lines.join('\n')).join('\n\n');
}

/** The widths at which names, types and defaults are wrapped; the meaning has the rest. */
const WIDEST = [24, 26, 20];
const HEAD = ['parameter', 'type', 'default', 'meaning'];

function strategyLines({ name, file, summary, needs, parameters }: StrategyDescription, width: number): string[] {
  const paragraphs = [`${name}  (${file})`, ...(summary === '' ? [] : [summary]), needsText(needs)];
  return [
    ...paragraphs.flatMap((text, index) => wrappedTable([[text]], [], width, index === 0 ? 0 : 2)),
    ...(parameters.length === 0 ? ['  no parameters'] : parameterLines(parameters.map(parameterCells), width)),
  ];
}

/** Below this width, the meaning of a parameter is under its name and not next to it. */
const SIDE_BY_SIDE = 60;

function parameterLines(rows: readonly (readonly string[])[], width: number): string[] {
  if (width >= SIDE_BY_SIDE) return wrappedTable([HEAD, ...rows], WIDEST, width, 2);
  return rows.flatMap((cells) => {
    const [meaning = '', ...head] = cells.toReversed();
    return [
      ...wrappedTable([[head.reverse().join('  ')]], [], width, 2),
      ...(meaning === '' ? [] : wrappedTable([[meaning]], [], width, 4)),
    ];
  });
}

function needsText({ bars, history, data }: StrategyDescription['needs']): string {
  const parts = [
    ...(bars.length === 0 ? [] : [`bars of ${bars.join(', ')}`]),
    ...(history === 0 ? [] : [`${history} of them before the start`]),
    ...data,
  ];
  return `needs ${parts.length === 0 ? 'no market data' : parts.join(', ')}`;
}

function parameterCells(parameter: Parameter): string[] {
  const { name, type, range, required, description } = parameter;
  const whenLeftOut = required ? '(required)' : 'default' in parameter ? JSON.stringify(parameter.default) : '(none)';
  return [name, range === '' ? type : `${type} ${range}`, whenLeftOut, description];
}

const GAP = 2;
const NARROWEST_LAST = 20;

/**
 * Formats rows of cells as indented lines of at most `width` columns. A cell that is too wide continues on the next line, if possible at
 * a blank.
 * @param widest the widths of all columns except the last, which has the rest.
 */
function wrappedTable(rows: readonly (readonly string[])[], widest: readonly number[], width: number, indent = 0): string[] {
  const widths = widest.map((most, column) => Math.min(most, Math.max(...rows.map((row) => [...row[column]!].length))));
  const taken = widths.reduce((sum, one) => sum + one + GAP, indent);
  widths.push(Math.max(NARROWEST_LAST, width - taken));
  return rows.flatMap((row) => {
    const columns = row.map((cell, column) => broken(cell, widths[column]!));
    const height = Math.max(...columns.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => {
      const parts = columns.map((lines, column) => pad(lines[line] ?? '', widths[column]!));
      return `${' '.repeat(indent)}${parts.join(' '.repeat(GAP))}`.trimEnd();
    });
  });
}

/** Wraps a text into lines of at most `width` characters; control characters are replaced by blanks. */
function broken(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.replace(/\p{Cc}+/gu, ' ').split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if ([...joined].length <= width) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    let rest = [...word];
    for (; rest.length > width; rest = rest.slice(width)) lines.push(rest.slice(0, width).join(''));
    line = rest.join('');
  }
  return [...lines, line];
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}
