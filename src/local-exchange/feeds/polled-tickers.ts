import { Observable } from 'rxjs';
import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { tickerEvent } from '../../exchange/mapping/ticker-event.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { FeedItem, MarketFeed } from '../../ports/market-feed.ts';

export interface PolledTickersOptions {
  readonly client: Pick<ExchangeClient, 'ticker' | 'futuresTicker' | 'close'>;
  readonly instruments: readonly Instrument[];
  readonly clock: Clock;
  /** From the end of one round to the start of the next, in ms. */
  readonly everyMs: number;
  readonly log: Log;
}

/** Another exchange's public tickers as a feed: a price is told when it has changed, a round that fails is told in the log. */
export class PolledTickers implements MarketFeed {
  readonly events$: Observable<FeedItem>;

  constructor({ client, instruments, clock, everyMs, log }: PolledTickersOptions) {
    this.events$ = new Observable((out) => {
      const newest = new Map<Instrument, string>();
      let cancel = () => {};
      let sequence = 0;
      const ask = async (instrument: Instrument) => {
        const symbol = wireSymbol(instrument.symbol);
        const last =
          instrument.kind === 'spot' ? (await client.ticker({ symbol })).lastPrice : (await client.futuresTicker({ symbol })).last;
        if (out.closed || newest.get(instrument) === last) return;
        newest.set(instrument, last);
        const event = tickerEvent(instrument, last, clock.now(), ++sequence);
        if (event !== undefined) out.next(event);
      };
      const round = async () => {
        for (const instrument of instruments) {
          await ask(instrument).catch((error: unknown) => {
            log.warn('a public ticker could not be read: the last price stands', { symbol: instrument.symbol, error: String(error) });
          });
        }
        if (!out.closed) cancel = clock.schedule(clock.now() + everyMs, () => void round());
      };
      void round();
      return () => {
        cancel();
        void client.close();
      };
    });
  }
}
