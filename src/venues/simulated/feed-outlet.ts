import type { FeedItem } from '../../ports/market-feed.ts';

/** Where the replay goes: it returns when the engine has taken its turn. */
export interface FeedOutlet {
  next(item: FeedItem): void;
}
