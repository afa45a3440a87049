import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { statusOf, type VenueStatus } from '../../../exchange/mapping/order-status.ts';
import type { PayloadOf } from '../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal } from '../../../model/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { TrackedOrder } from '../tracked-order.ts';

export type FuturesOrderRecord = PayloadOf<'futuresOrders'>[number];

const PAGE = 100;
/** More pages than current orders can honestly fill. */
const MAX_PAGES = 1_000;

/** What the lists last showed of an order. */
export interface Sight {
  /** Epoch ms at which the exchange's last word on it came: what was listed before says nothing of it. */
  answeredAt: number;
  /** Epoch ms since when no list has shown it; `NaN` while one does, or none was read. */
  absentSince: number;
  /** Epoch ms at which the newest list was asked for. */
  askedAt: number;
  filledSteps: number;
  status: VenueStatus | undefined;
}

/** Reads operation 14 and keeps what it showed of each order. */
export class Sights {
  readonly #sights = new WeakMap<TrackedOrder, Sight>();

  constructor(
    private readonly client: Pick<ExchangeClient, 'futuresOrders'>,
    private readonly now: () => number,
  ) {}

  of(order: TrackedOrder): Sight {
    const known = this.#sights.get(order);
    if (known !== undefined) return known;
    const sight = { answeredAt: Number.POSITIVE_INFINITY, absentSince: Number.NaN, askedAt: Number.NaN, filledSteps: 0, status: undefined };
    this.#sights.set(order, sight);
    return sight;
  }

  /** The exchange has said something of it: lists asked for from here on count. */
  answered(order: TrackedOrder): void {
    this.of(order).answeredAt = this.now();
  }

  /** All current orders of one contract. Pages that shift while they are read may show one twice. */
  async read({ symbol }: Instrument): Promise<FuturesOrderRecord[]> {
    const found = new Map<string, FuturesOrderRecord>();
    for (let page = 0; page < MAX_PAGES; page++) {
      const records = await this.client.futuresOrders({ symbol: wireSymbol(symbol), limit: PAGE, page });
      for (const record of records) found.set(record.order_id, record);
      if (records.length < PAGE) break;
    }
    return [...found.values()];
  }

  /** Takes in what a list that was asked for at `askedAt` shows of an order; nothing where it is not there. */
  note(order: TrackedOrder, record: FuturesOrderRecord | undefined, askedAt: number): void {
    const sight = this.of(order);
    if (record === undefined) {
      // A list that was on its way when the order came says nothing.
      if (sight.answeredAt > askedAt) return;
      if (Number.isNaN(sight.absentSince)) sight.absentSince = askedAt;
    } else {
      sight.absentSince = Number.NaN;
      sight.filledSteps = order.request.instrument.step.floorUnits(new Decimal(record.filled_qty));
      sight.status = statusOf(record.status);
    }
    sight.askedAt = askedAt;
  }
}
