import type { Instrument } from '../model/instrument.ts';
import type { MarketEvent } from '../model/market-events.ts';
import { parseInterval } from '../model/interval.ts';
import type { StrategyNeeds } from '../strategy/needs.ts';
import type { Strategy } from '../strategy/strategy.ts';
import type { StrategyHost } from './strategy-host.ts';

/** Bar intervals of a strategy class, in ms. */
export function neededIntervals(needs: StrategyNeeds | undefined): number[] {
  const bars = needs?.bars ?? [];
  return (typeof bars === 'string' ? [bars] : bars).map((text) => parseInterval(text) ?? Number.NaN);
}

/** Which hosts see an event: a look-up by instrument, and for bars by interval. */
export class Routes {
  readonly #bars: Map<number, StrategyHost[]>[];
  readonly #quotes: StrategyHost[][];
  readonly #trades: StrategyHost[][];
  readonly #tickers: StrategyHost[][];
  readonly #streams: StrategyHost[][];

  constructor(instruments: readonly Instrument[], hosts: readonly StrategyHost[]) {
    const trading = (instrument: Instrument) => hosts.filter((host) => host.symbols.includes(instrument.symbol));
    const having = (wanted: (strategy: Strategy) => unknown) =>
      instruments.map((instrument) => trading(instrument).filter((host) => wanted(host.strategy) !== undefined));
    this.#quotes = having((strategy) => strategy.onQuote);
    this.#trades = having((strategy) => strategy.onTrade);
    this.#tickers = having((strategy) => strategy.onTicker);
    this.#streams = having((strategy) => strategy.intents$);
    this.#bars = instruments.map((instrument) => {
      const byInterval = new Map<number, StrategyHost[]>();
      for (const host of trading(instrument)) {
        const needs = (host.strategy.constructor as { needs?: StrategyNeeds }).needs;
        for (const interval of neededIntervals(needs)) {
          byInterval.set(interval, [...(byInterval.get(interval) ?? []), host]);
        }
      }
      return byInterval;
    });
  }

  hooked(event: MarketEvent): readonly StrategyHost[] {
    const { index } = event.instrument;
    switch (event.kind) {
      case 'quote':
        return this.#quotes[index]!;
      case 'trade':
        return this.#trades[index]!;
      case 'ticker':
        return this.#tickers[index]!;
      case 'bar':
        return this.#bars[index]!.get(event.intervalMs) ?? NONE;
    }
  }

  streaming(event: MarketEvent): readonly StrategyHost[] {
    return this.#streams[event.instrument.index]!;
  }
}

const NONE: readonly StrategyHost[] = [];
