import { type Decimal, ZERO } from '../model/decimal.ts';
import { invariant } from '../model/errors.ts';
import type { Balance, LedgerEntry } from '../model/ledger.ts';
import type { BalanceChanged } from '../model/order-events.ts';

/** The exact balances of one account; every movement leaves as a `balanceChanged` event. */
export class AccountLedger {
  readonly #balances = new Map<string, Balance>();

  constructor(private readonly emit: (event: BalanceChanged) => void) {}

  balance(asset: string): Balance {
    return this.#balances.get(asset) ?? { asset, total: ZERO, frozen: ZERO };
  }

  available(asset: string): Decimal {
    const { total, frozen } = this.balance(asset);
    return total.minus(frozen);
  }

  get balances(): IterableIterator<Balance> {
    return this.#balances.values();
  }

  post(time: number, entry: LedgerEntry): void {
    const { total, frozen } = this.balance(entry.asset);
    this.#set(time, { asset: entry.asset, total: total.plus(entry.amount), frozen }, entry);
  }

  /** Freezes (positive) or releases (negative) funds. */
  freeze(time: number, asset: string, amount: Decimal): void {
    if (amount.isZero()) return;
    const { total, frozen } = this.balance(asset);
    const next = frozen.plus(amount);
    invariant(!next.isNegative(), `no more ${asset} is released than was frozen`);
    this.#set(time, { asset, total, frozen: next }, undefined);
  }

  #set(time: number, balance: Balance, entry: LedgerEntry | undefined): void {
    this.#balances.set(balance.asset, balance);
    this.emit({ kind: 'balanceChanged', time, balance, entry });
  }
}
