import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import type { BalanceChanged } from '../../../model/account-events.ts';
import { Decimal, ZERO } from '../../../model/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Balance, LedgerEntry, LedgerReason } from '../../../model/ledger.ts';
import type { TrackedOrder } from '../tracked-orders.ts';
import type { Outlets, Resumed } from '../trading.ts';
import { lookBack } from './fill-window.ts';

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

/** How the exchange names the spot wallet in transfer records. */
const SPOT = 'SPOT';
const MEMORY = 'spot.transfers';
/** Transfers may show up late, and clocks differ. */
const OVERLAP_MS = 60_000;
const LIMIT = 500;
/** How far `from` may be behind in the journal: it moves with every look at balances, and is written so often at most. */
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
  /** Records taken in since, by what they say: they have no id. */
  readonly seen: readonly string[];
}

/** Transfers into and out of the spot wallet that have not been taken in yet. */
export class Transfers {
  #known: Known;
  /** `from` as it is in the journal. */
  #kept: number;

  constructor(
    private readonly client: Pick<ExchangeClient, 'transferRecords' | 'serverTime'>,
    private readonly outlets: Outlets,
  ) {
    this.#known = (outlets.memory.recall(MEMORY) as Known | undefined) ?? { from: outlets.clock.now(), seen: [] };
    this.#kept = this.#known.from;
  }

  /** Nothing before this is news. */
  from(time: number): void {
    this.#remember({ from: time, seen: [] });
  }

  /**
   * All balances that were asked for after this time, by the exchange's clock, are what is booked: transfers long before are
   * in them, or in what was booked as unexplained. So what is asked for stays short, however long nothing is transferred.
   */
  balancedAt(time: number): void {
    const from = time - OVERLAP_MS;
    if (from <= this.#known.from) return;
    this.#known = { from, seen: this.#known.seen.filter((key) => Number.parseInt(key, 10) >= from) };
    if (from >= this.#kept + KEEP_EVERY_MS) this.#remember(this.#known);
  }

  /**
   * Those of one asset, oldest first. Between two accounts both wallets are spot, and the record does not say who we are: it
   * goes the way that the balance went (`gained`). They count as taken in once `keep` is called: in the breath in which
   * they are told.
   */
  async news(asset: string, gained: boolean): Promise<{ readonly transfers: readonly Transfer[]; keep(): void }> {
    const { from: since, seen } = this.#known;
    // The names are turned round in this operation: `before` is where the period begins.
    const ask = (before: number) => this.client.transferRecords({ before, limit: LIMIT });
    const from = Math.max(0, Math.floor(since - OVERLAP_MS));
    const { answer: records } = await lookBack({ from, now: this.client.serverTime(), what: 'transfers', log: this.outlets.log }, ask);
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
    this.outlets.memory.remember(MEMORY, known);
  }
}
