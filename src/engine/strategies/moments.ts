import { type BarInterval, parseBarInterval } from '../../model/bar-interval.ts';
import type { Bar } from '../../model/market-events.ts';
import { neededBy, type StrategyNeeds } from '../../strategy/strategy.ts';
import type { BarPlan } from '../bar-maker.ts';
import type { Waiting } from '../inbox.ts';
import type { StrategyHost } from './strategy-host.ts';

/** Bar intervals of a strategy class; `NaN` for a text that is no interval. */
export function neededIntervals(needs: StrategyNeeds | undefined): BarInterval[] {
  const bars = needs?.bars ?? [];
  return (typeof bars === 'string' ? [bars] : bars).map((text) => parseBarInterval(text, needs?.weekStart) ?? Number.NaN);
}

/** The data that a strategy needs. */
export function needsOf({ strategy }: StrategyHost): StrategyNeeds | undefined {
  return neededBy(strategy).needs;
}

/** The newest closed bars of one symbol and interval, oldest first. */
export class BarTail {
  #bars: Bar[] = [];

  /** @param most the most bars that a strategy may read. */
  constructor(private most: number) {}

  /** The bars; the array changes with the run. */
  get bars(): readonly Bar[] {
    return this.#bars;
  }

  widen(most: number): void {
    this.most = Math.max(this.most, most);
  }

  add(bar: Bar): void {
    // Twice the bars are kept before the older half is dropped: a copy once in `most` bars.
    if (this.#bars.length >= 2 * this.most) this.#bars = this.#bars.slice(-this.most);
    this.#bars.push(bar);
  }
}

/** The closed bars of a run that strategies may read: as many as `needs.history` requests, by symbol and interval. */
export class ClosedBars {
  readonly #tails = new Map<string, BarTail>();

  /** The bars since the start of the run, oldest first; none for a series that no strategy reads. */
  of(symbol: string, interval: BarInterval): readonly Bar[] {
    return this.#tails.get(`${symbol}/${interval}`)?.bars ?? [];
  }

  /** The series in which bars are kept for these strategies; `undefined` if they read none. */
  tail(symbol: string, interval: BarInterval, hosts: readonly StrategyHost[]): BarTail | undefined {
    const most = Math.max(0, ...hosts.map((host) => needsOf(host)?.history ?? 0));
    if (most === 0) return undefined;
    const key = `${symbol}/${interval}`;
    const tail = this.#tails.get(key) ?? new BarTail(most);
    tail.widen(most);
    this.#tails.set(key, tail);
    return tail;
  }
}

/** The parts of the engine that gathering needs. */
interface MomentParts {
  /** Whether a bar of the instrument that ends at `time` is still open. */
  isOpen(symbol: string, intervals: readonly BarInterval[], time: number): boolean;
  /** Calls `onBars` of the strategy. */
  show(host: StrategyHost, bars: readonly Bar[]): void;
  /** A turn must follow. */
  wake(): void;
}

/**
 * Gathers the bars of one moment for strategies with `onBars`: all bars of their symbols and intervals that end at one time. The list is
 * complete when no open bar of these ends at that time. Recorded bars of one moment arrive together; bars that are built from prices close
 * one by one, the last of them after the grace period at the latest. A recorded bar that a gap has delayed has a list of its own.
 */
export class Moments {
  readonly #gathered = new Map<StrategyHost, Bar[]>();
  /** A list may be complete. */
  #due = false;

  constructor(
    private readonly parts: MomentParts,
    private readonly waiting: Waiting,
  ) {}

  /** Bars that an earlier run published at a moment that was not complete at its end. */
  restore(hosts: readonly StrategyHost[], before: BarPlan['before']): void {
    const published = (before ?? []).flatMap((prices) => prices?.published ?? []);
    for (const host of hosts) {
      if (host.strategy.onBars === undefined) continue;
      const intervals = neededIntervals(needsOf(host));
      for (const bar of published) {
        const own = host.received.includes(bar.symbol) && intervals.includes(bar.intervalKey);
        if (own && this.#isOpen(host, bar.time)) this.#gather(host, bar);
      }
    }
  }

  add(host: StrategyHost, bar: Bar): void {
    this.#gather(host, bar);
    this.#check();
  }

  /** A bar has closed that strategies do not receive: a moment may be complete without it. */
  passed(): void {
    if (this.#gathered.size === 0) return;
    this.#check();
    this.parts.wake();
  }

  /** Shows each list that is complete, the earliest first. @returns false where none could be. */
  show(): boolean {
    if (!this.#due) return false;
    this.#due = false;
    this.waiting.count--;
    for (const [host, bars] of this.#gathered) this.#showComplete(host, bars);
    return true;
  }

  #gather(host: StrategyHost, bar: Bar): void {
    const bars = this.#gathered.get(host);
    if (bars === undefined) this.#gathered.set(host, [bar]);
    else bars.push(bar);
  }

  #check(): void {
    if (this.#due) return;
    this.#due = true;
    this.waiting.count++;
  }

  #showComplete(host: StrategyHost, bars: readonly Bar[]): void {
    let left = bars;
    while (left.length > 0) {
      const time = Math.min(...left.map((bar) => bar.time));
      if (this.#isOpen(host, time)) break;
      const { received } = host;
      const moment = left.filter((bar) => bar.time === time);
      left = left.filter((bar) => bar.time !== time);
      moment.sort((a, b) => received.indexOf(a.symbol) - received.indexOf(b.symbol) || a.intervalMs - b.intervalMs);
      this.parts.show(host, moment);
    }
    if (left.length === 0) this.#gathered.delete(host);
    else this.#gathered.set(host, [...left]);
  }

  #isOpen(host: StrategyHost, time: number): boolean {
    const intervals = neededIntervals(needsOf(host));
    return host.received.some((symbol) => this.parts.isOpen(symbol, intervals, time));
  }
}
