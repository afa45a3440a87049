import type { Clock } from '../../ports/clock.ts';

/** The longest delay that `setTimeout` takes. */
const LONGEST_MS = 2 ** 31 - 1;

/** A clock of the running process. Its readings must never go back: a callback waits until they have come to its time. */
export abstract class TimerClock implements Clock {
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
