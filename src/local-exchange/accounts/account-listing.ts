/** An account as the start of the exchange shows it: what a client needs to sign. */
export interface AccountListing {
  readonly name: string;
  readonly uid: string;
  readonly key: string;
  readonly secret: string;
  readonly passphrase: string;
}
