import type { Clock } from '../../ports/clock.ts';
import { SystemClock } from './system-clock.ts';

/**
 * Time that only passes: ms since the process began, untouched when somebody sets the wall clock. Windows and pauses are
 * counted by it, since a wall clock put forward by a window's length would let a whole window go twice.
 */
export class SteadyClock extends SystemClock implements Clock {
  override now(): number {
    return performance.now();
  }
}
