import { Observable, type Subscriber } from 'rxjs';
import type { PlannedSource } from '../../src/app/planning/run-plans.ts';
import type { PriceFeed } from '../../src/local-exchange/feeds.ts';
import type { MatchingEngine } from '../../src/matching/matching-engine.ts';
import type { MarketEvent } from '../../src/model/market-events.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { FeedItem } from '../../src/ports/market-feed.ts';
import { createSource } from '../../src/venues/simulated/sources.ts';
import type { PhaseClock } from './phase-clock.ts';

/** Everything of a recording, in order of time, then as declared. */
export function eventsOf(planned: readonly PlannedSource[], from: number, to: number): MarketEvent[] {
  const sources = planned.map(({ kind, instrument, open }) => createSource(kind, instrument, open(), from, to));
  const events: MarketEvent[] = [];
  for (;;) {
    const first = sources.reduce((best, one) => (one.time < best.time || (one.time === best.time && one.nanos < best.nanos) ? one : best));
    if (first.time === Number.POSITIVE_INFINITY) return events;
    events.push(first.deliver(NOWHERE, events.length + 1)!);
  }
}

/** Plays prices and marks at the very times that they bear, and funding when all else of its time is done. */
export function recordingFeed(events: readonly MarketEvent[], clock: PhaseClock): PriceFeed {
  const isFunding = ({ kind }: MarketEvent) => kind === 'funding';
  return {
    events$: new Observable<FeedItem>((out) => {
      play(
        events.filter((event) => !isFunding(event)),
        clock.of('prices'),
        out,
      );
      play(events.filter(isFunding), clock.of('funding'), out);
    }),
  };
}

function play(events: readonly MarketEvent[], clock: Clock, out: Subscriber<FeedItem>): void {
  let next = 0;
  const give = () => {
    const { time } = events[next]!;
    const instant: MarketEvent[] = [];
    for (let event = events[next]; event?.time === time; event = events[++next]) instant.push(event);
    out.next(instant.length === 1 ? instant[0]! : { kind: 'together', events: instant });
    if (next < events.length) clock.schedule(events[next]!.time, give);
  };
  if (events.length > 0) clock.schedule(events[0]!.time, give);
}

const NOWHERE = new Proxy({}, { get: () => () => {} }) as MatchingEngine;
