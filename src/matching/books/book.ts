import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Quote } from '../../model/market-events.ts';
import type { Side } from '../../model/order.ts';
import type { ContractBook } from '../futures/contract-book.ts';
import type { WorkingOrder } from '../working-order.ts';
import type { Activity } from './activity.ts';
import type { DepthMarket } from './depth-market.ts';
import { OrderQueue } from './order-queue.ts';
import type { Queues } from './queue-position.ts';
import { TriggerBook } from './trigger-book.ts';

/** What the simulator knows of one instrument: the prices that takers meet, and the orders that wait. */
export class Book {
  /** Prices that a taker pays (buy) and receives (sell); `NaN` before the first price. */
  askTicks = Number.NaN;
  bidTicks = Number.NaN;
  /** Quantity standing there, and how much of it own orders have taken since the price changed. */
  askSteps = Number.POSITIVE_INFINITY;
  bidSteps = Number.POSITIVE_INFINITY;
  askTaken = 0;
  bidTaken = 0;
  /** Where one price is known: what own orders may still take of this bar or trade, both sides together. */
  sharedBudget = Number.POSITIVE_INFINITY;
  /** On bars: that budget as the bar opened, and the volume that it is a share of, in steps. */
  barBudget = Number.POSITIVE_INFINITY;
  barVolume = 0;
  /** How the instrument moves and trades, where slippage goes by it. */
  activity: Activity | undefined;
  /** What a ticker lets own orders take. */
  tickerBudget = Number.POSITIVE_INFINITY;
  /** True when bid and ask are quotes, false when both are one last price. */
  twoSided = false;
  /** True once trades tell the price: tickers beside them say nothing new. */
  traded = false;
  /** The data that set the price. */
  sequence = 0;
  time = Number.NaN;

  /** The newest quote, not yet taken in: nobody has asked for its price since. */
  #unread: Quote | undefined;

  readonly buys = new OrderQueue('buy');
  readonly sells = new OrderQueue('sell');
  /** Orders that have not met a price yet: on bars, those that wait for the next open. */
  readonly waiting: WorkingOrder[] = [];
  /** Orders that wait for their trigger price; they are not live before. */
  readonly triggers = new TriggerBook();
  /** Where futures accounts trade the instrument. */
  contract: ContractBook | undefined;

  /** On bars: the time of the newest open, and whether the walk inside a bar is going on. */
  openTime = Number.NaN;
  closeTime = Number.NaN;
  walking = false;
  /** Inside a bar: what fills from here on hangs on the assumed path. */
  pathMatters = false;
  /** What came of an earlier bar hung on its path, and no fill says so yet: the next one does. */
  pathUntold = false;
  /** The newest own fill. */
  newestFill: Fill | undefined;

  /** The whole order book, where it is recorded: quotes beside it fill nothing. */
  depth: DepthMarket | undefined;

  /** Orders that wait or rest here: nearly always none, which is asked at every quote. */
  live = 0;

  constructor(
    readonly instrument: Instrument,
    /** Bars tell prices only at their open and along their path; everything else stands until the next. */
    readonly onBars: boolean,
    /** Where the limit rule is a queue. */
    readonly queues?: Queues | undefined,
  ) {}

  get idle(): boolean {
    return this.live === 0;
  }

  /** Own orders have taken some of what stands at the present quote. */
  get taken(): boolean {
    return this.askTaken !== 0 || this.bidTaken !== 0;
  }

  /**
   * Takes a quote. While nothing waits here and nothing was taken of the level, it is only kept: most quotes
   * meet no order, and `read` catches up when one arrives.
   */
  onQuote(quote: Quote, sizes: boolean): void {
    this.#unread = quote;
    if (this.live !== 0 || this.taken) this.read(sizes);
  }

  /** Catches up with the newest quote. What own orders took counts until the price changes. */
  read(sizes: boolean): void {
    const quote = this.#unread;
    if (quote === undefined) return;
    this.#unread = undefined;
    if (quote.bidTicks !== this.bidTicks) this.bidTaken = 0;
    if (quote.askTicks !== this.askTicks) this.askTaken = 0;
    this.bidTicks = quote.bidTicks;
    this.askTicks = quote.askTicks;
    this.twoSided = true;
    this.sequence = quote.sequence;
    this.time = quote.time;
    if (!sizes) return;
    this.bidSteps = quote.bidSteps;
    this.askSteps = quote.askSteps;
  }

  /** The order book has changed, or something was taken of it: its best prices are those with something left. */
  readDepth(depth: DepthMarket): void {
    this.#unread = undefined;
    this.bidTicks = depth.best('sell');
    this.askTicks = depth.best('buy');
  }

  /** The order begins to rest at its limit. */
  rest(order: WorkingOrder): void {
    this.queue(order.request.side).add(order);
    this.queues?.join(this, order);
  }

  queue(side: Side): OrderQueue {
    return side === 'buy' ? this.buys : this.sells;
  }

  takeTicks(side: Side): number {
    return side === 'buy' ? this.askTicks : this.bidTicks;
  }

  /** Steps that a buyer (seller) may still take at the present price. */
  takeBudget(side: Side): number {
    if (this.depth !== undefined) return this.depth.left(side, this.takeTicks(side));
    if (!this.twoSided) return this.sharedBudget;
    return side === 'buy' ? this.askSteps - this.askTaken : this.bidSteps - this.bidTaken;
  }

  /** Steps that a buyer (seller) may still take at `limitTicks` (undefined: at any price) or better, up to `wanted`. */
  takeable(side: Side, limitTicks: number | undefined, wanted: number): number {
    if (this.depth === undefined) return this.takeBudget(side);
    let steps = 0;
    for (let ticks = this.takeTicks(side); steps < wanted && !Number.isNaN(ticks); ticks = this.depth.next(side, ticks)) {
      if (limitTicks !== undefined && (side === 'buy' ? ticks > limitTicks : ticks < limitTicks)) break;
      steps += this.depth.left(side, ticks);
    }
    return steps;
  }

  /** Share of the bar's volume that own orders have taken once they take so many steps more; 0 where there is no volume. */
  volumeShare(steps: number): number {
    return this.barVolume > 0 ? (this.barBudget - this.sharedBudget + steps) / this.barVolume : 0;
  }

  /** Where a position that lacks margin closes, whatever own orders have taken; an empty side closes it at the other. */
  closingTicks(side: Side): number {
    const { depth } = this;
    if (depth === undefined) return this.takeTicks(side);
    const [best, other] = side === 'buy' ? [depth.askTicks, depth.bidTicks] : [depth.bidTicks, depth.askTicks];
    return Number.isNaN(best) ? other : best;
  }

  /** Orders have met the book; without impact what they took stands there again. */
  forgetTaken(): void {
    this.askTaken = 0;
    this.bidTaken = 0;
    if (this.depth === undefined) return;
    this.depth.restore();
    this.readDepth(this.depth);
  }

  take(side: Side, steps: number): void {
    if (this.depth !== undefined) {
      this.depth.take(side, this.takeTicks(side), steps);
      this.readDepth(this.depth);
      return;
    }
    if (!this.twoSided) this.sharedBudget -= steps;
    else if (side === 'buy') this.askTaken += steps;
    else this.bidTaken += steps;
  }

  /** One price for both sides, as bars have it: what one side takes, the other cannot. */
  setPrice(ticks: number, sequence: number, time: number): void {
    this.askTicks = ticks;
    this.bidTicks = ticks;
    this.sequence = sequence;
    this.time = time;
    this.contract?.prices.onLast(ticks, time);
  }

  /** The last price: takers pay `halfSpread` whole ticks more, or get as many less. */
  setLast(ticks: number, halfSpread: number, budget: number): void {
    this.askTicks = ticks + halfSpread;
    this.bidTicks = Math.max(1, ticks - halfSpread);
    this.sharedBudget = budget;
  }

  /** The order has ended, wherever it was. */
  drop(order: WorkingOrder): void {
    if (this.triggers.remove(order)) return;
    this.live--;
    if (this.queue(order.request.side).remove(order)) return;
    const at = this.waiting.indexOf(order);
    if (at >= 0) this.waiting.splice(at, 1);
  }
}
