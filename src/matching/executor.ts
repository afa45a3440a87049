import type { Decimal } from '../model/decimal.ts';
import { invariant } from '../model/errors.ts';
import { Fill, type Liquidity } from '../model/fill.ts';
import { closes, forcedWords, type LiquidationType, type OrderRequest, type Sizing } from '../model/order.ts';
import type { CancelReason, ExpiryReason, Rejection } from '../model/reasons.ts';
import { sizingStopTicks, stepsAt } from '../model/sizing.ts';
import type { FeeModel } from '../ports/models.ts';
import type { SimulatedAccount } from './accounts/simulated-account.ts';
import type { Book } from './books/book.ts';
import type { FuturesPosition } from './futures/futures-position.ts';
import type { OrderRecord } from './futures/records.ts';
import { UnchargedFill } from './models/fees.ts';
import type { WorkingOrder, WorkingOrders } from './working-order.ts';

/** The terms of a fill. */
interface Terms {
  readonly ticks: number;
  readonly steps: number;
  readonly notional: Decimal;
  readonly fee: Decimal;
  readonly feeAsset: string;
  readonly liquidity: Liquidity;
  readonly time: number;
}

/** Receives every order that was accepted and has ended. */
export type OrderEnded = (account: SimulatedAccount, order: OrderRecord) => void;

/** Executes a fill: money, events, and the check that no price is stale. */
export class Executor {
  fills = 0;
  /** The number of fills that depend on the assumed path inside a bar, or whose exits do. */
  pathFills = 0;
  readonly #onPath = new WeakSet<Fill>();

  constructor(
    private readonly working: WorkingOrders,
    private readonly ended: OrderEnded | undefined,
    private readonly fees: FeeModel,
  ) {}

  /** @returns true when the order has ended. */
  fill(book: Book, order: WorkingOrder, ticks: number, steps: number, liquidity: Liquidity): boolean {
    const { request, account } = order;
    const { instrument, side } = request;
    const time = timeOf(book, order);
    invariant(
      book.sequence >= request.seenSequence,
      `no fill is priced by data older than its strategy had seen (order ${request.clientOrderId}: data ${book.sequence}, seen ${request.seenSequence})`,
    );
    const notional = instrument.notional(ticks, steps);
    const base = account.feeBase(instrument, side === 'buy', steps, notional);
    const charged = this.fees.fee(new UnchargedFill(request, base, ticks, steps, notional, liquidity, time));
    const fee = account.roundedFee?.(instrument, charged) ?? charged;
    const { feeAsset } = base;
    const fill = this.#fill(book, order, { ticks, steps, notional, fee, feeAsset, liquidity, time });
    account.settle(order, fill);
    account.owners?.onFill(fill);
    const complete = request.steps === undefined ? order.affordable(ticks, 1) === 0 : order.remainingSteps === 0;
    if (complete) this.#close(book, order, time, 'filled');
    account.emit({ kind: 'orderFilled', time, clientOrderId: request.clientOrderId, fill, complete });
    if (request.positionSide !== 'net') this.#expireUseless(book, order, time);
    return complete || order.ended;
  }

  /**
   * Closes (a part of) a position for the exchange, whatever its size.
   * @param ticks the price: from the book, or an agreed one.
   */
  liquidate(
    book: Book,
    order: WorkingOrder,
    position: FuturesPosition,
    type: LiquidationType,
    fee: Decimal,
    ticks = book.closingTicks(order.request.side),
  ): void {
    const { account, orderId, request } = order;
    const { instrument } = request;
    const time = timeOf(book, order);
    const steps = request.steps!;
    const notional = instrument.notional(ticks, steps);
    const fill = this.#fill(book, order, { ticks, steps, notional, fee, feeAsset: instrument.quote, liquidity: 'taker', time });
    const { openOrderId: positionId } = position;
    account.futures!.liquidate(order, position, fill);
    account.owners?.onLiquidation(fill, positionId);
    order.moveTo('filled', time);
    this.ended?.(account, order.record());
    account.emit({ kind: forcedWords(type).kind, time, orderId, type, ...(positionId === undefined ? {} : { positionId }), fill });
  }

  /** Sizes an order at the price that fills it, and reserves the funds for that size. @returns false if it was rejected. */
  size(book: Book, order: WorkingOrder, sizing: Sizing, ticks: number): boolean {
    const { request, account } = order;
    const { instrument, side, clientOrderId } = request;
    const steps = stepsAt(sizing, instrument, side, ticks);
    const time = timeOf(book, order);
    const resized = steps !== request.steps;
    if (resized) account.release(order, time);
    order.request = { ...request, steps, sizing: undefined };
    const refusal = steps < 1 ? tooSmall(request, sizing, ticks) : resized ? account.reserve(order, time, ticks) : undefined;
    if (refusal !== undefined) {
      this.reject(book, order, refusal);
      return false;
    }
    const sized = { time, clientOrderId, request: order.request, type: 'market', stopTicks: undefined, again: true } as const;
    if (resized) account.emit({ kind: 'orderSubmitted', ...sized });
    return true;
  }

  expire(book: Book, order: WorkingOrder, time: number, reason: ExpiryReason): void {
    this.#close(book, order, time, 'canceled');
    order.account.emit({ kind: 'orderExpired', time, clientOrderId: order.request.clientOrderId, reason });
  }

  /**
   * The result of a bar depended on its path. Where none of its fills is marked, the newest fill is, whose exits it concerned.
   * @param newest false where the newest fill was earlier and no position is open: then the next fill counts.
   */
  countPath(book: Book, newest: boolean): void {
    if (newest && book.newestFill !== undefined) this.#markPath(book.newestFill);
    else book.pathUnmarked = true;
  }

  /** Whether a fill is one of `pathFills`; certain as soon as there is a newer fill of its instrument. */
  isOnPath(fill: Fill): boolean {
    return this.#onPath.has(fill);
  }

  /** The position or the funds are smaller than the order. */
  expireShort(book: Book, order: WorkingOrder): void {
    this.expire(book, order, timeOf(book, order), order.closing ? 'positionClosed' : 'balance');
  }

  /** The order met a price that it may not take, or was triggered without the funds or the position it needs. */
  reject(book: Book, order: WorkingOrder, reason: Rejection): void {
    const time = timeOf(book, order);
    this.#close(book, order, time, 'canceled');
    order.account.emit({ kind: 'orderRejected', time, clientOrderId: order.request.clientOrderId, reason });
  }

  cancel(book: Book, order: WorkingOrder, time: number, reason: CancelReason): void {
    this.#close(book, order, time, 'canceled');
    order.account.emit({ kind: 'orderCanceled', time, clientOrderId: order.request.clientOrderId, reason });
  }

  /** Resting closing orders end with the position. */
  #expireUseless(book: Book, { request, account }: WorkingOrder, time: number): void {
    const { instrument, side, positionSide } = request;
    if (!closes(request) || account.futures!.heldSteps(instrument, positionSide) > 0) return;
    for (const other of book.queue(side).toArray()) {
      if (other.account === account && other.request.positionSide === positionSide) this.expire(book, other, time, 'positionClosed');
    }
  }

  #fill(book: Book, order: WorkingOrder, terms: Terms): Fill {
    const { request, orderId } = order;
    const { ticks, steps, notional, fee, feeAsset, liquidity, time } = terms;
    const fill = new Fill(
      `f${++this.fills}`,
      orderId,
      request.clientOrderId,
      request.strategyId,
      request.instrument,
      request.side,
      request.positionSide,
      ticks,
      steps,
      notional,
      fee,
      feeAsset,
      liquidity,
      request.tag,
      time,
      request.decidedSequence,
      book.sequence,
      book.time,
    );
    if (book.leg !== undefined) fill.leg = book.leg;
    if (book.walking) fill.since = Math.min(time, Math.max(book.openTime, order.arrivedTime));
    if (book.pathUnmarked || (book.walking && book.pathMatters)) this.#markPath(fill);
    book.pathUnmarked = false;
    // Later fills of this bar depend on the path, which came here first.
    if (book.walking) book.pathMatters = true;
    book.newestFill = fill;
    order.take(fill);
    return fill;
  }

  #markPath(fill: Fill): void {
    if (this.#onPath.has(fill)) return;
    this.#onPath.add(fill);
    this.pathFills++;
  }

  #close(book: Book, order: WorkingOrder, time: number, status: 'filled' | 'canceled'): void {
    order.account.release(order, time);
    book.drop(order);
    this.working.remove(order);
    order.moveTo(status, time);
    this.ended?.(order.account, order.record());
  }
}

/** Why an order that is sized at this price has no size. */
function tooSmall({ instrument, side }: OrderRequest, { stop }: Sizing, ticks: number): Rejection {
  const { tick, step } = instrument;
  const stopTicks = stop === undefined ? undefined : sizingStopTicks(stop, side, ticks);
  if (stopTicks === undefined || (side === 'buy' ? stopTicks < ticks : stopTicks > ticks)) {
    return { code: 'quantityTooSmall', quantity: '0', stepSize: step.text };
  }
  return { code: 'stopOnWrongSide', side: side === 'buy' ? 'long' : 'short', stop: tick.toText(stopTicks), price: tick.toText(ticks) };
}

/** The time of an event between a book and an order: that of the data, or the arrival of the order if it is later. */
export function timeOf(book: Book, order: WorkingOrder): number {
  return Math.max(book.time, order.arrivedTime);
}
