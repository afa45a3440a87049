import type { ExchangeClient } from '../../../../exchange/client/exchange-client.ts';
import { statusOf, type VenueStatus } from '../../../../exchange/mapping.ts';
import type { PayloadOf } from '../../../../exchange/operations/operations.ts';
import { wireSymbol } from '../../../../exchange/symbols.ts';
import { Decimal } from '../../../../model/decimal.ts';
import type { Instrument } from '../../../../model/instrument.ts';
import { leftOf, type TrackedOrder } from '../../../reconcile/order-record.ts';
import type { VenueContext } from '../../../reconcile/settings.ts';
import type { Span } from './trade-pools.ts';

type FuturesOrderRecord = PayloadOf<'futuresOrders'>[number];
/** The fields that are used. Without the terms of an order in the list it cannot be adopted. */
export type ListedOrder = Pick<FuturesOrderRecord, 'order_id' | 'client_oid' | 'symbol' | 'type' | 'status' | 'filled_qty'> &
  Partial<Pick<FuturesOrderRecord, 'size' | 'price' | 'price_avg' | 'order_type' | 'createTime'>>;

const PAGE = 100;
/** More pages than current orders can fill. */
const MAX_PAGES = 1_000;

/** The state of an order in the lists. */
interface ListedState {
  /** Epoch ms at which the engine placed it; minus infinity if before the start. */
  placedAt: number;
  /** Epoch ms of the exchange's last reply about it: earlier lists prove nothing about it. */
  answeredAt: number;
  /** Epoch ms since when no list has shown it; `NaN` while one does, or none was read. */
  absentSince: number;
  /** Epoch ms of the request of the newest list that counts. */
  requestedAt: number;
  /** A list has shown it: if a later one does not, it has ended. */
  seen: boolean;
  filledSteps: number;
  /** When the fills that the newest list added were traded. */
  shownIn: Span;
  status: VenueStatus | undefined;
}

/** The state of each order in the lists, and when the lists of each contract were last read. */
export class ListedStates {
  readonly #states = new WeakMap<TrackedOrder, ListedState>();
  readonly #listedAt = new Map<Instrument, number>();

  constructor(
    private readonly lagMs: number,
    private readonly now: () => number,
  ) {}

  of(order: TrackedOrder): ListedState {
    const known = this.#states.get(order);
    if (known !== undefined) return known;
    const listed: ListedState = {
      placedAt: Number.NEGATIVE_INFINITY,
      answeredAt: Number.POSITIVE_INFINITY,
      absentSince: Number.NaN,
      requestedAt: Number.NaN,
      seen: false,
      filledSteps: 0,
      shownIn: { since: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY },
      status: undefined,
    };
    this.#states.set(order, listed);
    return listed;
  }

  placed(order: TrackedOrder): void {
    this.of(order).placedAt = this.now();
  }

  /** A foreign order, first listed at `requestedAt`: its earlier trades are not ours. */
  found(order: TrackedOrder, requestedAt: number): void {
    this.of(order).placedAt = requestedAt;
    this.answered(order);
  }

  /** When an order may have traded: from its placement until a list lacks it, or until the exchange confirms its cancel. */
  span(order: TrackedOrder): Span {
    const { placedAt, absentSince, seen } = this.of(order);
    const { pendingCancel } = order;
    const gone = seen && !Number.isNaN(absentSince) ? absentSince : Number.POSITIVE_INFINITY;
    return { since: placedAt, until: pendingCancel?.stage === 'taken' ? Math.min(gone, pendingCancel.since) : gone };
  }

  /**
   * When the unreported fills of an order may have been traded. If a list shows them: before that list, and after the last list that did
   * not show them. Otherwise: while the order was open.
   */
  showing(order: TrackedOrder): Span {
    const { filledSteps, shownIn } = this.of(order);
    return filledSteps > order.reportedSteps ? shownIn : this.span(order);
  }

  /** Steps that a list has shown as filled and that are not reported. They are certain, even if the order is not listed any more. */
  unreported(order: TrackedOrder): number {
    return Math.max(0, Math.min(leftOf(order), this.of(order).filledSteps - order.reportedSteps));
  }

  /** The exchange has replied about the order. Only lists that are requested from now on can prove its absence. */
  answered(order: TrackedOrder): void {
    const listed = this.of(order);
    listed.answeredAt = this.now();
    if (!listed.seen) listed.absentSince = Number.NaN;
  }

  /** Applies a list that was requested at `requestedAt`; `record` is undefined if the order is not in it. */
  note(order: TrackedOrder, record: ListedOrder | undefined, requestedAt: number): void {
    const listed = this.of(order);
    if (record === undefined) {
      // The list was requested before the reply about the order arrived: it proves nothing.
      if (listed.answeredAt > requestedAt) return;
      if (Number.isNaN(listed.absentSince)) listed.absentSince = requestedAt;
    } else {
      listed.absentSince = Number.NaN;
      const filledSteps = order.request.instrument.step.floorUnits(new Decimal(record.filled_qty));
      const since = listed.filledSteps > order.reportedSteps || !listed.seen ? listed.shownIn.since : listed.requestedAt - this.lagMs;
      if (filledSteps > listed.filledSteps) listed.shownIn = { since: Math.max(since, listed.placedAt), until: requestedAt };
      listed.seen = true;
      listed.filledSteps = filledSteps;
      listed.status = statusOf(record.status);
    }
    listed.requestedAt = requestedAt;
  }

  /** The newest list that counts does not show it. */
  isAbsent(order: TrackedOrder): boolean {
    return !Number.isNaN(this.of(order).absentSince);
  }

  /** It has ended, and is not merely too new to be listed. */
  isGone(order: TrackedOrder): boolean {
    const { answeredAt, absentSince, requestedAt, seen } = this.of(order);
    return !Number.isNaN(absentSince) && (seen || requestedAt >= answeredAt + this.lagMs);
  }

  /** All orders of the contract have been read, requested at that time. */
  listed(instrument: Instrument, requestedAt: number): void {
    this.#listedAt.set(instrument, requestedAt);
  }

  /** Epoch ms up to which the contract's lists show everything that happened. */
  shownTo(instrument: Instrument): number {
    return (this.#listedAt.get(instrument) ?? Number.NEGATIVE_INFINITY) - this.lagMs;
  }
}

/**
 * All current orders of one contract. If there are several pages, they shift while they are read, and an order
 * may fall between two. Then they are read twice, and both readings are merged.
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
  /** Epoch ms at which its end was reported. */
  readonly endedAt: number;
}

/** Orders that ended partly filled: a fill from before the end may appear after it. */
export class RecentlyEnded {
  #ended: Ended[] = [];

  add(order: TrackedOrder, endedAt: number): void {
    this.#ended.push({ order, endedAt });
    this.#ended = this.#ended.filter((one) => leftOf(one.order) > 0).slice(-KEPT);
  }

  /** Those that had not ended at that time, in epoch ms. */
  endedSince(time: number): TrackedOrder[] {
    return this.#ended.filter(({ order, endedAt }) => endedAt >= time && leftOf(order) > 0).map(({ order }) => order);
  }

  /** Removes those that ended before that time. */
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

/** The trigger orders that have been triggered. Each is reported once. */
export class Triggers {
  readonly #fired = new WeakSet<TrackedOrder>();

  constructor(private readonly context: VenueContext) {}

  has(order: TrackedOrder): boolean {
    return order.request.triggerTicks === undefined || this.#fired.has(order);
  }

  /** The journal shows that it has been triggered. */
  known(order: TrackedOrder): void {
    this.#fired.add(order);
  }

  fired(order: TrackedOrder): void {
    if (this.has(order) || !order.alive) return;
    this.#fired.add(order);
    const { clientOrderId, request } = order;
    const { context } = this;
    context.report({ kind: 'orderTriggered', time: context.clock.now(), clientOrderId, priceTicks: request.triggerTicks ?? 0 });
  }
}
