import type { Instrument } from '../model/instrument.ts';
import type { Bar, Quote, Ticker, Trade } from '../model/market-events.ts';
import type { ApprovedOrder } from '../model/order.ts';
import type { CancelReason } from '../model/reasons.ts';
import type { HeldLevels } from '../ports/execution-venue.ts';
import { BarWalk } from './bar-walk.ts';
import { Book } from './book.ts';
import { Executor } from './executor.ts';
import { Resting } from './resting.ts';
import type { FillSettings } from './settings.ts';
import type { SimulatedAccount } from './simulated-account.ts';
import { Taking } from './taking.ts';
import { WorkingOrder } from './working-order.ts';
import { WorkingOrders } from './working-orders.ts';

export interface MatchingOptions {
  readonly instruments: readonly Instrument[];
  /** True for instruments whose prices come from bars. */
  readonly onBars: boolean;
  readonly settings: FillSettings;
  readonly held: HeldLevels;
  /** The price stands here: the engine judges its held orders before this returns. */
  readonly pause: (instrument: Instrument, time: number, sequence: number, ticks: number) => void;
}

/** The simulated exchange: books, accounts and the rules between them. It knows no clock and no wire. */
export class MatchingEngine {
  readonly #books: readonly Book[];
  readonly #working = new WorkingOrders();
  readonly #executor = new Executor(this.#working);
  readonly #taking: Taking;
  readonly #resting: Resting;
  readonly #walk: BarWalk;
  #orders = 0;
  #standing = false;
  /** Recorded quote and trade sizes are budgets. */
  readonly #sizes: boolean;

  constructor(private readonly options: MatchingOptions) {
    const { settings, held } = options;
    this.#sizes = settings.liquidity === 'recorded';
    this.#books = options.instruments.map((instrument) => new Book(instrument, options.onBars));
    this.#taking = new Taking(settings, this.#executor);
    this.#resting = new Resting(settings, this.#executor);
    this.#walk = new BarWalk(settings.path, this.#resting, {
      held,
      pause: (book, ticks) => this.#pauseInside(book, ticks),
      positionSteps: (instrument) => [...this.#working.accounts].reduce((sum, account) => sum + account.positionSteps(instrument), 0),
    });
  }

  /** Fills so far whose occurrence hung on the assumed path inside a bar. */
  get pathFills(): number {
    return this.#executor.pathFills;
  }

  addAccount(account: SimulatedAccount): void {
    this.#working.addAccount(account);
  }

  /** An order arrives. Refusals and fills leave as events of its account. */
  submit(account: SimulatedAccount, request: ApprovedOrder, time: number): void {
    const { clientOrderId, instrument } = request;
    const book = this.#books[instrument.index]!;
    const order = new WorkingOrder(account, request, String(++this.#orders), this.#orders, time);
    const reason = this.#working.find(account, clientOrderId)
      ? ({ code: 'duplicateClientOrderId', clientOrderId } as const)
      : account.reserve(order, time);
    if (reason !== undefined) {
      account.emit({ kind: 'orderRejected', time, clientOrderId, reason });
      return;
    }
    this.#working.add(order);
    account.emit({ kind: 'orderAccepted', time, clientOrderId, orderId: order.orderId, held: false });
    book.live++;
    book.read(this.#sizes);
    if (this.#meetsNow(book, order, time)) this.#taking.meet(book, order);
    else book.waiting.push(order);
  }

  cancel(account: SimulatedAccount, clientOrderId: string, time: number, reason: CancelReason = 'requested'): void {
    const order = this.#working.find(account, clientOrderId);
    if (order === undefined) {
      account.emit({ kind: 'cancelRejected', time, clientOrderId });
      return;
    }
    const book = this.#books[order.request.instrument.index]!;
    if (!book.queue(order.request.side).remove(order)) book.removeWaiting(order);
    this.#executor.cancel(book, order, time, reason);
  }

  /** A bar opens: the first price that waiting orders meet. */
  openBar(instrument: Instrument, time: number, sequence: number, openTicks: number, volume: number): void {
    const book = this.#books[instrument.index]!;
    const { barVolumeShare, market } = this.options.settings;
    book.setPrice(openTicks, sequence, time);
    book.openTime = time;
    if (barVolumeShare !== undefined) book.sharedBudget = instrument.step.snap(volume * barVolumeShare, 'down') ?? 0;
    const fills = this.#executor.fills;
    if (this.options.held.opens(instrument, time, openTicks)) this.options.pause(instrument, time, sequence, openTicks);
    if (!book.idle) {
      this.#resting.meetBook(book, 'buy', openTicks, true);
      this.#resting.meetBook(book, 'sell', openTicks, true);
      this.#meetWaiting(book, (order) => market === 'nextOpen' || !order.immediate);
    }
    // What filled here may have armed exits that this very open triggers.
    if (this.#executor.fills > fills) this.options.pause(instrument, time, sequence, openTicks);
  }

  /** A bar closes: its path is walked, then the close stands. */
  closeBar(bar: Bar): void {
    const book = this.#books[bar.instrument.index]!;
    book.sequence = bar.sequence;
    book.time = bar.time;
    book.closeTime = bar.time;
    if (book.idle && !this.options.held.any(bar.instrument)) {
      book.setPrice(bar.closeTicks, bar.sequence, bar.time);
      return;
    }
    this.#walk.walk(book, bar.openTicks, bar.highTicks, bar.lowTicks, bar.closeTicks);
    if (this.options.settings.market === 'close') this.#meetWaiting(book, (order) => order.immediate);
  }

  onQuote(quote: Quote): void {
    const book = this.#books[quote.instrument.index]!;
    book.onQuote(quote, this.#sizes);
    if (!book.idle) this.#meetTop(book);
  }

  onTrade(trade: Trade): void {
    const book = this.#books[trade.instrument.index]!;
    book.read(this.#sizes);
    const size = this.#sizes ? trade.steps : Number.POSITIVE_INFINITY;
    book.sequence = trade.sequence;
    book.time = trade.time;
    book.traded = true;
    if (!book.twoSided) this.#setLast(book, trade.priceTicks, size);
    if (book.idle) return;
    // A print that says who took tells which side stood there; one that does not may serve either.
    let budget = size;
    if (trade.side !== 'buy') budget -= this.#resting.meet(book, 'buy', trade.priceTicks, budget);
    if (trade.side !== 'sell') budget -= this.#resting.meet(book, 'sell', trade.priceTicks, budget);
    if (book.twoSided) return;
    book.sharedBudget = budget;
    this.#meetWaiting(book);
  }

  onTicker(ticker: Ticker): void {
    const book = this.#books[ticker.instrument.index]!;
    book.read(this.#sizes);
    book.sequence = ticker.sequence;
    book.time = ticker.time;
    if (book.twoSided || book.traded) return;
    this.#setLast(book, ticker.lastTicks, Number.POSITIVE_INFINITY);
    if (book.idle) return;
    this.#resting.meet(book, 'buy', ticker.lastTicks, Number.POSITIVE_INFINITY);
    this.#resting.meet(book, 'sell', ticker.lastTicks, Number.POSITIVE_INFINITY);
    this.#meetWaiting(book);
  }

  /** The data is over: from here market orders meet the last price, bars or not. */
  stand(): void {
    this.#standing = true;
  }

  /** Ends every order that still works: the run is over. */
  expireAll(time: number): void {
    for (const account of this.#working.accounts) {
      for (const order of this.#working.of(account))
        this.#executor.expire(this.#books[order.request.instrument.index]!, order, time, 'endOfRun');
    }
  }

  #meetTop(book: Book): void {
    this.#resting.meetBook(book, 'buy', book.askTicks);
    this.#resting.meetBook(book, 'sell', book.bidTicks);
    this.#meetWaiting(book);
  }

  #meetWaiting(book: Book, may: (order: WorkingOrder) => boolean = () => true): void {
    if (book.waiting.length === 0) return;
    for (const order of book.waiting.splice(0)) {
      if (may(order)) this.#taking.meet(book, order);
      else book.waiting.push(order);
    }
  }

  /** What a release has filled may have armed exits that this very price triggers: it is judged once more. */
  #pauseInside(book: Book, ticks: number): void {
    const { instrument, time, sequence } = book;
    const fills = this.#executor.fills;
    this.options.pause(instrument, time, sequence, ticks);
    if (this.#executor.fills > fills) this.options.pause(instrument, time, sequence, ticks);
  }

  #meetsNow(book: Book, order: WorkingOrder, time: number): boolean {
    if (!book.onBars || this.#standing) return !Number.isNaN(book.askTicks);
    if (book.walking) return order.request.released;
    if (time === book.openTime) return true;
    return this.options.settings.market === 'close' && time === book.closeTime && order.immediate;
  }

  /** Takers pay half a spread on top of the last price: whole ticks, rounded against them. */
  #setLast(book: Book, ticks: number, budget: number): void {
    const half = Math.ceil(this.options.settings.halfSpreadTicks);
    book.askTicks = ticks + half;
    book.bidTicks = Math.max(1, ticks - half);
    book.sharedBudget = budget;
  }
}
