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
  /** Of the few that a terminal shows. */
  readonly main: boolean;
}

type Own = Pick<ComparedFigure, 'key' | 'label' | 'unit'> & { readonly of: (run: ComparedRun) => StatisticValue };

/** Those that follow from what is read of any run, a bot's journal too. Money is at the run's last prices. */
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

/** What a terminal shows of two backtests beside these. */
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

/** The figures of two runs side by side. Statistics are those of two backtests. */
export function compareFigures(a: ComparedRun, b: ComparedRun): ComparedFigure[] {
  const own = OF_ANY.map(({ key, label, unit, of }) => ({ key, label, unit, a: of(a), b: of(b), main: true }));
  const inBoth = (key: string) => (a.statistics?.[key] ?? null) !== null && (b.statistics?.[key] ?? null) !== null;
  const statistics = STATISTIC_DEFINITIONS.flatMap(({ key, label, unit }): ComparedFigure[] => {
    const [ofA, ofB] = [a.statistics?.[key], b.statistics?.[key]];
    if (a.statistics === undefined || b.statistics === undefined || (OWN_KEYS.has(key) && !inBoth(key))) return [];
    if ((ofA ?? null) === null && (ofB ?? null) === null) return [];
    return [{ key, label, unit, a: ofA ?? null, b: ofB ?? null, main: MAIN.has(key) }];
  });
  // Statistics count at the prices of each moment, and measure the fall over every price rather than at the points of the curve.
  const left = own.filter(({ key }) => !inBoth(key) && (key !== 'deepestFall' || statistics.length === 0));
  return [...left, ...statistics];
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
