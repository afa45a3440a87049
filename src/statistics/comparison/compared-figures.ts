import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { StatisticUnit, StatisticValue } from '../statistic.ts';
import { STATISTIC_DEFINITIONS } from '../statistics.ts';
import type { ComparedRun } from './compared-run.ts';

/** One figure of both runs; `null` where a run has none. */
export interface ComparedFigure {
  readonly key: string;
  readonly label: string;
  readonly unit: StatisticUnit;
  readonly a: StatisticValue;
  readonly b: StatisticValue;
  /** One of the few that a terminal shows. */
  readonly main: boolean;
}

type Own = Pick<ComparedFigure, 'key' | 'label' | 'unit'> & { readonly of: (run: ComparedRun) => StatisticValue };

/** Figures that every run has, also one read from a bot's journal. Money is at the run's last prices. */
const OF_ANY: readonly Own[] = [
  { key: 'finalEquity', label: 'Final equity', unit: 'money', of: ({ finalEquity }) => finalEquity.toFixed() },
  {
    key: 'deepestFall',
    label: 'Deepest fall of the equity curve',
    unit: 'share',
    of: ({ equity }) => (equity.length === 0 ? null : deepestFall(equity)),
  },
  { key: 'orders', label: 'Orders', unit: 'count', of: ({ orders }) => orders.filter(({ clientOrderId }) => clientOrderId !== '').length },
  {
    key: 'refused',
    label: 'Refused by limits or exchange',
    unit: 'count',
    of: ({ orders }) => orders.filter(({ status }) => status === 'denied' || status === 'rejected').length,
  },
  { key: 'fills', label: 'Fills', unit: 'count', of: ({ orders }) => orders.reduce((sum, { fills }) => sum + fills.length, 0) },
  {
    key: 'volume',
    label: 'Volume, at the last prices',
    unit: 'money',
    of: (run) => summed(run, ({ symbol, fills }) => fills.map(({ notional }) => [notional, run.quotes.get(symbol)])),
  },
  {
    key: 'fees',
    label: 'Fees, at the last prices',
    unit: 'money',
    of: (run) => summed(run, ({ fills }) => fills.map(({ fee, feeAsset }) => [fee, feeAsset])),
  },
];

const OWN_KEYS: ReadonlySet<string> = new Set(OF_ANY.map(({ key }) => key));

/** The other figures that a terminal shows of two backtests. */
const MAIN: ReadonlySet<string> = new Set([
  'volume',
  'fees',
  'totalReturn',
  'maxDrawdown',
  'sharpe',
  'trades',
  'winRate',
  'profitFactor',
  'expectancy',
  'exposure',
  'funding',
]);

/** The figures of both runs, next to each other. Only two backtests have statistics. */
export function compareFigures(a: ComparedRun, b: ComparedRun): ComparedFigure[] {
  const both = a.statistics !== undefined && b.statistics !== undefined;
  const rows = figureRows([a, b].map((run) => figuresOf(both ? run : { ...run, statistics: undefined })));
  return rows.map(({ values: [ofA = null, ofB = null], ...row }) => ({ ...row, a: ofA, b: ofB }));
}

/** The figures of one run: those that every run has, and its statistics if it is a backtest. */
export interface RunFigures {
  readonly own: ReadonlyMap<string, StatisticValue>;
  readonly statistics: ComparedRun['statistics'];
}

export function figuresOf(run: ComparedRun): RunFigures {
  return { own: new Map(OF_ANY.map(({ key, of }) => [key, of(run)])), statistics: run.statistics };
}

/** One figure of several runs, in their order; `null` where a run has none. */
export interface FigureRow extends Pick<ComparedFigure, 'key' | 'label' | 'unit' | 'main'> {
  readonly values: readonly StatisticValue[];
}

/** The figures of several runs. A statistic takes the place of the same figure that every run has, if all runs have it. */
export function figureRows(runs: readonly RunFigures[]): FigureRow[] {
  const valuesOf = (key: string) => runs.map(({ statistics }) => statistics?.[key] ?? null);
  const inAll = (key: string) => valuesOf(key).every((value) => value !== null);
  const statistics = STATISTIC_DEFINITIONS.flatMap(({ key, label, unit }): FigureRow[] => {
    const values = valuesOf(key);
    if (values.every((value) => value === null) || (OWN_KEYS.has(key) && !inAll(key))) return [];
    return [{ key, label, unit, values, main: MAIN.has(key) }];
  });
  // Statistics use the prices of each moment, and measure the drawdown at every price rather than at the points of the curve.
  const covered = runs.every((run) => run.statistics !== undefined) && statistics.length > 0;
  const left = OF_ANY.filter(({ key }) => !inAll(key) && (key !== 'deepestFall' || !covered));
  return [
    ...left.map(({ key, label, unit }) => ({ key, label, unit, values: runs.map(({ own }) => own.get(key) ?? null), main: true })),
    ...statistics,
  ];
}

function deepestFall(points: ComparedRun['equity']): number {
  let [peak, deepest] = [ZERO, 0];
  for (const { equity } of points) {
    if (equity.gt(peak)) peak = equity;
    else if (peak.gt(0)) deepest = Math.max(deepest, peak.minus(equity).div(peak).toNumber());
  }
  return deepest;
}

function summed(
  { orders, end }: ComparedRun,
  amounts: (order: ComparedRun['orders'][number]) => (readonly [Decimal, string | undefined])[],
): string {
  const sum = orders
    .flatMap(amounts)
    .reduce((total, [amount, asset]) => total.plus(amount.times(end.rates.get(asset ?? '') ?? ZERO)), ZERO);
  return sum.toFixed();
}
