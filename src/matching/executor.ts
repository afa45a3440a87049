import type { Decimal } from '../model/decimal.ts';
import { invariant } from '../model/errors.ts';
import { Fill, type Liquidity } from '../model/fill.ts';
import { closes, type LiquidationType } from '../model/order.ts';
import type { CancelReason, ExpiryReason, Rejection } from '../model/reasons.ts';
import type { SimulatedAccount } from './accounts/simulated-account.ts';
import type { Book } from './books/book.ts';
import type { FuturesPosition } from './futures/futures-position.ts';
import type { OrderRecord } from './futures/records.ts';
import type { WorkingOrder, WorkingOrders } from './working-order.ts';

/** What a fill is made at. */
interface Terms {
  readonly ticks: number;
  readonly steps: number;
  readonly notional: Decimal;
  readonly fee: Decimal;
  readonly feeAsset: string;
  readonly liquidity: Liquidity;
  readonly time: number;
}

/** Hears of every order that was accepted and is over. */
export type OrderEnded = (account: SimulatedAccount, order: OrderRecord) => void;

/** Turns a decision to fill into a fill: money, events, and the check that no price is stale. */
export class Executor {
  fills = 0;
  /** Fills that hung, they or their exits, on the assumed path inside a bar. */
  readonly pathFills = new Set<Fill>();

  constructor(
    private readonly working: WorkingOrders,
    private readonly ended: OrderEnded | undefined,
  ) {}

  /** @returns true when the order is gone. */
  fill(book: Book, order: WorkingOrder, ticks: number, steps: number, liquidity: Liquidity): boolean {
    const { request, account } = order;
    const { instrument, side } = request;
    const time = timeOf(book, order);
    invariant(
      book.sequence >= request.seenSequence,
      `no fill is priced by data older than its strategy had seen (order ${request.clientOrderId}: data ${book.sequence}, seen ${request.seenSequence})`,
    );
    const notional = instrument.notional(ticks, steps);
    const { fee, feeAsset } = account.fee(instrument, side === 'buy', liquidity === 'maker', steps, notional);
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
   * Closes (a part of) a position by order of the exchange, whatever its size.
   * @param ticks the price: what stands in the book, unless it was agreed on.
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
    account.emit({ kind: 'positionLiquidated', time, orderId, type, ...(positionId === undefined ? {} : { positionId }), fill });
  }

  expire(book: Book, order: WorkingOrder, time: number, reason: ExpiryReason): void {
    this.#close(book, order, time, 'canceled');
    order.account.emit({ kind: 'orderExpired', time, clientOrderId: order.request.clientOrderId, reason });
  }

  /**
   * A bar hung on its path. Where no fill in it says so, the newest one does, whose exits it were.
   * @param newest false where the newest fill was earlier and nothing is held: then the next one counts.
   */
  countPath(book: Book, newest: boolean): void {
    if (newest && book.newestFill !== undefined) this.pathFills.add(book.newestFill);
    else book.pathUntold = true;
  }

  /** There is less to close, or less to pay with, than the order is for. */
  expireShort(book: Book, order: WorkingOrder): void {
    this.expire(book, order, timeOf(book, order), order.closing ? 'positionClosed' : 'balance');
  }

  /** The order met a price that it may not take, or fired without what it needs. */
  reject(book: Book, order: WorkingOrder, reason: Rejection): void {
    const time = timeOf(book, order);
    this.#close(book, order, time, 'canceled');
    order.account.emit({ kind: 'orderRejected', time, clientOrderId: order.request.clientOrderId, reason });
  }

  cancel(book: Book, order: WorkingOrder, time: number, reason: CancelReason): void {
    this.#close(book, order, time, 'canceled');
    order.account.emit({ kind: 'orderCanceled', time, clientOrderId: order.request.clientOrderId, reason });
  }

  /** Resting orders that close have ended with the position. */
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
    if (book.pathUntold || (book.walking && book.pathMatters)) this.pathFills.add(fill);
    book.pathUntold = false;
    // Whatever fills later in this bar does so because the path came here first.
    if (book.walking) book.pathMatters = true;
    book.newestFill = fill;
    order.take(fill);
    return fill;
  }

  #close(book: Book, order: WorkingOrder, time: number, status: 'filled' | 'canceled'): void {
    order.account.release(order, time);
    book.drop(order);
    this.working.remove(order);
    order.moveTo(status, time);
    this.ended?.(order.account, order.record());
  }
}

/** When something happens between a book and an order: with the data, or later, when the order arrives. */
export function timeOf(book: Book, order: WorkingOrder): number {
  return Math.max(book.time, order.arrivedTime);
}
