import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { Decimal } from '../../../model/decimal.ts';
import type { Outlets } from '../outlets.ts';
import { lookBack } from './look-back.ts';

/** How the exchange names the spot wallet in transfer records. */
const SPOT = 'SPOT';
const MEMORY = 'spot.transfers';
/** Transfers may show up late, and clocks differ. */
const OVERLAP_MS = 60_000;
const LIMIT = 500;
/** How far `from` may be behind in the journal: it moves with every look at balances, and is written so often at most. */
const KEEP_EVERY_MS = 3_600_000;

export interface Transfer {
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
