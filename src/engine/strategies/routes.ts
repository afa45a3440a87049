import type { BarInterval } from '../../model/bar-interval.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import { type BarIndicator, indicatorsOf } from '../../strategy/indicators.ts';
import { neededBy, type Strategy, type StrategyNeeds } from '../../strategy/strategy.ts';
import { type BarTail, type ClosedBars, neededIntervals, needsOf } from './moments.ts';
import type { StrategyHost } from './strategy-host.ts';

/** The strategies that receive an event, by hooks and by streams. */
export interface Route {
  readonly hooked: readonly StrategyHost[];
  readonly streaming: readonly StrategyHost[];
  /** The other takers of a bar; `undefined` for other events, and if there are none. */
  readonly bars: BarTakers | undefined;
}

/** The takers of the bars of one instrument and interval apart from hooks and streams. */
export interface BarTakers {
  /** Keeps the newest bars. */
  readonly tail: BarTail | undefined;
  /** Updated before any hook is called. */
  readonly indicators: readonly { readonly host: StrategyHost; readonly indicator: BarIndicator }[];
  /** The strategies that have `onBars`. */
  readonly gathering: readonly StrategyHost[];
  /** The strategies that wait for bars of the symbol. */
  readonly waiting: readonly StrategyHost[];
}

/** The one strategy that receives the event, by a hook; `undefined` if there are several, none, or a stream. */
export function onlyHost(route: Route | undefined): StrategyHost | undefined {
  return route?.hooked.length === 1 && route.streaming.length === 0 ? route.hooked[0] : undefined;
}

/** The hosts that receive events of one instrument, by kind, and for bars by interval. */
export class InstrumentRoutes {
  readonly #routes: RoutesByKind;

  /** @param hosts those that receive the instrument. @param waiting those that will receive it when enough bars have closed. */
  constructor(symbol: string, hosts: readonly StrategyHost[], waiting: readonly StrategyHost[], closed: ClosedBars | undefined) {
    this.#routes = routesByKind(symbol, hosts, waiting, closed);
  }

  get ofQuotes(): Route | undefined {
    return this.#routes.quote;
  }

  /** `undefined` if no host receives it. */
  of(event: MarketEvent): Route | undefined {
    const routes = this.#routes;
    switch (event.kind) {
      case 'quote':
        return routes.quote;
      case 'depth':
        return routes.depth;
      case 'trade':
        return routes.trade;
      case 'ticker':
        return routes.ticker;
      case 'bar':
        return routes.bars.get(event.intervalKey);
      case 'mark':
        return routes.mark;
      case 'funding':
        return routes.funding;
    }
  }
}

interface RoutesByKind {
  readonly depth: Route | undefined;
  readonly quote: Route | undefined;
  readonly trade: Route | undefined;
  readonly ticker: Route | undefined;
  readonly mark: Route | undefined;
  readonly funding: Route | undefined;
  /** By interval. Intervals that no strategy requested are absent. */
  readonly bars: ReadonlyMap<BarInterval, Route>;
}

function routesByKind(
  symbol: string,
  hosts: readonly StrategyHost[],
  later: readonly StrategyHost[],
  closed: ClosedBars | undefined,
): RoutesByKind {
  const streams = hosts.filter((host) => host.streams);
  const streaming = (need: keyof StrategyNeeds) => streams.filter((host) => receives(host, need));
  const having = (hook: keyof Strategy, need: keyof StrategyNeeds, streamed = streaming(need)): Route | undefined => {
    const hooked = hosts.filter((host) => host.strategy[hook] !== undefined && receives(host, need));
    return hooked.length + streamed.length === 0 ? undefined : { hooked, streaming: streamed, bars: undefined };
  };
  const intervalsOf = (host: StrategyHost) => neededIntervals(needsOf(host));
  const bars = new Map<BarInterval, Route>();
  for (const interval of new Set([...hosts, ...later].flatMap(intervalsOf))) {
    // Bars go to strategies that requested their interval, hooks and streams alike.
    const requesting = hosts.filter((host) => intervalsOf(host).includes(interval));
    const hooked = requesting.filter((host) => host.strategy.onBar !== undefined);
    const streaming = requesting.filter((host) => host.streams);
    const gathering = requesting.filter((host) => host.strategy.onBars !== undefined);
    const waiting = later.filter((host) => intervalsOf(host).includes(interval));
    const tail = closed?.tail(symbol, interval, [...requesting, ...waiting]);
    const indicators = requesting.flatMap((host) =>
      indicatorsOf(host.strategy, symbol, interval).map((indicator) => ({ host, indicator })),
    );
    const taken = gathering.length + indicators.length > 0 || tail !== undefined;
    const takers = taken ? { tail, indicators, gathering, waiting } : undefined;
    if (takers !== undefined || hooked.length + streaming.length > 0) bars.set(interval, { hooked, streaming, bars: takers });
  }
  // Marks and funding are in the run for the account: streams that did not request them receive none.
  const requesting = (need: 'marks' | 'funding') => streams.filter((host) => needsOf(host)?.[need]);
  return {
    depth: having('onDepth', 'depth'),
    quote: having('onQuote', 'quotes'),
    trade: having('onTrade', 'trades'),
    ticker: having('onTicker', 'tickers'),
    mark: having('onMark', 'marks', requesting('marks')),
    funding: having('onFunding', 'funding', requesting('funding')),
    bars,
  };
}

/** Whether a strategy may receive a kind: all that its symbols have, unless its class leaves a choice. */
function receives({ strategy }: StrategyHost, need: keyof StrategyNeeds): boolean {
  const { needs, chosen } = neededBy(strategy);
  return !chosen || needs?.[need] === true;
}
