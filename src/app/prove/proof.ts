import { type Decimal, ZERO } from '../../model/decimal.ts';
import { isoTime } from '../../model/time.ts';
import { formatMoney } from '../../report/format.ts';
import { TerminalTable } from '../../report/terminal-table.ts';
import { CAUSES, type Cause, type Comparison } from '../../statistics/comparison/comparison.ts';
import { type ReplayReport, replayJson } from '../replay/run-replay.ts';
import type { TerminalLook } from '../terminal/terminal-look.ts';

/** A part of the difference between a bot and its backtest, above zero where the backtest has more. */
export interface ProofCause {
  readonly cause: Cause;
  readonly amount: Decimal;
  readonly count: number;
}

/** A bot compared with the replay of its journal and with its backtest. */
export interface Proof {
  readonly name: string;
  readonly mode: 'paper' | 'live';
  /** Epoch ms on the bot's clock: what ended in this time is compared. */
  readonly from: number;
  readonly to: number;
  readonly replay: ReplayReport;
  readonly recording: string;
  readonly comparison: Comparison;
  /** The causes of the differences that ended in this time; they sum exactly to `difference`. */
  readonly causes: readonly ProofCause[];
  readonly difference: Decimal;
  /** The sum of the amounts that have no cause, each of a round trip or of another difference, above zero. */
  readonly unexplained: Decimal;
  /** So much of it counts as none. Both are in the currency of the comparison. */
  readonly tolerance: Decimal;
  /** The folder of the backtest and of the comparison. */
  readonly out: string;
}

/**
 * The causes of the differences whose round trip ended, or that happened, from `from` until before `to`. What has no time, such as the
 * value of what is still held at the end, belongs to a proof that reaches the end.
 */
export function causesWithin({ roundTrips, others }: Pick<Comparison, 'roundTrips' | 'others'>, from: number, to: number, atEnd: boolean) {
  const isWithin = (time: number | undefined) => (time === undefined ? atEnd : time >= from && time < to);
  // An exit often recovers what its entry lost: only the sum of a round trip is a difference.
  const groups = [
    ...roundTrips.filter((trip) => isWithin(trip.to)).map(({ trades }) => trades.flatMap((trade) => trade.parts)),
    ...others.filter(({ time }) => isWithin(time)).map((other) => [other]),
  ];
  const causes = new Map<Cause, ProofCause>();
  for (const { cause, amount } of groups.flat()) {
    const { amount: sum, count } = causes.get(cause) ?? { amount: ZERO, count: 0 };
    causes.set(cause, { cause, amount: sum.plus(amount), count: count + 1 });
  }
  const largestFirst = [...causes.values()].sort((one, other) => other.amount.abs().comparedTo(one.amount.abs()));
  const unexplained = groups.map((parts) => sumOf(parts.filter(({ cause }) => cause === 'unexplained')).abs());
  return { causes: largestFirst, difference: sumOf(groups.flat()), unexplained: unexplained.reduce((sum, one) => sum.plus(one), ZERO) };
}

function sumOf(parts: readonly Pick<ProofCause, 'amount'>[]): Decimal {
  return parts.reduce((sum, { amount }) => sum.plus(amount), ZERO);
}

/** The reasons why a bot is not proved, one line each; none if it is. */
export function faultsOf({ replay, unexplained, tolerance, comparison: { currency } }: Proof): string[] {
  const faults: string[] = [];
  if (replay.difference !== undefined) faults.push('the replay of its journal differs: `npx tidegate replay` shows where');
  if (unexplained.greaterThan(tolerance))
    faults.push(`${unexplained.toFixed()} ${currency} of differences from its backtest have no cause`);
  return faults;
}

/** A proof as one JSON object. Money is text. */
export function proofJson(proof: Proof) {
  const { name, mode, from, to, recording, comparison, causes, difference, tolerance, out } = proof;
  const { currency, finalEquityA, finalEquityB } = comparison;
  return {
    ...{ name, mode, from, to, recording, currency, out, tolerance: tolerance.toFixed() },
    faults: faultsOf(proof),
    replay: replayJson(proof.replay),
    equity: { bot: finalEquityA.toFixed(), backtest: finalEquityB.toFixed() },
    difference: difference.toFixed(),
    causes: causes.map(({ cause, amount, count }) => ({ cause: CAUSES[cause], amount: amount.toFixed(), count })),
  };
}

/** A proof for people. */
export function proofText(proof: Proof, look: TerminalLook): string {
  const { name, mode, from, to, replay, recording, comparison, causes, difference, out } = proof;
  const { currency, finalEquityA, finalEquityB, setup } = comparison;
  const turns = replay.runs.reduce((sum, run) => sum + run.turns, 0);
  const rows = causes.map(({ cause, amount, count }) => [CAUSES[cause], String(count), amount.toFixed()]);
  const table = new TerminalTable(look.columns, look).section(
    `The difference by cause, ${currency}`,
    ['cause', 'parts', 'backtest less bot'],
    [...rows, ['sum', '', difference.toFixed()]],
    ['left', 'right', 'right'],
  );
  const faults = faultsOf(proof);
  return [
    `${name} (${mode}), ${isoTime(from)} to ${isoTime(to)}`,
    `Replay    ${replay.difference === undefined ? 'identical' : 'DIFFERENT'}: ${turns.toLocaleString('en-US')} turns of ${replay.records.toLocaleString('en-US')} records`,
    `Backtest  on recording ${recording}: equity ${formatMoney(finalEquityB)} ${currency}, of the bot ${formatMoney(finalEquityA)}`,
    ...setup.differences.map(
      ({ kind, name: what, a, b }) => `Setup     ${kind} ${what}: ${a ?? '-'} of the bot, ${b ?? '-'} of the backtest`,
    ),
    '',
    table,
    '',
    faults.length === 0 ? 'PROVED: the same decisions, and a cause for each difference' : `NOT PROVED: ${faults.join('; ')}`,
    `Files     ${out}`,
  ].join('\n');
}
