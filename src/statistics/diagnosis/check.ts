import type { Decimal } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import { isoTime } from '../../model/time.ts';
import type { RunRecord } from '../run-record.ts';
import type { Statistics } from '../statistics.ts';
import type { Trades } from '../trades/trade.ts';

/** One number that a strategy was set up with. */
export interface ParameterSetting {
  /** Keys joined by dots. */
  readonly name: string;
  readonly value: number;
  /** What the strategy's schema says; absent where it says nothing. */
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly default?: number | undefined;
}

interface StrategySetup {
  readonly id: string;
  readonly parameters: readonly ParameterSetting[];
  /** Protective stops that it asked for: its own that close something, and those linked to entries and positions. */
  readonly stopsAsked: number;
}

/** Of the bar that a fill happened in. */
export interface BarAtFill {
  /** In base. */
  readonly volume: number;
  readonly lowTicks: number;
  readonly highTicks: number;
}

/** Times without prices of an instrument of which something was held. */
export interface HeldGaps {
  readonly symbol: string;
  readonly count: number;
  readonly longestMs: number;
  /** Epoch ms at which the longest began. */
  readonly longestFrom: number;
}

/** The settings of the simulator that a reviewer asks for. */
export interface FillAssumptions {
  /** Symbols whose takers pay nothing beyond the price: no spread is recorded, and neither spread nor slippage is set. */
  readonly freeTaking: ReadonlySet<string>;
  /** Symbols on bars whose market orders fill at the close that decided them. */
  readonly marketAtClose: ReadonlySet<string>;
  /** On bars: the path inside them is the worst for what is held. */
  readonly worstPath: boolean;
  /** Resting orders fill as soon as their price is touched. */
  readonly fillsOnTouch: boolean;
  /** On bars: stops and take profits do not work in the bar of their entry. */
  readonly exitsNextBar: boolean;
}

/** The same run with everything later. */
export interface DelayedRun {
  /** Added to the way of orders and to the way back, each. */
  readonly delayMs: number;
  readonly finalEquity: Decimal;
}

/** What checks look at beside the figures. */
export interface DiagnosisContext {
  readonly strategies: readonly StrategySetup[];
  /** Those about orders; timers are left out. */
  readonly intents: number;
  readonly orders: number;
  /** Refusals of the risk gate, and of the venue. */
  readonly denied: number;
  readonly rejected: number;
  /** Stops and protective closes that could not be sent: how often, how often for good, and by what first. */
  readonly unsentExits: { readonly count: number; readonly final: number; readonly first: string };
  readonly fills: FillAssumptions;
  /** Fills that hung on the assumed path inside a bar. */
  readonly pathFills: number;
  /** Bars in which the price passed a stop that did not work before the next bar opened. */
  readonly unguardedBars: number;
  /** Bars in which a stop trailed by no more than their range. */
  readonly narrowTrailBars: number;
  /** Where prices come as bars. */
  readonly bars: ReadonlyMap<Fill, BarAtFill>;
  readonly gaps: readonly HeldGaps[];
  /** The nearest that liquidation came to the mark, as a share of it; undefined where no price would have done it. */
  readonly liquidationDistance: number | undefined;
  /** Where it was run again. */
  readonly delayed: DelayedRun | undefined;
}

/** A finished run as checks see it. */
export interface Diagnosed {
  readonly record: RunRecord;
  readonly trades: Trades;
  readonly statistics: Statistics;
  readonly context: DiagnosisContext;
}

/** From what a reader may want to know up to what makes the result worth nothing. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a check has to say of a run: plain JSON. */
export interface Finding {
  /** Of the check, as docs/diagnosis.md lists it. */
  readonly id: string;
  readonly severity: Severity;
  readonly title: string;
  /** What it was judged by, as text by name. */
  readonly figures: Readonly<Record<string, string>>;
  readonly advice: string;
}

/** Whether a finding weighs as much as that, or more. */
export function isAtLeast({ severity }: Finding, other: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(other);
}

/** What a check says where it speaks. */
export type Answer = Pick<Finding, 'severity' | 'figures'>;

/** One question that a reviewer asks of a result. The texts are the source of docs/diagnosis.md. */
export interface Check {
  readonly id: string;
  readonly title: string;
  /** What it looks at, and from where on it speaks and how loud. */
  readonly speaks: string;
  /** Why that is worth a word, and why from there on. */
  readonly why: string;
  readonly advice: string;
  /** Undefined where all is well, and where the run cannot tell. */
  readonly ask: (run: Diagnosed) => Answer | undefined;
}

/** What a check finds of each strategy that it is asked about; where there are several, the figures name the strategy. */
export function worstOfStrategies(ids: readonly string[], ask: (strategyId: string) => Answer | undefined): Answer | undefined {
  const answers = ids.flatMap((strategy) => {
    const answer = ask(strategy);
    if (answer === undefined) return [];
    return ids.length === 1 ? [answer] : [{ ...answer, figures: { strategy, ...answer.figures } }];
  });
  const rank = ({ severity }: Answer) => SEVERITIES.indexOf(severity);
  return answers.sort((a, b) => rank(b) - rank(a))[0];
}

/** The strategies that traded, in the order of their first fills. */
export function tradedBy({ fills }: RunRecord): string[] {
  return [...new Set(fills.map(({ strategyId }) => strategyId))];
}

/** What the run made in all, open positions included. */
export function gainOf({ startEquity, finalEquity }: RunRecord): Decimal {
  return finalEquity.minus(startEquity);
}

/** Of a part that is `share` of a gain: without all of it (or more) nothing is left. */
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
