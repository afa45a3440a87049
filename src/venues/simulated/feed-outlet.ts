import type { EngineItem } from '../../ports/market-feed.ts';

/** Where the replay goes: it returns when the engine has taken its turn. */
export interface FeedOutlet {
  next(item: EngineItem): void;
}
