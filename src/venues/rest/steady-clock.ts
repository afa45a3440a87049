import { TimerClock } from './timer-clock.ts';

/**
 * Time that only passes: ms since the process began, untouched when somebody sets the wall clock. Windows and pauses are
 * counted by it, since a wall clock put forward by a window's length would let a whole window go twice.
 */
export class SteadyClock extends TimerClock {
  now(): number {
    return performance.now();
  }
}
