import { defer, exhaustMap, finalize, from, map, merge, NEVER, type Observable, repeat, retry, Subject, share, tap, timer } from 'rxjs';
import { TidegateError } from '../../../model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { ClockScheduler } from '../real-clock.ts';

/** Times in ms. */
export interface PollOptions<T> {
  readonly clock: Clock;
  readonly periodMs: number;
  /** Without an answer for this long, the polled data is stale. */
  readonly staleMs: number;
  /** Makes one request. `tick` is its point of the grid, or the time at which `wake$` emitted. */
  readonly fetch: (tick: number) => Promise<T>;
  /** Random number between 0 and 1, for the waits after failures. */
  readonly random: () => number;
  /** Share of the weight budget that is used, 1 and more where requests wait: see `WeightBudget.load`. */
  readonly load?: (() => number) | undefined;
  /** Requests between the points of the grid. Ignored while a request is in progress, and during the wait after a failure. */
  readonly wake$?: Observable<unknown> | undefined;
  /** The longest wait after a failure; 30 s by default. */
  readonly maxBackoffMs?: number | undefined;
  /** See `PaceOptions`; 10 s by default. */
  readonly settleMs?: number | undefined;
}

export type PollEvent<T> =
  | { readonly kind: 'answered'; readonly tick: number; readonly value: T }
  /** The next try is on the first point of the grid after `waitMs`. */
  | { readonly kind: 'failed'; readonly tick: number; readonly error: unknown; readonly waitMs: number }
  | { readonly kind: 'health'; readonly condition: 'fresh' | 'stale'; readonly reason: string };

/**
 * Repeats a request while there is a subscriber. It never errors.
 *
 * - Requests are on a grid: at multiples of the period, so that all polls on one clock run
 *   together. A point that passes while an answer is awaited is skipped: requests never overlap.
 * - A failure is reported, then follows a wait that doubles (`BackOff`); then the grid goes on.
 * - The period adapts to the free weight (`Pace`), but never exceeds half of `staleMs`.
 * - Changes of health are reported: `stale` after `staleMs` without an answer, `fresh` at the next one.
 */
export class Poll<T> {
  /** Shared: one poll for any number of subscribers. */
  readonly events$: Observable<PollEvent<T>>;
  readonly #options: PollOptions<T>;
  readonly #scheduler: ClockScheduler;
  readonly #pace: Pace;
  readonly #backOff: BackOff;
  readonly #reported = new Subject<PollEvent<T>>();
  /** The next point of the grid. */
  #nextTick = Number.POSITIVE_INFINITY;
  #lastTick = Number.NEGATIVE_INFINITY;
  /** The tick of the request in progress. */
  #requestedTick: number | undefined;

  constructor(options: PollOptions<T>) {
    const { clock, periodMs, staleMs, random, maxBackoffMs = 30_000, settleMs = 10_000, wake$ = NEVER } = options;
    this.#options = options;
    this.#scheduler = new ClockScheduler(clock);
    this.#pace = new Pace({ clock, periodMs, mostMs: staleMs / 2, settleMs });
    this.#backOff = new BackOff({ firstMs: periodMs, mostMs: maxBackoffMs, random });
    const watch = new StaleWatch({
      clock,
      staleMs,
      symbols: [''],
      report: (_, condition, reason) => this.#reported.next({ kind: 'health', condition, reason }),
    });
    const answers$ = merge(this.#grid$(), wake$.pipe(map(() => clock.now()))).pipe(
      exhaustMap((tick) => this.#request$(tick)),
      tap(() => {
        this.#backOff.succeed();
        watch.received('');
        watch.review();
      }),
      retry({
        delay: (error) => {
          watch.missed('', String(error));
          return timer(this.#failed(error), this.#scheduler);
        },
      }),
    );
    this.events$ = defer(() => {
      watch.start();
      return merge(this.#reported, answers$).pipe(finalize(() => watch.stop()));
    }).pipe(share());
  }

  /** The present period, in ms. */
  get periodMs(): number {
    return this.#pace.periodMs;
  }

  /** The request that fails now brought part of what it asked for: the wait after it is a first one. */
  ease(): void {
    this.#backOff.succeed();
  }

  /** Whether an answer is awaited. */
  get isRequesting(): boolean {
    return this.#requestedTick !== undefined;
  }

  /** Whether the reply for this point of the grid is still awaited: its request is in progress or about to start. */
  owes(tick: number): boolean {
    return this.#nextTick <= tick || this.#requestedTick === tick;
  }

  #grid$(): Observable<number> {
    const { clock, periodMs } = this.#options;
    const next$ = defer(() => {
      const now = clock.now();
      const period = this.#pace.periodMs;
      const onGrid = Math.ceil(now / period) * period;
      this.#nextTick = onGrid === this.#lastTick ? onGrid + period : onGrid;
      return timer(this.#nextTick - now, this.#scheduler);
    });
    return next$.pipe(
      // A late timer counts as the newest point that has passed.
      map(() => {
        this.#lastTick = Math.floor(clock.now() / periodMs) * periodMs;
        this.#nextTick = Number.POSITIVE_INFINITY;
        return this.#lastTick;
      }),
      repeat(),
      finalize(() => {
        this.#nextTick = Number.POSITIVE_INFINITY;
      }),
    );
  }

  #request$(tick: number): Observable<PollEvent<T>> {
    const { fetch, load } = this.#options;
    const end = () => {
      this.#requestedTick = undefined;
    };
    return defer(() => {
      this.#requestedTick = tick;
      if (load !== undefined) this.#pace.adapt(load());
      return from(fetch(tick));
    }).pipe(
      // Before it is reported: a subscriber may call `isRequesting`.
      tap(end),
      map((value) => ({ kind: 'answered', tick, value }) as const),
      finalize(end),
    );
  }

  /** @returns ms until the next point of the grid. */
  #failed(error: unknown): number {
    const tick = this.#requestedTick ?? this.#options.clock.now();
    this.#requestedTick = undefined;
    if (error instanceof TidegateError && error.code === 'EXCHANGE_LIMITED') this.#pace.adapt(Number.POSITIVE_INFINITY);
    const waitMs = this.#backOff.fail(error);
    this.#reported.next({ kind: 'failed', tick, error, waitMs });
    return waitMs;
  }
}

export interface BackOffOptions {
  /** The bound of the first wait, in ms. It doubles with each failure in a row. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/**
 * How long to pause after a failure. A wait is drawn from the upper half of its bound: never 0, and different
 * for requests that failed together.
 */
export class BackOff {
  #failures = 0;

  constructor(private readonly options: BackOffOptions) {}

  succeed(): void {
    this.#failures = 0;
  }

  /** @returns ms to wait. */
  fail(error: unknown): number {
    const { firstMs, mostMs, random } = this.options;
    // The budget itself waits after a 429, and every sender with it: a second wait would only lose time.
    if (error instanceof TidegateError && error.code === 'EXCHANGE_LIMITED') return 0;
    const doubled = Math.min(mostMs, firstMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    // An error that only a change at the exchange can cure is retried seldom, but retried.
    const isHopeless = error instanceof TidegateError && !error.retryable;
    return (isHopeless ? mostMs : doubled) * (0.5 + random() / 2);
  }
}

/** From this share of used weight on, a budget counts as nearly spent. */
const HIGH = 0.9;

/** Half of it: the weight that a longer period saves does not shorten the period at once. */
const LOW = HIGH / 2;

interface PaceOptions {
  readonly clock: Clock;
  /** The configured period, in ms. */
  readonly periodMs: number;
  /** The period never gets longer than this, in ms, unless the configured one is. */
  readonly mostMs: number;
  /** How long a change needs to show in the load, in ms: the window of the budget. */
  readonly settleMs: number;
}

/**
 * The present period. It doubles while the budget is nearly spent, and halves while less than half of that is
 * used. The grid of a doubled period is a part of the configured one.
 */
class Pace {
  #factor = 1;
  #changedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: PaceOptions) {}

  /** In ms. */
  get periodMs(): number {
    return this.options.periodMs * this.#factor;
  }

  /** @param load share of the budget that is used; 1 and more where requests wait. */
  adapt(load: number): void {
    const { clock, periodMs, mostMs, settleMs } = this.options;
    const now = clock.now();
    // The system clock may have been set back.
    if (now >= this.#changedAt && now < this.#changedAt + settleMs) return;
    const wanted = load >= HIGH ? this.#factor * 2 : load < LOW ? this.#factor / 2 : this.#factor;
    const factor = Math.max(1, wanted);
    if (factor === this.#factor || (factor > this.#factor && factor * periodMs > mostMs)) return;
    this.#factor = factor;
    this.#changedAt = now;
  }
}

interface StaleWatchOptions {
  readonly clock: Clock;
  /** Without an answer for this long, in ms, a symbol is stale. */
  readonly staleMs: number;
  readonly symbols: readonly string[];
  /** `symbol` is empty if all symbols are concerned. */
  readonly report: (symbol: string, condition: 'fresh' | 'stale', reason: string) => void;
}

/** Reports each change once: when no answer has come for too long, and when one comes again. */
export class StaleWatch {
  readonly #receivedAt = new Map<string, number>();
  readonly #reasons = new Map<string, string>();
  #reported = new Set<string>();
  #running = false;
  #cancel = () => {};

  constructor(private readonly options: StaleWatchOptions) {}

  /** All symbols count as just received. */
  start(): void {
    const { clock, symbols } = this.options;
    this.#running = true;
    for (const symbol of symbols) this.#receivedAt.set(symbol, clock.now());
    this.#reported = new Set();
    this.review();
  }

  stop(): void {
    this.#running = false;
    this.#cancel();
  }

  received(symbol: string): void {
    this.#receivedAt.set(symbol, this.options.clock.now());
    this.#reasons.delete(symbol);
  }

  /** The reason for a missing answer, for the text. */
  missed(symbol: string, reason: string): void {
    this.#reasons.set(symbol, reason);
  }

  /** Reports changes. Called after a round of `received`, and by a timer when a symbol may become stale. */
  review(): void {
    const { clock, staleMs, symbols, report } = this.options;
    const now = clock.now();
    const stale = symbols.filter((symbol) => now >= this.#receivedAt.get(symbol)! + staleMs);
    const isAll = stale.length === symbols.length && stale.length > 0;
    const before = this.#reported;
    this.#reported = new Set(isAll ? [''] : stale);
    // Stale symbols first: when all stale becomes some stale, those few are never reported fresh in between.
    for (const symbol of this.#reported) if (!before.has(symbol)) report(symbol, 'stale', this.#reason(isAll ? stale[0]! : symbol));
    for (const symbol of before) if (!this.#reported.has(symbol)) report(symbol, 'fresh', 'answered again');
    this.#cancel();
    // The receiver may have stopped it.
    if (!this.#running) return;
    const next = symbols.filter((symbol) => !stale.includes(symbol)).map((symbol) => this.#receivedAt.get(symbol)! + staleMs);
    this.#cancel = next.length === 0 ? () => {} : clock.schedule(Math.min(...next), () => this.review());
  }

  #reason(symbol: string): string {
    const why = this.#reasons.get(symbol);
    return `no answer for ${this.options.staleMs} ms${why === undefined ? '' : `: ${why}`}`;
  }
}
