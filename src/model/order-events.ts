import type { Fill } from './fill.ts';
import type { Balance, LedgerEntry } from './ledger.ts';
import type { OrderRequest, OrderType } from './order.ts';
import type { CancelReason, Denial, ExpiryReason, Rejection } from './reasons.ts';

/** The engine sent the order to its venue. */
export interface OrderSubmitted {
  readonly kind: 'orderSubmitted';
  readonly time: number;
  readonly clientOrderId: string;
  readonly request: OrderRequest;
  /** What the strategy asked for; stops carry their trigger price. */
  readonly type: OrderType;
  readonly stopTicks: number | undefined;
  /** A known order in another shape: a held one resized, or going out. */
  readonly again: boolean;
}
/** The venue holds the order, or (`held`) the engine does, until its condition is met. */
export interface OrderAccepted {
  readonly kind: 'orderAccepted';
  readonly time: number;
  readonly clientOrderId: string;
  readonly orderId: string;
  readonly held: boolean;
}
/** The condition of a held order was met at `priceTicks`; it now goes through risk to the venue. */
export interface OrderTriggered {
  readonly kind: 'orderTriggered';
  readonly time: number;
  readonly clientOrderId: string;
  readonly priceTicks: number;
}
export interface OrderFilled {
  readonly kind: 'orderFilled';
  readonly time: number;
  readonly clientOrderId: string;
  readonly fill: Fill;
  /** Nothing of the order is left to fill. */
  readonly complete: boolean;
}
export interface CancelSubmitted {
  readonly kind: 'cancelSubmitted';
  readonly time: number;
  readonly clientOrderId: string;
}
export interface OrderCanceled {
  readonly kind: 'orderCanceled';
  readonly time: number;
  readonly clientOrderId: string;
  readonly reason: CancelReason;
}
/** The venue had nothing to cancel: the order was filled, or gone, before the cancel arrived. */
export interface CancelRejected {
  readonly kind: 'cancelRejected';
  readonly time: number;
  readonly clientOrderId: string;
}
export interface OrderRejected {
  readonly kind: 'orderRejected';
  readonly time: number;
  readonly clientOrderId: string;
  readonly reason: Rejection;
}
export interface OrderExpired {
  readonly kind: 'orderExpired';
  readonly time: number;
  readonly clientOrderId: string;
  readonly reason: ExpiryReason;
}
/** Risk refused it; `clientOrderId` is empty for intents that never became an order. */
export interface OrderDenied {
  readonly kind: 'orderDenied';
  readonly time: number;
  readonly clientOrderId: string;
  readonly strategyId: string;
  readonly symbol: string;
  readonly tag: string;
  readonly reason: Denial;
}
/** The request's outcome is not known: its exposure stays reserved until proof arrives. */
export interface OrderUnknown {
  readonly kind: 'orderUnknown';
  readonly time: number;
  readonly clientOrderId: string;
}

/** A balance moved: by a ledger entry, or (without one) because orders froze or released funds. */
export interface BalanceChanged {
  readonly kind: 'balanceChanged';
  readonly time: number;
  readonly balance: Balance;
  readonly entry: LedgerEntry | undefined;
}

/** What happens to one order over its life. */
export type OrderEvent =
  | OrderSubmitted
  | OrderAccepted
  | OrderTriggered
  | OrderFilled
  | CancelSubmitted
  | OrderCanceled
  | CancelRejected
  | OrderRejected
  | OrderExpired
  | OrderDenied
  | OrderUnknown;

/** What a venue tells the engine. */
export type VenueEvent = Exclude<OrderEvent, OrderSubmitted | OrderTriggered | CancelSubmitted | OrderDenied> | BalanceChanged;

/** A timer that a strategy set has come due. */
export interface TimerFired {
  readonly kind: 'timerFired';
  readonly time: number;
  readonly strategyId: string;
  readonly name: string;
}

/** An account-wide limit was broken and latched: from here only reducing intents pass. */
export interface RiskLatched {
  readonly kind: 'riskLatched';
  readonly time: number;
  readonly rule: 'maxDrawdown';
  readonly drawdown: number;
  readonly limit: number;
}

/** Everything that concerns the account rather than the market. */
export type AccountEvent = OrderEvent | BalanceChanged | TimerFired | RiskLatched;

/** Whether the event belongs to the life of one order. */
export function isOrderEvent(event: AccountEvent): event is OrderEvent {
  return event.kind !== 'balanceChanged' && event.kind !== 'timerFired' && event.kind !== 'riskLatched';
}
