import type { TidegateError } from '../model/errors.ts';
import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { AccountEvent } from '../model/order-events.ts';
import type { State } from '../state/state.ts';
import type { Intents, Strategy } from '../strategy/strategy.ts';
import { blamed } from './blame.ts';
import { type Route, Routes } from './routes.ts';
import { StrategyHost } from './strategy-host.ts';

/** The strategies of a run: tells them what happened, takes what they want, and knows who is to blame. */
export class Audience {
  readonly #hosts: readonly StrategyHost[];
  readonly #routes: Routes;
  /** Whose code runs now, and on what: read only when something throws. */
  #host: StrategyHost | undefined;
  #doing = '';

  constructor(
    strategies: readonly Strategy[],
    private readonly state: State,
    /** Takes one intent at a time, in order. */
    private readonly wish: (host: StrategyHost, intent: Intent) => void,
  ) {
    this.#hosts = strategies.map((strategy) => new StrategyHost(strategy, (host, intents) => this.collect(host, intents)));
    this.#routes = new Routes(state.instruments, this.#hosts);
  }

  get hosts(): readonly StrategyHost[] {
    return this.#hosts;
  }

  /** Called for every market event. */
  showMarket(event: MarketEvent): void {
    const route = this.#routes.of(event);
    if (route === undefined) return;
    this.#doing = event.kind;
    const { hooked } = route;
    for (let i = 0; i < hooked.length; i++) {
      const host = hooked[i]!;
      this.#host = host;
      const intents = callHook(host.strategy, event);
      if (intents !== undefined) this.collect(host, intents);
    }
    if (route.streaming.length > 0) this.#stream(route, event);
    this.#host = undefined;
  }

  /** Tells an account event to the strategy it belongs to, or to all where it belongs to none. */
  showAccount(event: AccountEvent, owner: string | undefined): void {
    this.#doing = event.kind;
    for (const host of this.#hosts) {
      if (owner !== undefined && host.id !== owner) continue;
      this.#host = host;
      host.account(event);
      if (host.failure !== undefined) throw host.failure.error;
    }
    this.#host = undefined;
  }

  start(): void {
    this.#doing = 'onStart';
    for (const host of this.#hosts) this.#tell(host, () => host.start());
  }

  stop(): void {
    this.#doing = 'onStop';
    for (const host of this.#hosts) this.#tell(host, () => host.stop());
  }

  /** Ends the streams. @returns what one of them did wrong outside any turn. */
  close(): StrategyHost['failure'] {
    for (const host of this.#hosts) host.close();
    return this.#hosts.find(({ failure }) => failure !== undefined)?.failure;
  }

  collect(host: StrategyHost, intents: Intents): void {
    if (intents === undefined) return;
    if (!Array.isArray(intents)) this.wish(host, intents as Intent);
    else for (const intent of intents as readonly Intent[]) this.wish(host, intent);
  }

  /** Lets the engine act on an intent in its author's name. */
  inNameOf(host: StrategyHost, act: () => void): void {
    this.#doing = 'the review of its intent';
    this.#tell(host, act);
  }

  /** The error that stops the run: who, at which event, where. */
  blame(error: unknown, time: number): TidegateError {
    const who = this.#host === undefined ? 'the engine' : `strategy "${this.#host.id}"`;
    const market = this.state.markets[this.state.newestIndex];
    const newest = market === undefined ? '' : `, newest data ${market.kind} ${market.sequence} of ${market.instrument.symbol}`;
    return blamed(error, { who, what: `${this.#doing}${newest}`, time });
  }

  #stream({ streaming }: Route, event: MarketEvent): void {
    for (const host of streaming) this.#tell(host, () => host.market(event));
  }

  #tell(host: StrategyHost, act: () => void): void {
    this.#host = host;
    act();
    if (host.failure !== undefined) throw host.failure.error;
    this.#host = undefined;
  }
}

function callHook(strategy: Strategy, event: MarketEvent): Intents {
  switch (event.kind) {
    case 'quote':
      return strategy.onQuote!(event);
    case 'bar':
      return strategy.onBar!(event);
    case 'trade':
      return strategy.onTrade!(event);
    case 'ticker':
      return strategy.onTicker!(event);
  }
}
