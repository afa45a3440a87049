import { invariant } from '../../model/errors.ts';
import type { OrderRequest, Side } from '../../model/order.ts';
import type { Rejection } from '../../model/reasons.ts';
import type { Book } from '../books/book.ts';
import type { WorkingOrder } from '../working-order.ts';
import type { ContractBook } from './contract-book.ts';

/** As the trigger price of an order that waits for a rise: the next open triggers it at any price. */
const ANY_PRICE = Number.NEGATIVE_INFINITY;

/** Receives orders whose trigger price was reached. */
export interface TriggerOutlets {
  /** From now on it is a plain order; `meetsPrice` where it is matched with the price that triggered it. */
  fired(book: Book, order: WorkingOrder, time: number, meetsPrice: boolean): void;
}

/**
 * Trigger orders: kept untriggered until the last price (or the mark, depending on the contract) reaches their trigger.
 *
 * - The direction is fixed on acceptance: a trigger above the price waits for a rise, one below for a fall. A trigger at the price is
 * reached at once; the order then is a plain order that arrives now.
 * - An order that a price triggers is matched with that same price. An order that a mark triggers arrives then, like a plain order.
 */
export class TriggerDesk {
  constructor(private readonly outlets: TriggerOutlets) {}

  refusal(book: Book, { instrument, side }: OrderRequest): Rejection | undefined {
    const { contract } = book;
    invariant(contract !== undefined, 'trigger orders are of futures accounts');
    return Number.isNaN(judgedTicks(contract, side)) ? { code: 'noMarketPrice', symbol: instrument.symbol } : undefined;
  }

  /** Keeps an accepted order until its trigger price is reached, which may be now. */
  keep(book: Book, order: WorkingOrder, time: number): void {
    const { side, triggerTicks, fromNextBar } = order.request;
    const ticks = judgedTicks(book.contract!, side);
    const sleeping = fromNextBar && book.onBars;
    // A mark need not be on a tick: the order names the nearest.
    const met = triggerTicks === Math.round(ticks);
    order.status = 'untriggered';
    if (met && !sleeping) this.#fire(book, order, ticks, time, false);
    else book.triggers.add(order, met ? ANY_PRICE : triggerTicks!, met || triggerTicks! > ticks, sleeping);
  }

  /** Moves a waiting order to another trigger price; its direction is fixed again. @param priceTicks its limit; `undefined`: at market. */
  move(book: Book, order: WorkingOrder, triggerTicks: number, priceTicks: number | undefined, time: number): void {
    book.triggers.remove(order);
    order.request = { ...order.request, triggerTicks, priceTicks, type: priceTicks === undefined ? 'market' : 'limit' };
    this.keep(book, order, time);
  }

  /** Triggers the orders that the present price reaches. */
  judge(book: Book, contract: ContractBook, time: number): void {
    const { triggers } = book;
    const buyTicks = judgedTicks(contract, 'buy');
    const sellTicks = judgedTicks(contract, 'sell');
    if (buyTicks < triggers.rising && sellTicks > triggers.falling) return;
    const meetsPrice = !byMark(contract);
    for (const order of triggers.reached(buyTicks, sellTicks)) {
      const ticks = order.request.side === 'buy' ? buyTicks : sellTicks;
      if (order.status === 'untriggered') this.#fire(book, order, ticks, time, meetsPrice);
    }
  }

  /** The first trigger on the way from one price to another; none while marks trigger them. */
  next(book: Book, contract: ContractBook, from: number, to: number): number | undefined {
    return byMark(contract) ? undefined : book.triggers.next(from, to);
  }

  #fire(book: Book, order: WorkingOrder, priceTicks: number, time: number, meetsPrice: boolean): void {
    const { account, request } = order;
    book.triggers.remove(order);
    order.moveTo('pending', time);
    order.arrivedTime = Math.max(order.arrivedTime, time);
    account.emit({ kind: 'orderTriggered', time: order.arrivedTime, clientOrderId: request.clientOrderId, priceTicks });
    this.outlets.fired(book, order, time, meetsPrice);
  }
}

/** True while the mark, not the last price, triggers orders. */
function byMark({ contract, prices }: ContractBook): boolean {
  return contract.triggerBy === 'mark' && prices.marked;
}

function judgedTicks({ contract, prices }: ContractBook, side: Side): number {
  if (contract.triggerBy === 'mark') return prices.valueTicks;
  return side === 'buy' ? prices.buyTicks : prices.sellTicks;
}
