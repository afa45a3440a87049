import type { BarInterval } from '../model/bar-interval.ts';
import type { Bar } from '../model/market-events.ts';

/** A class that `this.indicator` can update: the indicators of trading-signals, and any other with such an `add`. */
export interface Updatable<Input, Result> {
  /** Takes the value of the next bar. @returns the new value, or `null` or `undefined` while there are too few bars. */
  add(input: Input): Result | null | undefined;
}

/** The field of a bar that an indicator of one number takes. */
export type BarField = 'open' | 'high' | 'low' | 'close' | 'volume';

/** The bars that update an indicator, and its input. */
export interface IndicatorBars<Input> {
  /** Bar interval, one of `needs.bars`. */
  readonly bars: string;
  /** One of the strategy's symbols; needed if it has several. */
  readonly symbol?: string | undefined;
  /** A field of the bar (default: `close`), `bar` for the whole bar, or a function of it. */
  readonly input?: Input extends number ? BarField | ((bar: Bar) => Input) : 'bar' | ((bar: Bar) => Input);
}

const OPTIONS = ['bars', 'symbol', 'input'] as const satisfies readonly (keyof IndicatorBars<number>)[];

/** The mistake in the arguments of `this.indicator`, for callers without types. @internal */
export function wrongArguments(indicator: unknown, of: unknown): string | undefined {
  if (typeof (indicator as Partial<Updatable<unknown, unknown>> | null | undefined)?.add !== 'function')
    return 'expected an object with a method `add`, such as `new SMA(20)`';
  if (typeof of !== 'object' || of === null) return 'expected its bars as the second argument, such as `{ bars: "1m" }`';
  const unknown = Object.keys(of).find((key) => !(OPTIONS as readonly string[]).includes(key));
  if (unknown !== undefined) return `no option "${unknown}"; expected ${OPTIONS.join(', ')}`;
  const { bars } = of as { readonly bars?: unknown };
  return typeof bars === 'string' ? undefined : `bars: expected an interval of needs.bars as text, not ${String(bars)}`;
}

/** An indicator that the engine updates with every bar, before the hooks of the bar are called. */
export interface IndicatorView<Result> {
  /** Whether it has a value. */
  readonly ready: boolean;
  /** The value after the newest closed bar; `undefined` until there are enough bars. */
  readonly value: Result | undefined;
  /** The value one bar earlier. */
  readonly previous: Result | undefined;
}

/** One indicator with its bars. */
export class BarIndicator<Result = unknown> implements IndicatorView<Result> {
  #value: Result | undefined;
  #previous: Result | undefined;
  /** Epoch ms of the newest bar that it has taken. */
  #last = Number.NEGATIVE_INFINITY;
  #begun = false;

  constructor(
    readonly symbol: string,
    readonly interval: BarInterval,
    private readonly indicator: Updatable<unknown, Result>,
    private readonly input: (bar: Bar) => unknown,
    private readonly history: () => readonly Bar[],
    /** Throws: the first value has no number. */
    private readonly wrong: () => never,
  ) {
    this.#fill();
  }

  get ready(): boolean {
    return this.#value !== undefined;
  }

  get value(): Result | undefined {
    return this.#value;
  }

  get previous(): Result | undefined {
    return this.#previous;
  }

  /** A bar of the run has closed. */
  take(bar: Bar): void {
    // A symbol that begins later has its history only now.
    if (!this.#begun) this.#fill(bar.time);
    this.#begun = true;
    // After a restart a bar of the history can close again.
    if (bar.time > this.#last) this.#add(bar);
  }

  #fill(before = Number.POSITIVE_INFINITY): void {
    for (const bar of this.history()) if (bar.time > this.#last && bar.time < before) this.#add(bar);
  }

  #add(bar: Bar): void {
    this.#last = bar.time;
    const value = this.indicator.add(this.input(bar)) ?? undefined;
    if (this.#value === undefined && value !== undefined && isNoNumber(value)) this.wrong();
    this.#previous = this.#value;
    this.#value = value;
  }
}

function isNoNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Number.isNaN(value);
  if (value instanceof Promise) return true;
  return Object.values(value).some((part) => Number.isNaN(part));
}

/** The function that takes an indicator's input from a bar. */
export function inputOf(input: string | ((bar: Bar) => unknown) | undefined): ((bar: Bar) => unknown) | undefined {
  if (typeof input === 'function') return input;
  switch (input ?? 'close') {
    case 'bar':
      return (bar) => bar;
    case 'open':
      return (bar) => bar.open;
    case 'high':
      return (bar) => bar.high;
    case 'low':
      return (bar) => bar.low;
    case 'close':
      return (bar) => bar.close;
    case 'volume':
      return (bar) => bar.volume;
    default:
      return undefined;
  }
}

/** The indicators of strategies. The list is complete when the run begins. */
const INDICATORS = new WeakMap<object, { readonly list: BarIndicator[]; complete: boolean }>();

/** Adds an indicator to those of a strategy. @returns false if the run has begun. @internal */
export function addIndicator(strategy: object, indicator: BarIndicator): boolean {
  const own = ownOf(strategy);
  if (!own.complete) own.list.push(indicator);
  return !own.complete;
}

/** The indicators of a strategy that take these bars; none can be added from now on. @internal */
export function indicatorsOf(strategy: object, symbol: string, interval: BarInterval): readonly BarIndicator[] {
  const own = ownOf(strategy);
  own.complete = true;
  return own.list.filter((one) => one.symbol === symbol && one.interval === interval);
}

function ownOf(strategy: object) {
  const own = INDICATORS.get(strategy) ?? { list: [], complete: false };
  INDICATORS.set(strategy, own);
  return own;
}
