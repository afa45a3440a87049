import { Decimal } from '../model/decimal.ts';
import { invariant } from '../model/errors.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Bar, Depth, Funding, Mark, Quote, Ticker, Trade } from '../model/market-events.ts';
import type { ApprovedOrder } from '../model/order.ts';
import type { CancelReason } from '../model/reasons.ts';
import type { HeldLevels } from '../ports/execution-venue.ts';
import { type Exchange, ExchangeBook } from './accounts/ledger.ts';
import type { SimulatedAccount } from './accounts/simulated-account.ts';
import { Arrivals } from './arrivals.ts';
import { BarMarket } from './bar-market.ts';
import { BookMatching, QuoteFollower } from './book-matching.ts';
import { Activity } from './books/activity.ts';
import { Book } from './books/book.ts';
import { queuesOf } from './books/queue-position.ts';
import { Executor, type OrderEnded } from './executor.ts';
import { ContractBook } from './futures/contract-book.ts';
import { ContractDesk, Liquidator } from './futures/liquidator.ts';
import type { OrderRecord, PositionRecord } from './futures/records.ts';
import { feesOf } from './models/fees.ts';
import { Limits } from './models/limits.ts';
import { Slippage } from './models/slippage.ts';
import { Resting } from './resting.ts';
import type { FillSettings } from './settings.ts';
import { Taking } from './taking.ts';
import { WorkingOrders } from './working-order.ts';

/** The parts and settings of a simulated exchange. */
interface MatchingOptions {
  readonly instruments: readonly Instrument[];
  /** True for instruments whose prices come from bars. */
  readonly onBars: boolean;
  readonly settings: FillSettings;
  readonly held: HeldLevels;
  /** The path is at this price: the engine checks its held orders before this returns. */
  readonly pause: (instrument: Instrument, time: number, sequence: number, ticks: number) => void;
  /** Default: `MARK_MAX_AGE_MS`. */
  readonly markMaxAgeMs?: number;
  /** False: positions that lack margin stay open. */
  readonly liquidation?: boolean;
  /** The starting balance of the insurance fund, by asset. */
  readonly insuranceFund?: ReadonlyMap<string, Decimal>;
  readonly orderEnded?: OrderEnded;
}

/** Default age from which a mark price is too old, and the last price is used in its place. */
const MARK_MAX_AGE_MS = 60_000;

/** The simulated exchange: books, accounts and the rules between them. It has no clock and no network. */
export class MatchingEngine {
  /** A position may lack margin: `liquidate` must be called before the instant ends. */
  marginDue = false;
  /** The counter-entry of every movement of an account. */
  readonly exchangeBook: ExchangeBook;
  /** Takes quotes without a call for each. */
  readonly quotes: QuoteFollower;
  readonly #books: readonly Book[];
  readonly #working = new WorkingOrders();
  readonly #executor: Executor;
  readonly #liquidator: Liquidator;
  readonly #arrivals: Arrivals;
  readonly #resting: Resting;
  readonly #contracts: ContractDesk;
  readonly #desk: BookMatching;
  readonly #bars: BarMarket;
  /** Recorded quote and trade sizes limit own fills. */
  readonly #sizes: boolean;
  /** Ticks, rounded up. */
  readonly #halfSpread: number;
  #sequence = 0;

  constructor(private readonly options: MatchingOptions) {
    const { settings, held, pause, liquidation = true, insuranceFund = new Map() } = options;
    this.#sizes = settings.liquidity === 'recorded';
    this.#halfSpread = Math.ceil(settings.halfSpreadTicks);
    this.exchangeBook = new ExchangeBook(insuranceFund);
    const slippage = new Slippage(settings);
    const limits = new Limits(settings.limit);
    this.#books = booksOf(options, slippage.days);
    this.quotes = new QuoteFollower(this.#books, (quote) => this.onQuote(quote));
    const working = this.#working;
    const executor = new Executor(working, options.orderEnded, feesOf(settings));
    const how = { market: settings.market, sizes: this.#sizes, forgets: settings.impact === 'none' };
    const arrivals = new Arrivals(this.#books, working, executor, new Taking(slippage, limits, executor), how);
    const liquidator = new Liquidator(working, executor, {
      book: ({ instrument }) => this.#read(instrument),
      nextOrderId: () => arrivals.nextOrderId(),
      cancel: ({ account, request }, time) => arrivals.cancel(account, request.clientOrderId, time, 'liquidation'),
    });
    this.#executor = executor;
    this.#liquidator = liquidator;
    this.#arrivals = arrivals;
    this.#resting = new Resting(settings, limits, executor);
    this.#desk = new BookMatching(how, this.#resting, arrivals);
    this.#contracts = new ContractDesk(this, arrivals.triggers, liquidator, () => working.accounts, liquidation);
    const positionSteps = (instrument: Instrument) =>
      [...working.accounts].reduce((sum, account) => sum + account.positionSteps(instrument), 0);
    const context = { settings, held, pause, positionSteps, marginDue: () => this.marginDue };
    this.#bars = new BarMarket(context, executor, this.#resting, arrivals, this.#contracts);
  }

  /** Fills so far that depended, themselves or by their exits, on the assumed path inside a bar. */
  get pathFills(): number {
    return this.#executor.pathFills;
  }

  /** Bars so far in which the price passed a stop that was not active before the next open. */
  get unguardedBars(): number {
    return this.#bars.unguarded;
  }

  /** Bars so far in which a stop trailed by no more than the bar's range. */
  get narrowTrailBars(): number {
    return this.#bars.narrowTrails;
  }

  /** Whether this fill did, as far as is known: later bars may show it. */
  readonly dependsOnPath = (fill: Fill): boolean => this.#executor.isOnPath(fill);

  /** Called before the first price. */
  addAccount(account: SimulatedAccount): void {
    this.#working.addAccount(account);
    if (account.futures !== undefined) this.#followContracts();
    account.join(this.#exchange());
  }

  /** An order arrives. Refusals and fills are published as events of its account. */
  submit(account: SimulatedAccount, request: ApprovedOrder, time: number): void {
    this.quotes.end();
    this.#arrivals.submit(account, request, time);
  }

  cancel(account: SimulatedAccount, clientOrderId: string, time: number, reason: CancelReason = 'requested'): void {
    this.quotes.end();
    this.#arrivals.cancel(account, clientOrderId, time, reason);
  }

  /** Moves an order that waits for its trigger price, in ticks. @param priceTicks its limit; `undefined`: at market. */
  moveTrigger(account: SimulatedAccount, clientOrderId: string, triggerTicks: number, priceTicks: number | undefined, time: number): void {
    this.quotes.end();
    this.#arrivals.moveTrigger(account, clientOrderId, triggerTicks, priceTicks, time);
  }

  /** A bar opens: the first price that waiting orders meet. */
  openBar(instrument: Instrument, time: number, sequence: number, openTicks: number, volume: number): void {
    this.#bars.open(this.#books[instrument.index]!, time, sequence, openTicks, volume);
  }

  /** A bar closes: its path is walked; then the close is the price. */
  closeBar(bar: Bar): void {
    this.#bars.close(this.#books[bar.instrument.index]!, bar);
  }

  /** The order book changes. From now on it is the price; quotes and trades are not. */
  onDepth(depth: Depth): void {
    const book = this.#books[depth.instrument.index]!;
    const { contract } = book;
    const { bidTicks, askTicks } = this.#desk.take(book, depth);
    const moved = bidTicks > 0 && askTicks > 0 ? contract?.prices.onQuote(bidTicks, askTicks, depth.time) : undefined;
    if (!book.idle) this.#desk.meet(book);
    if (contract !== undefined) this.#contracts.judge(book, contract, depth.time, moved);
  }

  onQuote(quote: Quote): void {
    const book = this.#books[quote.instrument.index]!;
    if (book.depth !== undefined) {
      // It sets no price, but strategies have received it, so the book has its sequence.
      book.sequence = quote.sequence;
      book.time = quote.time;
      return;
    }
    if (!book.idle) book.queues?.quoteChanged(book, quote);
    book.onQuote(quote, this.#sizes);
    const { contract } = book;
    if (contract === undefined) {
      if (!book.idle) this.#desk.meet(book);
      return;
    }
    const moved = contract.prices.onQuote(quote.bidTicks, quote.askTicks, quote.time);
    if (!book.idle) this.#desk.meet(book);
    this.#contracts.judge(book, contract, quote.time, moved);
  }

  onTrade(trade: Trade): void {
    const book = this.#books[trade.instrument.index]!;
    const { contract } = book;
    book.read(this.#sizes);
    const size = this.#sizes ? trade.steps : Number.POSITIVE_INFINITY;
    book.sequence = trade.sequence;
    book.time = trade.time;
    book.traded = true;
    book.activity?.trade(trade);
    if (!book.twoSided) book.setLast(trade.priceTicks, this.#halfSpread, size);
    const moved = contract?.prices.onLast(trade.priceTicks, trade.time);
    if (!book.idle) this.#desk.meetTrade(book, trade, size);
    if (contract !== undefined) this.#contracts.judge(book, contract, trade.time, moved);
  }

  onTicker(ticker: Ticker): void {
    const book = this.#books[ticker.instrument.index]!;
    const { contract } = book;
    book.read(this.#sizes);
    book.sequence = ticker.sequence;
    book.time = ticker.time;
    const moved = contract?.prices.onLast(ticker.lastTicks, ticker.time);
    if (!book.twoSided && !book.traded) this.#desk.meetTicker(book, ticker.lastTicks, this.#halfSpread);
    if (contract !== undefined) this.#contracts.judge(book, contract, ticker.time, moved);
  }

  onMark(mark: Mark): void {
    const book = this.#books[mark.instrument.index]!;
    const { contract } = book;
    if (contract === undefined) return;
    contract.prices.onMark(mark);
    this.#contracts.judge(book, contract, mark.time);
  }

  /** Settles funding of a contract on the present positions at their present value. */
  onFunding(funding: Funding): void {
    for (const { futures } of this.#working.accounts) futures?.charge(funding);
  }

  /** Closes the positions that lack margin. */
  liquidate(time: number): void {
    this.#contracts.liquidate(time);
  }

  /** The exchange closes an account's position on one side of a contract, at its own price. See `Liquidator`. */
  forceClose(
    account: SimulatedAccount,
    instrument: Instrument,
    positionSide: 'long' | 'short',
    terms: Parameters<Liquidator['close']>[2],
    time: number,
  ): void {
    this.#liquidator.close(account, account.futures?.positionsOf(instrument, positionSide) ?? [], terms, time);
  }

  /** The data has ended: from now on market orders match against the last price, also with bars. */
  useLastPrice(): void {
    this.#arrivals.useLastPrice();
  }

  /** Ends every open order at the end of the run. */
  expireAll(time: number): void {
    for (const account of this.#working.accounts) {
      for (const order of this.#working.of(account))
        this.#executor.expire(this.#books[order.request.instrument.index]!, order, time, 'endOfRun');
    }
  }

  /** Balance of the insurance fund; negative where it has paid more than it had. */
  insuranceFund(asset: string): Decimal {
    return this.exchangeBook.balance('insurance', asset);
  }

  /** The open orders of an account, in order of arrival. */
  orders(account: SimulatedAccount): OrderRecord[] {
    return this.#working.of(account).map((order) => order.record());
  }

  /** The futures positions of an account (of one contract, of one side), including those that stay listed when they are flat. */
  positions({ futures }: SimulatedAccount, symbol?: string, positionSide?: 'long' | 'short'): PositionRecord[] {
    return (futures?.positionRecords() ?? []).filter(
      (record) =>
        (symbol ?? record.instrument.symbol) === record.instrument.symbol && (positionSide ?? record.positionSide) === record.positionSide,
    );
  }

  #followContracts(): void {
    const { markMaxAgeMs = MARK_MAX_AGE_MS } = this.options;
    for (const book of this.#books) {
      if (book.instrument.contract !== undefined) book.contract ??= new ContractBook(book.instrument, markMaxAgeMs);
    }
  }

  #exchange(): Exchange {
    return {
      instruments: this.options.instruments,
      book: this.exchangeBook,
      liquidates: this.options.liquidation ?? true,
      contract: ({ index, symbol }) => {
        const { contract } = this.#books[index]!;
        invariant(contract !== undefined, `${symbol} has a contract`);
        return contract;
      },
      nextSequence: () => ++this.#sequence,
      marginMayLack: () => this.#contracts.noteLack(),
    };
  }

  #read({ index }: Instrument): Book {
    const book = this.#books[index]!;
    book.read(this.#sizes);
    return book;
  }
}

/** The book of each instrument, by its index. */
function booksOf({ instruments, onBars, settings }: MatchingOptions, activityDays: number | undefined): Book[] {
  const queues = queuesOf(settings);
  const { tickerQuantity } = settings;
  return instruments.map((instrument) => {
    const book = new Book(instrument, onBars, queues);
    if (tickerQuantity !== undefined) book.tickerBudget = instrument.step.floorUnits(new Decimal(tickerQuantity));
    if (activityDays !== undefined) book.activity = new Activity(activityDays);
    return book;
  });
}
