import type { BarInterval } from '../../model/bar-interval.ts';
import type { Bar } from '../../model/market-events.ts';
import type { ClosedBars } from './moments.ts';

/** The bars that must have closed before a strategy receives a symbol. */
export interface JoinTerms {
  /** Bar intervals; the first is the default of `history`. */
  readonly intervals: readonly BarInterval[];
  /** The number of bars of each interval. */
  readonly history: number;
}

/** A symbol that a strategy received later than the start of the run. */
interface Joined {
  readonly strategyId: string;
  readonly symbol: string;
  /** Epoch ms of the bar that completed its history; `undefined` while it waits. */
  time: number | undefined;
}

type History = (strategyId: string, symbol: string, interval: BarInterval | undefined) => readonly Bar[];

/**
 * The symbols whose history is not complete at the start of a run. Their prices are in the run, but the strategy receives none of them
 * until enough bars have closed. Then `history` returns these bars, and the next event of the symbol is the first that it receives.
 */
export class Joins {
  /** Those that did not begin with the run. */
  readonly late: Joined[] = [];
  readonly #terms = new Map<string, JoinTerms>();
  readonly #waiting = new Map<string, Joined>();
  readonly #complete = new Map<string, readonly Bar[]>();
  #renew: (symbol: string) => void = () => {};

  constructor(
    private readonly closed: ClosedBars,
    private readonly recorded: History,
    /** Called when a symbol joins. */
    private readonly report: (joined: Joined) => void,
  ) {}

  /** The symbols of a strategy, before it is constructed. */
  expect(strategyId: string, symbols: readonly string[], terms: JoinTerms): void {
    this.#terms.set(strategyId, terms);
    for (const symbol of symbols) {
      if (terms.intervals.every((interval) => this.recorded(strategyId, symbol, interval).length >= terms.history)) continue;
      const joined = { strategyId, symbol, time: undefined };
      this.late.push(joined);
      this.#waiting.set(`${strategyId}/${symbol}`, joined);
    }
  }

  /** Sets the function that renews the routes of a symbol's events. */
  onJoin(renew: (symbol: string) => void): void {
    this.#renew = renew;
  }

  isWaiting(strategyId: string, symbol: string): boolean {
    return this.#waiting.has(`${strategyId}/${symbol}`);
  }

  /** The history of a strategy: empty while the symbol waits, and the bars before its first event once it has joined. */
  readonly history: History = (strategyId, symbol, interval) => {
    if (this.isWaiting(strategyId, symbol)) return [];
    const known = interval ?? this.#terms.get(strategyId)?.intervals[0];
    return this.#complete.get(`${strategyId}/${symbol}/${known}`) ?? this.recorded(strategyId, symbol, interval);
  };

  /** A bar of a waiting symbol has closed. */
  look(strategyId: string, { symbol, time }: Bar): void {
    const joined = this.#waiting.get(`${strategyId}/${symbol}`);
    if (joined === undefined) return;
    const { intervals, history } = this.#terms.get(strategyId)!;
    const found = intervals.map((interval) => this.#bars(strategyId, symbol, interval, history));
    if (found.some((bars) => bars.length < history)) return;
    for (const [index, bars] of found.entries()) this.#complete.set(`${strategyId}/${symbol}/${intervals[index]}`, bars);
    joined.time = time;
    this.#waiting.delete(`${strategyId}/${symbol}`);
    this.report(joined);
    this.#renew(symbol);
  }

  #bars(strategyId: string, symbol: string, interval: BarInterval, count: number): readonly Bar[] {
    const since = this.closed.of(symbol, interval);
    const first = since[0]?.time ?? Number.POSITIVE_INFINITY;
    const before = this.recorded(strategyId, symbol, interval).filter(({ time }) => time < first);
    return [...before, ...since].slice(-count);
  }
}
