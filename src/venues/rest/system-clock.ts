import { uptime } from 'node:os';
import { TimerClock } from './timer-clock.ts';

/** What the machine knows of time, in ms. */
export interface MachineTime {
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
