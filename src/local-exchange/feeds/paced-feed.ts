import { Observable } from 'rxjs';
import type { MarketEvent } from '../../model/market-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { FeedItem, MarketFeed } from '../../ports/market-feed.ts';

export interface Pace {
  /** Ms of the recording that pass in one ms of the clock. */
  readonly speed: number;
  /** Begin again at the end. */
  readonly loop: boolean;
  /** Instruments that are to have a price from the start; default 1. */
  readonly instruments?: number | undefined;
}

/** Between the end of a recording and its next beginning, in ms of the recording. */
const LOOP_GAP_MS = 1_000;
/** Events taken in at once before others get their turn: a clock that lags must not lock the servers out. */
const BURST = 1_000;
/** How much of a recording is played at once, in its ms, so that each instrument has a price from the start. */
const HEAD_START_MS = 60_000;

/**
 * Plays recorded events on a clock: at once until each instrument has a price, every other one as far after the last of
 * these as it was then, divided by the speed. What was recorded at one time comes together. Cold: every subscription
 * plays from the start.
 */
export class PacedFeed implements MarketFeed {
  readonly events$: Observable<FeedItem>;

  /** @param open the events from the start, in order of their times. */
  constructor(open: () => Iterator<MarketEvent>, clock: Clock, { speed, loop, instruments = 1 }: Pace) {
    this.events$ = new Observable((out) => {
      let events = open();
      let next = events.next();
      if (next.done === true) {
        out.complete();
        return undefined;
      }
      /** Clock time at which the recording's time 0 would be. */
      let origin = clock.now() - next.value.time / speed;
      const start = next.value.time;
      const priced = new Set<unknown>();
      let cancel = () => {};
      const again = (last: number): boolean => {
        if (!loop) return false;
        const restart = origin + (last + LOOP_GAP_MS) / speed;
        events = open();
        next = events.next();
        if (next.done === true) return false;
        origin = restart - next.value.time / speed;
        return true;
      };
      const play = () => {
        for (let played = 0; next.done !== true && !out.closed; ) {
          const { value } = next;
          if (priced.size < instruments && value.time <= start + HEAD_START_MS) origin = Math.min(origin, clock.now() - value.time / speed);
          const due = origin + value.time / speed;
          if (due > clock.now() || played++ >= BURST) {
            cancel = clock.schedule(due, later);
            return;
          }
          const instant = [value];
          for (next = events.next(); next.done !== true && next.value.time === value.time; next = events.next()) instant.push(next.value);
          for (const { instrument } of instant) priced.add(instrument);
          out.next(instant.length === 1 ? value : { kind: 'together', events: instant });
          if (next.done === true && !again(value.time)) out.complete();
        }
      };
      // A recording that cannot be read on ends the feed, not the process whose clock calls.
      const later = () => {
        try {
          play();
        } catch (error) {
          out.error(error);
        }
      };
      later();
      return () => {
        cancel();
        events.return?.();
      };
    });
  }
}
