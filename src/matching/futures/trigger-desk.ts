import { invariant } from '../../model/errors.ts';
import type { OrderRequest, Side } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { Book } from '../books/book.ts';
import type { WorkingOrder } from '../working-order.ts';
import type { ContractBook } from './contract-book.ts';

/** As a trigger that waits for a rise: what the next open fires wherever it is. */
const ANY_PRICE = Number.NEGATIVE_INFINITY;

/** What becomes of an order whose trigger is met. */
export interface TriggerOutlets {
  /** From here it is a plain order; `stands` where the price that fired it is the one that it meets. */
  fired(book: Book, order: WorkingOrder, time: number, stands: boolean): void;
}

/**
 * Trigger orders: kept untriggered until the last price (or the mark, as the contract says) reaches their trigger.
 *
 * - The direction is fixed on acceptance: a trigger above the price waits for a rise, one below for a fall. At the
 *   price it fires at once and is from there a plain order that arrives now.
 * - Fired by a price, the order meets that very price. Fired by a mark, it arrives then, as a plain order would.
 */
export class TriggerDesk {
  constructor(private readonly outlets: TriggerOutlets) {}

  refusal(book: Book, { instrument, side }: OrderRequest): Rejection | undefined {
    const { contract } = book;
    invariant(contract !== undefined, 'trigger orders are of futures accounts');
    return Number.isNaN(judgedTicks(contract, side)) ? { code: 'noMarketPrice', symbol: instrument.symbol } : undefined;
  }

  /** Keeps an accepted order until its trigger is met, which may be now. */
  keep(book: Book, order: WorkingOrder, time: number): void {
    const { side, triggerTicks, fromNextBar } = order.request;
    const ticks = judgedTicks(book.contract!, side);
    const sleeping = fromNextBar && book.onBars;
    // A mark need not lie on a tick: the order names the nearest.
    const met = triggerTicks === Math.round(ticks);
    order.status = 'untriggered';
    if (met && !sleeping) this.#fire(book, order, ticks, time, false);
    else book.triggers.add(order, met ? ANY_PRICE : triggerTicks!, met || triggerTicks! > ticks, sleeping);
  }

  /** Fires what the present price reaches. */
  judge(book: Book, contract: ContractBook, time: number): void {
    const { triggers } = book;
    const buyTicks = judgedTicks(contract, 'buy');
    const sellTicks = judgedTicks(contract, 'sell');
    if (buyTicks < triggers.rising && sellTicks > triggers.falling) return;
    const stands = !byMark(contract);
    for (const order of triggers.reached(buyTicks, sellTicks)) {
      const ticks = order.request.side === 'buy' ? buyTicks : sellTicks;
      if (order.status === 'untriggered') this.#fire(book, order, ticks, time, stands);
    }
  }

  /** The first trigger on the way from one price to another; none while marks fire them. */
  next(book: Book, contract: ContractBook, from: number, to: number): number | undefined {
    return byMark(contract) ? undefined : book.triggers.next(from, to);
  }

  #fire(book: Book, order: WorkingOrder, priceTicks: number, time: number, stands: boolean): void {
    const { account, request } = order;
    book.triggers.remove(order);
    order.moveTo('pending', time);
    order.arrivedTime = Math.max(order.arrivedTime, time);
    account.emit({ kind: 'orderTriggered', time: order.arrivedTime, clientOrderId: request.clientOrderId, priceTicks });
    this.outlets.fired(book, order, time, stands);
  }
}

/** True while the mark, not the last price, is what fires. */
function byMark({ contract, prices }: ContractBook): boolean {
  return contract.triggerBy === 'mark' && prices.marked;
}

function judgedTicks({ contract, prices }: ContractBook, side: Side): number {
  if (contract.triggerBy === 'mark') return prices.valueTicks;
  return side === 'buy' ? prices.buyTicks : prices.sellTicks;
}
