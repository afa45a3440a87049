import type { Statistics } from '../statistics/statistics.ts';
import { type Formula, parseFormula, type Values } from './expression.ts';

/** The objective of a search as the config has it. */
export type ObjectiveTerms = string | { readonly maximize: string } | { readonly minimize: string };

/** The objective of a search: the largest or the smallest value of a formula. */
export interface Objective {
  readonly formula: Formula;
  readonly maximize: boolean;
}

/**
 * The objectives that have a name: freqtrade's loss functions by the names of their classes, without `HyperOptLoss`, as formulas over the
 * statistics of a run. Their constants are freqtrade's. Where freqtrade takes closed trades alone, returns and drawdown here are those of equity.
 */
export const NAMED_OBJECTIVES: Readonly<Record<string, string>> = {
  OnlyProfit: 'netProfit',
  Sharpe: 'tradeSharpe',
  SharpeDaily: 'sharpe',
  Sortino: 'tradeSortino',
  SortinoDaily: 'sortino',
  Calmar: 'calmar',
  MaxDrawDown: 'netProfit / max(maxDrawdownMoney, 0.000001)',
  MaxDrawDownRelative: 'netProfit / max(maxDrawdownMoney, 0.000001) / max(maxDrawdown, 0.000001)',
  ProfitDrawDown: 'netProfit * (1 - maxDrawdown * 0.075)',
  MultiMetric:
    'netProfit * (1 - maxDrawdown * (1 - 0.055)) * log(profitFactor + 1) * log(min(expectancyRatio, 10) + 2) * log(winRate + 1.2) * max(min(trades / 50, 1), 0.1)',
  ShortTradeDur:
    '0.25 * exp(-((trades - 600) ^ 2) / 10 ^ 5.8) - max(0, 1 - trades * averageReturn / 3) - 0.4 * min(averageHoldingMs / 18000000, 1)',
};

/** The objective of a config. @param names of the statistics. @throws FormulaError */
export function objectiveOf(terms: ObjectiveTerms, names: readonly string[]): Objective {
  if (typeof terms === 'string') {
    const named = Object.hasOwn(NAMED_OBJECTIVES, terms) ? NAMED_OBJECTIVES[terms] : undefined;
    return { formula: parseFormula(named ?? terms, names), maximize: true };
  }
  if ('maximize' in terms) return { formula: parseFormula(terms.maximize, names), maximize: true };
  return { formula: parseFormula(terms.minimize, names), maximize: false };
}

/** The statistics of a run as numbers: money becomes the nearest double. */
export function numbersOf(statistics: Partial<Statistics>): Values {
  return Object.fromEntries(Object.entries(statistics).map(([key, value]) => [key, typeof value === 'string' ? Number(value) : value]));
}

/** The worth of a trial: its objective, and the constraints that it misses. */
export interface Worth {
  /** `undefined` if the objective has no value. */
  readonly value: number | undefined;
  readonly missed: readonly string[];
}

export function worthOf(statistics: Partial<Statistics>, objective: Objective, constraints: readonly Formula[]): Worth {
  const values = numbersOf(statistics);
  // A constraint on what has no value is missed: nothing shows that it holds.
  const missed = constraints.filter((one) => !(one.of(values) ?? 0)).map(({ text }) => text);
  return { value: objective.formula.of(values), missed };
}

/** A trial as it is ranked. */
export interface Ranked extends Worth {
  readonly number: number;
  /** `pruned`: it missed a constraint, whatever its value would have been. */
  readonly outcome?: string | undefined;
}

/**
 * The order of trials, the best one first. Those that missed a constraint come after all others, those without a value last. Pruned ones are the
 * last of those that missed a constraint. Ties by number.
 */
export function byRank({ maximize }: Pick<Objective, 'maximize'>): (a: Ranked, b: Ranked) => number {
  const group = ({ value, missed, outcome }: Ranked) => {
    if (outcome === 'pruned') return 2;
    if (value === undefined) return 3;
    return missed.length > 0 ? 1 : 0;
  };
  return (a, b) => {
    const order = group(a) - group(b);
    if (order !== 0) return order;
    const difference = (b.value ?? 0) - (a.value ?? 0);
    return (maximize ? difference : -difference) || a.number - b.number;
  };
}
