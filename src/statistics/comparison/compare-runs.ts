import { type Decimal, ZERO } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import { compareFigures } from './compared-figures.ts';
import type { AccountMove, ComparedRun } from './compared-run.ts';
import type {
  Cause,
  ComparedTrade,
  CompareOptions,
  Comparison,
  DifferencePart,
  DifferentPeriods,
  OtherDifference,
  RunPeriod,
} from './comparison.ts';
import { completed, EndWorth } from './end-worth.ts';
import { groupBy, pairOrders, timeOf } from './pair-orders.ts';
import { roundTrips } from './round-trips.ts';
import { compareSetups } from './run-setup.ts';
import { TradeDifferences } from './trade-differences.ts';

/**
 * Compares two runs trade by trade and finds the cause of every part of the difference of their final equities.
 *
 * Equity counts everything at its last price, so it is the sum of the results of all fills and moves. Both runs are valued at the first
 * run's last prices, so that trades can be compared; the effect of the second run's own last prices on its holdings is `endPrice`. The part
 * that no fill and no move explains is `unexplained`.
 * @throws TidegateError USAGE where the two have different currencies.
 */
export function compareRuns(a: ComparedRun, b: ComparedRun, options: CompareOptions): Comparison {
  if (a.currency !== b.currency) {
    throw new TidegateError('USAGE', `${a.name} counts in ${a.currency}, ${b.name} in ${b.currency}: expected two runs in one currency`);
  }
  const quotes = new Map([...b.quotes, ...a.quotes]);
  const [endA, endB] = [completed(a.end, b.end), completed(b.end, a.end)];
  const [worth, worthB] = [new EndWorth(quotes, endA), new EndWorth(quotes, endB)];
  const differences = new TradeDifferences(a, b, worth, options);
  const trades = pairOrders(a, b, options.windowMs).flatMap((pair): ComparedTrade[] => {
    const { strategyId, symbol, side } = (pair.a ?? pair.b)!;
    const parts = differences.of(pair);
    const known = side ?? pair.b?.side;
    if (known === undefined || !isFilled(pair)) return [];
    return [{ ...pair, time: timeOf(pair), strategyId, symbol, side: known, parts }];
  });
  const atA = worth.run(b);
  const others: OtherDifference[] = [
    ...moveDifferences(a, b, worth),
    { time: undefined, cause: 'endPrice', amount: worthB.run(b).minus(atA), note: `what B has at its own last prices rather than A's` },
  ];
  const difference = b.finalEquity.minus(a.finalEquity);
  const named = [...trades.flatMap(({ parts }) => parts), ...others].reduce((sum, { amount }) => sum.plus(amount), ZERO);
  others.push({
    time: undefined,
    cause: 'unexplained',
    amount: difference.minus(named),
    note: 'no fill and no ledger entry accounts for it',
  });
  const nonzero = others.filter(({ amount }) => !amount.isZero());
  return {
    currency: a.currency,
    periods: differentPeriods(a, b),
    setup: compareSetups(a.setup, b.setup),
    figures: compareFigures(a, b),
    finalEquityA: a.finalEquity,
    finalEquityB: b.finalEquity,
    difference,
    causes: byCause([...trades.flatMap(({ parts }) => parts), ...nonzero]),
    trades,
    roundTrips: roundTrips(trades),
    others: nonzero,
  };
}

/** A bot begins and ends some polls before or after its backtest: less than this part of the longer run is no other period. */
const SAME_PERIOD = 0.01;

/** The periods of two runs, if more than a hundredth of the longer one is not in both. */
export function differentPeriods(a: Pick<ComparedRun, 'equity'>, b: Pick<ComparedRun, 'equity'>): DifferentPeriods | undefined {
  const [ofA, ofB] = [periodOf(a), periodOf(b)];
  if (ofA === undefined || ofB === undefined) return undefined;
  const longer = Math.max(ofA.to - ofA.from, ofB.to - ofB.from);
  const both = Math.max(0, Math.min(ofA.to, ofB.to) - Math.max(ofA.from, ofB.from));
  const shared = longer === 0 ? Number(ofA.from === ofB.from) : both / longer;
  return shared >= 1 - SAME_PERIOD ? undefined : { a: ofA, b: ofB, shared };
}

/** The first and the last time of its equity. */
export function periodOf({ equity }: Pick<ComparedRun, 'equity'>): RunPeriod | undefined {
  return equity.length === 0 ? undefined : { from: equity[0]!.time, to: equity.at(-1)!.time };
}

function isFilled({ a, b }: Pick<ComparedTrade, 'a' | 'b'>): boolean {
  return (a?.fills.length ?? 0) + (b?.fills.length ?? 0) > 0;
}

function byCause(parts: readonly DifferencePart[]): Comparison['causes'] {
  const sums = new Map<Cause, { amount: Decimal; count: number }>();
  for (const { cause, amount } of parts) {
    const known = sums.get(cause) ?? { amount: ZERO, count: 0 };
    sums.set(cause, { amount: known.amount.plus(amount), count: known.count + 1 });
  }
  return [...sums].map(([cause, sum]) => ({ cause, ...sum })).sort((one, other) => other.amount.abs().cmp(one.amount.abs()));
}

/** Moves other than fills that only one account had: one line for each reason, asset and time at which they differ. */
function moveDifferences(a: ComparedRun, b: ComparedRun, worth: EndWorth): OtherDifference[] {
  const keyOf = ({ time, asset, reason }: AccountMove) => JSON.stringify(ONCE.has(reason) ? [asset, reason] : [asset, reason, time]);
  const [ofA, ofB] = [groupBy(a.moves, keyOf), groupBy(b.moves, keyOf)];
  const differences = [...new Set([...ofA.keys(), ...ofB.keys()])].map((key): OtherDifference => {
    const [movesA, movesB] = [ofA.get(key) ?? [], ofB.get(key) ?? []];
    const [sumA, sumB] = [sumOf(movesA), sumOf(movesB)];
    const { time, asset, reason } = (movesA[0] ?? movesB[0])!;
    const amount = worth.move({ time, asset, reason, amount: sumB.minus(sumA) });
    const note = `${reason} of ${sumA.toFixed()} ${asset} in A, ${sumB.toFixed()} ${asset} in B`;
    return { time: ONCE.has(reason) ? undefined : time, cause: CAUSE_OF[reason], amount, note };
  });
  return differences.sort((one, other) => (one.time ?? 0) - (other.time ?? 0));
}

const CAUSE_OF: Readonly<Record<AccountMove['reason'], Cause>> = {
  deposit: 'start',
  funding: 'funding',
  liquidationFee: 'liquidation',
  insurance: 'liquidation',
  transfer: 'foreign',
  foreign: 'foreign',
  unexplained: 'unexplained',
};

/** Deposits count as one move each run, whenever they came. */
const ONCE: ReadonlySet<AccountMove['reason']> = new Set(['deposit']);

function sumOf(moves: readonly AccountMove[]) {
  return moves.reduce((sum, { amount }) => sum.plus(amount), ZERO);
}
