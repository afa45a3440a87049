import type { PolledTickers } from '../../../local-exchange/feeds/polled-tickers.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Log } from '../../../ports/log.ts';
import { SteadyClock, SystemClock } from '../../../venues/rest/real-clock.ts';
import type { PublicTickersConfig } from '../../config/schema/fields.ts';
import { publicTickers } from '../../local-exchange/price-feeds.ts';
import type { PaperPrices } from './paper-prices.ts';

/** The real exchange's prices as they are now: the time is the wall's. */
export class PublicPrices implements PaperPrices {
  readonly speed = 1;
  readonly start: number;
  readonly #clock = new SystemClock();

  constructor(
    private readonly source: PublicTickersConfig,
    private readonly instruments: readonly Instrument[],
  ) {
    this.start = this.#clock.now();
  }

  clock(): Clock {
    return this.#clock;
  }

  steady(): Clock {
    return new SteadyClock();
  }

  feed(clock: Clock, log: Log): PolledTickers {
    return publicTickers(this.source, this.instruments, clock, log);
  }
}
