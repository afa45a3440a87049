import type { SpotAccount } from '../../matching/accounts/spot-account.ts';
import type { FuturesAccount } from '../../matching/futures/futures-account.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import type { Wallet } from './wallet.ts';

/** The spot half of a matching account as a wallet. */
export function spotWallet(account: SpotAccount): Wallet {
  const post = (time: number, coin: string, amount: Decimal) => account.deposit(time, 'spot', coin, amount);
  return {
    available: (coin) => account.ledger.available(coin),
    deposit: post,
    transfer: post,
    freeze: (time, coin, amount) => account.ledger.freeze(time, coin, amount),
  };
}

/** The futures half: what may leave is what is free of the shared collateral, without profit that is not realised. */
export function futuresWallet(account: FuturesAccount): Wallet {
  return {
    available: (coin) => {
      const { free, balance, initial, orders } = account.margin(coin);
      const shared = account.collateralRecords().find(({ currency, mode }) => currency === coin && mode === 'shared');
      const cash = (shared?.legacyAmount ?? balance).minus(initial).minus(orders);
      return Decimal.max(ZERO, Decimal.min(free, cash));
    },
    deposit: (time, coin, amount) => account.deposit(time, 'futures', coin, amount),
    transfer: (time, coin, amount) => account.transfer(time, coin, amount),
    freeze: () => invariant(false, 'futures collateral is set aside by positions and orders alone'),
  };
}
