import { type Decimal, ZERO } from '../../model/decimal.ts';
import { invariant } from '../../model/errors.ts';
import type { Wallet } from './wallet.ts';

/** Money that nothing trades with. The matching room does not know it. */
export class FundingWallet implements Wallet {
  readonly #total = new Map<string, Decimal>();
  readonly #frozen = new Map<string, Decimal>();

  get coins(): string[] {
    return [...this.#total.keys()];
  }

  total(coin: string): Decimal {
    return this.#total.get(coin) ?? ZERO;
  }

  available(coin: string): Decimal {
    return this.total(coin).minus(this.#frozen.get(coin) ?? ZERO);
  }

  deposit(_time: number, coin: string, amount: Decimal): void {
    const total = this.total(coin).plus(amount);
    invariant(!total.isNegative(), 'a funding wallet is never overdrawn');
    this.#total.set(coin, total);
  }

  transfer(time: number, coin: string, amount: Decimal): void {
    this.deposit(time, coin, amount);
  }

  freeze(_time: number, coin: string, amount: Decimal): void {
    const frozen = (this.#frozen.get(coin) ?? ZERO).plus(amount);
    invariant(!frozen.isNegative(), 'no more is released than was frozen');
    this.#frozen.set(coin, frozen);
  }
}
