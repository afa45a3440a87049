import { Decimal } from '../../../model/decimal.ts';
import { isoTime } from '../../../model/time.ts';
import { formatMoney } from '../../../report/format.ts';
import type { BothPaths } from '../../../report/run-report.ts';
import type { SimulatedRun } from '../simulate-run.ts';
import { type Figures, pathTrades } from './figures.ts';
import { deniedByCode, numbersText } from './out-folder.ts';

/** What a reader of the figures should know of how the run went. */
export function runWarnings(
  { state, recorder, interrupted, pathFills, unguardedBars, requests, failure }: SimulatedRun,
  figures: Figures,
): string[] {
  const warnings: string[] = [];
  if (interrupted) warnings.push('the run was stopped before the end of its data');
  const whole = !interrupted && failure === undefined;
  if (whole && recorder.intents > 0 && recorder.fills.length === 0) warnings.push('orders were asked for, but nothing ever filled');
  if (whole && recorder.intents === 0) warnings.push('no strategy ever asked for anything');
  warnings.push(...latchWarnings(state));
  warnings.push(...liquidationWarnings(recorder, figures));
  warnings.push(...denialWarnings(recorder));
  warnings.push(...exitWarnings(recorder));
  if (requests !== undefined && requests.waited > 0) {
    const longest = (requests.longestWaitMs / 1_000).toFixed(3);
    warnings.push(`${requests.waited} of ${requests.requests} requests waited for the exchange's limits, the longest ${longest} s`);
  }
  if (figures.convertedLate > 0) {
    const { currency } = figures.record;
    warnings.push(
      `${figures.convertedLate} fills or charges came before the first price in ${currency} of what they moved: converted at the last`,
    );
  }
  if (pathFills > 0) {
    const { count, profit } = pathTrades(figures.trades);
    const made =
      count === 0
        ? 'none of a closed trade'
        : `the closed trades with them (${count}) made ${formatMoney(profit)} ${figures.record.currency}`;
    warnings.push(`${pathFills} of ${recorder.fills.length} fills hang on the assumed path inside a bar: ${made}`);
  }
  if (unguardedBars > 0) {
    const bars = unguardedBars === 1 ? '1 bar' : `${unguardedBars} bars`;
    warnings.push(`in ${bars} the price passed a stop that worked from the next bar on (backtest.fills.exits): it did not fill there`);
  }
  return warnings;
}

/** Says so where the worst path ended above the best, so that nobody takes the two for the ends of an interval. */
export function pathsWarnings(paths: BothPaths | undefined): string[] {
  if (paths === undefined) return [];
  const { worst, best } = paths;
  if (!new Decimal(worst.finalEquity).gt(best.finalEquity)) return [];
  return [
    `the worst path ended with ${worst.finalEquity}, above the best with ${best.finalEquity}: each is chosen bar by bar, and what the bars left led to other trades; the two are no bounds of the result`,
  ];
}

/** Those that still stand at the end. */
function latchWarnings({ latches }: SimulatedRun['state']): string[] {
  return [...latches.values()].map(({ rule, strategyId, time }) => {
    const whose = strategyId === undefined ? '' : ` of strategy ${strategyId}`;
    const what = rule === 'maxDrawdown' ? `the drawdown limit${whose} was broken` : `${rule}${whose} latched`;
    return `${what} at ${isoTime(time)}: from then on only reducing orders passed`;
  });
}

function liquidationWarnings({ liquidations, insurancePaid }: SimulatedRun['recorder'], { record }: Figures): string[] {
  if (liquidations.length === 0) {
    if (insurancePaid.isZero()) return [];
    return [`the insurance fund paid ${insurancePaid.toFixed()} ${record.currency}: fills beyond bankruptcy, as of a stop in a gap`];
  }
  const times = liquidations.length === 1 ? 'once' : `${liquidations.length} times`;
  const symbols = [...new Set(liquidations.map(({ fill }) => fill.symbol))].join(', ');
  const beyond = insurancePaid.isZero()
    ? ''
    : `; the insurance fund paid ${insurancePaid.toFixed()} ${record.currency} for losses beyond the collateral`;
  return [`the venue liquidated ${times} for lack of margin: ${symbols}${beyond}`];
}

/** A position that its stop did not guard, or that did not close when it had to. */
function exitWarnings({ unsentExits }: SimulatedRun['recorder']): string[] {
  const [first] = unsentExits;
  if (first === undefined) return [];
  const times = unsentExits.length === 1 ? 'once' : `${unsentExits.length} times`;
  const given = unsentExits.filter(({ kind }) => kind === 'exitRefused').length;
  const whether = given === 0 ? 'each was tried again' : `${given} of them for good`;
  const { instrument, strategyId, code, time } = first;
  return [
    `a stop or a close that protects could not be sent ${times}, ${whether}; first at ${isoTime(time)}: ${code}, strategy ${strategyId}, ${instrument.symbol}`,
  ];
}

/** From here on denials are worth a word: a few are what limits are for. */
const MANY_DENIALS = 20;

/** Says so where risk denied most of what strategies asked for: the run shows the limits rather than the strategy. */
function denialWarnings({ intents, denied }: SimulatedRun['recorder']): string[] {
  const byRisk = denied.filter(({ by }) => by === 'risk');
  if (byRisk.length < MANY_DENIALS || byRisk.length <= intents / 2) return [];
  const [code] = Object.entries(deniedByCode(byRisk)).sort(([, a], [, b]) => b - a)[0]!;
  const newest = byRisk.findLast(({ reason }) => reason.code === code)!;
  const percent = Math.min(100, Math.round((100 * byRisk.length) / intents));
  return [`${percent} % of intents were denied, most for ${code}: ${numbersText(newest.reason)}`];
}
