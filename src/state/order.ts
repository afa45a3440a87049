import { type Decimal, ZERO } from '../model/decimal.ts';
import type { Instrument } from '../model/instrument.ts';
import type { LiquidationType, OrderRequest, OrderType, PositionSide, Side } from '../model/order.ts';
import type { OrderStatus } from '../model/order-state.ts';

/** The state of one order of the engine, built from the order's events. */
export class Order {
  status: OrderStatus = 'submitted';
  /** The venue's id; empty until the venue accepts the order. */
  orderId = '';
  filledSteps = 0;
  /** Exact quote amount filled so far. */
  filledNotional: Decimal = ZERO;
  /** Held by the engine: not sent to the venue yet. */
  held = false;
  /** The engine has requested its cancellation from the venue. */
  cancelRequested = false;
  /** Its trigger price was reached: from then on it is a plain order. */
  triggered = false;
  /** A foreign order that a strategy adopted. */
  adopted = false;
  /** The client id of the order that was sent in its place; empty without one. */
  replacedBy = '';
  /** Steps of the orders that it replaces that filled after it was sent. */
  lateSteps = 0;

  constructor(
    /** As last sent. A held order grows with its entry's fills and may be reduced when it is sent. */
    public request: OrderRequest,
    /** The type that the strategy chose (`stop` and `stopLimit` remain after they are sent), or the kind of liquidation. */
    readonly type: OrderType | LiquidationType,
    /** Trigger price of a stop, as last reported. A trailing stop continues from here. */
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
  /** At the venue as a trigger order whose price has not been reached: it uses no margin. */
  get untriggered(): boolean {
    return this.request.triggerTicks !== undefined && !this.triggered;
  }
  get tag(): string {
    return this.request.tag;
  }
  /** The strategy's own name of it; empty without one. */
  get ref(): string {
    return this.request.ref ?? '';
  }
  /** The group of legs to which it belongs; empty without one. */
  get group(): string {
    return this.request.group ?? '';
  }
  /** The order that it replaces, as its strategy amended it; empty for any other. */
  get replaces(): string {
    return this.request.replaces ?? '';
  }
  /** The quantity of which an amend gives the new total: its own, and what filled of the orders that it replaces. */
  get totalQuantity(): number {
    return this.instrument.step.toNumber((this.request.steps ?? 0) + (this.request.filledBefore ?? 0));
  }
  /** Limit price; `undefined` for market and stop orders. */
  get price(): number | undefined {
    const { priceTicks, instrument } = this.request;
    return priceTicks === undefined ? undefined : instrument.tick.toNumber(priceTicks);
  }
  /** Trigger price of a stop or a stop limit, as last reported; `undefined` for other orders. */
  get stopPrice(): number | undefined {
    return this.stopTicks === undefined ? undefined : this.instrument.tick.toNumber(this.stopTicks);
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
  /** Steps that filled of it and of the orders that it replaces, whenever their fills came. */
  get filledInAll(): number {
    return this.filledSteps + (this.request.filledBefore ?? 0) + this.lateSteps;
  }
  /** Steps that are still wanted of it: its rest, less what filled late of the orders that it replaces. */
  get wantedSteps(): number {
    return Math.max(0, this.remainingSteps - this.lateSteps);
  }
  get remainingQuantity(): number {
    return this.instrument.step.toNumber(this.remainingSteps);
  }
}

/** An order as strategies see it: read-only. */
export type OrderView = Readonly<Order>;
