import type { Instrument } from '../model/instrument.ts';
import type { Bar, Quote, Ticker, Trade } from '../model/market-events.ts';
import type { ApprovedOrder } from '../model/order.ts';
import type { HeldLevels } from '../ports/execution-venue.ts';
import { BarWalk } from './bar-walk.ts';
import { Book } from './book.ts';
import { Executor } from './executor.ts';
import { Resting } from './resting.ts';
import type { FillSettings } from './settings.ts';
import type { SimulatedAccount } from './simulated-account.ts';
import { Taking } from './taking.ts';
import { WorkingOrder } from './working-order.ts';

export interface MatchingOptions {
  readonly instruments: readonly Instrument[];
  /** True for instruments whose prices come from bars. */
  readonly onBars: boolean;
  readonly settings: FillSettings;
  readonly held: HeldLevels;
  /** The price stands here: the engine judges its held orders before this returns. */
  readonly pause: (instrument: Instrument, time: number, sequence: number, ticks: number, opens: boolean) => void;
}

/** The simulated exchange: books, accounts and the rules between them. It knows no clock and no wire. */
export class MatchingEngine {
  readonly #books: readonly Book[];
  readonly #accounts: SimulatedAccount[] = [];
  readonly #executor = new Executor();
  readonly #taking: Taking;
  readonly #resting: Resting;
  readonly #walk: BarWalk;
  #orders = 0;
  #standing = false;

  constructor(private readonly options: MatchingOptions) {
    const { settings, held, pause } = options;
    this.#books = options.instruments.map((instrument) => new Book(instrument, options.onBars));
    this.#taking = new Taking(settings, this.#executor);
    this.#resting = new Resting(settings, this.#executor);
    this.#walk = new BarWalk(settings.path, this.#resting, {
      held,
      pause: (book, ticks) => pause(book.instrument, book.time, book.sequence, ticks, false),
      positionSteps: (instrument) => this.#accounts.reduce((sum, account) => sum + account.positionSteps(instrument), 0),
    });
  }

  /** Fills so far whose occurrence hung on the assumed path inside a bar. */
  get pathFills(): number {
    return this.#executor.pathFills;
  }

  addAccount(account: SimulatedAccount): void {
    this.#accounts.push(account);
  }

  /** An order arrives. Refusals and fills leave as events of its account. */
  submit(account: SimulatedAccount, request: ApprovedOrder, time: number): void {
    const { clientOrderId, instrument } = request;
    const order = new WorkingOrder(account, request, String(++this.#orders), this.#orders);
    const reason = account.working.has(clientOrderId)
      ? ({ code: 'duplicateClientOrderId', clientOrderId } as const)
      : account.reserve(order, time);
    if (reason !== undefined) {
      account.emit({ kind: 'orderRejected', time, clientOrderId, reason });
      return;
    }
    account.working.set(clientOrderId, order);
    account.emit({ kind: 'orderAccepted', time, clientOrderId, orderId: order.orderId, held: false });
    const book = this.#books[instrument.index]!;
    if (this.#meetsNow(book, order, time)) this.#taking.meet(book, order);
    else book.waiting.push(order);
  }

  cancel(account: SimulatedAccount, clientOrderId: string, time: number): void {
    const order = account.working.get(clientOrderId);
    if (order === undefined) {
      account.emit({ kind: 'cancelRejected', time, clientOrderId });
      return;
    }
    const book = this.#books[order.request.instrument.index]!;
    if (!book.queue(order.request.side).remove(order)) book.removeWaiting(order);
    this.#executor.cancel(order, time);
  }

  /** A bar opens: the first price that waiting orders meet. */
  openBar(instrument: Instrument, time: number, sequence: number, openTicks: number, volumeSteps: number): void {
    const book = this.#books[instrument.index]!;
    const { barVolumeShare, market } = this.options.settings;
    book.setPrice(openTicks, sequence, time);
    book.openTime = time;
    if (barVolumeShare !== undefined) book.barBudget = Math.floor(volumeSteps * barVolumeShare);
    this.#pauseAt(book, openTicks, true);
    if (book.idle) return;
    const fills = this.#executor.fills;
    this.#resting.meetBook(book, 'buy', openTicks, true);
    this.#resting.meetBook(book, 'sell', openTicks, true);
    this.#meetWaiting(book, (order) => market === 'nextOpen' || order.request.type !== 'market');
    // What filled here may have armed exits that this very open triggers.
    if (this.#executor.fills > fills) this.options.pause(instrument, time, sequence, openTicks, false);
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
    if (this.options.settings.market === 'close') this.#meetWaiting(book, (order) => order.request.type === 'market');
  }

  onQuote(quote: Quote): void {
    const book = this.#books[quote.instrument.index]!;
    if (quote.bidTicks !== book.bidTicks) book.bidTaken = 0;
    if (quote.askTicks !== book.askTicks) book.askTaken = 0;
    book.bidTicks = quote.bidTicks;
    book.askTicks = quote.askTicks;
    book.twoSided = true;
    book.sequence = quote.sequence;
    book.time = quote.time;
    if (this.options.settings.liquidity === 'recorded') {
      book.bidSteps = quote.bidSteps;
      book.askSteps = quote.askSteps;
    }
    if (!book.idle) this.#meetTop(book);
  }

  onTrade(trade: Trade): void {
    const book = this.#books[trade.instrument.index]!;
    if (!book.twoSided) this.#setLast(book, trade.priceTicks);
    book.sequence = trade.sequence;
    book.time = trade.time;
    if (book.idle) return;
    // A print that says who took tells which side stood there; one that does not may serve either.
    let budget = this.options.settings.liquidity === 'recorded' ? trade.steps : Number.POSITIVE_INFINITY;
    if (trade.side !== 'buy') budget -= this.#resting.meet(book, 'buy', trade.priceTicks, budget);
    if (trade.side !== 'sell') this.#resting.meet(book, 'sell', trade.priceTicks, budget);
    if (!book.twoSided) this.#meetWaiting(book);
  }

  onTicker(ticker: Ticker): void {
    const book = this.#books[ticker.instrument.index]!;
    this.#setLast(book, ticker.lastTicks);
    book.sequence = ticker.sequence;
    book.time = ticker.time;
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
    for (const account of this.#accounts) {
      for (const order of [...account.working.values()]) this.#executor.expire(order, time, 'endOfRun');
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

  #pauseAt(book: Book, ticks: number, opens: boolean): void {
    const { held, pause } = this.options;
    if (held.any(book.instrument)) pause(book.instrument, book.time, book.sequence, ticks, opens);
  }

  #meetsNow(book: Book, order: WorkingOrder, time: number): boolean {
    if (!book.onBars || this.#standing) return !Number.isNaN(book.askTicks);
    if (book.walking) return order.request.released;
    if (time === book.openTime) return true;
    return this.options.settings.market === 'close' && time === book.closeTime && order.request.type === 'market';
  }

  #setLast(book: Book, ticks: number): void {
    book.askTicks = ticks + this.options.settings.halfSpreadTicks;
    book.bidTicks = ticks - this.options.settings.halfSpreadTicks;
  }
}
