import { type Cause, ExchangeError } from '../../../src/exchange/errors.ts';
import type { TickerClient } from '../../../src/venues/rest/polling/price-source.ts';

export interface StubTicker {
  last: string;
  mark?: string;
  /** The exchange's stamp; the time of asking where left out. */
  stamp?: number;
}

export function exchangeError(cause: Cause, message = 'no'): ExchangeError {
  return new ExchangeError({ operation: 'ticker', cause, scope: 'read', message });
}

/** Answers from a table of tickers by wire name; an `Error` in it is what asking for it gives. */
export class StubTickers {
  readonly asked: string[] = [];
  readonly table = new Map<string, StubTicker | Error>();
  /** Awaited before each answer. */
  latency: (what: string) => Promise<void> = () => Promise.resolve();

  constructor(private readonly now: () => number) {}

  set(symbol: string, ticker: StubTicker | Error): void {
    this.table.set(symbol, ticker);
  }

  async #read(symbol: string): Promise<Required<Pick<StubTicker, 'last' | 'stamp'>> & StubTicker> {
    this.asked.push(symbol);
    await this.latency(symbol);
    const ticker = this.table.get(symbol);
    if (ticker === undefined) throw exchangeError('parameter', `no ${symbol}`);
    if (ticker instanceof Error) throw ticker;
    return { stamp: this.now(), ...ticker };
  }

  readonly client = {
    ticker: async ({ symbol }: { symbol: string }) => {
      const { last, stamp } = await this.#read(symbol);
      return { symbol, lastPrice: last, ts: stamp };
    },
    tickers: async () => {
      this.asked.push('all');
      await this.latency('all');
      return [...this.table].flatMap(([symbol, ticker]) =>
        ticker instanceof Error ? [] : [{ symbol, lastPrice: ticker.last, ts: ticker.stamp ?? this.now() }],
      );
    },
    futuresTicker: async ({ symbol }: { symbol: string }) => {
      const { last, mark, stamp } = await this.#read(symbol);
      return { symbol, last, markPrice: mark, timestamp: stamp };
    },
  } as unknown as TickerClient;
}
