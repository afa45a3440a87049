import { basename } from 'node:path';
import { TidegateError } from '../../model/errors.ts';
import { suggestion } from '../../model/nearest.ts';
import { STATISTIC_DEFINITIONS } from '../../statistics/statistics.ts';
import type { RunEntry } from './run-entry.ts';

type Value = string | number | null;

/** Short names of statistics. */
const SHORT: Readonly<Record<string, string>> = { return: 'totalReturn', drawdown: 'maxDrawdown', profit: 'netProfit' };

/** The facts of a run that are no statistic. */
const FACTS: Readonly<Record<string, (entry: RunEntry) => Value>> = {
  run: ({ folder }) => basename(folder),
  name: ({ name }) => name,
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  date: ({ date }) => new Date(date).toISOString(),
  from: ({ from }) => from,
  to: ({ to }) => to,
};
/** Statistics whose smaller values are better, so that these come first. */
const SMALL_FIRST: ReadonlySet<string> = new Set(['maxDrawdown', 'averageDrawdown', 'fees', 'volatility', 'ulcerIndex']);
const STATISTICS: ReadonlySet<string> = new Set(STATISTIC_DEFINITIONS.map(({ key }) => key));

/** A key by which runs are sorted or filtered. */
interface Key {
  readonly of: (entry: RunEntry) => Value;
  /** Whether large values come first. */
  readonly largeFirst: boolean;
}

/**
 * A fact, a statistic by its key or short name, a parameter (`fast` or `sma.fast`) or a setting of the config.
 * @throws TidegateError USAGE for a name that no run has.
 */
function keyOf(name: string, entries: readonly RunEntry[]): Key {
  const fact = FACTS[name];
  if (fact !== undefined) return { of: fact, largeFirst: false };
  const key = SHORT[name] ?? name;
  if (STATISTICS.has(key)) return { of: ({ statistics }) => statistics[key] ?? null, largeFirst: !SMALL_FIRST.has(key) };
  const isNamed = (full: string) => full === name || full.endsWith(`.${name}`);
  const settings = ({ setup }: RunEntry) => [...(setup.parameters ?? []), ...(setup.config ?? [])];
  const settingOf = (entry: RunEntry) => {
    const all = settings(entry);
    return (all.find(([full]) => full === name) ?? all.find(([full]) => isNamed(full)))?.[1] ?? null;
  };
  if (entries.length === 0 || entries.some((entry) => settingOf(entry) !== null)) return { of: settingOf, largeFirst: false };
  const known = [...Object.keys(FACTS), ...Object.keys(SHORT), ...STATISTICS];
  throw new TidegateError(
    'USAGE',
    `"${name}" is no fact (${Object.keys(FACTS).join(', ')}), no statistic, and no parameter or setting of these runs${suggestion(name, known)}`,
  );
}

/** Sorts runs by a key: figures with the best first, all else ascending. Runs without a value come last. */
export function sortRuns(entries: readonly RunEntry[], name: string, reverse: boolean): RunEntry[] {
  const { of, largeFirst } = keyOf(name, entries);
  const sign = largeFirst === reverse ? 1 : -1;
  return [...entries].sort((a, b) => {
    const [one, other] = [of(a), of(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * compareValues(one, other);
  });
}

const CONDITION = /^\s*([^\s=!<>]+)\s*(!=|<=|>=|=|<|>)\s*(.*?)\s*$/;

/**
 * The runs that meet all conditions: `sharpe>1`, `drawdown<20%`, `name=sma*`, `from>=2025-01`, `fast=10`.
 * @throws TidegateError USAGE for a condition that cannot be read.
 */
export function filterRuns(entries: readonly RunEntry[], conditions: readonly string[]): RunEntry[] {
  const checks = conditions.map((condition) => checkOf(condition, entries));
  return entries.filter((entry) => checks.every((check) => check(entry)));
}

function checkOf(condition: string, entries: readonly RunEntry[]): (entry: RunEntry) => boolean {
  const [, name, sign, operand] = CONDITION.exec(condition) ?? [];
  if (name === undefined || sign === undefined || operand === undefined)
    throw new TidegateError('USAGE', `--where ${condition}: expected a condition such as sharpe>1, drawdown<20% or name=sma*`);
  const { of } = keyOf(name, entries);
  return (entry) => {
    const value = of(entry);
    if (value === null) return sign === '!=';
    if (sign === '=') return isLike(value, operand);
    if (sign === '!=') return !isLike(value, operand);
    const order = compareValues(value, operand);
    if (sign === '<') return order < 0;
    if (sign === '<=') return order <= 0;
    return sign === '>' ? order > 0 : order >= 0;
  };
}

function isLike(value: string | number, operand: string): boolean {
  if (typeof value === 'string' && operand.includes('*')) {
    const pattern = operand.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${pattern.join('.*')}$`).test(value);
  }
  return compareValues(value, operand) === 0;
}

/** Compares as numbers if both are numbers, else as text. */
function compareValues(a: string | number, b: string | number): number {
  const [one, other] = [numberOf(a), numberOf(b)];
  if (one !== undefined && other !== undefined) return one - other;
  const [text, second] = [String(a), String(b)];
  return text < second ? -1 : Number(text > second);
}

const PERCENT = 100;

/** A number, or a text that is one: `0.2`, `20%`. */
function numberOf(value: string | number): number | undefined {
  if (typeof value === 'number') return value;
  const [, digits, percent] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(%?)$/i.exec(value) ?? [];
  if (digits === undefined) return undefined;
  return percent === '%' ? Number(digits) / PERCENT : Number(digits);
}
