import type { Exchange } from '../../src/local-exchange/core/exchange.ts';
import type { ExchangeAccount } from '../../src/local-exchange/core/exchange-account.ts';
import { WALLET_NAMES, type WalletName } from '../../src/local-exchange/core/wallets.ts';
import { type Decimal, ZERO } from '../../src/model/decimal.ts';

/** Amounts by wallet and coin. */
class Sums {
  readonly #sums = new Map<string, Decimal>();

  add(wallet: WalletName, coin: string, amount: Decimal): void {
    const key = `${wallet} ${coin}`;
    this.#sums.set(key, (this.#sums.get(key) ?? ZERO).plus(amount));
  }

  of(wallet: WalletName, coin: string): Decimal {
    return this.#sums.get(`${wallet} ${coin}`) ?? ZERO;
  }
}

/**
 * Every total of every account, computed again from its deposits, transfers, withdrawals and fills, to the last digit. The cash of a
 * contract is what its fills paid, with the open value of the positions that are left added back.
 * @returns what differs.
 */
export function wrongBooks({ accounts, treasury, coins }: Exchange): string[] {
  const wrong: string[] = [];
  for (const account of accounts.all) {
    const sums = flowsOf(account, treasury.withdrawals);
    for (const coin of coins.map(({ name }) => name)) {
      for (const wallet of WALLET_NAMES) {
        const { total, frozen } = held(account, wallet, coin);
        const expected = sums.of(wallet, coin);
        const where = `${account.identity.name}, ${wallet} ${coin}`;
        if (!total.eq(expected)) wrong.push(`${where}: ${total.toFixed()}, expected ${expected.toFixed()}`);
        if (total.isNegative() || frozen.isNegative() || (wallet !== 'futures' && frozen.greaterThan(total)))
          wrong.push(`${where}: ${frozen.toFixed()} of ${total.toFixed()} are frozen`);
      }
    }
  }
  return wrong;
}

/** Amounts that are frozen although nothing is open. */
export function leftFrozen({ accounts, coins }: Exchange): string[] {
  return accounts.all.flatMap((account) =>
    coins.flatMap(({ name: coin }) =>
      (['spot', 'funding'] as const)
        .map((wallet) => ({ wallet, frozen: held(account, wallet, coin).frozen }))
        .filter(({ frozen }) => !frozen.isZero())
        .map(({ wallet, frozen }) => `${account.identity.name}, ${wallet}: ${frozen.toFixed()} ${coin} are frozen with no open order`),
    ),
  );
}

function held({ spot, futures, funding }: ExchangeAccount, wallet: WalletName, coin: string): { total: Decimal; frozen: Decimal } {
  if (wallet === 'funding') return { total: funding.total(coin), frozen: funding.total(coin).minus(funding.available(coin)) };
  return (wallet === 'spot' ? spot : futures).ledger.balance(coin);
}

function flowsOf(account: ExchangeAccount, withdrawals: Exchange['treasury']['withdrawals']): Sums {
  const sums = new Sums();
  for (const { wallet, coin, amount } of account.deposits) sums.add(wallet, coin, amount);
  const own = new Set(withdrawals.map(({ id }) => id));
  for (const [id, { coin, amount, from, to }] of account.transfers) {
    if (own.has(id)) continue;
    sums.add(from, coin, amount.negated());
    sums.add(to, coin, amount);
  }
  for (const { status, from, to, coin, amount, fromWallet, toWallet } of withdrawals) {
    if (status !== 'SUCCESS') continue;
    if (from === account.uid) sums.add(fromWallet, coin, ZERO.minus(amount));
    if (to === account.uid) sums.add(toWallet, coin, ZERO.plus(amount));
  }
  for (const { fill } of account.orders.fills) {
    const { instrument, side, steps, notional, fee, feeAsset } = fill;
    const wallet = instrument.contract === undefined ? 'spot' : 'futures';
    const sign = side === 'buy' ? 1 : -1;
    sums.add(wallet, instrument.quote, notional.times(-sign));
    sums.add(wallet, feeAsset, fee.negated());
    if (wallet === 'spot') sums.add(wallet, instrument.base, instrument.step.toDecimal(steps).times(sign));
  }
  for (const { instrument, positionSide, openValue } of account.futures.positionRecords())
    sums.add('futures', instrument.quote, positionSide === 'long' ? openValue : openValue.negated());
  return sums;
}
