import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { SETTLED } from '../../ports/market-feed.ts';
import type { FeedOutlet } from './feed-outlet.ts';
import type { Schedule } from './schedule.ts';
import type { SimulatedClock } from './simulated-clock.ts';

/** What is due by `time`, one by one, each settled before the next. */
export function runDue(schedule: Schedule, time: number, out: FeedOutlet): void {
  while (schedule.nextTime <= time) {
    schedule.runNext();
    out.next(SETTLED);
  }
}

/** The data is over: strategies stop, what is under way still arrives, what is open then ends. */
export function runOut(clock: SimulatedClock, matching: MatchingEngine, out: FeedOutlet): void {
  matching.stand();
  out.next({ kind: 'ending' });
  drain(clock, out);
  matching.expireAll(clock.now());
  drain(clock, out);
  out.next(SETTLED);
}

function drain(clock: SimulatedClock, out: FeedOutlet): void {
  const { venue } = clock;
  while (venue.nextTime < Number.POSITIVE_INFINITY) {
    clock.advanceTo(venue.nextTime);
    runDue(venue, clock.now(), out);
  }
}
