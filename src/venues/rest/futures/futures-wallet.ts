import type { BalanceChanged } from '../../../model/account-events.ts';
import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Balance, LedgerEntry, LedgerReason } from '../../../model/ledger.ts';

/** The futures wallet as it was reported: the sum of its entries, and the margin of positions and orders. */
export class FuturesWallet {
  readonly #balances = new Map<string, Balance>();

  constructor(
    private readonly emit: (event: BalanceChanged) => void,
    private readonly now: () => number,
  ) {}

  total(asset: string): Decimal {
    return this.#balances.get(asset)?.total ?? ZERO;
  }

  /** Restores the balances from the journal. The engine has them already. */
  resume(balances: ReadonlyMap<string, Decimal>): void {
    for (const [asset, total] of balances) this.#balances.set(asset, { wallet: 'futures', asset, total, frozen: ZERO });
  }

  post(asset: string, amount: Decimal, reason: LedgerReason, fillId = ''): void {
    if (amount.isZero()) return;
    const frozen = this.#balances.get(asset)?.frozen ?? ZERO;
    this.#set({ wallet: 'futures', asset, total: this.total(asset).plus(amount), frozen }, { asset, amount, reason, fillId });
  }

  freeze(asset: string, frozen: Decimal): void {
    const balance = this.#balances.get(asset);
    if (balance === undefined || balance.frozen.equals(frozen)) return;
    this.#set({ ...balance, frozen }, undefined);
  }

  #set(balance: Balance, entry: LedgerEntry | undefined): void {
    this.#balances.set(balance.asset, balance);
    this.emit({ kind: 'balanceChanged', time: this.now(), balance, entry });
  }
}
