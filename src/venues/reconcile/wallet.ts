import type { BalanceChanged } from '../../model/account-events.ts';
import { type Decimal, ZERO } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Balance, LedgerEntry, LedgerReason } from '../../model/ledger.ts';
import type { TrackedOrder } from './order-record.ts';
import type { Resumed } from './settings.ts';

/**
 * The spot wallet as our records explain it: a baseline plus fills, exactly. Frozen amounts are those of our own open
 * orders. The exchange's figures are compared with it and never copied into it.
 */
export class Wallet {
  readonly #balances = new Map<string, Balance>();

  constructor(
    private readonly emit: (event: BalanceChanged) => void,
    private readonly now: () => number,
    private readonly wallet: 'spot' | 'futures',
    /** The account nets positions: it holds no base coins, and orders reserve nothing. */
    private readonly isNetting = false,
  ) {}

  total(asset: string): Decimal {
    return this.#balances.get(asset)?.total ?? ZERO;
  }

  frozen(asset: string): Decimal {
    return this.#balances.get(asset)?.frozen ?? ZERO;
  }

  /** Restores the balances from the journal. The engine has them already. */
  resume({ balances, frozen }: Pick<Resumed, 'balances' | 'frozen'>): void {
    for (const [asset, total] of balances)
      this.#balances.set(asset, { wallet: this.wallet, asset, total, frozen: frozen.get(asset) ?? ZERO });
  }

  post(asset: string, amount: Decimal, reason: LedgerReason, fillId = ''): void {
    if (amount.isZero()) return;
    const entry: LedgerEntry = { asset, amount, reason, fillId };
    this.#set({ wallet: this.wallet, asset, total: this.total(asset).plus(amount), frozen: this.frozen(asset) }, entry);
  }

  /** Books the trade, then its fee. */
  settle({ instrument, side, steps, notional, fee, feeAsset, fillId }: Fill): void {
    const quantity = instrument.step.toDecimal(steps);
    const buy = side === 'buy';
    this.post(instrument.quote, buy ? notional.negated() : notional, 'trade', fillId);
    if (!this.isNetting) this.post(instrument.base, buy ? quantity : quantity.negated(), 'trade', fillId);
    this.post(feeAsset, fee.negated(), 'fee', fillId);
  }

  /** Sets the amount of an asset that positions and orders bind. */
  bind(asset: string, frozen: Decimal): void {
    const balance = this.#balances.get(asset);
    if (balance !== undefined && !balance.frozen.equals(frozen)) this.#set({ ...balance, frozen }, undefined);
  }

  /** Computes the amounts that open orders freeze, by asset. */
  freeze(orders: Iterable<TrackedOrder>): void {
    if (this.isNetting) return;
    const needs = new Map<string, Decimal>();
    for (const order of orders) {
      if (order.phase !== 'open') continue;
      const [asset, amount] = bound(order);
      needs.set(asset, (needs.get(asset) ?? ZERO).plus(amount));
    }
    for (const asset of new Set([...needs.keys(), ...this.#balances.keys()])) {
      const frozen = needs.get(asset) ?? ZERO;
      if (!frozen.equals(this.frozen(asset))) this.#set({ wallet: this.wallet, asset, total: this.total(asset), frozen }, undefined);
    }
  }

  #set(balance: Balance, entry: LedgerEntry | undefined): void {
    this.#balances.set(balance.asset, balance);
    this.emit({ kind: 'balanceChanged', time: this.now(), balance, entry });
  }
}

/** The asset and the amount that an open order freezes: a limit buy its value, a sell its base coins. A market order ends before it freezes anything. */
export function bound({ request, reportedSteps }: TrackedOrder): [asset: string, amount: Decimal] {
  const { instrument, side, priceTicks, steps = 0 } = request;
  const left = Math.max(0, steps - reportedSteps);
  if (side === 'sell') return [instrument.base, instrument.step.toDecimal(left)];
  return [instrument.quote, priceTicks === undefined ? ZERO : instrument.notional(priceTicks, left)];
}
