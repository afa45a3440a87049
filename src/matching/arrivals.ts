import { invariant } from '../model/errors.ts';
import type { ApprovedOrder } from '../model/order.ts';
import type { CancelReason, Rejection } from '../model/reasons.ts';
import type { SimulatedAccount } from './accounts/simulated-account.ts';
import type { Book } from './books/book.ts';
import type { Executor } from './executor.ts';
import { TriggerDesk } from './futures/trigger-desk.ts';
import type { Taking } from './taking.ts';
import { WorkingOrder, type WorkingOrders } from './working-order.ts';

/** Settings that decide at which price an arriving order fills. */
export interface ArrivalSettings {
  /** With bars: the orders that match against the close at which they arrive. */
  readonly market: 'nextOpen' | 'close';
  /** Recorded sizes limit the fills of own orders. */
  readonly sizes: boolean;
  /** The quantity that own orders took is available again for the next order. */
  readonly forgets: boolean;
}

/** Accepts or refuses arriving orders. Accepted orders are matched with the price, kept for their trigger, or wait for a price. */
export class Arrivals {
  readonly triggers: TriggerDesk;
  #orders = 0;
  #arrived = 0;
  #dataEnded = false;

  constructor(
    private readonly books: readonly Book[],
    private readonly working: WorkingOrders,
    private readonly executor: Executor,
    private readonly taking: Taking,
    private readonly settings: ArrivalSettings,
  ) {
    this.triggers = new TriggerDesk({ fired: (book, order, time, meetsPrice) => this.#fired(book, order, time, meetsPrice) });
  }

  /** Order ids come from one counter, also those of liquidations. */
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

  /** Moves an order that waits for its trigger price. The caller has checked that it waits. */
  moveTrigger(account: SimulatedAccount, clientOrderId: string, triggerTicks: number, priceTicks: number | undefined, time: number): void {
    const order = this.working.find(account, clientOrderId);
    invariant(order?.status === 'untriggered', 'an order that is moved waits for its trigger price');
    const book = this.books[order.request.instrument.index]!;
    book.read(this.settings.sizes);
    this.triggers.move(book, order, triggerTicks, priceTicks, time);
  }

  /** Matches the orders that have not met a price, or wait with a rest, with the present price. */
  meetWaiting(book: Book, may?: (order: WorkingOrder) => boolean): void {
    if (book.waiting.length === 0) return;
    for (const order of book.waiting.splice(0)) {
      if (may === undefined || may(order)) this.taking.meet(book, order);
      else book.waiting.push(order);
    }
  }

  /** From now on market orders match against the last price, also with bars. */
  useLastPrice(): void {
    this.#dataEnded = true;
  }

  #refusal(book: Book, order: WorkingOrder, time: number): Rejection | undefined {
    const { account, request } = order;
    const { clientOrderId } = request;
    if (this.working.find(account, clientOrderId)) return { code: 'duplicateClientOrderId', clientOrderId };
    // Before they trigger, trigger orders use no margin and do not need a position to close.
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

  #fired(book: Book, order: WorkingOrder, time: number, meetsPrice: boolean): void {
    const { account, request } = order;
    book.read(this.settings.sizes);
    order.rank = ++this.#arrived;
    const reason = account.reserve(order, time, this.taking.takerTicks(book, request.side));
    if (reason === undefined) {
      this.#arrive(book, order, meetsPrice || this.#meetsNow(book, order, time));
      return;
    }
    book.live++;
    this.executor.reject(book, order, reason);
  }

  #meetsNow(book: Book, order: WorkingOrder, time: number): boolean {
    // A book with an empty side accepts orders too.
    if (!book.onBars || this.#dataEnded) return book.depth !== undefined || !Number.isNaN(book.askTicks);
    if (book.walking) return order.request.released;
    if (time === book.openTime) return true;
    return this.settings.market === 'close' && time === book.closeTime && order.immediate;
  }
}
