import type { AccountEvent } from '../../model/account-events.ts';
import type { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { type Intent, intentFault, isIntent } from '../../model/intents.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { State } from '../../state/state.ts';
import type { Intents, Strategy } from '../../strategy/strategy.ts';
import { blamed } from '../blame.ts';
import { InstrumentRoutes, type Route } from './routes.ts';
import { noIntent, StrategyHost, wrongAnswer } from './strategy-host.ts';

/** The strategies of a run: calls their hooks, collects their intents, and names the strategy that threw. */
export class Audience {
  readonly #hosts: readonly StrategyHost[];
  /** The run stops, or is over and open orders expire: strategies are still told, but no longer asked. */
  #over = false;

  constructor(
    strategies: readonly Strategy[],
    private readonly state: State,
    /** Takes one intent at a time, in order. */
    private readonly wish: (host: StrategyHost, intent: Intent) => void,
  ) {
    this.#hosts = strategies.map((strategy) => new StrategyHost(strategy, (host, intents) => this.collect(host, intents)));
  }

  get hosts(): readonly StrategyHost[] {
    return this.#hosts;
  }

  /** Who sees the market events of an instrument. */
  routesOf({ symbol }: Instrument): InstrumentRoutes {
    return new InstrumentRoutes(this.#hosts.filter((host) => host.symbols.includes(symbol)));
  }

  /** @param route who sees it. */
  showMarket(event: MarketEvent, route: Route): void {
    const { hooked } = route;
    for (let i = 0; i < hooked.length; i++) this.ask(hooked[i]!, event);
    if (route.streaming.length > 0) this.#stream(route, event);
  }

  /** One that has a hook for it. */
  ask(host: StrategyHost, event: MarketEvent): void {
    try {
      const intents = callHook(host.strategy, event);
      if (intents !== undefined) this.collect(host, intents);
    } catch (error) {
      throw this.#blame(error, host, described(event));
    }
  }

  /** Tells an account event to the strategy it belongs to, or to all where it belongs to none. */
  showAccount(event: AccountEvent, owner: string | undefined): void {
    if (event.kind === 'orderExpired' && event.reason === 'endOfRun') this.#over = true;
    for (const host of this.#hosts) {
      if (owner !== undefined && host.id !== owner) continue;
      try {
        host.account(event);
        if (host.failure !== undefined) throw host.failure.error;
      } catch (error) {
        throw this.#blame(error, host, event.kind);
      }
    }
  }

  /** @param saves of an earlier run, by the strategy's id. */
  start(saves?: ReadonlyMap<string, unknown>): void {
    for (const host of this.#hosts) {
      if (saves?.has(host.id)) this.tell(host, 'restore', () => host.strategy.restore?.(saves.get(host.id)));
      this.tell(host, 'onStart', () => host.start());
    }
  }

  /** What each strategy wants to know again after a restart. */
  saves(): Map<string, unknown> {
    const saves = new Map<string, unknown>();
    for (const host of this.#hosts) {
      if (host.strategy.save !== undefined) this.tell(host, 'save', () => saves.set(host.id, host.strategy.save?.()));
    }
    return saves;
  }

  /** From here strategies are told, but no longer asked. */
  silence(): void {
    this.#over = true;
  }

  stop(): void {
    for (const host of this.#hosts) this.tell(host, 'onStop', () => host.stop());
  }

  /** Ends the streams. @returns what one of them did wrong outside any turn. */
  close(): StrategyHost['failure'] {
    for (const host of this.#hosts) host.close();
    return this.#hosts.find(({ failure }) => failure !== undefined)?.failure;
  }

  /** Lets a strategy's code run, or ours in its name: what throws there stops the run and says whose it was. */
  tell(host: StrategyHost, doing: string, act: () => void): void {
    try {
      act();
      if (host.failure !== undefined) throw host.failure.error;
    } catch (error) {
      throw this.#blame(error, host, doing);
    }
  }

  collect(host: StrategyHost, intents: Intents): void {
    if (intents === undefined || this.#over) return;
    if (!Array.isArray(intents)) this.#take(host, intents);
    else for (const intent of intents) this.#take(host, intent);
  }

  /** Strategies are JavaScript at run time: what a type would refuse arrives here all the same. */
  #take(host: StrategyHost, intent: unknown): void {
    if (intent === undefined || intent === null) return;
    if (!isIntent(intent)) throw noIntent(intent);
    const fault = intentFault(intent);
    if (fault !== undefined) throw wrongAnswer(fault);
    this.wish(host, intent);
  }

  #stream({ streaming }: Route, event: MarketEvent): void {
    for (const host of streaming) {
      try {
        host.market(event);
        if (host.failure !== undefined) throw host.failure.error;
      } catch (error) {
        throw this.#blame(error, host, described(event));
      }
    }
  }

  #blame(error: unknown, host: StrategyHost, doing: string): TidegateError {
    const { time, sequence } = this.state;
    const newest = doing.includes(' ') || sequence === 0 ? '' : ` after market data ${sequence}`;
    return blamed(error, { who: `strategy "${host.id}"`, what: `${doing}${newest}`, time });
  }
}

function described({ kind, sequence, symbol }: MarketEvent): string {
  return `${kind} ${sequence} of ${symbol}`;
}

function callHook(strategy: Strategy, event: MarketEvent): Intents {
  switch (event.kind) {
    case 'quote':
      return strategy.onQuote!(event);
    case 'bar':
      return strategy.onBar!(event);
    case 'depth':
      return strategy.onDepth!(event);
    case 'trade':
      return strategy.onTrade!(event);
    case 'ticker':
      return strategy.onTicker!(event);
    case 'mark':
      return strategy.onMark!(event);
    case 'funding':
      return strategy.onFunding!(event);
  }
}
