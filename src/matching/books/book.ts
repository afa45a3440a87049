import type { Fill, PathLeg } from '../../model/fill.ts';
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

/** The simulator's state of one instrument: the prices for takers, and the waiting orders. */
export class Book {
  /** Prices that a taker pays (buy) and receives (sell); `NaN` before the first price. */
  askTicks = Number.NaN;
  bidTicks = Number.NaN;
  /** Quantity at that price, and the part of it that own orders have taken since the price changed. */
  askSteps = Number.POSITIVE_INFINITY;
  bidSteps = Number.POSITIVE_INFINITY;
  askTaken = 0;
  bidTaken = 0;
  /** With one known price: the quantity of this bar or trade that own orders may still take, both sides together. */
  sharedBudget = Number.POSITIVE_INFINITY;
  /** With bars: that quantity at the bar's open, and the bar's volume, of which it is a share, in steps. */
  barBudget = Number.POSITIVE_INFINITY;
  barVolume = 0;
  /** Volatility and volume of the instrument, where slippage uses them. */
  activity: Activity | undefined;
  /** The quantity of a ticker that own orders may take. */
  tickerBudget = Number.POSITIVE_INFINITY;
  /** True when bid and ask are quotes, false when both are one last price. */
  twoSided = false;
  /** True once trades set the price: tickers of the same instrument then add nothing. */
  traded = false;
  /** Sequence of the event that set the price. */
  sequence = 0;
  time = Number.NaN;

  /** The newest quote, not applied yet, as nothing has read its price since. */
  #unread: Quote | undefined;

  readonly buys = new OrderQueue('buy');
  readonly sells = new OrderQueue('sell');
  /** Orders that have not met a price yet: with bars, those that wait for the next open. */
  readonly waiting: WorkingOrder[] = [];
  /** Orders that wait for their trigger price; they are not active before. */
  readonly triggers = new TriggerBook();
  /** Where futures accounts trade the instrument. */
  contract: ContractBook | undefined;

  /** With bars: the time of the newest open, and whether the path inside a bar is being walked. */
  openTime = Number.NaN;
  closeTime = Number.NaN;
  walking = false;
  /** With bars: where on the path the price is; `undefined` between the open and the end of the bar. */
  leg: PathLeg | undefined;
  /** Inside a bar: fills from here on depend on the assumed path. */
  pathMatters = false;
  /** The result of an earlier bar depended on its path, and no fill is marked yet: the next one will be. */
  pathUnmarked = false;
  /** The newest own fill. */
  newestFill: Fill | undefined;

  /** The whole order book, where it is recorded: then quotes fill nothing. */
  depth: DepthMarket | undefined;

  /** Number of orders that wait or rest here; nearly always zero, and checked at every quote. */
  live = 0;

  constructor(
    readonly instrument: Instrument,
    /** Bars set prices only at their open and along their path; any other price holds until the next. */
    readonly onBars: boolean,
    /** Present where the limit rule is a queue. */
    readonly queues?: Queues | undefined,
  ) {}

  get idle(): boolean {
    return this.live === 0;
  }

  /** Own orders have taken a part of the present quote. */
  get taken(): boolean {
    return this.askTaken !== 0 || this.bidTaken !== 0;
  }

  /**
   * Takes a quote. While no order waits here and nothing was taken of the level, it is only stored: most quotes match no order, and `read`
   * applies the newest one when an order arrives.
   */
  onQuote(quote: Quote, sizes: boolean): void {
    this.#unread = quote;
    if (this.live !== 0 || this.taken) this.read(sizes);
  }

  /** Applies the newest quote. The quantity that own orders took counts until the price changes. */
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

  /** The order book has changed, or a part of it was taken: its best prices are those with a quantity left. */
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

  /** The share of the bar's volume that own orders have taken after this many more steps; 0 without volume. */
  volumeShare(steps: number): number {
    return this.barVolume > 0 ? (this.barBudget - this.sharedBudget + steps) / this.barVolume : 0;
  }

  /** The price at which a position that lacks margin closes, whatever own orders have taken; with an empty side, the price of the other. */
  closingTicks(side: Side): number {
    const { depth } = this;
    if (depth === undefined) return this.takeTicks(side);
    const [best, other] = side === 'buy' ? [depth.askTicks, depth.bidTicks] : [depth.bidTicks, depth.askTicks];
    return Number.isNaN(best) ? other : best;
  }

  /** Orders have been matched with the book; without impact, the quantity they took is available again. */
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

  /** One price for both sides, as with bars: a quantity that one side takes is not available to the other. */
  setPrice(ticks: number, sequence: number, time: number): void {
    this.askTicks = ticks;
    this.bidTicks = ticks;
    this.sequence = sequence;
    this.time = time;
    this.contract?.prices.onLast(ticks, time);
  }

  /** The last price: takers pay `halfSpread` whole ticks more, or receive as many less. */
  setLast(ticks: number, halfSpread: number, budget: number): void {
    this.askTicks = ticks + halfSpread;
    this.bidTicks = Math.max(1, ticks - halfSpread);
    this.sharedBudget = budget;
  }

  /** The order has ended: removes it. */
  drop(order: WorkingOrder): void {
    if (this.triggers.remove(order)) return;
    this.live--;
    if (this.queue(order.request.side).remove(order)) return;
    const at = this.waiting.indexOf(order);
    if (at >= 0) this.waiting.splice(at, 1);
  }
}
