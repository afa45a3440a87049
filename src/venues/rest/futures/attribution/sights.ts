import type { ExchangeClient } from '../../../../exchange/client/exchange-client.ts';
import { statusOf, type VenueStatus } from '../../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../../exchange/symbols.ts';
import { Decimal } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { leftOf, type TrackedOrder } from '../../tracked-orders.ts';
import type { Outlets } from '../../trading.ts';
import type { Span } from './pools.ts';

type FuturesOrderRecord = PayloadOf<'futuresOrders'>[number];
/** What is made use of; a list without the terms of an order lets nobody adopt it. */
export type ListedOrder = Pick<FuturesOrderRecord, 'order_id' | 'client_oid' | 'symbol' | 'type' | 'status' | 'filled_qty'> &
  Partial<Pick<FuturesOrderRecord, 'size' | 'price' | 'price_avg' | 'order_type'>>;

const PAGE = 100;
/** More pages than current orders can honestly fill. */
const MAX_PAGES = 1_000;

/** What the lists last showed of an order. */
interface Sight {
  /** Epoch ms at which the engine placed it; minus infinity of one from before the start. */
  placedAt: number;
  /** Epoch ms at which the exchange's last word on it came: what was listed before says nothing of it. */
  answeredAt: number;
  /** Epoch ms since when no list has shown it; `NaN` while one does, or none was read. */
  absentSince: number;
  /** Epoch ms at which the newest list that counts was asked for. */
  askedAt: number;
  /** A list has shown it once: where it is missing from then on, it is over. */
  seen: boolean;
  filledSteps: number;
  /** When what was shown last, and not before, was traded. */
  shownIn: Span;
  status: VenueStatus | undefined;
}

/** What the lists have shown of each order, and when each contract's were last read. */
export class Sights {
  readonly #sights = new WeakMap<TrackedOrder, Sight>();
  readonly #listedAt = new Map<Instrument, number>();

  constructor(
    private readonly lagMs: number,
    private readonly now: () => number,
  ) {}

  of(order: TrackedOrder): Sight {
    const known = this.#sights.get(order);
    if (known !== undefined) return known;
    const sight: Sight = {
      placedAt: Number.NEGATIVE_INFINITY,
      answeredAt: Number.POSITIVE_INFINITY,
      absentSince: Number.NaN,
      askedAt: Number.NaN,
      seen: false,
      filledSteps: 0,
      shownIn: { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY },
      status: undefined,
    };
    this.#sights.set(order, sight);
    return sight;
  }

  placed(order: TrackedOrder): void {
    this.of(order).placedAt = this.now();
  }

  /** One of somebody else's, first listed at `askedAt`: what was traded before that is not ours. */
  found(order: TrackedOrder, askedAt: number): void {
    this.of(order).placedAt = askedAt;
    this.answered(order);
  }

  /** When it may have traded: until a list that would show it does not, or the exchange says that it is canceled. */
  span(order: TrackedOrder): Span {
    const { placedAt, absentSince, seen } = this.of(order);
    const { wish } = order;
    const gone = seen && !Number.isNaN(absentSince) ? absentSince : Number.POSITIVE_INFINITY;
    return { since: placedAt, until: wish?.stage === 'taken' ? Math.min(gone, wish.since) : gone };
  }

  /** When it may have traded what is to be told of it: what a list shows is not newer than the list, nor older than the one before it shows all of. */
  showing(order: TrackedOrder): Span {
    const { filledSteps, shownIn } = this.of(order);
    return filledSteps > order.toldSteps ? shownIn : this.span(order);
  }

  /** Steps that a list has shown as filled and that are not told: certain, whether or not it is listed still. */
  untold(order: TrackedOrder): number {
    return Math.max(0, Math.min(leftOf(order), this.of(order).filledSteps - order.toldSteps));
  }

  /** The exchange has said something of it: lists asked for from here on count, and those of before say nothing of one that none has shown. */
  answered(order: TrackedOrder): void {
    const sight = this.of(order);
    sight.answeredAt = this.now();
    if (!sight.seen) sight.absentSince = Number.NaN;
  }

  /** Takes in what a list that was asked for at `askedAt` shows of an order; nothing where it is not there. */
  note(order: TrackedOrder, record: ListedOrder | undefined, askedAt: number): void {
    const sight = this.of(order);
    if (record === undefined) {
      // A list that was on its way when the order came says nothing.
      if (sight.answeredAt > askedAt) return;
      if (Number.isNaN(sight.absentSince)) sight.absentSince = askedAt;
    } else {
      sight.absentSince = Number.NaN;
      const filledSteps = order.request.instrument.step.floorUnits(new Decimal(record.filled_qty));
      const since = sight.filledSteps > order.toldSteps || !sight.seen ? sight.shownIn.since : sight.askedAt - this.lagMs;
      if (filledSteps > sight.filledSteps) sight.shownIn = { since: Math.max(since, sight.placedAt), until: askedAt };
      sight.seen = true;
      sight.filledSteps = filledSteps;
      sight.status = statusOf(record.status);
    }
    sight.askedAt = askedAt;
  }

  /** The newest list that counts does not show it. */
  isAbsent(order: TrackedOrder): boolean {
    return !Number.isNaN(this.of(order).absentSince);
  }

  /** It is over, and not merely too new to be listed. */
  isGone(order: TrackedOrder): boolean {
    const { answeredAt, absentSince, askedAt, seen } = this.of(order);
    return !Number.isNaN(absentSince) && (seen || askedAt >= answeredAt + this.lagMs);
  }

  /** The contract's orders have all been read, as asked for at that time. */
  listed(instrument: Instrument, askedAt: number): void {
    this.#listedAt.set(instrument, askedAt);
  }

  /** Epoch ms up to which the contract's lists show everything that happened. */
  shownTo(instrument: Instrument): number {
    return (this.#listedAt.get(instrument) ?? Number.NEGATIVE_INFINITY) - this.lagMs;
  }
}

/**
 * All current orders of one contract. Where they fill several pages the pages shift while they are read, and one order
 * may fall between two: then they are read twice, and what either reading shows counts.
 */
export async function readOrders(
  client: Pick<ExchangeClient, 'futuresOrders'>,
  { symbol }: Instrument,
): Promise<readonly FuturesOrderRecord[]> {
  const found = new Map<string, FuturesOrderRecord>();
  if ((await readPages(client, symbol, found)) > 1) await readPages(client, symbol, found);
  return [...found.values()];
}

/** @returns the number of pages. */
async function readPages(
  client: Pick<ExchangeClient, 'futuresOrders'>,
  symbol: string,
  found: Map<string, FuturesOrderRecord>,
): Promise<number> {
  for (let page = 0; page < MAX_PAGES; page++) {
    const records = await client.futuresOrders({ symbol: wireSymbol(symbol), limit: PAGE, page });
    for (const record of records) found.set(record.order_id, record);
    if (records.length < PAGE) return page + 1;
  }
  return MAX_PAGES;
}

/** How many are kept at most. */
const KEPT = 100;

interface Ended {
  readonly order: TrackedOrder;
  /** Epoch ms at which it was told as over. */
  readonly endedAt: number;
}

/** Orders that ended with something left to fill: what one of them filled before its end may come to light after it. */
export class Lately {
  #ended: Ended[] = [];

  add(order: TrackedOrder, endedAt: number): void {
    this.#ended.push({ order, endedAt });
    this.#ended = this.#ended.filter((one) => leftOf(one.order) > 0).slice(-KEPT);
  }

  /** Those that were not over yet at that time, in epoch ms. */
  endedSince(time: number): TrackedOrder[] {
    return this.#ended.filter(({ order, endedAt }) => endedAt >= time && leftOf(order) > 0).map(({ order }) => order);
  }

  /** Lets go of those that were over before that time. */
  forget(time: number): void {
    this.#ended = this.#ended.filter(({ endedAt }) => endedAt >= time);
  }

  toJson(): unknown {
    return this.#ended.map(({ order, endedAt }) => [order.clientOrderId, endedAt]);
  }

  resume(plain: unknown, find: (clientOrderId: string) => TrackedOrder | undefined): void {
    for (const [clientOrderId, endedAt] of (plain ?? []) as [string, number][]) {
      const order = find(clientOrderId);
      if (order !== undefined) this.add(order, endedAt);
    }
  }
}

/** Which trigger orders have fired. Each is told once. */
export class Triggers {
  readonly #fired = new WeakSet<TrackedOrder>();

  constructor(private readonly outlets: Outlets) {}

  has(order: TrackedOrder): boolean {
    return order.request.triggerTicks === undefined || this.#fired.has(order);
  }

  /** The journal knows that it has. */
  known(order: TrackedOrder): void {
    this.#fired.add(order);
  }

  fired(order: TrackedOrder): void {
    if (this.has(order) || !order.alive) return;
    this.#fired.add(order);
    const { clientOrderId, request } = order;
    const { outlets } = this;
    outlets.tell({ kind: 'orderTriggered', time: outlets.clock.now(), clientOrderId, priceTicks: request.triggerTicks ?? 0 });
  }
}
