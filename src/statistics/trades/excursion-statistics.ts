import { Decimal, ZERO } from '../../model/decimal.ts';
import type { Sample, Statistic } from '../statistic.ts';
import { AVERAGE_PLACES, type ClosedTrade, netProfitOf } from './trade.ts';

/** Falls of the running sum of net profits, which begins with zero; money in the run's currency. */
interface ClosedTradeFalls {
  /** By the sums after each exit; at least 0. */
  readonly deepest: Decimal;
  /** By what each trade stood at worst besides, as if it had been the only one open. */
  readonly deepestInside: Decimal;
  /** The longest time from the exit at a peak to the exit that reached it again, or to the last exit. */
  readonly longestMs: number;
}

/** @param trades in order of exit. */
function closedTradeFalls(trades: readonly ClosedTrade[]): ClosedTradeFalls {
  let [sum, peak, deepest, deepestInside] = [ZERO, ZERO, ZERO, ZERO];
  let longestMs = 0;
  let peakTime = trades[0]?.exitTime ?? 0;
  for (const { netProfit, mae, exitTime } of trades) {
    deepestInside = Decimal.max(deepestInside, peak.minus(sum.plus(mae)));
    sum = sum.plus(netProfit);
    deepest = Decimal.max(deepest, peak.minus(sum));
    deepestInside = Decimal.max(deepestInside, deepest);
    longestMs = Math.max(longestMs, exitTime - peakTime);
    if (sum.gte(peak)) [peak, peakTime] = [sum, exitTime];
  }
  return { deepest, deepestInside, longestMs };
}

const ONE_TRADE = { count: 1, of: 'trades' } as const;

/** How far closed trades went against their holder (MAE) and for him (MFE) before they ended (Sweeney 1996), fees and funding apart. */
export const EXCURSION_STATISTICS = [
  {
    key: 'averageMae',
    label: 'Average MAE',
    group: 'excursion',
    unit: 'money',
    meaning: 'How far a trade stood below its entry at worst, on average.',
    formula: 'mean of the worst open result, at most 0',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => average(trades.closed.map(({ mae }) => mae)),
  },
  {
    key: 'largestMae',
    label: 'Largest MAE',
    group: 'excursion',
    unit: 'money',
    meaning: 'The furthest that any stood below.',
    formula: 'smallest worst open result',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => trades.closed.reduce((least, { mae }) => Decimal.min(least, mae), ZERO).toFixed(),
  },
  {
    key: 'averageMfe',
    label: 'Average MFE',
    group: 'excursion',
    unit: 'money',
    meaning: 'How far a trade stood above its entry at best, on average.',
    formula: 'mean of the best open result, at least 0',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => average(trades.closed.map(({ mfe }) => mfe)),
  },
  {
    key: 'largestMfe',
    label: 'Largest MFE',
    group: 'excursion',
    unit: 'money',
    meaning: 'The furthest that any stood above.',
    formula: 'largest best open result',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => trades.closed.reduce((most, { mfe }) => Decimal.max(most, mfe), ZERO).toFixed(),
  },
  {
    key: 'averageGivenBack',
    label: 'Average given back',
    group: 'excursion',
    unit: 'money',
    meaning: 'What a trade gave back of its best result until it ended, on average.',
    formula: 'mean of MFE - gross profit',
    smallestSample: ONE_TRADE,
    compute: (sample) => average(givenBack(sample)),
  },
  {
    key: 'largestGivenBack',
    label: 'Largest given back',
    group: 'excursion',
    unit: 'money',
    meaning: 'The most that any gave back.',
    formula: 'largest MFE - gross profit',
    smallestSample: ONE_TRADE,
    compute: (sample) =>
      givenBack(sample)
        .reduce((most, given) => Decimal.max(most, given))
        .toFixed(),
  },
  {
    key: 'closedTradeDrawdown',
    label: 'Closed trade drawdown',
    group: 'excursion',
    unit: 'money',
    meaning: 'The deepest fall of the sum of closed trades.',
    formula: 'largest (highest so far - now) of the running sum of net profits, by exit',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => closedTradeFalls(trades.closed).deepest.toFixed(),
  },
  {
    key: 'intraTradeDrawdown',
    label: 'Intra-trade drawdown',
    group: 'excursion',
    unit: 'money',
    meaning: 'The same with what each trade stood at worst before it ended.',
    formula: 'largest (highest so far - (sum before the trade + its MAE)) of the running sum of net profits, by exit',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => closedTradeFalls(trades.closed).deepestInside.toFixed(),
  },
  {
    key: 'closedTradeDrawdownMs',
    label: 'Closed trade drawdown length',
    group: 'excursion',
    unit: 'duration',
    meaning: 'The longest time between two peaks of the sum of closed trades.',
    formula: 'longest from the exit at a peak of the running sum to the next exit at or above it, or to the last exit',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => closedTradeFalls(trades.closed).longestMs,
  },
  {
    key: 'profitToClosedTradeDrawdown',
    label: 'Profit to closed trade drawdown',
    group: 'excursion',
    unit: 'ratio',
    meaning: 'What the closed trades won for each unit of their deepest fall.',
    formula: 'sum of net profits / closed trade drawdown',
    smallestSample: ONE_TRADE,
    compute: ({ trades }) => netProfitOf(trades.closed).div(closedTradeFalls(trades.closed).deepest).toNumber(),
  },
] as const satisfies readonly Statistic[];

function givenBack({ trades }: Sample): Decimal[] {
  return trades.closed.map(({ mfe, grossProfit }) => mfe.minus(grossProfit));
}

function average(amounts: readonly Decimal[]): string {
  return amounts
    .reduce((sum, amount) => sum.plus(amount), ZERO)
    .div(amounts.length)
    .toDecimalPlaces(AVERAGE_PLACES)
    .toFixed();
}
