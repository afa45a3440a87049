import { Observable, Subject } from 'rxjs';
import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { tickerEvent } from '../../exchange/mapping.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { FeedItem } from '../../ports/market-feed.ts';
import { type DayReport, futuresReport, spotReport } from '../market/day-report.ts';
import type { PriceFeed } from './price-feed.ts';

export interface PolledTickersOptions {
  readonly client: Pick<ExchangeClient, 'ticker' | 'futuresTicker' | 'close'>;
  readonly instruments: readonly Instrument[];
  readonly clock: Clock;
  /** From the end of one round to the start of the next, in ms. */
  readonly everyMs: number;
  readonly log: Log;
}

/**
 * Another exchange's public tickers as a feed: a price is told when it has changed, what they say of their last 24 hours
 * every time; a round that fails is told in the log.
 */
export class PolledTickers implements PriceFeed {
  readonly reports$ = new Subject<DayReport>();
  readonly events$: Observable<FeedItem>;

  constructor({ client, instruments, clock, everyMs, log }: PolledTickersOptions) {
    this.events$ = new Observable((out) => {
      const newest = new Map<Instrument, string>();
      let cancel = () => {};
      let sequence = 0;
      const spot = async (instrument: Instrument) => {
        const ticker = await client.ticker({ symbol: wireSymbol(instrument.symbol) });
        return { last: ticker.lastPrice, report: spotReport(instrument, ticker) };
      };
      const futures = async (instrument: Instrument) => {
        const ticker = await client.futuresTicker({ symbol: wireSymbol(instrument.symbol) });
        return { last: ticker.last, report: futuresReport(instrument, ticker) };
      };
      const ask = async (instrument: Instrument) => {
        const { last, report } = instrument.kind === 'spot' ? await spot(instrument) : await futures(instrument);
        if (out.closed) return;
        this.reports$.next(report);
        if (newest.get(instrument) === last) return;
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
