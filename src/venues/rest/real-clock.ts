import { uptime } from 'node:os';
import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs';
import { invariant } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** The longest delay that `setTimeout` takes. */
const LONGEST_MS = 2 ** 31 - 1;

/** A clock of the running process that never goes back. A callback waits until the clock has reached its time. */
abstract class TimerClock implements Clock {
  abstract now(): number;

  schedule(time: number, callback: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = () => {
      const left = Math.max(0, time - this.now());
      // A timer may fire a fraction of a ms before `now` has reached its time.
      timer = setTimeout(() => (this.now() < time ? arm() : callback()), Math.min(left, LONGEST_MS));
    };
    arm();
    return () => clearTimeout(timer);
  }
}

/** The time sources of the machine, in ms. */
interface MachineTime {
  /** Since the epoch. Users and time services may set it. */
  wall(): number;
  /** Since some moment, monotonic. It may stop while the machine sleeps. */
  steady(): number;
  /** Since the boot of the machine, including sleep. */
  uptime(): number;
}

const MACHINE: MachineTime = { wall: () => Date.now(), steady: () => performance.now(), uptime: () => 1_000 * uptime() };

/** How often the wall clock is read, at most once in this many steady ms. */
const FOLLOW_EVERY_MS = 1_000;
/** Share by which the clock runs fast or slow to approach the wall clock: as on Linux, and less than `ClockOffset` allows. */
const FOLLOW = 5e-4;
/** A larger difference between two readings means that the wall clock was set or that the machine slept. */
const JUMP_MS = 2_000;

/**
 * Monotonic epoch ms: the wall clock at the start, continued by steady time.
 *
 * Due times and staleness are differences of readings. A wall clock that is set back would make a bot pause for that long; one
 * that is set forward would make everything stale. So this clock neither jumps nor goes back.
 * It approaches the wall clock by 0.05 % of the time: 43 s a day. Only sleep of the machine
 * is added at once, as that time has passed. Requests need no better clock: they have the exchange's time, whose offset
 * from this clock is measured.
 */
export class SystemClock extends TimerClock {
  /** Epoch ms at which steady time began. */
  #epoch: number;
  #followedAt: number;
  /** How far the wall clock was ahead at the last reading. */
  #ahead = 0;
  /** Uptime minus steady time: it grows while the machine sleeps. */
  #asleep: number;
  #newest = Number.NEGATIVE_INFINITY;

  /** @param wallSet called when the wall clock was set, with the change in ms. */
  constructor(
    private readonly wallSet: (byMs: number) => void = () => {},
    private readonly machine: MachineTime = MACHINE,
  ) {
    super();
    const steady = machine.steady();
    this.#epoch = machine.wall() - steady;
    this.#followedAt = steady;
    this.#asleep = machine.uptime() - steady;
  }

  /** Whole ms. */
  now(): number {
    const steady = this.machine.steady();
    const ahead = this.machine.wall() - (this.#epoch + steady);
    const byMs = ahead - this.#ahead;
    if (Math.abs(byMs) > JUMP_MS) this.#jumped(steady, ahead, byMs);
    else if (steady - this.#followedAt >= FOLLOW_EVERY_MS) this.#follow(steady, ahead);
    this.#newest = Math.max(this.#newest, Math.floor(this.#epoch + steady));
    return this.#newest;
  }

  #follow(steady: number, ahead: number): void {
    const most = FOLLOW * (steady - this.#followedAt);
    const step = Math.max(-most, Math.min(most, ahead));
    this.#epoch += step;
    this.#ahead = ahead - step;
    this.#followedAt = steady;
  }

  #jumped(steady: number, ahead: number, byMs: number): void {
    const asleep = this.machine.uptime() - steady;
    const sleptMs = asleep - this.#asleep;
    this.#asleep = asleep;
    const added = sleptMs > JUMP_MS ? sleptMs : 0;
    this.#epoch += added;
    this.#ahead = ahead - added;
    if (Math.abs(byMs - added) > JUMP_MS) this.wallSet(Math.round(byMs - added));
  }
}

/**
 * Monotonic ms since the process began, independent of the wall clock. Rate windows and pauses
 * use it: a wall clock set forward by the length of a window would let twice the requests through.
 */
export class SteadyClock extends TimerClock {
  now(): number {
    return performance.now();
  }
}

/** Observes the turns that scheduled callbacks start. */
interface TurnWatcher {
  ended(): void;
  /** Called when the callback threw. */
  failed(error: unknown): void;
}

/**
 * The clock of the engine, the order builder, the gate and the strategies in a live run. Time moves at the start of a turn and
 * is constant until the next one, so all decisions and records of a turn have one time. It never goes back,
 * even if the clock behind it does.
 */
export class TurnClock implements Clock {
  #now: number;
  #turning = false;
  #closed = false;
  #watcher: TurnWatcher | undefined;
  readonly #cancels = new Set<() => void>();

  constructor(private readonly real: Clock) {
    this.#now = real.now();
  }

  /** Epoch ms of the start of the turn; between turns, of the last one. */
  now(): number {
    return this.#now;
  }

  get turning(): boolean {
    return this.#turning;
  }

  /** Sets the one watcher. Without one, an error in a scheduled callback goes to the clock behind. */
  watch(watcher: TurnWatcher): void {
    this.#watcher = watcher;
  }

  /** Advances time, then runs the turn. The caller gets its errors. */
  take(turn: () => void): void {
    invariant(!this.#turning, 'a turn begins when the one before is over');
    this.#now = Math.max(this.#now, this.real.now());
    this.#turning = true;
    try {
      turn();
    } finally {
      this.#turning = false;
    }
  }

  /** The callback is a turn of its own. */
  schedule(time: number, callback: () => void): () => void {
    if (this.#closed) return () => {};
    const cancel = this.real.schedule(time, () => {
      this.#cancels.delete(cancel);
      this.#run(callback);
    });
    this.#cancels.add(cancel);
    return () => {
      this.#cancels.delete(cancel);
      cancel();
    };
  }

  /** The run is over: no scheduled callback runs any more. */
  close(): void {
    this.#closed = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #run(callback: () => void): void {
    if (this.#watcher === undefined) {
      this.take(callback);
      return;
    }
    try {
      this.take(callback);
    } catch (error) {
      this.#watcher.failed(error);
      return;
    }
    this.#watcher.ended();
  }
}

type Work<T> = (this: SchedulerAction<T>, state?: T) => void;

/** An rxjs scheduler on a `Clock`: code on the system clock in live runs runs on simulated time in tests. */
export class ClockScheduler implements SchedulerLike {
  constructor(private readonly clock: Clock) {}

  /** Epoch ms. */
  now(): number {
    return this.clock.now();
  }

  /** Even without a delay the work runs later, never inside this call. */
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
      // Work that did not schedule itself again is done: ends its subscription.
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
