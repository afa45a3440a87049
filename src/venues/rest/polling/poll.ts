import { defer, exhaustMap, finalize, from, map, merge, NEVER, type Observable, repeat, retry, Subject, share, tap, timer } from 'rxjs';
import { TidegateError } from '../../../model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { ClockScheduler } from '../real-clock.ts';
import { BackOff, Pace, StaleWatch } from './stale-watch.ts';

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
