import { createHmac } from 'node:crypto';
import { SpotAccount } from '../../matching/accounts/spot-account.ts';
import { TwoWalletAccount } from '../../matching/accounts/two-wallet-account.ts';
import { FuturesAccount } from '../../matching/futures/futures-account.ts';
import { isForcedClose, type VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import { invariant, TidegateError } from '../../model/errors.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { MarginSettings } from '../../model/margin.ts';
import { BillBook } from './bills.ts';
import type { OrderStore, WireIds } from './order-store.ts';
import { FundingWallet, futuresWallet, spotWallet, type Wallet, type WalletName, type Wallets } from './wallets.ts';

/** An account of the config. */
export interface AccountSpec {
  readonly name: string;
  /** User id, up to 64 bits as digits; by default derived from the place in the list. */
  readonly uid?: string | undefined;
  /** Credentials; by default derived from the names of exchange and account. */
  readonly key?: string | undefined;
  readonly secret?: string | undefined;
  readonly passphrase?: string | undefined;
  /** May call operations 17 to 20. */
  readonly affiliate?: boolean | undefined;
  /** Name of the account that invited it. */
  readonly invitedBy?: string | undefined;
  /** Counts as a sub-affiliate of its inviter. */
  readonly subAffiliate?: boolean | undefined;
  readonly kyc?: boolean | undefined;
  /** Every request is refused with 40013, and internal withdrawals to it fail. */
  readonly frozen?: boolean | undefined;
  /** Its opening balances: decimal text by coin, by wallet. */
  readonly balances?: Partial<Wallets<Readonly<Record<string, string>> | undefined>> | undefined;
}

/** Signs requests. It belongs to a local exchange, so it is no secret. */
interface Credentials {
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
}

/** The credentials of an account: as configured, or derived from the names, so that every start has the same. */
export function credentialsOf(exchange: string, { name, key, secret, passphrase }: AccountSpec): Credentials {
  const derived = (what: string, length: number) =>
    createHmac('sha256', 'tidegate local exchange').update(`${exchange}/${name}/${what}`).digest('hex').slice(0, length);
  return {
    key: key ?? `local_${derived('key', 24)}`,
    secret: secret ?? derived('secret', 64),
    passphrase: passphrase ?? derived('passphrase', 16),
  };
}

/** Money from outside. */
interface Deposit {
  readonly time: number;
  readonly wallet: WalletName;
  readonly coin: string;
  readonly amount: Decimal;
}

/** A transfer between wallets, of this account or to another's. */
interface TransferEntry {
  readonly time: number;
  readonly coin: string;
  readonly amount: Decimal;
  readonly from: WalletName;
  readonly to: WalletName;
  readonly status: 'PROGRESSING' | 'SUCCESS' | 'FAILED';
}

interface AccountIdentity {
  readonly name: string;
  readonly uid: string;
  readonly credentials: Credentials;
  /** Epoch ms. */
  readonly registerTime: number;
  readonly kyc: boolean;
  readonly orders: OrderStore;
  readonly ids: WireIds;
  readonly margin: (instrument: Instrument) => MarginSettings;
  /** Places to which spot fees are rounded, up; -1 rounds none. */
  readonly feePlaces: number;
  /** Receives its fills, including liquidations. */
  readonly onFill: (fill: Fill) => void;
}

/** One user of the exchange: three wallets, orders, and links to other accounts. Other users do not see them. */
export class ExchangeAccount {
  readonly uid: string;
  readonly orders: OrderStore;
  readonly bills: BillBook;
  readonly spot: SpotAccount;
  readonly futures: FuturesAccount;
  readonly funding = new FundingWallet();
  /** The account in the simulator. */
  readonly trading: TwoWalletAccount;
  readonly wallets: Wallets<Wallet>;
  readonly deposits: Deposit[] = [];
  /** By id if they come from an internal withdrawal, which changes its status. Oldest first. */
  readonly transfers = new Map<string, TransferEntry>();
  affiliate = false;
  subAffiliate = false;
  frozen = false;
  /** Uid of the account that invited it. */
  inviter: string | undefined;

  constructor(readonly identity: AccountIdentity) {
    this.uid = identity.uid;
    this.orders = identity.orders;
    this.bills = new BillBook(identity.ids);
    const emit = (event: VenueEvent) => {
      this.orders.take(event);
      this.bills.take(event);
      if (event.kind === 'orderFilled' || isForcedClose(event)) identity.onFill(event.fill);
    };
    this.spot = new SpotAccount(emit, identity.feePlaces);
    this.futures = new FuturesAccount(emit, identity.margin);
    this.trading = new TwoWalletAccount(this.spot, this.futures);
    this.wallets = { spot: spotWallet(this.spot), funding: this.funding, futures: futuresWallet(this.futures) };
  }

  deposit(time: number, wallet: WalletName, coin: string, amount: Decimal): void {
    this.wallets[wallet].deposit(time, coin, amount);
    this.deposits.push({ time, wallet, coin, amount });
  }
}

/** Finds accounts by their three names. */
export class AccountDirectory {
  readonly #byUid = new Map<string, ExchangeAccount>();
  readonly #byKey = new Map<string, ExchangeAccount>();
  readonly #byName = new Map<string, ExchangeAccount>();

  /** @throws TidegateError CONFIG_INVALID if a uid, key or name is in use. */
  add(account: ExchangeAccount): void {
    const { name, uid, credentials } = account.identity;
    if (this.#byUid.has(uid) || this.#byKey.has(credentials.key) || this.#byName.has(name)) {
      throw new TidegateError('CONFIG_INVALID', `accounts: name, uid and key of "${name}" must each be its own`);
    }
    this.#byUid.set(uid, account);
    this.#byKey.set(credentials.key, account);
    this.#byName.set(name, account);
  }

  get all(): ExchangeAccount[] {
    return [...this.#byUid.values()];
  }

  find(uid: string): ExchangeAccount | undefined {
    return this.#byUid.get(uid);
  }

  /** The account of a uid that was checked before. */
  get(uid: string): ExchangeAccount {
    const account = this.#byUid.get(uid);
    invariant(account !== undefined, 'an action names a known account');
    return account;
  }

  withKey(key: string): ExchangeAccount | undefined {
    return this.#byKey.get(key);
  }

  named(name: string): ExchangeAccount | undefined {
    return this.#byName.get(name);
  }

  invitedBy(uid: string): ExchangeAccount[] {
    return this.all.filter(({ inviter }) => inviter === uid);
  }
}

/** An account as printed at the start of the exchange: with everything that a client needs to sign. */
export interface AccountListing {
  readonly name: string;
  readonly uid: string;
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
}
