import { barIntervalText } from '../../../model/bar-interval.ts';
import { Decimal } from '../../../model/decimal.ts';
import { isoTime } from '../../../model/time.ts';
import { formatMoney } from '../../../report/format.ts';
import type { BothPaths } from '../../../report/run-report.ts';
import { numbersText } from '../recorders/denials.ts';
import type { SimulatedRun } from '../simulate-run.ts';
import { ALL_DENIED } from '../worker-protocol.ts';
import { type Figures, pathTrades } from './figures.ts';

type WatchedRun = Pick<
  SimulatedRun,
  | 'state'
  | 'recorder'
  | 'interrupted'
  | 'late'
  | 'pathFills'
  | 'unguardedBars'
  | 'stopsBeyondFill'
  | 'targetsBeyondFill'
  | 'heldIndicators'
  | 'idleProtects'
  | 'sizesChanged'
  | 'requests'
  | 'failure'
>;

/** The warnings about the course of a run. */
export function runWarnings(run: WatchedRun, figures: Figures): string[] {
  const { state, recorder, interrupted, late, pathFills, unguardedBars, stopsBeyondFill, targetsBeyondFill, requests, failure } = run;
  const warnings: string[] = [];
  if (interrupted) warnings.push('the run was stopped before the end of its data');
  for (const { strategyId, symbol, time } of late) {
    const began =
      time === undefined ? 'never began: its history was not complete' : `began at ${isoTime(time)}, when its history was complete`;
    warnings.push(`strategy "${strategyId}": ${symbol} ${began}`);
  }
  const whole = !interrupted && failure === undefined;
  const { denials } = recorder;
  const placed = recorder.orders + denials.byRisk - denials.unknown;
  if (whole && placed > 0 && recorder.fills.length === 0) warnings.push('strategies placed orders, but none of them filled');
  if (whole && placed === 0 && recorder.intents > 0) warnings.push('strategies returned intents, but placed no order');
  if (whole && recorder.intents === 0) warnings.push('no strategy returned an intent');
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
      `${figures.convertedLate} fills or charges came before the first price of their asset in ${currency}: they were converted at the last price`,
    );
  }
  if (pathFills > 0) {
    const { count, profit } = pathTrades(figures.trades);
    const made =
      count === 0
        ? 'none of a closed trade'
        : `the closed trades with them (${count}) made ${formatMoney(profit)} ${figures.record.currency}`;
    warnings.push(`${pathFills} of ${recorder.fills.length} fills depend on the assumed path inside a bar: ${made}`);
  }
  if (unguardedBars > 0) {
    const bars = unguardedBars === 1 ? '1 bar' : `${unguardedBars} bars`;
    warnings.push(`in ${bars} the price passed a stop that worked from the next bar on (backtest.fills.exits): it did not fill there`);
  }
  if (stopsBeyondFill > 0) {
    const entries = stopsBeyondFill === 1 ? '1 entry' : `${stopsBeyondFill} entries`;
    warnings.push(`${entries} filled at or beyond the stop loss, after a gap: the stop was triggered at once`);
  }
  if (targetsBeyondFill > 0) {
    const entries = targetsBeyondFill === 1 ? '1 entry' : `${targetsBeyondFill} entries`;
    warnings.push(`${entries} filled at or beyond the take profit: the position was closed at once, without the profit that was meant`);
  }
  for (const [strategyId, count] of run.idleProtects) {
    const times = count === 1 ? 'once' : `${count} times`;
    warnings.push(
      `strategy "${strategyId}": protect found neither a position nor an order that opens one, ${times}: such exits wait, and close what comes next`,
    );
  }
  for (const [strategyId, count] of run.sizesChanged) {
    const orders = count === 1 ? '1 close or exit' : `${count} closes or exits`;
    warnings.push(`strategy "${strategyId}": ${orders} had another size, as a part would have been below the smallest order of its symbol`);
  }
  warnings.push(...indicatorWarnings(run));
  return warnings;
}

/** Warns of each indicator that had no number at some bars. */
function indicatorWarnings({ heldIndicators }: Pick<WatchedRun, 'heldIndicators'>): string[] {
  return heldIndicators.map(({ strategyId, indicator: { name, symbol, interval, held } }) => {
    const bars = held === 1 ? '1 bar' : `${held} bars`;
    return `strategy "${strategyId}": ${name} on ${barIntervalText(interval)} of ${symbol} has no number while prices do not move: in ${bars} its last value or 0 stood`;
  });
}

/** Warns if the worst path ended above the best one: the two are not the ends of an interval. */
export function pathsWarnings(paths: BothPaths | undefined): string[] {
  if (paths === undefined) return [];
  const { worst, best } = paths;
  if (!new Decimal(worst.finalEquity).gt(best.finalEquity)) return [];
  return [
    `the worst path ended with ${worst.finalEquity}, above the best with ${best.finalEquity}: each path is chosen bar by bar and leads to other trades, so the two are not bounds of the result`,
  ];
}

/** The latches that are in force at the end. */
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

/** Warns of positions without their stop, or that did not close in time. */
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

/** The number of denials from which there is a warning: a few denials are normal. */
const MANY_DENIALS = 20;

/** Warns if risk denied most intents, without those of pauses and slots: then the run shows the limits rather than the strategy. */
function denialWarnings({ intents, orders, denials }: SimulatedRun['recorder']): string[] {
  const denied = denials.byRisk - denials.wanted;
  const { unknown } = denials;
  if (orders === 0 && unknown > 0 && unknown === denied) {
    return [`${unknown === 1 ? 'a cancel or change' : `${unknown} cancels or changes`} named no order of the strategy (orderUnknown)`];
  }
  const counted = intents - denials.wanted;
  const most = denials.mostFrequentOfLimits();
  if (most !== undefined && orders === 0 && denied > 0) {
    const times = denied === 1 ? 'once' : `${denied} times`;
    return [`${ALL_DENIED}${times}, most for ${most.code}: ${numbersText(most)}`];
  }
  if (most === undefined || denied < MANY_DENIALS || denied <= counted / 2) return [];
  const percent = Math.min(100, Math.round((100 * denied) / counted));
  return [`${percent} % of intents were denied, most for ${most.code}: ${numbersText(most)}`];
}
