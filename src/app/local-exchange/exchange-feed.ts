import { PacedFeed } from '../../local-exchange/feeds/paced-feed.ts';
import type { PriceFeed } from '../../local-exchange/feeds/price-feed.ts';
import { syntheticTrades } from '../../local-exchange/feeds/synthetic-trades.ts';
import { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { ExchangeConfig } from './exchange-schema.ts';
import { publicTickers } from './public-tickers.ts';
import { recordedEvents } from './recorded-events.ts';

/** Where the prices of a config come from; `undefined` where the control door alone sets them. */
export async function exchangeFeed(
  config: ExchangeConfig,
  instruments: readonly Instrument[],
  clock: Clock,
  log: Log,
): Promise<PriceFeed | undefined> {
  const { recording, use, speed, loop, synthetic, exchange } = config.prices;
  const pace = { speed, loop, instruments: instruments.length };
  if (recording !== undefined) return new PacedFeed(await recordedEvents(config.dataDir, recording, instruments, use), clock, pace);
  if (synthetic !== undefined) {
    const starts = instruments.map((instrument) => ({ instrument, price: startOf(synthetic.start, instrument.symbol) }));
    return new PacedFeed(() => syntheticTrades(starts, synthetic.seed, clock.now()), clock, { ...pace, loop: false });
  }
  if (exchange === undefined) return undefined;
  return publicTickers(exchange, instruments, clock, log);
}

function startOf(start: Readonly<Record<string, string>>, symbol: string): string {
  const price = start[symbol];
  if (price === undefined) throw new TidegateError('CONFIG_INVALID', `prices.synthetic.start: ${symbol} has no first price`);
  return price;
}
