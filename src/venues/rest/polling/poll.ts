import { defer, exhaustMap, finalize, from, map, merge, NEVER, type Observable, repeat, retry, Subject, share, tap, timer } from 'rxjs';
import { TidegateError } from '../../../model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { ClockScheduler } from '../real-clock.ts';

/** Times in ms. */
export interface PollOptions<T> {
  readonly clock: Clock;
  readonly periodMs: number;
  /** Without an answer for this long, what was polled is stale. */
  readonly staleMs: number;
  /** Asks once. `tick` is the point of the grid that it is asked for, or the time at which `wake$` called. */
  readonly fetch: (tick: number) => Promise<T>;
  /** Between 0 and 1: draws the waits after failures. */
  readonly random: () => number;
  /** Share of the weight budget that is used, 1 and more where requests wait: see `WeightBudget.load`. */
  readonly load?: (() => number) | undefined;
  /** Asks besides the grid. While one is under way, and after a failure, it is not heard. */
  readonly wake$?: Observable<unknown> | undefined;
  /** The longest wait after a failure; 30 s unless said otherwise. */
  readonly maxBackoffMs?: number | undefined;
  /** See `PaceOptions`; 10 s unless said otherwise. */
  readonly settleMs?: number | undefined;
}

export type PollEvent<T> =
  | { readonly kind: 'answered'; readonly tick: number; readonly value: T }
  /** The next try is on the first point of the grid after `waitMs`. */
  | { readonly kind: 'failed'; readonly tick: number; readonly error: unknown; readonly waitMs: number }
  | { readonly kind: 'health'; readonly condition: 'fresh' | 'stale'; readonly reason: string };

/**
 * Asks again and again, for as long as somebody listens, and never fails.
 *
 * - It asks on a grid: whenever the clock reads a multiple of the period, so that all who poll on one clock do so
 *   together. A point that passes while an answer is awaited is left out: it never overlaps itself.
 * - A failure is told, and followed by a wait that doubles (`BackOff`); then the grid goes on.
 * - The period adapts to the weight that is left (`Pace`), but never past half of `staleMs`.
 * - Health is told when it changes: `stale` after `staleMs` without an answer, `fresh` at the next one.
 */
export class Poll<T> {
  /** Shared: one poll, however many listen. */
  readonly events$: Observable<PollEvent<T>>;
  readonly #options: PollOptions<T>;
  readonly #scheduler: ClockScheduler;
  readonly #pace: Pace;
  readonly #backOff: BackOff;
  readonly #told = new Subject<PollEvent<T>>();
  /** The point of the grid that it waits for. */
  #nextTick = Number.POSITIVE_INFINITY;
  #lastTick = Number.NEGATIVE_INFINITY;
  /** What is under way was asked for this tick. */
  #asking: number | undefined;

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
      tell: (_, condition, reason) => this.#told.next({ kind: 'health', condition, reason }),
    });
    const asked$ = merge(this.#grid$(), wake$.pipe(map(() => clock.now()))).pipe(
      exhaustMap((tick) => this.#ask$(tick)),
      tap(() => {
        this.#backOff.succeed();
        watch.heard('');
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
      return merge(this.#told, asked$).pipe(finalize(() => watch.stop()));
    }).pipe(share());
  }

  /** The present period, in ms. */
  get periodMs(): number {
    return this.#pace.periodMs;
  }

  /** Whether an answer is awaited. */
  get asking(): boolean {
    return this.#asking !== undefined;
  }

  /** Whether the answer for this point of the grid is still to come: it is awaited, or about to be asked for. */
  owes(tick: number): boolean {
    return this.#nextTick <= tick || this.#asking === tick;
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
      // A late timer stands for the newest point that has passed.
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

  #ask$(tick: number): Observable<PollEvent<T>> {
    const { fetch, load } = this.#options;
    const end = () => {
      this.#asking = undefined;
    };
    return defer(() => {
      this.#asking = tick;
      if (load !== undefined) this.#pace.adapt(load());
      return from(fetch(tick));
    }).pipe(
      // Before it is told: who hears of the answer may ask whether one is awaited.
      tap(end),
      map((value) => ({ kind: 'answered', tick, value }) as const),
      finalize(end),
    );
  }

  /** @returns ms until the grid goes on. */
  #failed(error: unknown): number {
    const tick = this.#asking ?? this.#options.clock.now();
    this.#asking = undefined;
    if (error instanceof TidegateError && error.code === 'EXCHANGE_LIMITED') this.#pace.adapt(Number.POSITIVE_INFINITY);
    const waitMs = this.#backOff.fail(error);
    this.#told.next({ kind: 'failed', tick, error, waitMs });
    return waitMs;
  }
}

export interface BackOffOptions {
  /** The longest first wait, in ms; it doubles with each failure in a row. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/**
 * How long to leave alone what failed. A wait is drawn from the upper half of its bound: never none, and not the
 * same for all who failed together.
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
    // The budget itself waits after a 429, and whoever sends waits with it: waiting twice would only lose time.
    if (error instanceof TidegateError && error.code === 'EXCHANGE_LIMITED') return 0;
    const doubled = Math.min(mostMs, firstMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    // What cannot succeed without a change over there is asked seldom, but asked: the change may come.
    const isHopeless = error instanceof TidegateError && !error.retryable;
    return (isHopeless ? mostMs : doubled) * (0.5 + random() / 2);
  }
}

/** From this share of its weight on, a budget counts as nearly spent. */
const HIGH = 0.9;

/** Half of it: what stretching alone saves does not shrink the period back at once. */
const LOW = HIGH / 2;

interface PaceOptions {
  readonly clock: Clock;
  /** The period as it is wanted, in ms. */
  readonly periodMs: number;
  /** The period never gets longer than this, in ms, unless it is wanted longer. */
  readonly mostMs: number;
  /** How long a change is given to show in the load, in ms: the window of the budget. */
  readonly settleMs: number;
}

/**
 * How often to ask. The period doubles while the budget is nearly spent, and halves while less than half of that is
 * used; doubled, its grid is still part of the wanted one.
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
    // A wall clock may have stepped back.
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
  /** Without an answer for this long, in ms, something is stale. */
  readonly staleMs: number;
  readonly symbols: readonly string[];
  /** `symbol` is empty where it concerns all. */
  readonly tell: (symbol: string, condition: 'fresh' | 'stale', reason: string) => void;
}

/** Tells what has not been heard of for too long, and when it is heard of again: each change once. */
export class StaleWatch {
  readonly #heardAt = new Map<string, number>();
  readonly #reasons = new Map<string, string>();
  #told = new Set<string>();
  #running = false;
  #cancel = () => {};

  constructor(private readonly options: StaleWatchOptions) {}

  /** All count as heard of now. */
  start(): void {
    const { clock, symbols } = this.options;
    this.#running = true;
    for (const symbol of symbols) this.#heardAt.set(symbol, clock.now());
    this.#told = new Set();
    this.review();
  }

  stop(): void {
    this.#running = false;
    this.#cancel();
  }

  heard(symbol: string): void {
    this.#heardAt.set(symbol, this.options.clock.now());
    this.#reasons.delete(symbol);
  }

  /** Why nothing is heard, for the text. */
  missed(symbol: string, reason: string): void {
    this.#reasons.set(symbol, reason);
  }

  /** Tells what has changed. Called after a round of `heard`; it also calls itself when something comes due. */
  review(): void {
    const { clock, staleMs, symbols, tell } = this.options;
    const now = clock.now();
    const stale = symbols.filter((symbol) => now >= this.#heardAt.get(symbol)! + staleMs);
    const isAll = stale.length === symbols.length && stale.length > 0;
    const before = this.#told;
    this.#told = new Set(isAll ? [''] : stale);
    // The new before the end of the old: where all becomes some, those few are never told fresh in between.
    for (const symbol of this.#told) if (!before.has(symbol)) tell(symbol, 'stale', this.#reason(isAll ? stale[0]! : symbol));
    for (const symbol of before) if (!this.#told.has(symbol)) tell(symbol, 'fresh', 'answered again');
    this.#cancel();
    // Whoever is told may stop it.
    if (!this.#running) return;
    const next = symbols.filter((symbol) => !stale.includes(symbol)).map((symbol) => this.#heardAt.get(symbol)! + staleMs);
    this.#cancel = next.length === 0 ? () => {} : clock.schedule(Math.min(...next), () => this.review());
  }

  #reason(symbol: string): string {
    const why = this.#reasons.get(symbol);
    return `no answer for ${this.options.staleMs} ms${why === undefined ? '' : `: ${why}`}`;
  }
}
