import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import type { Behaviour } from '../../local-exchange/behaviour.ts';
import type { FaultSettings } from '../../local-exchange/faults.ts';

/** Amounts by coin, as decimal text. */
type Amounts = Readonly<Record<string, string>>;

/** The terms of an instrument of a local exchange. Amounts are decimal text. */
export interface ExchangeInstrument {
  /** Prices are multiples of it, in quote. */
  readonly tickSize: string;
  /** Quantities are multiples of it, in base. */
  readonly stepSize: string;
  /** Fees as a share of the value of a fill: `0.001` is 0.1 %. Default 0; a negative maker fee is paid to the maker. */
  readonly makerFee?: string;
  readonly takerFee?: string;
  /** Limits of an order: quantities in base, values in quote. */
  readonly minQuantity?: string;
  readonly maxQuantity?: string;
  readonly minNotional?: string;
  readonly maxNotional?: string;
  /** The terms of a perpetual: `maintenance`, `tiers`, `liquidationFee`, `margin` and others. */
  readonly contract?: Readonly<Record<string, unknown>>;
  /** Further entries of operation 2: price ratios, sizes of market orders, `enableTrade`. */
  readonly listing?: Readonly<Record<string, unknown>>;
}

/** An account of a local exchange. Keys that are left out are derived from the names of exchange and account. */
export interface ExchangeAccount {
  readonly name: string;
  /** Opening balances by wallet and coin, as decimal text. */
  readonly balances?: { readonly spot?: Amounts; readonly funding?: Amounts; readonly futures?: Amounts };
  readonly uid?: string;
  readonly key?: string;
  readonly secret?: string;
  readonly passphrase?: string;
  /** May call operations 17 to 20. */
  readonly affiliate?: boolean;
  /** Name of the account that invited it. */
  readonly invitedBy?: string;
  readonly subAffiliate?: boolean;
  readonly frozen?: boolean;
  /** Margin settings that differ from those of the exchange. */
  readonly margin?: Readonly<Record<string, unknown>>;
}

/** Where the prices of a local exchange come from. Without a source, only `setPrice` sets them. */
export type ExchangePrices =
  /** Random trades without end, the same for the same seed; `start` has the first price of each symbol. */
  | { readonly synthetic: { readonly seed?: number; readonly start: Amounts } }
  /** A recording by name, from its start; `speed` 2 plays it twice as fast. */
  | {
      readonly recording: string;
      readonly use?: 'ticker' | 'trade' | 'quote' | 'bar' | 'depth';
      readonly speed?: number;
      readonly loop?: boolean;
    }
  /** Another exchange's public tickers: `spotBaseUrl`, `contractBaseUrl`, `everyMs`. */
  | { readonly exchange: Readonly<Record<string, unknown>> };

/**
 * The settings of a local exchange: the keys of its config file, see docs/reference/local-exchange.md. Only `instruments` and `accounts`
 * are required.
 */
export interface ExchangeSettings {
  /** Keys and ids are derived from it; default `local`. */
  readonly name?: string;
  /** `wall` (default): the time of the machine. `stepped`: time moves only by `step`, from now or from a given time (ISO 8601). */
  readonly time?: 'wall' | 'stepped' | { readonly stepped: string };
  readonly prices?: ExchangePrices;
  /** By symbol: `BASE-QUOTE`, or `BASE-QUOTE-PERP` for futures. */
  readonly instruments: Readonly<Record<string, ExchangeInstrument>>;
  readonly accounts: readonly ExchangeAccount[];
  /** Folder of the recordings. */
  readonly dataDir?: string;
  /** Margin settings of all contracts, for every account. */
  readonly margin?: Readonly<Record<string, unknown>>;
  /** Rules of the simulator for fills. */
  readonly fills?: Readonly<Record<string, unknown>>;
  readonly matching?: Readonly<Record<string, unknown>>;
  readonly coins?: readonly Readonly<Record<string, unknown>>[];
  /** Behaviour that the API document does not define. */
  readonly behaviour?: Partial<Behaviour>;
  /** Contents of the futures lists. */
  readonly lists?: Readonly<Record<string, unknown>>;
  /** Rate limits and sizes of requests; 0 is no limit. */
  readonly limits?: Readonly<Record<string, number>>;
  /** The faults that it produces. */
  readonly faults?: Partial<FaultSettings>;
  /** Loopback ports; 0 (default) takes a free one. Without `control` there is no control door over HTTP. */
  readonly ports?: { readonly spot?: number; readonly futures?: number; readonly control?: number };
}

/** The options of `startExchange`. */
export interface StartOptions {
  /** The folder from which a relative `dataDir` starts; default: the working directory. */
  readonly baseDir?: string | undefined;
  /** A file in which the exchange stores its actions, so that it continues after a restart. Without it, nothing is written. */
  readonly stateFile?: string | undefined;
  /** Called with trouble that does not stop the exchange. */
  readonly onWarning?: ((message: string, fields?: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** An account of a running exchange with its keys. They work nowhere else. */
export interface AccountKeys {
  readonly name: string;
  readonly uid: string;
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
}

/**
 * A running local exchange. Methods that change it take decimal text, and throw `REQUEST_INVALID` with the reason if the exchange refuses.
 */
export interface LocalExchange {
  /** Base URL of the spot operations: `http://127.0.0.1:<port>`. */
  readonly spot: string;
  /** Base URL of the futures operations. */
  readonly futures: string;
  /** URL of the control door, if `ports.control` is set. */
  readonly control: string | undefined;
  /** In the order of the settings. */
  readonly accounts: readonly AccountKeys[];
  /** A client of an account, by its name; the first one without a name. `close` of the exchange closes it, too. */
  client(account?: string): ExchangeClient;
  /** Epoch ms of the exchange. */
  now(): number;
  /** Advances time by `ms`, if `time` is `stepped`; what is due on the way happens. Resolves when its clients know the new time. */
  step(ms: number): Promise<void>;
  /** Sets the last price of a symbol, as a trade would: resting orders that it reaches fill. */
  setPrice(symbol: string, price: string): void;
  /** Adds money to a wallet, from outside. */
  deposit(account: string, wallet: 'spot' | 'funding' | 'futures', coin: string, amount: string): void;
  /** Refuses all requests of an account from now on; `false` ends that. */
  freeze(account: string, frozen?: boolean): void;
  /** Changes what goes wrong; keys that are left out do not change. */
  setFaults(faults: Partial<FaultSettings>): void;
  /** Ends the servers, their connections, and the clients that it made. A second call does nothing. */
  close(): Promise<void>;
}

/** The URLs and the keys of a client. */
export interface ClientOptions {
  /** Base URL of the spot operations: https, or http on this machine. */
  readonly spot?: string | undefined;
  /** Base URL of the futures operations. */
  readonly futures?: string | undefined;
  /** The keys of an account: all three or none. */
  readonly key?: string | undefined;
  readonly secret?: string | undefined;
  readonly passphrase?: string | undefined;
  /** Total tries of a request that reads; one that acts is sent once. Default 3. */
  readonly readAttempts?: number | undefined;
  /** Time limit in ms for the connection, for the headers, and for the body of a reply. Default 5,000, 10,000 and 10,000. */
  readonly timeoutMs?: number | undefined;
}
