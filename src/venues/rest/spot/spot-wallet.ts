import { type Decimal, ZERO } from '../../../model/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Balance, LedgerEntry, LedgerReason } from '../../../model/ledger.ts';
import type { BalanceChanged } from '../../../model/order-events.ts';
import type { TrackedOrder } from '../tracked-order.ts';
import type { Resumed } from '../trading.ts';

/**
 * The spot wallet as our records explain it: a baseline, then fills to the last digit. Frozen is what our own open
 * orders bind; the exchange's figures are laid beside it, never copied over it.
 */
export class SpotWallet {
  readonly #balances = new Map<string, Balance>();

  constructor(
    private readonly emit: (event: BalanceChanged) => void,
    private readonly now: () => number,
  ) {}

  total(asset: string): Decimal {
    return this.#balances.get(asset)?.total ?? ZERO;
  }

  frozen(asset: string): Decimal {
    return this.#balances.get(asset)?.frozen ?? ZERO;
  }

  /** Goes on from what the journal says; the engine knows it already. */
  resume({ balances, frozen }: Pick<Resumed, 'balances' | 'frozen'>): void {
    for (const [asset, total] of balances) this.#balances.set(asset, { wallet: 'spot', asset, total, frozen: frozen.get(asset) ?? ZERO });
  }

  post(asset: string, amount: Decimal, reason: LedgerReason, fillId = ''): void {
    if (amount.isZero()) return;
    const entry: LedgerEntry = { asset, amount, reason, fillId };
    this.#set({ wallet: 'spot', asset, total: this.total(asset).plus(amount), frozen: this.frozen(asset) }, entry);
  }

  /** What was bought or sold, then the fee. */
  settle({ instrument, side, steps, notional, fee, feeAsset, fillId }: Fill): void {
    const quantity = instrument.step.toDecimal(steps);
    const buy = side === 'buy';
    this.post(instrument.quote, buy ? notional.negated() : notional, 'trade', fillId);
    this.post(instrument.base, buy ? quantity : quantity.negated(), 'trade', fillId);
    this.post(feeAsset, fee.negated(), 'fee', fillId);
  }

  /** What the open orders bind from here, by asset. */
  freeze(orders: Iterable<TrackedOrder>): void {
    const needs = new Map<string, Decimal>();
    for (const order of orders) {
      if (order.phase !== 'open') continue;
      const [asset, amount] = bound(order);
      needs.set(asset, (needs.get(asset) ?? ZERO).plus(amount));
    }
    for (const asset of new Set([...needs.keys(), ...this.#balances.keys()])) {
      const frozen = needs.get(asset) ?? ZERO;
      if (!frozen.equals(this.frozen(asset))) this.#set({ wallet: 'spot', asset, total: this.total(asset), frozen }, undefined);
    }
  }

  #set(balance: Balance, entry: LedgerEntry | undefined): void {
    this.#balances.set(balance.asset, balance);
    this.emit({ kind: 'balanceChanged', time: this.now(), balance, entry });
  }
}

/** What an open order binds: a limit buy its limit, a sell its base. A market order is over before it binds anything. */
function bound({ request, toldSteps }: TrackedOrder): [asset: string, amount: Decimal] {
  const { instrument, side, priceTicks, steps = 0 } = request;
  const left = Math.max(0, steps - toldSteps);
  if (side === 'sell') return [instrument.base, instrument.step.toDecimal(left)];
  return [instrument.quote, priceTicks === undefined ? ZERO : instrument.notional(priceTicks, left)];
}
