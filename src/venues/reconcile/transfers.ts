import type { Decimal } from '../../model/decimal.ts';
import { type Asking, ask, type SeenTransfer } from './records.ts';
import type { VenueContext } from './settings.ts';

/** Key in the venue's memory. */
const TRANSFERS = 'spot.transfers';
/** Transfers may appear late, and clocks differ. */
const OVERLAP_MS = 60_000;
/** `from` moves with every poll of balances, and is written to the journal at most this often. */
const KEEP_EVERY_MS = 3_600_000;

interface Transfer {
  /** Positive into the wallet. */
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

/** New transfers into and out of the wallet. */
export class Transfers {
  #known: Known;
  /** `from` as the journal has it. */
  #kept: number;

  constructor(private readonly context: Pick<VenueContext, 'memory' | 'clock'>) {
    this.#known = (context.memory.recall(TRANSFERS) as Known | undefined) ?? { from: context.clock.now(), seen: [] };
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
   * New transfers of one asset, oldest first. A transfer between two accounts names the wallet on both sides, and the record does not say
   * which side is ours: its direction is that of the balance change (`gained`). They count as handled after `keep`, which is called
   * in the same step as their report.
   */
  *news(asset: string, gained: boolean): Asking<{ readonly transfers: readonly Transfer[]; keep(): void }> {
    const { from: since, seen } = this.#known;
    const { records } = yield* ask({ ask: 'transfers', from: Math.max(0, Math.floor(since - OVERLAP_MS)) });
    const counted = new Map<string, number>();
    const found: Transfer[] = [];
    const taken = [...seen];
    for (const record of records) {
      if (record.asset !== asset || record.time < since) continue;
      const { amount, from, to } = record;
      const key = keyOf(record);
      const nth = (counted.get(key) ?? 0) + 1;
      counted.set(key, nth);
      if (seen.includes(`${key} ${nth}`)) continue;
      taken.push(`${key} ${nth}`);
      const isInto = record.isFrom && record.isTo ? gained : record.isTo;
      found.push({ amount: isInto ? amount : amount.negated(), from, to });
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
    this.context.memory.remember(TRANSFERS, known);
  }
}

function keyOf({ time, asset, from, to, amount }: SeenTransfer): string {
  return `${time} ${asset} ${from} ${to} ${amount.toFixed()}`;
}
