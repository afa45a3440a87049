import type { Instrument } from '../model/instrument.ts';
import type { Side } from '../model/order.ts';
import { OrderQueue } from './order-queue.ts';
import type { WorkingOrder } from './working-order.ts';

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
  /** On bars: what own orders may still take of this bar, both sides together. */
  barBudget = Number.POSITIVE_INFINITY;
  /** True when bid and ask are quotes, false when both are one last price. */
  twoSided = false;
  /** The data that set the price. */
  sequence = 0;
  time = Number.NaN;

  readonly buys = new OrderQueue('buy');
  readonly sells = new OrderQueue('sell');
  /** Orders that have not met a price yet: on bars, those that wait for the next open. */
  readonly waiting: WorkingOrder[] = [];

  /** On bars: the time of the newest open, and whether the walk inside a bar is going on. */
  openTime = Number.NaN;
  closeTime = Number.NaN;
  walking = false;
  /** Bars where the order of own fills hangs on the assumed path. */
  pathMatters = false;

  constructor(
    readonly instrument: Instrument,
    /** Bars tell prices only at their open and along their path; everything else stands until the next. */
    readonly onBars: boolean,
  ) {}

  get idle(): boolean {
    return this.waiting.length === 0 && this.buys.size === 0 && this.sells.size === 0;
  }

  queue(side: Side): OrderQueue {
    return side === 'buy' ? this.buys : this.sells;
  }

  takeTicks(side: Side): number {
    return side === 'buy' ? this.askTicks : this.bidTicks;
  }

  /** Steps that a buyer (seller) may still take at the present price. */
  takeBudget(side: Side): number {
    if (this.onBars) return this.barBudget;
    return side === 'buy' ? this.askSteps - this.askTaken : this.bidSteps - this.bidTaken;
  }

  take(side: Side, steps: number): void {
    if (this.onBars) this.barBudget -= steps;
    else if (side === 'buy') this.askTaken += steps;
    else this.bidTaken += steps;
  }

  /** One price for both sides, as bars have it: what one side takes, the other cannot. */
  setPrice(ticks: number, sequence: number, time: number): void {
    this.askTicks = ticks;
    this.bidTicks = ticks;
    this.sequence = sequence;
    this.time = time;
  }

  removeWaiting(order: WorkingOrder): boolean {
    const at = this.waiting.indexOf(order);
    if (at < 0) return false;
    this.waiting.splice(at, 1);
    return true;
  }
}
