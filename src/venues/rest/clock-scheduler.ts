import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs';
import type { Clock } from '../../ports/clock.ts';

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** Lets rxjs wait on a `Clock`, so that what runs live on the system clock runs under simulated time in tests. */
export class ClockScheduler implements SchedulerLike {
  constructor(private readonly clock: Clock) {}

  /** Epoch ms. */
  now(): number {
    return this.clock.now();
  }

  /** Even without a delay the work is done later, never inside this call. */
  schedule<T>(work: Work<T>, delay = 0, state?: T): Subscription {
    return new ClockAction(this.clock, work).schedule(state, delay);
  }
}

class ClockAction<T> extends Subscription implements SchedulerAction<T> {
  #cancel: (() => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly work: Work<T>,
  ) {
    super();
  }

  schedule(state?: T, delay = 0): Subscription {
    if (this.closed) return this;
    this.#cancel?.();
    this.#cancel = this.clock.schedule(this.clock.now() + Math.max(0, delay), () => {
      this.#cancel = undefined;
      this.work.call(this, state);
      // Work that did not schedule itself again is done: whoever keeps the subscription lets go of it.
      if (this.#cancel === undefined) this.unsubscribe();
    });
    return this;
  }

  override unsubscribe(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    super.unsubscribe();
  }
}
