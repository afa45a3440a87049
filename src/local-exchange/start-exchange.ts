import type { FastifyInstance } from 'fastify';
import type { Subscription } from 'rxjs';
import type { MarketEvent } from '../model/market-events.ts';
import type { FeedItem } from '../ports/market-feed.ts';
import type { Exchange } from './core/exchange.ts';
import type { AccountListing } from './core/exchange-account.ts';
import { priceInput } from './core/market.ts';
import { RunningCore } from './core/running-core.ts';
import { FaultPlan } from './faults.ts';
import { Answering } from './http/answering.ts';
import { addControl, Control } from './http/control.ts';
import { addOperations, createHost, listen, Waiting } from './http/host.ts';
import { LIMITS } from './http/request-limits.ts';
import type { ExchangeOptions } from './options.ts';

/** A running local exchange. */
export interface RunningExchange {
  /** Base URLs. */
  readonly spot: string;
  readonly futures: string;
  /** URL of the control API, if it is on. */
  readonly controlUrl: string | undefined;
  readonly accounts: readonly AccountListing[];
  /** The control API as an object, without HTTP. */
  readonly control: Control;
  /** The exchange itself: for code in the same process. */
  readonly exchange: Exchange;
  /** Epoch ms of the exchange. */
  now(): number;
  close(): Promise<void>;
}

/**
 * Starts a local exchange on loopback ports.
 * @throws TidegateError CONFIG_INVALID for inconsistent accounts or a port in use, DATA_INVALID
 * for a state file of another kind.
 */
export async function startExchange(options: ExchangeOptions): Promise<RunningExchange> {
  const { clock, ports = {}, log, step } = options;
  const limits = { ...LIMITS, ...options.limits };
  const faults = new FaultPlan(options.faults);
  const core = new RunningCore(options, faults);
  const control = new Control({ core, faults, step });
  const answering = new Answering({ core, limits, skewMs: faults.skewMs, jumpMs: faults.jumpMs, staleMs: () => faults.staleMs, log });
  const waiting = new Waiting(clock);
  const servers: FastifyInstance[] = [];
  const host = (name: 'spot' | 'futures') => {
    const server = createHost({ host: name, limits, clock });
    servers.push(server);
    return server;
  };
  const [spot, futures] = [host('spot'), host('futures')];
  addOperations(spot, 'spot', { answering, faults, clock, waiting });
  addOperations(futures, 'futures', { answering, faults, clock, waiting });
  const door = ports.control === undefined ? undefined : host('futures');
  if (door !== undefined) addControl(door, control);
  const prices: (Subscription | undefined)[] = [];
  const close = async () => {
    for (const one of prices) one?.unsubscribe();
    waiting.close();
    core.close();
    await Promise.all(servers.map((server) => server.close()));
  };
  try {
    const urls = {
      spot: await listen(spot, ports.spot ?? 0),
      futures: await listen(futures, ports.futures ?? 0),
      controlUrl: door === undefined ? undefined : await listen(door, ports.control ?? 0),
    };
    prices.push(options.feed?.reports$?.subscribe((report) => core.exchange.market.report(report, core.now())));
    const events = options.feed?.events$.subscribe({
      next: (item) => {
        const [first, ...others] = eventsOf(item).map(priceInput);
        if (first !== undefined && others.length === 0) core.act('price', first);
        else if (first !== undefined) core.act('prices', [first, ...others]);
      },
      error: (error: unknown) => log?.warn('the price feed of the local exchange failed: the last prices remain', { error: String(error) }),
    });
    prices.push(events);
    const accounts = core.exchange.accounts.all.map(({ uid, identity }) => ({ name: identity.name, uid, ...identity.credentials }));
    return { ...urls, accounts, control, exchange: core.exchange, now: () => core.now(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function eventsOf(item: FeedItem): readonly MarketEvent[] {
  switch (item.kind) {
    case 'together':
      return item.events;
    case 'priceInstant':
    case 'settled':
    case 'ending':
    case 'stopping':
    case 'command':
    case 'healthChanged':
      return [];
    default:
      return [item];
  }
}
