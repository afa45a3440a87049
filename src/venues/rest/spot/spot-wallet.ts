import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { BalanceChanged } from '../../../model/account-events.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Balance, LedgerEntry, LedgerReason } from '../../../model/ledger.ts';
import type { TrackedOrder } from '../tracked-orders.ts';
import type { Resumed, VenueContext } from '../trading.ts';
import { lookBack } from './fill-window.ts';

/**
 * The spot wallet as our records explain it: a baseline plus fills, exactly. Frozen amounts are those of our own open
 * orders. The exchange's figures are compared with it and never copied into it.
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

  /** Restores the balances from the journal. The engine has them already. */
  resume({ balances, frozen }: Pick<Resumed, 'balances' | 'frozen'>): void {
    for (const [asset, total] of balances) this.#balances.set(asset, { wallet: 'spot', asset, total, frozen: frozen.get(asset) ?? ZERO });
  }

  post(asset: string, amount: Decimal, reason: LedgerReason, fillId = ''): void {
    if (amount.isZero()) return;
    const entry: LedgerEntry = { asset, amount, reason, fillId };
    this.#set({ wallet: 'spot', asset, total: this.total(asset).plus(amount), frozen: this.frozen(asset) }, entry);
  }

  /** Books the trade, then its fee. */
  settle({ instrument, side, steps, notional, fee, feeAsset, fillId }: Fill): void {
    const quantity = instrument.step.toDecimal(steps);
    const buy = side === 'buy';
    this.post(instrument.quote, buy ? notional.negated() : notional, 'trade', fillId);
    this.post(instrument.base, buy ? quantity : quantity.negated(), 'trade', fillId);
    this.post(feeAsset, fee.negated(), 'fee', fillId);
  }

  /** Computes the amounts that open orders freeze, by asset. */
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

/** The asset and the amount that an open order freezes: a limit buy its value, a sell its base coins. A market order ends before it freezes anything. */
export function bound({ request, reportedSteps }: TrackedOrder): [asset: string, amount: Decimal] {
  const { instrument, side, priceTicks, steps = 0 } = request;
  const left = Math.max(0, steps - reportedSteps);
  if (side === 'sell') return [instrument.base, instrument.step.toDecimal(left)];
  return [instrument.quote, priceTicks === undefined ? ZERO : instrument.notional(priceTicks, left)];
}

/** The exchange's name of the spot wallet in transfer records. */
const SPOT = 'SPOT';
const MEMORY = 'spot.transfers';
/** Transfers may appear late, and clocks differ. */
const OVERLAP_MS = 60_000;
const LIMIT = 500;
/** `from` moves with every poll of balances, and is written to the journal at most this often. */
const KEEP_EVERY_MS = 3_600_000;

interface Transfer {
  /** Positive into the spot wallet. */
  readonly amount: Decimal;
  readonly from: string;
  readonly to: string;
}

interface Known {
  /** Epoch ms from which transfers are news. */
  readonly from: number;
  /** Contents of the records handled since then: they have no id. */
  readonly seen: readonly string[];
}

/** New transfers into and out of the spot wallet. */
export class Transfers {
  #known: Known;
  /** `from` as the journal has it. */
  #kept: number;

  constructor(
    private readonly client: Pick<ExchangeClient, 'transferRecords' | 'serverTime'>,
    private readonly context: VenueContext,
  ) {
    this.#known = (context.memory.recall(MEMORY) as Known | undefined) ?? { from: context.clock.now(), seen: [] };
    this.#kept = this.#known.from;
  }

  /** Sets the time before which no transfer is new. */
  from(time: number): void {
    this.#remember({ from: time, seen: [] });
  }

  /**
   * Balances requested after this time, on the exchange's clock, were booked. They include all much earlier transfers.
   * So the requested period stays short even if nothing is transferred for long.
   */
  balancedAt(time: number): void {
    const from = time - OVERLAP_MS;
    if (from <= this.#known.from) return;
    this.#known = { from, seen: this.#known.seen.filter((key) => Number.parseInt(key, 10) >= from) };
    if (from >= this.#kept + KEEP_EVERY_MS) this.#remember(this.#known);
  }

  /**
   * New transfers of one asset, oldest first. A transfer between two accounts names spot on both sides, and the record does not say
   * which side is ours: its direction is that of the balance change (`gained`). They count as handled after `keep`, which is called
   * in the same step as their report.
   */
  async news(asset: string, gained: boolean): Promise<{ readonly transfers: readonly Transfer[]; keep(): void }> {
    const { from: since, seen } = this.#known;
    // This operation swaps the names: `before` is the start of the period.
    const ask = (before: number) => this.client.transferRecords({ before, limit: LIMIT });
    const from = Math.max(0, Math.floor(since - OVERLAP_MS));
    const { answer: records } = await lookBack({ from, now: this.client.serverTime(), what: 'transfers', log: this.context.log }, ask);
    const counted = new Map<string, number>();
    const found: Transfer[] = [];
    const taken = [...seen];
    for (const record of [...records].reverse()) {
      const { coinName, fromType, toType, status, tradeTime } = record;
      const [from, to] = [fromType, toType].map((type) => type.toUpperCase() === SPOT);
      if (coinName.toUpperCase() !== asset || status.toUpperCase() !== 'SUCCESS' || !(from || to)) continue;
      const into = from && to ? gained : to;
      if (tradeTime < since) continue;
      const key = `${tradeTime} ${coinName} ${fromType} ${toType} ${record.amount}`;
      const nth = (counted.get(key) ?? 0) + 1;
      counted.set(key, nth);
      if (seen.includes(`${key} ${nth}`)) continue;
      taken.push(`${key} ${nth}`);
      const amount = new Decimal(record.amount);
      found.push({ amount: into ? amount : amount.negated(), from: fromType, to: toType });
    }
    return {
      transfers: found,
      keep: () => {
        if (found.length > 0) this.#remember({ from: since, seen: taken });
      },
    };
  }

  #remember(known: Known): void {
    this.#known = known;
    this.#kept = known.from;
    this.context.memory.remember(MEMORY, known);
  }
}
