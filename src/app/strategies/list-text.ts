import type { StrategyDescription } from './describe-file.ts';
import type { StrategyList } from './list-strategies.ts';
import type { Parameter } from './parameters.ts';
import { wrappedTable } from './wrapped-table.ts';

/** Columns: names, types and defaults are broken at these widths; what a parameter means takes the rest. */
const WIDEST = [24, 26, 20];
const HEAD = ['parameter', 'type', 'default', 'meaning'];

/** Strategies with their parameters as text, at most `width` wide. */
export function listText({ strategies, failed }: StrategyList, width: number): string {
  const faults = failed.map(({ file, error }) => [file, ...wrappedTable([[`error ${error.code}: ${error.message}`]], [], width, 2)]);
  return [...strategies.map((one) => block(one, width)), ...faults].map((lines) => lines.join('\n')).join('\n\n');
}

function block({ name, file, summary, needs, parameters }: StrategyDescription, width: number): string[] {
  const paragraphs = [`${name}  (${file})`, ...(summary === '' ? [] : [summary]), needsText(needs)];
  return [
    ...paragraphs.flatMap((text, index) => wrappedTable([[text]], [], width, index === 0 ? 0 : 2)),
    ...(parameters.length === 0 ? ['  no parameters'] : wrappedTable([HEAD, ...parameters.map(cells)], WIDEST, width, 2)),
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

function cells(parameter: Parameter): string[] {
  const { name, type, range, required, description } = parameter;
  const whenLeftOut = required ? '(required)' : 'default' in parameter ? JSON.stringify(parameter.default) : '(none)';
  return [name, range === '' ? type : `${type} ${range}`, whenLeftOut, description];
}
