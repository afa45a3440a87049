import type { MarketEvent } from '../../model/market-events.ts';
import { parseInterval } from '../../model/time.ts';
import type { Strategy, StrategyNeeds } from '../../strategy/strategy.ts';
import type { StrategyHost } from './strategy-host.ts';

/** Bar intervals of a strategy class, in ms; `NaN` for what is no interval. */
export function neededIntervals(needs: StrategyNeeds | undefined): number[] {
  const bars = needs?.bars ?? [];
  return (typeof bars === 'string' ? [bars] : bars).map((text) => parseInterval(text) ?? Number.NaN);
}

/** The strategies that receive an event, by hooks and by streams. */
export interface Route {
  readonly hooked: readonly StrategyHost[];
  readonly streaming: readonly StrategyHost[];
}

/** The one strategy that receives the event, by a hook; `undefined` if there are several, none, or a stream. */
export function onlyHost(route: Route | undefined): StrategyHost | undefined {
  return route?.hooked.length === 1 && route.streaming.length === 0 ? route.hooked[0] : undefined;
}

/** Which hosts see an event of one instrument: by its kind, and for bars by interval. */
export class InstrumentRoutes {
  readonly #routes: RoutesByKind;

  /** @param hosts those that trade the instrument. */
  constructor(hosts: readonly StrategyHost[]) {
    this.#routes = routesByKind(hosts);
  }

  get ofQuotes(): Route | undefined {
    return this.#routes.quote;
  }

  /** `undefined` when nobody sees it. */
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
        return routes.bars.get(event.intervalMs);
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
  /** By interval in ms; what is not here nobody asked for. */
  readonly bars: ReadonlyMap<number, Route>;
}

function routesByKind(hosts: readonly StrategyHost[]): RoutesByKind {
  const streams = hosts.filter((host) => host.streams);
  const route = (hooked: readonly StrategyHost[], streaming = streams) =>
    hooked.length + streaming.length === 0 ? undefined : { hooked, streaming };
  const having = (hook: keyof Strategy, streaming = streams) =>
    route(
      hosts.filter((host) => host.strategy[hook] !== undefined),
      streaming,
    );
  const needsOf = (host: StrategyHost) => (host.strategy.constructor as { needs?: StrategyNeeds }).needs;
  const intervalsOf = (host: StrategyHost) => neededIntervals(needsOf(host));
  const bars = new Map<number, Route>();
  for (const interval of new Set(hosts.flatMap(intervalsOf))) {
    // Bars are for those who asked for their interval, hooks and streams alike.
    const asking = hosts.filter((host) => intervalsOf(host).includes(interval));
    const found = route(
      asking.filter((host) => host.strategy.onBar !== undefined),
      asking.filter((host) => host.streams),
    );
    if (found !== undefined) bars.set(interval, found);
  }
  // Marks and funding are in the run for the account's sake: streams that did not ask for them see none.
  const mark = having(
    'onMark',
    streams.filter((host) => needsOf(host)?.marks),
  );
  const funding = having(
    'onFunding',
    streams.filter((host) => needsOf(host)?.funding),
  );
  return { depth: having('onDepth'), quote: having('onQuote'), trade: having('onTrade'), ticker: having('onTicker'), mark, funding, bars };
}
