import type { Instrument } from '../model/instrument.ts';
import { parseInterval } from '../model/interval.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { StrategyNeeds } from '../strategy/needs.ts';
import type { Strategy } from '../strategy/strategy.ts';
import type { StrategyHost } from './strategy-host.ts';

/** Bar intervals of a strategy class, in ms; `NaN` for what is no interval. */
export function neededIntervals(needs: StrategyNeeds | undefined): number[] {
  const bars = needs?.bars ?? [];
  return (typeof bars === 'string' ? [bars] : bars).map((text) => parseInterval(text) ?? Number.NaN);
}

/** Who sees an event: by hooks, and by streams. */
export interface Route {
  readonly hooked: readonly StrategyHost[];
  readonly streaming: readonly StrategyHost[];
}

interface InstrumentRoutes {
  readonly quote: Route | undefined;
  readonly trade: Route | undefined;
  readonly ticker: Route | undefined;
  /** By interval in ms; what is not here nobody asked for by hook. */
  readonly bars: ReadonlyMap<number, Route>;
  readonly otherBars: Route | undefined;
}

/** Which hosts see an event: looked up by instrument and kind, and for bars by interval. */
export class Routes {
  readonly #routes: readonly InstrumentRoutes[];

  constructor(instruments: readonly Instrument[], hosts: readonly StrategyHost[]) {
    this.#routes = instruments.map(({ symbol }) => instrumentRoutes(hosts.filter((host) => host.symbols.includes(symbol))));
  }

  /** `undefined` when nobody sees it. */
  of(event: MarketEvent): Route | undefined {
    const routes = this.#routes[event.instrument.index]!;
    switch (event.kind) {
      case 'quote':
        return routes.quote;
      case 'trade':
        return routes.trade;
      case 'ticker':
        return routes.ticker;
      case 'bar':
        return routes.bars.get(event.intervalMs) ?? routes.otherBars;
    }
  }
}

function instrumentRoutes(hosts: readonly StrategyHost[]): InstrumentRoutes {
  const streaming = hosts.filter((host) => host.streams);
  const route = (hooked: readonly StrategyHost[]) => (hooked.length + streaming.length === 0 ? undefined : { hooked, streaming });
  const having = (hook: keyof Strategy) => route(hosts.filter((host) => host.strategy[hook] !== undefined));
  const onBars = hosts.filter((host) => host.strategy.onBar !== undefined);
  const intervalsOf = (host: StrategyHost) => neededIntervals((host.strategy.constructor as { needs?: StrategyNeeds }).needs);
  const intervals = new Set(onBars.flatMap(intervalsOf));
  return {
    quote: having('onQuote'),
    trade: having('onTrade'),
    ticker: having('onTicker'),
    bars: new Map([...intervals].map((interval) => [interval, route(onBars.filter((host) => intervalsOf(host).includes(interval)))!])),
    otherBars: route([]),
  };
}
