import type { PriceFeed } from '../../../local-exchange/feeds/price-feed.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';

/** What a paper bot's exchange takes its prices from, and the time that goes with them. */
export interface PaperPrices {
  /** Ms of the clock in one ms of the wall. */
  readonly speed: number;
  /** Epoch ms at which a new account begins. */
  readonly start: number;
  /** The one clock of bot and exchange. @param from epoch ms that it does not fall short of. */
  clock(from: number): Clock;
  /** Time that only passes, at the same pace. */
  steady(clock: Clock): Clock;
  /** @param after epoch ms: what is not younger has been played before. */
  feed(clock: Clock, log: Log, after: number): PriceFeed;
}
