import type { BarInterval } from '../model/bar-interval.ts';
import { Bar } from '../model/market-events.ts';

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

/** One indicator with its bars. Its value is a number at every bar once it has one: see `docs/reference/indicators.md`, flat prices. */
export class BarIndicator<Result = unknown> implements IndicatorView<Result> {
  #value: Result | undefined;
  #previous: Result | undefined;
  /** Epoch ms of the newest bar that it has taken. */
  #last = Number.NEGATIVE_INFINITY;
  #begun = false;
  #held = 0;
  readonly #flat: FlatRule | undefined;
  /** Whether it copies its state, as some of trading-signals do: bars in it must be plain. */
  readonly #copies: boolean;

  constructor(
    readonly symbol: string,
    readonly interval: BarInterval,
    private readonly indicator: Updatable<unknown, Result>,
    private readonly input: (bar: Bar) => unknown,
    private readonly history: () => readonly Bar[],
    private readonly faults: {
      /** Throws: the first value has no number. */
      wrong(): never;
      /** Called once, at the first bar whose value is held. */
      held(bar: Bar): void;
    },
  ) {
    this.#flat = flatRuleOf(indicator);
    this.#copies = typeof (indicator as { readonly trackState?: unknown }).trackState === 'function';
    this.#fill();
  }

  get name(): string {
    return this.indicator.constructor.name;
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

  /** The bars whose value its formula does not define, or that was not a number. */
  get held(): number {
    return this.#held;
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
    const given = this.input(bar);
    const input = this.#copies && given instanceof Bar ? plain(given) : given;
    const taken = this.#flat === undefined ? input : this.#flat.take(input);
    const value = this.indicator.add(taken as never) ?? undefined;
    this.#previous = this.#value;
    this.#value = value === undefined ? undefined : this.#number(value, input, bar);
  }

  /** The value, or what stands for it where its formula has none. */
  #number(value: Result, input: unknown, bar: Bar): Result {
    const flat = this.#flat?.value;
    if (flat === undefined && !isNoNumber(value)) return value;
    // Most of these take bars and were given numbers.
    if (this.#value === undefined && (value instanceof Promise || (flat === undefined && typeof input === 'number'))) this.faults.wrong();
    this.#held += 1;
    if (this.#held === 1) this.faults.held(bar);
    if (typeof flat === 'number') return flat as Result;
    return (flat === 'held' ? (this.#value ?? 0) : numbersOf(value, this.#value)) as Result;
  }
}

/** The prices and times of a bar, without its instrument. */
function plain({ symbol, time, openTime, intervalMs, open, high, low, close, volume }: Bar) {
  return { symbol, time, openTime, intervalMs, open, high, low, close, volume };
}

function isNoNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return Number.isNaN(value);
  if (value instanceof Promise) return true;
  for (const part of Object.values(value)) if (Number.isNaN(part)) return true;
  return false;
}

/** A value without NaN: each part that is none is the last one, or 0. */
function numbersOf(value: unknown, last: unknown): unknown {
  if (typeof value !== 'object' || value === null) return Number.isNaN(value) ? (last ?? 0) : value;
  const before = (last ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, Number.isNaN(part) ? (before[name] ?? 0) : part]));
}

/** Stands for an indicator of trading-signals where its formula divides by zero, or by the rounding of doubles. */
interface FlatRule {
  /** @returns the input that the indicator takes. */
  take(input: unknown): unknown;
  /** The value at the newest input, or that the last value is kept; `undefined` where the formula has one. */
  readonly value: number | 'held' | undefined;
}

/** The value where all inputs of an indicator's window are the same, by the name of its class. */
const FLAT_VALUES: Readonly<Record<string, number | 'held'>> = {
  CCI: 0,
  PercentB: 0.5,
  ProjectionOscillator: 50,
  StochasticRSI: 'held',
};
/** They divide by the true range. */
const OF_MOVES: ReadonlySet<string> = new Set(['DX', 'ADX', 'ADXR']);

function flatRuleOf(indicator: object): FlatRule | undefined {
  const { interval, getRequiredInputs } = indicator as { readonly interval?: unknown; readonly getRequiredInputs?: () => unknown };
  if (typeof getRequiredInputs !== 'function') return undefined;
  const { name } = indicator.constructor;
  if (OF_MOVES.has(name)) return new UntilMoved(Number(getRequiredInputs.call(indicator)));
  const value = Object.hasOwn(FLAT_VALUES, name) ? FLAT_VALUES[name]! : undefined;
  return value === undefined ? undefined : new SameInputs(value, Number(interval ?? getRequiredInputs.call(indicator)));
}

/** The part of an input's price below which two inputs are the same: some hundred roundings of a double. */
const SAME = 1e-12;

interface Range {
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Knows when a window has one price only. */
class SameInputs implements FlatRule {
  #before: Range | undefined;
  /** The number of inputs that are the same as the newest. */
  #run = 0;

  constructor(
    private readonly flat: number | 'held',
    private readonly window: number,
  ) {}

  take(input: unknown): unknown {
    const now = rangeOf(input);
    this.#run = this.#before !== undefined && isSame(now, this.#before) ? this.#run + 1 : 1;
    this.#before = now;
    return input;
  }

  get value(): number | 'held' | undefined {
    return this.#run >= this.window ? this.flat : undefined;
  }
}

/**
 * Gives the first bar of an indicator a range, if it has none: so the average true range is never zero, and a NaN does not stay in the
 * averages for good. The value depends on the ratio of two moves by the same range: a range of 1e-12 of the price changes none of its digits.
 */
class UntilMoved implements FlatRule {
  #first: Range | undefined;
  #moved = false;
  #inputs = 0;

  constructor(private readonly required: number) {}

  take(input: unknown): unknown {
    if (this.#moved || typeof input !== 'object' || input === null) return input;
    const now = rangeOf(input);
    this.#inputs += 1;
    if (this.#first !== undefined) {
      this.#moved = !isSame(now, this.#first);
      return input;
    }
    this.#first = now;
    this.#moved = now.high !== now.low;
    return this.#moved ? input : { ...now, high: now.high * (1 + SAME) };
  }

  get value(): number | undefined {
    return this.#moved || this.#inputs < this.required ? undefined : 0;
  }
}

function rangeOf(input: unknown): Range {
  if (typeof input !== 'object' || input === null) return { high: input as number, low: input as number, close: input as number };
  const { high, low, close } = input as Range;
  return { high, low, close };
}

function isSame(one: Range, other: Range): boolean {
  const near = SAME * Math.abs(other.close);
  const { high, low, close } = one;
  return Math.abs(high - other.high) <= near && Math.abs(low - other.low) <= near && Math.abs(close - other.close) <= near;
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

/** The indicators of a strategy whose value was held at some bars. @internal */
export function heldIndicatorsOf(strategy: object): readonly BarIndicator[] {
  return ownOf(strategy).list.filter(({ held }) => held > 0);
}

function ownOf(strategy: object) {
  const own = INDICATORS.get(strategy) ?? { list: [], complete: false };
  INDICATORS.set(strategy, own);
  return own;
}
