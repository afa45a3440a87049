import type { TimerFired } from '../../model/account-events.ts';
import { TidegateError } from '../../model/errors.ts';
import type { SetTimer } from '../../model/intents.ts';
import type { Clock } from '../../ports/clock.ts';

/** Timers that may fire at one time before they count as a strategy that sets timers without end. */
const MAX_FIRINGS_AT_ONCE = 10_000;

/** The timers of the run's strategies, by strategy and name. */
export class TimerBook {
  readonly #cancels = new Map<string, () => void>();
  #firedAt = Number.NaN;
  #firings = 0;

  constructor(
    private readonly clock: Clock,
    private readonly fire: (event: TimerFired) => void,
  ) {}

  /**
   * A timer in the past fires at once (after the present turn), and a repeated one then keeps to its grid:
   * missed times are skipped. Times and periods have been checked with the intent.
   */
  set(strategyId: string, { name, at, everyMs }: SetTimer): void {
    this.cancel(strategyId, name);
    this.#schedule(strategyId, name, at ?? this.clock.now() + everyMs!, everyMs);
  }

  cancel(strategyId: string, name: string): void {
    const key = `${strategyId}/${name}`;
    this.#cancels.get(key)?.();
    this.#cancels.delete(key);
  }

  #schedule(strategyId: string, name: string, time: number, everyMs: number | undefined): void {
    const key = `${strategyId}/${name}`;
    const cancel = this.clock.schedule(time, () => {
      const now = this.clock.now();
      this.#count(strategyId, name, now);
      this.#cancels.delete(key);
      if (everyMs !== undefined) {
        const periods = Math.max(1, Math.floor((now - time) / everyMs) + 1);
        this.#schedule(strategyId, name, time + periods * everyMs, everyMs);
      }
      this.fire({ kind: 'timerFired', time: now, strategyId, name });
    });
    this.#cancels.set(key, cancel);
  }

  #count(strategyId: string, name: string, now: number): void {
    this.#firings = now === this.#firedAt ? this.#firings + 1 : 1;
    this.#firedAt = now;
    if (this.#firings <= MAX_FIRINGS_AT_ONCE) return;
    throw new TidegateError('STRATEGY_THREW', `strategy "${strategyId}" sets timer "${name}" again and again without time going on`);
  }
}
