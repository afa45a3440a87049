import { createHash } from 'node:crypto';
import { credentialsOf } from '../accounts/credentials.ts';
import type { ExchangeOptions } from '../options.ts';

/** A SHA-256 over everything that decides what an action leads to: instruments, accounts, rules. */
export function fingerprint(options: ExchangeOptions): string {
  const { name, instruments, accounts, fills, listings, coins, matching, behaviour, margin } = options;
  const contracts = instruments.filter(({ contract }) => contract !== undefined);
  const settled = {
    name,
    instruments: instruments.map(({ spec }) => spec),
    margin: accounts.map((account) => contracts.map((instrument) => margin(instrument, account.name))),
    accounts: accounts.map((account) => ({ ...account, ...credentialsOf(name, account) })),
    fills,
    listings: [...(listings ?? [])],
    coins,
    matching: { ...matching, insuranceFund: [...(matching?.insuranceFund ?? [])] },
    behaviour,
  };
  return createHash('sha256').update(JSON.stringify(settled)).digest('hex');
}
