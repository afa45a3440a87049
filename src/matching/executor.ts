import { invariant } from '../model/errors.ts';
import { Fill, type Liquidity } from '../model/fill.ts';
import type { CancelReason, ExpiryReason, Rejection } from '../model/reasons.ts';
import type { Book } from './book.ts';
import type { WorkingOrder } from './working-order.ts';
import type { WorkingOrders } from './working-orders.ts';

/** Turns a decision to fill into a fill: money, events, and the check that no price is stale. */
export class Executor {
  fills = 0;
  /** Fills whose order or occurrence hung on the assumed path inside a bar. */
  pathFills = 0;

  constructor(private readonly working: WorkingOrders) {}

  /** @returns true when the order is complete and gone. */
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
    const fill = new Fill(
      `f${++this.fills}`,
      order.orderId,
      request.clientOrderId,
      request.strategyId,
      instrument,
      side,
      'net',
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
    if (book.walking) {
      if (book.pathMatters) this.pathFills++;
      // Whatever fills later in this bar does so because the path came here first.
      book.pathMatters = true;
    }
    order.filledSteps += steps;
    if (request.quoteQuantity !== undefined) order.spent = order.spent.plus(notional);
    account.settle(order, fill);
    const complete = request.steps === undefined ? account.affordable(order, ticks, 1) === 0 : order.remainingSteps === 0;
    if (complete) this.#close(book, order, time);
    account.emit({ kind: 'orderFilled', time, clientOrderId: request.clientOrderId, fill, complete });
    return complete;
  }

  expire(book: Book, order: WorkingOrder, time: number, reason: ExpiryReason): void {
    this.#close(book, order, time);
    order.account.emit({ kind: 'orderExpired', time, clientOrderId: order.request.clientOrderId, reason });
  }

  /** The order met a price that it may not take. */
  reject(book: Book, order: WorkingOrder, reason: Rejection): void {
    const time = timeOf(book, order);
    this.#close(book, order, time);
    order.account.emit({ kind: 'orderRejected', time, clientOrderId: order.request.clientOrderId, reason });
  }

  cancel(book: Book, order: WorkingOrder, time: number, reason: CancelReason): void {
    this.#close(book, order, time);
    order.account.emit({ kind: 'orderCanceled', time, clientOrderId: order.request.clientOrderId, reason });
  }

  #close(book: Book, order: WorkingOrder, time: number): void {
    order.account.release(order, time);
    this.working.remove(order);
    book.live--;
  }
}

/** When something happens between a book and an order: with the data, or later, when the order arrives. */
export function timeOf(book: Book, order: WorkingOrder): number {
  return Math.max(book.time, order.arrivedTime);
}
