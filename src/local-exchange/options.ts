import type { FillSettings } from '../matching/settings.ts';
import type { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarginSettings } from '../model/margin.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Behaviour } from './behaviour.ts';
import type { Coin } from './core/coins.ts';
import type { AccountSpec } from './core/exchange-account.ts';
import type { ListingRules } from './core/order-checks.ts';
import type { FaultSettings } from './faults.ts';
import type { PriceFeed } from './feeds.ts';
import type { LimitSettings } from './http/request-limits.ts';

/** What a local exchange lists, whom it knows, and how it behaves. Everything but the first six has a default. */
export interface ExchangeOptions {
  /** Names the exchange in derived keys and ids. */
  readonly name: string;
  readonly clock: Clock;
  /** Their `index` is their place in this list. */
  readonly instruments: readonly Instrument[];
  readonly accounts: readonly AccountSpec[];
  readonly fills: FillSettings;
  /** Margin settings of a contract in the account of that name. */
  readonly margin: (instrument: Instrument, account: string) => MarginSettings;
  /** Where prices come from; without one they come through the control door alone. */
  readonly feed?: PriceFeed | undefined;
  /** Moves the clock by so many ms, where it is one that is stepped. */
  readonly step?: ((ms: number) => void) | undefined;
  /** By symbol. */
  readonly listings?: ReadonlyMap<string, ListingRules> | undefined;
  readonly coins?: readonly Coin[] | undefined;
  readonly matching?: MatchingBehaviour | undefined;
  readonly behaviour?: Partial<Behaviour> | undefined;
  readonly lists?: Partial<ListSettings> | undefined;
  readonly limits?: Partial<LimitSettings> | undefined;
  readonly faults?: Partial<FaultSettings> | undefined;
  /** Loopback ports; 0 takes a free one. `control` is off where left out. */
  readonly ports?: { readonly spot?: number; readonly futures?: number; readonly control?: number | undefined } | undefined;
  /** File in which the exchange keeps what happened, so that it goes on from there after a restart. */
  readonly stateFile?: string | undefined;
  readonly log?: Log | undefined;
}

interface MatchingBehaviour {
  readonly markMaxAgeMs?: number | undefined;
  readonly liquidation?: boolean | undefined;
  /** What the insurance fund opens with, by asset. */
  readonly insuranceFund?: ReadonlyMap<string, Decimal> | undefined;
}

/** What the lists of futures show: which ended orders and positions stay, and what the document leaves open. */
export interface ListSettings {
  /** Filled and canceled futures orders, in operation 14. */
  readonly keepTerminalOrders: boolean;
  /** Flat positions, in operations 15 and 16. */
  readonly keepFlatPositions: boolean;
  /** Ms for which a futures order is shown as `pending`, from its arrival or from when it fires; default 0. A fill ends it. */
  readonly pendingMs?: number | undefined;
  /** Ms for which a canceled futures order is shown as `canceling` before it is over; default 0. */
  readonly cancelingMs?: number | undefined;
  /** The word for shared margin; default SHARED. */
  readonly sharedMode?: 'SHARED' | 'CROSS' | undefined;
}

export const LISTS: ListSettings = { keepTerminalOrders: false, keepFlatPositions: false };

/** The object without members that are `undefined`, which would stand over defaults. */
export function defined<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
