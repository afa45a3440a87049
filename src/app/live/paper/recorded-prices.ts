import type { Instrument } from '../../../model/instrument.ts';
import type { MarketEvent } from '../../../model/market-events.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { recordedEvents } from '../../local-exchange/price-feeds.ts';
import { PacedClock } from './paced-clock.ts';
import type { PaperPrices } from './paper-prices.ts';
import { pricedFrom, RecordingFeed } from './recording-feed.ts';

/** A recording, at its own times and as fast as the config says. */
export class RecordedPrices implements PaperPrices {
  readonly speed: number;
  /** When every instrument has its first price. */
  readonly start: number;
  readonly #open: () => Iterator<MarketEvent>;
  readonly #loop: boolean;

  private constructor(speed: number, loop: boolean, open: () => Iterator<MarketEvent>, instruments: number) {
    this.speed = speed;
    this.#loop = loop;
    this.#open = open;
    this.start = pricedFrom(open, instruments);
  }

  /** @throws TidegateError DATA_NOT_FOUND where the recording has no tickers of an instrument. */
  static async open(
    { recording, speed, loop }: { readonly recording: string; readonly speed: number; readonly loop: boolean },
    dataDir: string,
    instruments: readonly Instrument[],
  ): Promise<RecordedPrices> {
    return new RecordedPrices(speed, loop, await recordedEvents(dataDir, recording, instruments, 'ticker'), instruments.length);
  }

  clock(from: number): Clock {
    return new PacedClock(from, this.speed, () => performance.now());
  }

  steady(clock: Clock): Clock {
    return clock;
  }

  feed(clock: Clock, _log: Log, after: number): RecordingFeed {
    return new RecordingFeed(this.#open, clock, after, this.#loop);
  }
}
