import { Observable } from 'rxjs';
import type { EngineItem, FeedItem, MarketFeed } from '../../ports/market-feed.ts';
import type { FeedOutlet } from './feed-outlet.ts';

/** A recording as a market feed: cold, and the whole replay happens inside `subscribe`. */
export class RecordedFeed implements MarketFeed<EngineItem> {
  readonly events$: Observable<EngineItem>;

  /** @param emitters receives the function that puts an item into the stream, for pauses inside bars. */
  constructor(timeline: { run(out: FeedOutlet): void }, emitters: { emit: (item: FeedItem) => void }) {
    this.events$ = new Observable((subscriber) => {
      emitters.emit = (item: FeedItem) => subscriber.next(item);
      timeline.run(subscriber);
      subscriber.complete();
    });
  }
}
