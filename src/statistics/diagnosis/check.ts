import type { Decimal } from '../../model/decimal.ts';
import { isoTime } from '../../model/time.ts';
import { fillFoldOf } from '../fill-fold.ts';
import type { RunRecord } from '../run-record.ts';
import type { Statistics } from '../statistics.ts';
import type { Trades } from '../trades/trade.ts';
import type { FillsInBars } from './fills-in-bars.ts';

/** One numeric parameter of a strategy. */
export interface ParameterSetting {
  /** Keys joined by dots. */
  readonly name: string;
  readonly value: number;
  /** From the strategy's schema; absent where the schema has none. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly default?: number | undefined;
}

interface StrategySetup {
  readonly id: string;
  readonly parameters: readonly ParameterSetting[];
  /** Protective stops that the strategy requested: its own stops that close a position, and those linked to entries and positions. */
  readonly stopsAsked: number;
}

/** Times without prices of a symbol while something of it was held. */
export interface HeldGaps {
  readonly symbol: string;
  readonly count: number;
  readonly longestMs: number;
  /** Epoch ms of the start of the longest. */
  readonly longestFrom: number;
}

/** The settings of the simulator that matter for the checks. */
export interface FillAssumptions {
  /** Symbols whose takers pay nothing beyond the price: no spread is recorded, and neither spread nor slippage is configured. */
  readonly freeTaking: ReadonlySet<string>;
  /** Symbols with bars whose market orders fill at the close that decided them. */
  readonly marketAtClose: ReadonlySet<string>;
  /** With bars: the path inside a bar is the worst one for the position. */
  readonly worstPath: boolean;
  /** Resting orders fill as soon as the price touches them. */
  readonly fillsOnTouch: boolean;
  /** With bars: stops and take profits do not execute in the bar of their entry. */
  readonly exitsNextBar: boolean;
}

/** The same run with more latency. */
export interface DelayedRun {
  /** Added to the latency of orders and to that of replies, each, in ms. */
  readonly delayMs: number;
  readonly finalEquity: Decimal;
}

/** The data that checks use in addition to the statistics. */
export interface DiagnosisContext {
  readonly strategies: readonly StrategySetup[];
  /** Intents about orders; timers do not count. */
  readonly intents: number;
  readonly orders: number;
  /** Refusals of the risk module and of the venue. */
  readonly denied: number;
  /** Those of the denials by pauses, locks, trading windows and slots (`maxOpenPositions`): they are wanted. */
  readonly deniedByPauses: number;
  readonly rejected: number;
  /** Stops and protective closes that could not be sent: how many, how many finally, and the first reason. */
  readonly unsentExits: { readonly count: number; readonly final: number; readonly first: string };
  readonly fills: FillAssumptions;
  /** Fills that depended on the assumed path inside a bar. */
  readonly pathFills: number;
  /** Bars in which the price passed a stop that was not active before the next bar. */
  readonly unguardedBars: number;
  /** Bars in which a stop trailed by no more than the bar's range. */
  readonly narrowTrailBars: number;
  /** Where prices are bars. */
  readonly bars: FillsInBars;
  readonly gaps: readonly HeldGaps[];
  /** The smallest distance between liquidation price and mark, as a share of the mark; undefined where no price would liquidate. */
  readonly liquidationDistance: number | undefined;
  /** Present where the run was repeated with a delay. */
  readonly delayed: DelayedRun | undefined;
}

/** A finished run, as checks see it. */
export interface Diagnosed {
  readonly record: RunRecord;
  readonly trades: Trades;
  readonly statistics: Statistics;
  readonly context: DiagnosisContext;
}

/** From information up to a problem that makes the result worthless. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The result of a check of a run: plain JSON. */
export interface Finding {
  /** Id of the check, as in docs/reference/diagnosis.md. */
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  /** The figures that led to the finding, as text by name. */
  readonly figures: Readonly<Record<string, string>>;
  readonly advice: string;
}

/** Whether a finding has at least this severity. */
export function isAtLeast({ severity }: Finding, other: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(other);
}

/** The result of a check that applies. */
export type CheckResult = Pick<Finding, 'severity' | 'figures'>;

/** One check of a result. The texts are the source of docs/reference/diagnosis.md. */
export interface Check {
  readonly id: string;
  readonly title: string;
  /** The condition of a finding, and the thresholds of each severity. */
  readonly reportedIf: string;
  /** Why this matters, and why the threshold is what it is. */
  readonly why: string;
  readonly advice: string;
  /** Undefined where nothing is wrong, and where the run has too few data. */
  readonly evaluate: (run: Diagnosed) => CheckResult | undefined;
}

/** The worst finding of all strategies; where there are several strategies, the figures name the strategy. */
export function worstOfStrategies(
  ids: readonly string[],
  evaluate: (strategyId: string) => CheckResult | undefined,
): CheckResult | undefined {
  const answers = ids.flatMap((strategy) => {
    const answer = evaluate(strategy);
    if (answer === undefined) return [];
    return ids.length === 1 ? [answer] : [{ ...answer, figures: { strategy, ...answer.figures } }];
  });
  const rank = ({ severity }: CheckResult) => SEVERITIES.indexOf(severity);
  return answers.sort((a, b) => rank(b) - rank(a))[0];
}

/** The strategies that traded, in the order of their first fills. */
export function tradedBy(record: Pick<RunRecord, 'fills' | 'dayZone'>): string[] {
  return [...fillFoldOf(record).firstOf.keys()];
}

/** The profit of the run, open positions included. */
export function gainOf({ startEquity, finalEquity }: RunRecord): Decimal {
  return finalEquity.minus(startEquity);
}

/** Severity for a part that is `share` of the gain: critical where nothing remains without it. */
export function severityOfShare(share: number): Severity {
  return share >= 1 ? 'critical' : 'warning';
}

/** `63.4 %` of 0.634. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** `1234.50 USDT` */
export function money(amount: Decimal, currency: string): string {
  return `${amount.toFixed(2)} ${currency}`;
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** In the largest unit that it fills: `1.5 h`, `250 ms`. */
export function duration(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ['ms', 1];
  return `${Number((ms / size).toFixed(1))} ${unit}`;
}

export function moment(time: number): string {
  return isoTime(time);
}
