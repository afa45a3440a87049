import type { ApprovedOrder } from '../model/order.ts';
import type { CancelReason, Rejection } from '../model/reasons.ts';
import type { SimulatedAccount } from './accounts/simulated-account.ts';
import type { Book } from './books/book.ts';
import type { Executor } from './executor.ts';
import { TriggerDesk } from './futures/trigger-desk.ts';
import type { Taking } from './taking.ts';
import { WorkingOrder, type WorkingOrders } from './working-order.ts';

/** Settings that decide which price an arriving order meets. */
export interface ArrivalSettings {
  /** On bars: which orders meet the close at which they arrive. */
  readonly market: 'nextOpen' | 'close';
  /** Recorded sizes are budgets. */
  readonly sizes: boolean;
  /** What own orders took stands there again for the next. */
  readonly forgets: boolean;
}

/** Takes orders in: accepted or refused, then met with the price, kept for their trigger, or waiting for a price. */
export class Arrivals {
  readonly triggers: TriggerDesk;
  #orders = 0;
  #arrived = 0;
  #standing = false;

  constructor(
    private readonly books: readonly Book[],
    private readonly working: WorkingOrders,
    private readonly executor: Executor,
    private readonly taking: Taking,
    private readonly settings: ArrivalSettings,
  ) {
    this.triggers = new TriggerDesk({ fired: (book, order, time, stands) => this.#fired(book, order, time, stands) });
  }

  /** Order ids come from one counter, those of liquidations too. */
  nextOrderId(): string {
    return String(++this.#orders);
  }

  submit(account: SimulatedAccount, request: ApprovedOrder, time: number): void {
    const { clientOrderId, instrument, triggerTicks } = request;
    const book = this.books[instrument.index]!;
    const order = new WorkingOrder(account, request, this.nextOrderId(), ++this.#arrived, time);
    book.read(this.settings.sizes);
    const reason = this.#refusal(book, order, time);
    if (reason !== undefined) {
      account.emit({ kind: 'orderRejected', time, clientOrderId, reason });
      return;
    }
    this.working.add(order);
    account.emit({ kind: 'orderAccepted', time, clientOrderId, orderId: order.orderId, held: false });
    if (triggerTicks === undefined) this.#arrive(book, order, this.#meetsNow(book, order, time));
    else this.triggers.keep(book, order, time);
  }

  cancel(account: SimulatedAccount, clientOrderId: string, time: number, reason: CancelReason): void {
    const order = this.working.find(account, clientOrderId);
    if (order === undefined) {
      account.emit({ kind: 'cancelRejected', time, clientOrderId });
      return;
    }
    order.status = 'canceling';
    this.executor.cancel(this.books[order.request.instrument.index]!, order, time, reason);
  }

  /** Lets orders that have met no price, or wait with a rest, meet the present one. */
  meetWaiting(book: Book, may?: (order: WorkingOrder) => boolean): void {
    if (book.waiting.length === 0) return;
    for (const order of book.waiting.splice(0)) {
      if (may === undefined || may(order)) this.taking.meet(book, order);
      else book.waiting.push(order);
    }
  }

  /** From here market orders meet the last price, bars or not. */
  stand(): void {
    this.#standing = true;
  }

  #refusal(book: Book, order: WorkingOrder, time: number): Rejection | undefined {
    const { account, request } = order;
    const { clientOrderId } = request;
    if (this.working.find(account, clientOrderId)) return { code: 'duplicateClientOrderId', clientOrderId };
    // Triggers bind no margin, and need nothing to close, before they fire.
    if (request.triggerTicks !== undefined) return this.triggers.refusal(book, request);
    return account.reserve(order, time, this.taking.takerTicks(book, request.side));
  }

  #arrive(book: Book, order: WorkingOrder, now: boolean): void {
    book.live++;
    if (!now) {
      book.waiting.push(order);
      return;
    }
    this.taking.meet(book, order);
    if (this.settings.forgets) book.forgetTaken();
  }

  #fired(book: Book, order: WorkingOrder, time: number, stands: boolean): void {
    const { account, request } = order;
    book.read(this.settings.sizes);
    order.rank = ++this.#arrived;
    const reason = account.reserve(order, time, this.taking.takerTicks(book, request.side));
    if (reason === undefined) {
      this.#arrive(book, order, stands || this.#meetsNow(book, order, time));
      return;
    }
    book.live++;
    this.executor.reject(book, order, reason);
  }

  #meetsNow(book: Book, order: WorkingOrder, time: number): boolean {
    // A book with an empty side takes orders in all the same.
    if (!book.onBars || this.#standing) return book.depth !== undefined || !Number.isNaN(book.askTicks);
    if (book.walking) return order.request.released;
    if (time === book.openTime) return true;
    return this.settings.market === 'close' && time === book.closeTime && order.immediate;
  }
}
