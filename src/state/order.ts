import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { LiquidationType, OrderRequest, OrderType, PositionSide, Side } from '../model/order.ts';
import type { OrderStatus } from '../model/order-state.ts';

/** What the engine knows of one of its orders: the fold of the order's events. */
export class Order {
  status: OrderStatus = 'submitted';
  /** The venue's id; empty until it accepts. */
  orderId = '';
  filledSteps = 0;
  /** Exact quote amount filled so far. */
  filledNotional: Decimal = ZERO;
  /** Held by the engine: not at the venue (yet). */
  held = false;
  /** The engine asked the venue to cancel it. */
  cancelRequested = false;
  /** Its condition was met: a stop or a trigger that is a plain order from here. */
  triggered = false;
  /** Somebody else placed it, and it has become one of ours. */
  adopted = false;

  constructor(
    /** As last sent: a held order grows with its entry's fills and is trimmed at its release. */
    public request: OrderRequest,
    /** The type the strategy asked for (`stop` and `stopLimit` stay so after their release), or by what the venue liquidated. */
    readonly type: OrderType | LiquidationType,
    /** Trigger of a stop, as last told: one that trails goes on from here. */
    public stopTicks: number | undefined,
    readonly submittedTime: number,
  ) {}

  get clientOrderId(): string {
    return this.request.clientOrderId;
  }
  get strategyId(): string {
    return this.request.strategyId;
  }
  get instrument(): Instrument {
    return this.request.instrument;
  }
  get symbol(): string {
    return this.request.instrument.symbol;
  }
  get side(): Side {
    return this.request.side;
  }
  get positionSide(): PositionSide {
    return this.request.positionSide;
  }
  /** At the venue as a trigger whose condition has not been met: it binds no margin. What was sent to go out at once does not wait. */
  get untriggered(): boolean {
    return this.request.triggerTicks !== undefined && !this.request.atLast && !this.triggered;
  }
  get tag(): string {
    return this.request.tag;
  }
  /** Limit price, `undefined` on market and stop orders. */
  get price(): number | undefined {
    const { priceTicks, instrument } = this.request;
    return priceTicks === undefined ? undefined : instrument.tick.toNumber(priceTicks);
  }
  /** Ordered base quantity; 0 for orders by quote amount. */
  get quantity(): number {
    return this.instrument.step.toNumber(this.request.steps ?? 0);
  }
  get filledQuantity(): number {
    return this.instrument.step.toNumber(this.filledSteps);
  }
  get remainingSteps(): number {
    return Math.max(0, (this.request.steps ?? 0) - this.filledSteps);
  }
  get remainingQuantity(): number {
    return this.instrument.step.toNumber(this.remainingSteps);
  }
}

/** An order as strategies see it: nothing of it can be assigned. */
export type OrderView = Readonly<Order>;
