import type { Wallets } from './wallet.ts';

/** An account as the config names it. */
export interface AccountSpec {
  readonly name: string;
  /** User id, up to 64 bits as digits; derived from the place in the list where left out. */
  readonly uid?: string | undefined;
  /** Credentials; derived from the names of exchange and account where left out. */
  readonly key?: string | undefined;
  readonly secret?: string | undefined;
  readonly passphrase?: string | undefined;
  /** May call operations 17 to 20. */
  readonly affiliate?: boolean | undefined;
  /** Name of the account that invited it. */
  readonly invitedBy?: string | undefined;
  /** Counts as a sub-affiliate of whoever invited it. */
  readonly subAffiliate?: boolean | undefined;
  readonly kyc?: boolean | undefined;
  /** Refuses everything with 40013, and internal withdrawals to it fail. */
  readonly frozen?: boolean | undefined;
  /** What it opens with: decimal text by coin, by wallet. */
  readonly balances?: Partial<Wallets<Readonly<Record<string, string>> | undefined>> | undefined;
}
