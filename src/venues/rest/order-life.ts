import type { Decimal } from '../../model/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Grid } from '../../model/grid.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { CancelReason, Rejection } from '../../model/reasons.ts';
import { missed, newDoubt, TrackedOrder, type TrackedOrders } from './tracked-orders.ts';
import type { Outlets, RestSettings } from './trading.ts';

/**
 * Changes the state of tracked orders when the exchange gives proof, and reports each step to the engine once, however often
 * and from whichever source the step becomes known.
 */
export class OrderLife {
  constructor(
    private readonly orders: TrackedOrders,
    private readonly settings: RestSettings,
    private readonly outlets: Outlets,
  ) {}

  /** A record of the exchange names the order. */
  accepted(order: TrackedOrder, orderId: string): void {
    if (order.phase !== 'sending' && order.phase !== 'unknown') {
      if (order.orderId === '') this.orders.name(order, orderId);
      return;
    }
    order.phase = 'open';
    order.doubt = undefined;
    order.idleLooks = 0;
    this.orders.name(order, orderId);
    const { clientOrderId } = order;
    this.outlets.tell({ kind: 'orderAccepted', time: this.#now, clientOrderId, orderId, held: false });
    const { immediate, request } = order;
    this.lookIn(order, immediate || request.postOnly || order.wish !== undefined ? 0 : this.settings.lookupMs);
  }

  /** Its request has no answer that says what became of it. */
  doubted(order: TrackedOrder, answered: boolean): void {
    if (order.phase !== 'sending') return;
    order.phase = 'unknown';
    order.doubt = newDoubt(this.settings, this.#now, answered);
    this.outlets.tell({ kind: 'orderUnknown', time: this.#now, clientOrderId: order.clientOrderId });
    this.lookIn(order, 0);
  }

  /** The exchange refused it for good, or nothing was ever sent. */
  rejected(order: TrackedOrder, reason: Rejection): void {
    if (!order.alive) return;
    this.outlets.tell({ kind: 'orderRejected', time: this.#now, clientOrderId: order.clientOrderId, reason });
    this.#end(order);
  }

  /** A look-up that began at `askedAt` found nothing. */
  notFound(order: TrackedOrder, askedAt: number): void {
    const { doubt } = order;
    // What is known to exist is only not visible yet.
    if (order.phase === 'unknown' && doubt !== undefined && missed(doubt, askedAt)) {
      this.rejected(order, { code: 'neverArrived', waitedMs: String(this.#now - doubt.since) });
      return;
    }
    this.lookLater(order);
  }

  /** @param inferred how much of it was this order's is one of several ways that what the exchange shows fits. */
  filled(order: TrackedOrder, fill: Fill, complete: boolean, inferred = false): void {
    order.toldSteps += fill.steps;
    order.idleLooks = 0;
    const { clientOrderId } = order;
    this.outlets.tell({ kind: 'orderFilled', time: this.#now, clientOrderId, fill, complete, ...(inferred ? { inferred } : {}) });
    if (complete && order.alive) this.#end(order);
  }

  /** Nothing more will be filled; what was is told already. */
  ended(order: TrackedOrder): void {
    if (!order.alive) return;
    const { clientOrderId, wish, request } = order;
    const time = this.#now;
    const { outlets } = this;
    if (wish !== undefined) outlets.tell({ kind: 'orderCanceled', time, clientOrderId, reason: wish.reason });
    else if (request.timeInForce === 'FOK') outlets.tell({ kind: 'orderExpired', time, clientOrderId, reason: 'fok' });
    else if (request.timeInForce === 'IOC') outlets.tell({ kind: 'orderExpired', time, clientOrderId, reason: 'ioc' });
    else if (request.type === 'market') outlets.tell({ kind: 'orderExpired', time, clientOrderId, reason: 'noLiquidity' });
    else if (request.postOnly && order.toldSteps === 0 && !order.seenOpen) {
      const price = request.instrument.tick.toText(request.priceTicks ?? 0);
      outlets.tell({ kind: 'orderRejected', time, clientOrderId, reason: { code: 'postOnlyWouldTake', price, market: '' } });
    } else outlets.tell({ kind: 'orderCanceled', time, clientOrderId, reason: 'external' });
    this.#close(order);
  }

  /** The engine wants it gone. */
  wished(order: TrackedOrder, reason: CancelReason): void {
    order.wish = { reason, stage: 'queued', since: this.#now };
    order.idleLooks = 0;
  }

  /** It was taken back before it left: nothing of it is anywhere else. */
  takenBack(order: TrackedOrder, reason: CancelReason): void {
    this.outlets.tell({ kind: 'orderCanceled', time: this.#now, clientOrderId: order.clientOrderId, reason });
    this.#close(order);
  }

  /** What became of the request to cancel it. */
  cancelHeard({ wish, phase }: TrackedOrder, stage: 'taken' | 'refused' | 'doubtful'): void {
    // Asked again after it was taken, there is nothing left to cancel.
    if (wish === undefined || (wish.stage === 'taken' && stage !== 'taken')) return;
    // One that is only late is asked for again once it has shown up.
    wish.stage = stage === 'refused' && phase !== 'open' ? 'doubtful' : stage;
    wish.since = this.#now;
  }

  /** The cancel found nothing to cancel, and the order stands (or is over). */
  cancelRefused(order: TrackedOrder): void {
    if (order.wish === undefined) return;
    order.wish = undefined;
    this.outlets.tell({ kind: 'cancelRejected', time: this.#now, clientOrderId: order.clientOrderId });
  }

  /** Looked up after `ms`, or sooner where that was due anyway. */
  lookIn(order: TrackedOrder, ms: number): void {
    if (!order.alive) return;
    const at = this.#now + ms;
    if (at >= order.lookAt && order.lookAt > this.#now) return;
    order.lookAt = at;
  }

  /** A look-up brought nothing new: the next one comes later, the more so the more often. */
  lookLater(order: TrackedOrder): void {
    if (!order.alive) return;
    const { lookupMs, lookupMinMs, lookupMaxMs } = this.settings;
    const soon = order.phase === 'unknown' || order.immediate || order.wish !== undefined || !Number.isNaN(order.gapSince);
    order.lookAt = this.#now + (soon ? Math.min(lookupMaxMs, lookupMinMs * 2 ** order.idleLooks) : lookupMs);
    order.idleLooks++;
  }

  /** It reports more fills than records show. Since when is known over restarts. */
  gapSeen(order: TrackedOrder): void {
    if (!Number.isNaN(order.gapSince)) return;
    order.gapSince = this.#now;
    this.outlets.memory.remember(gapKey(order), order.gapSince);
  }

  /** All that it reports is in records. */
  gapClosed(order: TrackedOrder): void {
    if (Number.isNaN(order.gapSince)) return;
    order.gapSince = Number.NaN;
    this.outlets.memory.remember(gapKey(order), undefined);
  }

  /** Goes on with what an earlier run knew of its gap. */
  resumeGap(order: TrackedOrder): void {
    order.gapSince = (this.outlets.memory.recall(gapKey(order)) as number | undefined) ?? Number.NaN;
  }

  get #now(): number {
    return this.outlets.clock.now();
  }

  #end(order: TrackedOrder): void {
    // A cancel that lost the race is answered too.
    this.cancelRefused(order);
    this.#close(order);
  }

  #close(order: TrackedOrder): void {
    order.wish = undefined;
    order.doubt = undefined;
    this.gapClosed(order);
    this.orders.end(order);
  }
}

/** Of the venue's memory. */
function gapKey({ clientOrderId }: TrackedOrder): string {
  return `gap.${clientOrderId}`;
}

/** An open order of somebody else, in our units. */
export interface FoundOrder
  extends Pick<OrderRequest, 'instrument' | 'side' | 'positionSide' | 'type' | 'timeInForce' | 'postOnly' | 'reduceOnly' | 'priceTicks'> {
  readonly orderId: string;
  /** Of the whole order. */
  readonly steps: number;
  /** Steps of it that have been filled, which are nobody's, and what they were worth in quote. */
  readonly filledSteps: number;
  readonly filledNotional: Decimal;
  /** The fills that these steps are, where the exchange names them. */
  readonly fillIds: readonly string[];
}

interface AdoptionParts {
  readonly orders: TrackedOrders;
  readonly life: OrderLife;
  readonly settings: RestSettings;
  readonly outlets: Outlets;
  /** Which strategy adopts orders of an instrument; `undefined` where none does. */
  readonly adopterOf: (instrument: Instrument) => string | undefined;
}

/** Strategies, and whoever reads the journal, know adopted orders by this. */
const TAG = 'adopted';

/** Makes orders of others ours: known by the exchange's id, told once, and looked after from here like any other. */
export class Adoption {
  constructor(private readonly parts: AdoptionParts) {}

  isPossible(instrument: Instrument): boolean {
    return this.parts.adopterOf(instrument) !== undefined;
  }

  /**
   * To be called when everything that was filled of it before has been published as nobody's.
   * @param owner the strategy that it is of anyway: an order of ours that the journal lost.
   */
  adopt({ orderId, filledSteps, filledNotional, fillIds, ...terms }: FoundOrder, owner?: string | undefined): TrackedOrder | undefined {
    const { orders, life, settings, outlets, adopterOf } = this.parts;
    const strategyId = owner ?? adopterOf(terms.instrument);
    if (strategyId === undefined || orders.byOrderId(orderId) !== undefined) return undefined;
    const clientOrderId = `${TAG}-${orderId}`;
    // No data decided it, and a trigger price is in no list: it counts as an order that works.
    const unknown = { triggerTicks: undefined, quoteQuantity: undefined, decidedSequence: 0, seenSequence: 0 };
    const request: OrderRequest = { ...terms, ...unknown, clientOrderId, strategyId, tag: TAG, fromNextBar: false, released: false };
    const order = new TrackedOrder(request);
    order.phase = 'open';
    order.seenOpen = true;
    order.orderId = orderId;
    order.toldSteps = filledSteps;
    for (const fillId of fillIds) order.fillIds.add(fillId);
    orders.add(order);
    outlets.tell({
      kind: 'orderAdopted',
      time: outlets.clock.now(),
      clientOrderId,
      orderId,
      request,
      filledSteps,
      filledNotional,
      fillIds,
    });
    life.lookIn(order, owner === undefined ? settings.lookupMs : 0);
    return order;
  }
}

/** The units of a value that lies on the grid; `undefined` where it lies beside, or is not above 0. */
export function unitsOn(grid: Grid, value: Decimal): number | undefined {
  const units = grid.floorUnits(value);
  return units > 0 && Number.isSafeInteger(units) && grid.toDecimal(units).equals(value) ? units : undefined;
}
