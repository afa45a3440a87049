import { Observable } from 'rxjs';
import type { MarketEvent } from '../../../model/market-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { FeedItem, MarketFeed } from '../../../ports/market-feed.ts';

/** Between the end of a recording and its next beginning, in ms. */
const LOOP_GAP_MS = 1_000;
/** Events taken in at once before others get their turn. */
const BURST = 1_000;

/**
 * Plays a recording at its own times, on a clock that began at one of them: what is due when it starts comes at once,
 * what was recorded at one time together. Completes at the end, unless it loops.
 */
export class RecordingFeed implements MarketFeed {
  readonly events$: Observable<FeedItem>;

  /** @param open the events from the start. @param after epoch ms: what is not younger has been played before. */
  constructor(open: () => Iterator<MarketEvent>, clock: Clock, after: number, loop: boolean) {
    this.events$ = new Observable((out) => {
      let events = open();
      let next: IteratorResult<MarketEvent> = events.next();
      const first = next.value?.time ?? 0;
      /** Of the present round: times of the recording plus this are times of the clock. */
      let offset = 0;
      let cancel = () => {};
      const advance = () => {
        const { time } = next.value as MarketEvent;
        next = events.next();
        if (next.done !== true || !loop) return;
        offset += time - first + LOOP_GAP_MS;
        events = open();
        next = events.next();
      };
      const isOver = () => next.done === true;
      const play = () => {
        while (next.done !== true && next.value.time + offset <= after) advance();
        for (let played = 0; next.done !== true && !out.closed; played++) {
          const { time } = next.value;
          const due = time + offset;
          if (due > clock.now() || played >= BURST) {
            cancel = clock.schedule(due, later);
            return;
          }
          const instant: MarketEvent[] = [];
          for (const round = offset; !isOver() && next.value.time === time && offset === round; advance())
            instant.push(next.value as MarketEvent);
          out.next(instant.length === 1 ? instant[0]! : { kind: 'together', events: instant });
        }
        if (isOver()) out.complete();
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

/** Epoch ms from which every instrument has a price; the recording's first where that takes longer than a minute. */
export function pricedFrom(open: () => Iterator<MarketEvent>, instruments: number): number {
  const events = open();
  const priced = new Set<unknown>();
  let first = Number.NaN;
  try {
    for (let next = events.next(); next.done !== true; next = events.next()) {
      const { instrument, time, kind } = next.value;
      if (Number.isNaN(first)) first = time;
      if (time > first + 60_000) break;
      if (kind === 'ticker') priced.add(instrument);
      if (priced.size === instruments) return time;
    }
  } finally {
    events.return?.();
  }
  return first;
}
