import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCode, TidegateError } from '../../model/errors.ts';
import { hideSecrets } from '../access/hide-secrets.ts';
import { describeFile, type StrategyDescription } from './describe-file.ts';
import type { Parameter } from './parameters.ts';

/** What was found, and what could not be loaded. */
export interface StrategyList {
  readonly strategies: readonly StrategyDescription[];
  readonly failed: readonly { readonly file: string; readonly error: { readonly code: ErrorCode; readonly message: string } }[];
}

/**
 * Describes the strategies of files and folders. A file that does not load does not keep the others from being told; one
 * without a strategy is a fault where it was named, and a part of another in a folder.
 * @throws TidegateError STRATEGY_NOT_FOUND.
 */
export async function listStrategies(paths: readonly string[]): Promise<StrategyList> {
  hideSecrets(process.env, undefined);
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

/** A file to look into. */
interface StrategyFile {
  readonly path: string;
  /** It was named, not found in a folder: a strategy is expected in it. */
  readonly named: boolean;
}

/**
 * The files that are meant by names of files and folders; of a folder, those right inside it.
 * @throws TidegateError STRATEGY_NOT_FOUND for what is not there, and for a folder without any.
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

/** Strategies with their parameters as text, at most `width` wide. */
export function listText({ strategies, failed }: StrategyList, width: number): string {
  const faults = failed.map(({ file, error }) => [file, ...wrappedTable([[`error ${error.code}: ${error.message}`]], [], width, 2)]);
  return [...strategies.map((one) => strategyLines(one, width)), ...faults].map((lines) => lines.join('\n')).join('\n\n');
}

/** Columns: names, types and defaults are broken at these widths; what a parameter means takes the rest. */
const WIDEST = [24, 26, 20];
const HEAD = ['parameter', 'type', 'default', 'meaning'];

function strategyLines({ name, file, summary, needs, parameters }: StrategyDescription, width: number): string[] {
  const paragraphs = [`${name}  (${file})`, ...(summary === '' ? [] : [summary]), needsText(needs)];
  return [
    ...paragraphs.flatMap((text, index) => wrappedTable([[text]], [], width, index === 0 ? 0 : 2)),
    ...(parameters.length === 0 ? ['  no parameters'] : wrappedTable([HEAD, ...parameters.map(parameterCells)], WIDEST, width, 2)),
  ];
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
 * Rows of cells as lines no wider than `width`, indented: a cell that is too wide goes on in the next line, at blanks where
 * it can. Nothing is cut off.
 * @param widest of each column but the last, which has the rest.
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

/** One text as lines of at most `width` characters; control characters, which could steer a terminal, are blanks. */
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
