import { type AccountEvent, isOrderEvent, type NamedAccountEvent, type OrderDenied, type OrderNames } from '../../model/account-events.ts';
import type { TidegateError } from '../../model/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { intentFault } from '../../model/intent-faults.ts';
import { type Intent, isIntent } from '../../model/intents.ts';
import type { Bar, MarketEvent } from '../../model/market-events.ts';
import type { Order } from '../../state/order.ts';
import type { State } from '../../state/state.ts';
import { type Intents, logOf, type Strategy } from '../../strategy/strategy.ts';
import { strategyError } from '../strategy-error.ts';
import type { Joins } from './joins.ts';
import type { ClosedBars, Moments } from './moments.ts';
import { type BarTakers, InstrumentRoutes, type Route } from './routes.ts';
import { noIntent, StrategyHost, wrongAnswer } from './strategy-host.ts';

/** The strategies of a run: calls their hooks, collects their intents, and names the strategy that threw. */
export class StrategyRunner {
  readonly #hosts: readonly StrategyHost[];
  /** The run stops, or is over and open orders expire: strategies still receive events, but their intents are ignored. */
  #over = false;

  constructor(
    strategies: readonly Strategy[],
    private readonly state: State,
    /** Takes one intent at a time, in order. */
    private readonly submit: (host: StrategyHost, intent: Intent) => void,
    private readonly moments: Moments,
    /** Where bars are kept that strategies read; without it, none are. */
    private readonly closed: ClosedBars | undefined,
    /** The symbols that strategies receive later; without it, there are none. */
    private readonly joins: Joins | undefined,
  ) {
    this.#hosts = strategies.map((strategy) => new StrategyHost(strategy, (host, intents) => this.collect(host, intents)));
  }

  get hosts(): readonly StrategyHost[] {
    return this.#hosts;
  }

  /** The routes of the market events of an instrument. */
  routesOf({ symbol }: Instrument): InstrumentRoutes {
    const all = this.#hosts.filter((host) => host.received.includes(symbol));
    const waits = ({ id }: StrategyHost) => this.joins?.isWaiting(id, symbol) ?? false;
    const receiving = all.filter((host) => !waits(host));
    return new InstrumentRoutes(symbol, receiving, all.filter(waits), this.closed);
  }

  /** @param route the receivers. */
  showMarket(event: MarketEvent, route: Route): void {
    const { hooked } = route;
    for (let i = 0; i < hooked.length; i++) this.ask(hooked[i]!, event);
    if (route.streaming.length > 0) this.#stream(route, event);
  }

  /** Calls a strategy that has a hook for the event. */
  ask(host: StrategyHost, event: MarketEvent): void {
    try {
      const intents = callHook(host.strategy, event);
      if (intents !== undefined) this.collect(host, intents);
    } catch (error) {
      throw this.#strategyError(error, host, described(event));
    }
  }

  /** Passes a bar to its other takers, before the hooks. */
  takeBar(bar: Bar, { tail, indicators, gathering, waiting }: BarTakers): void {
    tail?.add(bar);
    for (const { host, indicator } of indicators) this.call(host, 'indicator', () => indicator.take(bar));
    for (const host of gathering) this.moments.add(host, bar);
    for (const { id } of waiting) this.joins!.look(id, bar);
  }

  /** All bars of one moment have closed. */
  showBars(host: StrategyHost, bars: readonly Bar[]): void {
    this.call(host, 'onBars', () => this.collect(host, host.strategy.onBars!(bars)));
  }

  /** Delivers an account event to the strategy that owns it, or to all if none does. */
  showAccount(event: AccountEvent, owner: string | undefined): void {
    if (event.kind === 'orderExpired' && event.reason === 'endOfRun') this.#over = true;
    for (const host of this.#hosts) {
      if (owner !== undefined && host.id !== owner) continue;
      try {
        host.account(this.#named(event, host));
        if (host.failure !== undefined) throw host.failure.error;
      } catch (error) {
        throw this.#strategyError(error, host, event.kind);
      }
    }
  }

  /** Adds the names of its order to an order event, if the strategy looks at it. */
  #named(event: AccountEvent, { followsOrders }: StrategyHost): NamedAccountEvent {
    if (!isOrderEvent(event) || !followsOrders) return event as NamedAccountEvent;
    if (event.kind !== 'orderDenied') return { ...event, ...namesOf(this.state.order(event.clientOrderId)!) };
    const { reason } = event;
    const shown = reason.details === undefined ? reason : { ...reason, details: reason.details };
    return { ...event, reason: shown, ...namesOf(event) };
  }

  /** @param saves of an earlier run, by the strategy's id. */
  start(saves?: ReadonlyMap<string, unknown>): void {
    for (const host of this.#hosts) {
      if (saves?.has(host.id)) this.call(host, 'restore', () => host.strategy.restore?.(saves.get(host.id)));
      this.call(host, 'onStart', () => host.start());
    }
  }

  /** The states that strategies save for a restart. */
  saves(): Map<string, unknown> {
    const saves = new Map<string, unknown>();
    for (const host of this.#hosts) {
      if (host.strategy.save !== undefined) this.call(host, 'save', () => saves.set(host.id, host.strategy.save?.()));
    }
    return saves;
  }

  /** Writes to the log of a strategy. */
  warn(strategyId: string, message: string): void {
    logOf(this.#hosts.find(({ id }) => id === strategyId)!.strategy).warn(message);
  }

  /** From now on strategies receive events, but their intents are ignored. */
  silence(): void {
    this.#over = true;
  }

  stop(): void {
    for (const host of this.#hosts) this.call(host, 'onStop', () => host.stop());
  }

  /** Ends the streams. @returns an error of one of them outside any turn. */
  close(): StrategyHost['failure'] {
    for (const host of this.#hosts) host.close();
    return this.#hosts.find(({ failure }) => failure !== undefined)?.failure;
  }

  /** Runs code of a strategy, or of the engine in its name: an error stops the run and names the strategy. */
  call(host: StrategyHost, doing: string, act: () => void): void {
    try {
      act();
      if (host.failure !== undefined) throw host.failure.error;
    } catch (error) {
      throw this.#strategyError(error, host, doing);
    }
  }

  collect(host: StrategyHost, intents: Intents): void {
    if (intents === undefined || this.#over) return;
    if (!Array.isArray(intents)) this.#take(host, intents);
    else for (const intent of intents) this.#take(host, intent);
  }

  /** Strategies are JavaScript at run time: values that the type excludes can arrive. */
  #take(host: StrategyHost, intent: unknown): void {
    if (intent === undefined || intent === null) return;
    if (!isIntent(intent)) throw noIntent(intent);
    const fault = intentFault(intent);
    if (fault !== undefined) throw wrongAnswer(fault);
    this.submit(host, intent);
  }

  #stream({ streaming }: Route, event: MarketEvent): void {
    for (const host of streaming) {
      try {
        host.market(event);
        if (host.failure !== undefined) throw host.failure.error;
      } catch (error) {
        throw this.#strategyError(error, host, described(event));
      }
    }
  }

  #strategyError(error: unknown, host: StrategyHost, doing: string): TidegateError {
    const { time, sequence } = this.state;
    const newest = doing.includes(' ') || sequence === 0 ? '' : ` after market data ${sequence}`;
    return strategyError(error, { who: `strategy "${host.id}"`, what: `${doing}${newest}`, time });
  }
}

function namesOf({ strategyId, symbol, side, tag, ref = '', group = '' }: Order | OrderDenied): OrderNames {
  return { strategyId, symbol, side, tag, ref, group };
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
