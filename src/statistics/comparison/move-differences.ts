import { ZERO } from '../../model/decimal.ts';
import type { Cause } from './cause.ts';
import type { AccountMove, ComparedRun } from './compared-run.ts';
import type { OtherDifference } from './comparison.ts';
import type { EndWorth } from './end-worth.ts';
import { groupBy } from './group-by.ts';

const CAUSE_OF: Readonly<Record<AccountMove['reason'], Cause>> = {
  deposit: 'start',
  funding: 'funding',
  liquidationFee: 'liquidation',
  insurance: 'liquidation',
  transfer: 'foreign',
  foreign: 'foreign',
  unexplained: 'unexplained',
};

/** What moved one account and not the other, beside fills: one line for each reason, asset and time at which they differ. */
export function moveDifferences(a: ComparedRun, b: ComparedRun, worth: EndWorth): OtherDifference[] {
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

/** What an account begins with counts as one, whenever it came. */
const ONCE: ReadonlySet<AccountMove['reason']> = new Set(['deposit']);

function sumOf(moves: readonly AccountMove[]) {
  return moves.reduce((sum, { amount }) => sum.plus(amount), ZERO);
}
