import { type Decimal, ZERO } from '../model/decimal.ts';
import { invariant } from '../model/errors.ts';
import type { Balance, LedgerEntry, Wallet } from '../model/ledger.ts';
import type { BalanceChanged } from '../model/order-events.ts';
import type { ExchangeBook } from './exchange.ts';

/** The exact balances of one wallet; every movement leaves as a `balanceChanged` event and is countered by the exchange. */
export class AccountLedger {
  readonly #balances = new Map<string, Balance>();
  #exchange: ExchangeBook | undefined;

  constructor(
    private readonly emit: (event: BalanceChanged) => void,
    readonly wallet: Wallet = 'spot',
  ) {}

  /** Names the books that take the other half of each movement. */
  join(exchange: ExchangeBook): void {
    this.#exchange = exchange;
  }

  balance(asset: string): Balance {
    return this.#balances.get(asset) ?? { wallet: this.wallet, asset, total: ZERO, frozen: ZERO };
  }

  available(asset: string): Decimal {
    const { total, frozen } = this.balance(asset);
    return total.minus(frozen);
  }

  get balances(): IterableIterator<Balance> {
    return this.#balances.values();
  }

  post(time: number, entry: LedgerEntry): void {
    invariant(this.#exchange !== undefined, 'an account is at an exchange before money moves');
    const { total, frozen } = this.balance(entry.asset);
    this.#exchange.counter(entry);
    this.#set(time, { wallet: this.wallet, asset: entry.asset, total: total.plus(entry.amount), frozen }, entry);
  }

  /** Freezes (positive) or releases (negative) funds. */
  freeze(time: number, asset: string, amount: Decimal): void {
    if (!amount.isZero()) this.hold(time, asset, this.balance(asset).frozen.plus(amount));
  }

  /** Says how much is frozen from here. */
  hold(time: number, asset: string, frozen: Decimal): void {
    const { total, frozen: before } = this.balance(asset);
    if (frozen.equals(before)) return;
    invariant(!frozen.isNegative(), `no more ${asset} is released than was frozen`);
    this.#set(time, { wallet: this.wallet, asset, total, frozen }, undefined);
  }

  #set(time: number, balance: Balance, entry: LedgerEntry | undefined): void {
    this.#balances.set(balance.asset, balance);
    this.emit({ kind: 'balanceChanged', time, balance, entry });
  }
}
