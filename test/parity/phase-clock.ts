import type { Clock } from '../../src/ports/clock.ts';

/** What comes first at one time: the exchange's prices, then whoever polls, then timers of engine and strategies, then funding. */
export type Phase = 'prices' | 'polls' | 'timers' | 'funding';

const RANKS: Readonly<Record<Phase, number>> = { prices: 0, polls: 1, timers: 2, funding: 3 };

interface Alarm {
  readonly time: number;
  readonly phase: Phase;
  readonly order: number;
  readonly callback: () => void;
}

/** Simulated time that stands still until it is told to go on, with an order for what is due together. */
export class PhaseClock {
  #alarms: Alarm[] = [];
  #order = 0;

  constructor(private time: number) {}

  /** The clock as the members of one phase have it. */
  of(phase: Phase): Clock {
    return {
      now: () => this.time,
      schedule: (time, callback) => {
        const alarm: Alarm = { time: Math.max(time, this.time), phase, order: this.#order++, callback };
        const at = this.#alarms.findIndex((other) => before(alarm, other));
        this.#alarms.splice(at < 0 ? this.#alarms.length : at, 0, alarm);
        return () => {
          this.#alarms = this.#alarms.filter((other) => other !== alarm);
        };
      },
    };
  }

  now(): number {
    return this.time;
  }

  /** The next alarm. */
  get next(): { readonly time: number; readonly phase: Phase } | undefined {
    return this.#alarms[0];
  }

  /** Goes to the next alarm, and rings it. */
  ring(): void {
    const alarm = this.#alarms.shift()!;
    this.time = alarm.time;
    alarm.callback();
  }
}

function before(a: Alarm, b: Alarm): boolean {
  return a.time !== b.time ? a.time < b.time : a.phase !== b.phase ? RANKS[a.phase] < RANKS[b.phase] : a.order < b.order;
}
