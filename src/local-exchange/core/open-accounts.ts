import type { MatchingEngine } from '../../matching/matching-engine.ts';
import { Decimal } from '../../model/decimal.ts';
import { TidegateError } from '../../model/errors.ts';
import type { AccountDirectory } from '../accounts/account-directory.ts';
import type { AccountSpec } from '../accounts/account-spec.ts';
import { credentialsOf } from '../accounts/credentials.ts';
import { ExchangeAccount } from '../accounts/exchange-account.ts';
import { WALLET_NAMES } from '../accounts/wallet.ts';
import type { Market } from '../market/market.ts';
import { sumCoin, worthOf } from '../market/worth.ts';
import type { ExchangeOptions } from '../options.ts';
import { OrderStore, type Visibility } from '../trading/order-store.ts';
import type { WireIds } from '../trading/wire-ids.ts';

/** Beyond what a double holds, as real ones are. */
const FIRST_UID = 690_800_371_848_700_001n;

/** The exchange that they are opened at. */
export interface Opening {
  readonly accounts: AccountDirectory;
  readonly ids: WireIds;
  readonly matching: MatchingEngine;
  readonly market: Market;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly options: Pick<ExchangeOptions, 'name' | 'margin' | 'instruments'>;
}

/**
 * Opens the accounts of the config, with their money and who invited whom.
 * @throws TidegateError CONFIG_INVALID where names repeat, or an inviter is not there.
 */
export function openAccounts(exchange: Opening, specs: readonly AccountSpec[], visibility: Visibility): void {
  const { accounts, startedAt, market } = exchange;
  const coin = sumCoin(exchange.options.instruments);
  const worth = (quote: string) => worthOf(quote, coin, market.views);
  for (const [index, spec] of specs.entries()) {
    const account = new ExchangeAccount({
      name: spec.name,
      uid: spec.uid ?? String(FIRST_UID + BigInt(index)),
      credentials: credentialsOf(exchange.options.name, spec),
      registerTime: startedAt,
      kyc: spec.kyc ?? true,
      orders: new OrderStore(exchange.ids, visibility, worth),
      margin: (instrument) => exchange.options.margin(instrument, spec.name),
      onFill: (fill) => market.traded(fill),
    });
    accounts.add(account);
    exchange.matching.addAccount(account.trading);
    account.affiliate = spec.affiliate ?? false;
    account.subAffiliate = spec.subAffiliate ?? false;
    account.frozen = spec.frozen ?? false;
    for (const wallet of WALLET_NAMES) {
      for (const [coin, amount] of Object.entries(spec.balances?.[wallet] ?? {}))
        account.deposit(startedAt, wallet, coin, new Decimal(amount));
    }
  }
  for (const { name, invitedBy } of specs) {
    if (invitedBy === undefined) continue;
    const inviter = accounts.named(invitedBy);
    if (inviter === undefined || invitedBy === name) {
      throw new TidegateError('CONFIG_INVALID', `accounts: "${name}" is invited by "${invitedBy}", which is no other account`);
    }
    accounts.named(name)!.inviter = inviter.uid;
  }
}
