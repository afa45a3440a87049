import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Balance, LedgerEntry } from '../../../model/ledger.ts';
import type { OrderRequest } from '../../../model/order.ts';
import type { BalanceChanged } from '../../../model/order-events.ts';

/** What an open order still asks for. */
export interface Binding {
  readonly request: OrderRequest;
  readonly toldSteps: number;
}

/** The spot wallet as far as its owner has been told: fills move it when they are, and open orders bind it from the end of a look. */
export class ObservedWallet {
  readonly #balances = new Map<string, Balance>();

  constructor(
    private readonly emit: (event: BalanceChanged) => void,
    private readonly now: () => number,
    /** False of accounts that reserve nothing. */
    private readonly reserves: boolean,
  ) {}

  frozen(asset: string): Decimal {
    return this.#balances.get(asset)?.frozen ?? ZERO;
  }

  post(entry: LedgerEntry): void {
    const { asset, amount } = entry;
    this.#set({ wallet: 'spot', asset, total: this.#total(asset).plus(amount), frozen: this.frozen(asset) }, entry);
  }

  /** A limit buy binds its limit, a sell its base; a market order is over before it binds anything. */
  freeze(orders: Iterable<Binding>): void {
    if (!this.reserves) return;
    const needs = new Map<string, Decimal>();
    for (const { request, toldSteps } of orders) {
      const { instrument, side, priceTicks, steps = 0 } = request;
      const left = Math.max(0, steps - toldSteps);
      const asset = side === 'sell' ? instrument.base : instrument.quote;
      const amount =
        side === 'sell' ? instrument.step.toDecimal(left) : priceTicks === undefined ? ZERO : instrument.notional(priceTicks, left);
      needs.set(asset, (needs.get(asset) ?? ZERO).plus(amount));
    }
    for (const asset of new Set([...needs.keys(), ...this.#balances.keys()])) {
      const frozen = needs.get(asset) ?? ZERO;
      if (!frozen.equals(this.frozen(asset))) this.#set({ wallet: 'spot', asset, total: this.#total(asset), frozen }, undefined);
    }
  }

  #total(asset: string): Decimal {
    return this.#balances.get(asset)?.total ?? ZERO;
  }

  #set(balance: Balance, entry: LedgerEntry | undefined): void {
    this.#balances.set(balance.asset, balance);
    this.emit({ kind: 'balanceChanged', time: this.now(), balance, entry });
  }
}
