import type { FillSettings } from '../matching/settings.ts';
import type { Decimal } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarginSettings } from '../model/margin.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Behaviour } from './behaviour.ts';
import type { Coin } from './core/coins.ts';
import type { AccountSpec } from './core/exchange-account.ts';
import type { ListingRules } from './core/listings.ts';
import type { FaultSettings } from './faults.ts';
import type { PriceFeed } from './feeds.ts';
import type { LimitSettings } from './http/request-limits.ts';

/** The listings, accounts and behaviour of a local exchange. Everything but the first six has a default. */
export interface ExchangeOptions {
  /** Name of the exchange, used in derived keys and ids. */
  readonly name: string;
  readonly clock: Clock;
  /** Their `index` is their place in this list. */
  readonly instruments: readonly Instrument[];
  readonly accounts: readonly AccountSpec[];
  readonly fills: FillSettings;
  /** Margin settings of a contract in the account with this name. */
  readonly margin: (instrument: Instrument, account: string) => MarginSettings;
  /** The source of prices; without one they come only through the control API. */
  readonly feed?: PriceFeed | undefined;
  /** Advances the clock by this many ms, if it is a stepped one. */
  readonly step?: ((ms: number) => void) | undefined;
  /** By symbol. */
  readonly listings?: ReadonlyMap<string, ListingRules> | undefined;
  readonly coins?: readonly Coin[] | undefined;
  readonly matching?: MatchingBehaviour | undefined;
  readonly behaviour?: Partial<Behaviour> | undefined;
  readonly lists?: Partial<ListSettings> | undefined;
  readonly limits?: Partial<LimitSettings> | undefined;
  readonly faults?: Partial<FaultSettings> | undefined;
  /** Loopback ports; 0 takes a free one. `control` is off by default. */
  readonly ports?: { readonly spot?: number; readonly futures?: number; readonly control?: number | undefined } | undefined;
  /** File in which the exchange stores its actions, so that it continues after a restart. */
  readonly stateFile?: string | undefined;
  readonly log?: Log | undefined;
}

interface MatchingBehaviour {
  readonly markMaxAgeMs?: number | undefined;
  readonly liquidation?: boolean | undefined;
  /** The opening balance of the insurance fund, by asset. */
  readonly insuranceFund?: ReadonlyMap<string, Decimal> | undefined;
}

/** The content of the lists of futures: which ended orders and positions are kept, and what the document leaves open. */
export interface ListSettings {
  /** Filled and canceled futures orders, in operation 14. */
  readonly keepTerminalOrders: boolean;
  /** Flat positions, in operations 15 and 16. */
  readonly keepFlatPositions: boolean;
  /** How long a futures order is shown as `pending`, in ms, from its arrival or trigger; default 0. A fill ends it. */
  readonly pendingMs?: number | undefined;
  /** How long a canceled futures order is shown as `canceling`, in ms; default 0. */
  readonly cancelingMs?: number | undefined;
  /** The word for shared margin; default SHARED. */
  readonly sharedMode?: 'SHARED' | 'CROSS' | undefined;
  /** By how much each list is behind, in ms, in addition to the lag of every read; default 0. An order can be in none of them meanwhile. */
  readonly lagMs?: Partial<Readonly<Record<FuturesList, number>>> | undefined;
}

/** The lists of futures that can be behind each other. `current` is operation 14. */
export const FUTURES_LISTS = ['current', 'detail', 'history', 'triggers', 'triggerHistory', 'fills', 'bills'] as const;
export type FuturesList = (typeof FUTURES_LISTS)[number];

export const LISTS: ListSettings = { keepTerminalOrders: false, keepFlatPositions: false };

/** The object without members that are `undefined`, which would override defaults. */
export function defined<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
