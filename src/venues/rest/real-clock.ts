import { uptime } from 'node:os';
import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs';
import { invariant } from '../../model/errors.ts';
import type { Clock } from '../../ports/clock.ts';

/** The longest delay that `setTimeout` takes. */
const LONGEST_MS = 2 ** 31 - 1;

/** A clock of the running process. Its readings must never go back: a callback waits until they have come to its time. */
abstract class TimerClock implements Clock {
  abstract now(): number;

  schedule(time: number, callback: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = () => {
      const left = Math.max(0, time - this.now());
      // A timer may fire a fraction of a ms early, by the clock that `now` reads.
      timer = setTimeout(() => (this.now() < time ? arm() : callback()), Math.min(left, LONGEST_MS));
    };
    arm();
    return () => clearTimeout(timer);
  }
}

/** What the machine knows of time, in ms. */
interface MachineTime {
  /** Since the epoch; somebody may set it. */
  wall(): number;
  /** Since some moment, and only passing; it may stand still while the machine sleeps. */
  steady(): number;
  /** Since the machine was started; what it slept counts. */
  uptime(): number;
}

const MACHINE: MachineTime = { wall: () => Date.now(), steady: () => performance.now(), uptime: () => 1_000 * uptime() };

/** How often it looks where the wall clock is, in steady ms, at most. */
const FOLLOW_EVERY_MS = 1_000;
/** Share of the time by which it runs fast or slow to meet the wall clock: as Linux does, and less than `ClockOffset` allows. */
const FOLLOW = 5e-4;
/** A wall clock that moves by more between two readings was set, or the machine slept. */
const JUMP_MS = 2_000;

/**
 * Epoch ms that only pass: the wall clock as it was when this was made, counted on by steady time.
 *
 * Whatever is due, stale or too long ago is told by differences of readings, and a wall clock that is set would make a bot
 * stand still for as long as it was set back, and call everything stale where it was put forward. So this one neither
 * jumps nor goes back: it follows the wall clock by half a thousandth of the time, 43 s in a day. Only what the machine
 * slept is added at once, since that time has passed. Requests need no more: they bear the exchange's time, whose offset
 * from this clock is measured.
 */
export class SystemClock extends TimerClock {
  /** Epoch ms at which steady time began. */
  #epoch: number;
  #followedAt: number;
  /** How far the wall clock was ahead at the last look. */
  #ahead = 0;
  /** How much longer the machine has run than steady time has passed: it grows by what it sleeps. */
  #asleep: number;
  #newest = Number.NEGATIVE_INFINITY;

  /** @param wallSet told when the wall clock was set, by how many ms. */
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
 * Time that only passes: ms since the process began, untouched when somebody sets the wall clock. Windows and pauses are
 * counted by it, since a wall clock put forward by a window's length would let a whole window go twice.
 */
export class SteadyClock extends TimerClock {
  now(): number {
    return performance.now();
  }
}

/** Who hears of the turns that scheduled callbacks make. */
interface TurnWatcher {
  ended(): void;
  /** The callback threw. */
  failed(error: unknown): void;
}

/**
 * The clock of engine, desk, gate and strategies in a live run. Time moves at the start of a turn and stands still
 * until the next one, so all that a turn decides, and every record of it, bears one reading. It never goes back,
 * whatever the clock behind it does.
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

  /** Epoch ms at which the turn began; between turns, the last one. */
  now(): number {
    return this.#now;
  }

  get turning(): boolean {
    return this.#turning;
  }

  /** One watcher; without one, what a scheduled callback throws goes to the clock behind. */
  watch(watcher: TurnWatcher): void {
    this.#watcher = watcher;
  }

  /** Moves time on, then takes the turn. What it throws is the caller's. */
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

  /** No scheduled callback runs from here: the run is over. */
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
