import type { SetTimer } from '../model/intents.ts';
import type { TimerFired } from '../model/order-events.ts';
import type { Clock } from '../ports/clock.ts';

/** The timers of the run's strategies, by strategy and name. */
export class TimerBook {
  readonly #cancels = new Map<string, () => void>();

  constructor(
    private readonly clock: Clock,
    private readonly fire: (event: TimerFired) => void,
  ) {}

  /** A timer in the past fires at once (after the present turn). */
  set(strategyId: string, { name, at, everyMs }: SetTimer): void {
    const first = at ?? this.clock.now() + (everyMs ?? 0);
    this.cancel(strategyId, name);
    this.#schedule(strategyId, name, first, everyMs);
  }

  cancel(strategyId: string, name: string): void {
    const key = `${strategyId}/${name}`;
    this.#cancels.get(key)?.();
    this.#cancels.delete(key);
  }

  #schedule(strategyId: string, name: string, time: number, everyMs: number | undefined): void {
    const key = `${strategyId}/${name}`;
    const cancel = this.clock.schedule(time, () => {
      this.#cancels.delete(key);
      if (everyMs !== undefined) this.#schedule(strategyId, name, time + everyMs, everyMs);
      this.fire({ kind: 'timerFired', time: this.clock.now(), strategyId, name });
    });
    this.#cancels.set(key, cancel);
  }
}
