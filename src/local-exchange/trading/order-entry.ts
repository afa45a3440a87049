import type { OrderRecord } from '../../matching/futures/records.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';

/** A fill as its owner may see it. */
export interface FillEntry {
  /** As on the wire. */
  readonly fillId: string;
  readonly fill: Fill;
  readonly order: OrderEntry;
  /** What one of its quote was worth then in the coin that affiliates' figures are in; `undefined` where nothing told. */
  readonly quoteWorth: Decimal | undefined;
  /** Epoch ms from which reads show it. */
  readonly shownFrom: number;
}

/** How an order ended: filled whole, or not. */
type OrderEnd = 'filled' | 'canceled';

/** An order as the exchange remembers it, live or over. */
export class OrderEntry {
  /** As on the wire; empty until the order is accepted. */
  orderId = '';
  readonly fills: FillEntry[] = [];
  end: { readonly how: OrderEnd; readonly time: number; readonly shownFrom: number } | undefined;
  /** A trigger order fired. */
  triggered: { readonly time: number; readonly shownFrom: number } | undefined;
  /** What the matching room last said of it; set when it is over. */
  final: OrderRecord | undefined;

  constructor(
    /** What the matching room calls it: client ids of the wire may repeat over time. */
    readonly key: string,
    /** As its owner calls it; empty where the exchange itself sent it. */
    readonly clientOrderId: string,
    readonly request: OrderRequest,
    /** Epoch ms. */
    readonly createdTime: number,
    /** Epoch ms from which reads show it. */
    readonly shownFrom: number,
  ) {}

  get instrument(): Instrument {
    return this.request.instrument;
  }

  get live(): boolean {
    return this.end === undefined;
  }

  /** The fills that a read at `now` shows. */
  fillsShown(now: number): FillEntry[] {
    return this.fills.filter(({ shownFrom }) => shownFrom <= now);
  }

  /** How it has ended as far as a read at `now` shows; an order does not look filled before its fills are there. */
  endShown(now: number): OrderEnd | undefined {
    if (this.end === undefined || this.end.shownFrom > now) return undefined;
    return this.fills.every(({ shownFrom }) => shownFrom <= now) ? this.end.how : undefined;
  }

  /** Epoch ms of the newest thing that a read at `now` shows of it. */
  updatedTime(now: number): number {
    const fills = this.fillsShown(now).map(({ fill }) => fill.time);
    const end = this.endShown(now) === undefined ? [] : [this.end!.time];
    return Math.max(this.createdTime, ...fills, ...end);
  }
}

/** Fill ids count apart from order ids. */
const FILL_OFFSET = 500_000_000_000_000n;
const WITHDRAWAL_OFFSET = 700_000_000_000_000n;

/**
 * Ids as the exchange spells them: whole numbers of 18 digits, beyond what a double holds. They begin with the time
 * at which the exchange was first started, so that ids of two exchanges are not mistaken for one another.
 */
export class WireIds {
  readonly #base: bigint;
  #withdrawals = 0n;

  /** @param startedAt epoch ms. */
  constructor(startedAt: number) {
    this.#base = BigInt(Math.max(0, Math.floor(startedAt))) * 400_000n;
  }

  /** Of the matching room's count. */
  order(count: string): string {
    return String(this.#base + BigInt(count));
  }

  /** Of the matching room's `f<count>`. */
  fill(fillId: string): string {
    return String(this.#base + FILL_OFFSET + BigInt(fillId.slice(1)));
  }

  /** A new one each time. */
  withdrawal(): string {
    return String(this.#base + WITHDRAWAL_OFFSET + ++this.#withdrawals);
  }
}
