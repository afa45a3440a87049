import type { Decimal } from './decimal.ts';
import type { Fill } from './fill.ts';
import type { Instrument } from './instrument.ts';
import type { ExitRefused, LatchReset, OrderAdopted, RiskLatched, TradeStopped } from './latch-events.ts';
import type { Balance, LedgerEntry } from './ledger.ts';
import type { LiquidationType, OrderRequest, OrderType, PositionSide, Side } from './order.ts';
import type { CancelReason, Denial, ExpiryReason, Rejection } from './reasons.ts';

/** The engine sent the order to its venue. */
export interface OrderSubmitted {
  readonly kind: 'orderSubmitted';
  readonly time: number;
  readonly clientOrderId: string;
  readonly request: OrderRequest;
  /** What the strategy asked for, or by what the venue liquidated; stops carry their trigger price. */
  readonly type: OrderType | LiquidationType;
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
/**
 * The condition of a held order was met at `priceTicks`, and it now goes through risk to the venue; or that of
 * a trigger order at the venue, which is a plain order from here.
 */
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
  /** That it was ours, and not a liquidation's, or how much of it, is told by a rule: what the venue shows fits otherwise, too. */
  readonly inferred?: boolean | undefined;
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
  /** Of what was asked for; absent where that has no side. */
  readonly side?: Side | undefined;
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

/** The venue charged (or paid) funding on one side of a position. */
export interface FundingCharged {
  readonly kind: 'fundingCharged';
  readonly time: number;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** Held when it was charged, never negative. */
  readonly steps: number;
  /** Share of the position's value at the mark price: positive is paid by longs. */
  readonly rate: Decimal;
  readonly markPrice: Decimal;
  /** What the account gained (negative: paid), in the contract's quote. */
  readonly amount: Decimal;
}

/** The isolated margin of a side changed (of all its separated positions together): by a fill, a transfer, a liquidation. */
export interface MarginChanged {
  readonly kind: 'marginChanged';
  readonly time: number;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** What it is now. */
  readonly margin: Decimal;
  /** What each separated position has of it, by the id of the order that opened it. */
  readonly parts?: ReadonlyMap<string, Decimal>;
}

/**
 * The venue closed a position (in part or whole) that lacked margin. The fill belongs to no strategy; the engine
 * shares it out among those that hold the side.
 */
export interface PositionLiquidated {
  readonly kind: 'positionLiquidated';
  readonly time: number;
  readonly orderId: string;
  readonly type: LiquidationType;
  /** In separated mode, which position: the id of the order that opened it. */
  readonly positionId?: string | undefined;
  readonly fill: Fill;
  /** That no order of ours closed some of it, or that none closed more, is told by a rule: what the venue shows fits otherwise, too. */
  readonly inferred?: boolean | undefined;
}

/**
 * A position that no order of ours made grew or shrank: it was there when the run began, or somebody else trades the
 * account. It moves the account's position, and no strategy's.
 */
export interface PositionFound {
  readonly kind: 'positionFound';
  readonly time: number;
  readonly instrument: Instrument;
  readonly positionSide: 'long' | 'short';
  readonly action: 'opened' | 'closed';
  readonly steps: number;
  /** Quote paid or received for these steps. */
  readonly notional: Decimal;
  /** The venue's id of the opening order where positions are separated, else empty. */
  readonly orderId: string;
}

/** What happens to one order over its life. */
export type OrderEvent =
  | OrderSubmitted
  | OrderAdopted
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

/**
 * Whether what the account and the market are known by can be relied on. `stale`: nothing new for too long.
 * `halted`: something stands there that nobody can explain. `fresh` takes both back.
 */
export interface HealthChanged {
  readonly kind: 'healthChanged';
  readonly time: number;
  /** `market`: its prices. `account`: its fills and balances. `instrument`: an order of it whose fate is open, say. */
  readonly subject: 'market' | 'account' | 'instrument';
  /** Empty: all instruments. */
  readonly symbol: string;
  readonly condition: 'fresh' | 'stale' | 'halted';
  /** In words, for people. */
  readonly reason: string;
}

/** What a venue tells the engine. */
export type VenueEvent =
  | Exclude<OrderEvent, OrderSubmitted | CancelSubmitted | OrderDenied>
  | BalanceChanged
  | FundingCharged
  | MarginChanged
  | PositionLiquidated
  | PositionFound
  | HealthChanged;

/** A timer that a strategy set has come due. */
export interface TimerFired {
  readonly kind: 'timerFired';
  readonly time: number;
  readonly strategyId: string;
  readonly name: string;
}

/** Everything that concerns the account rather than the market. */
export type AccountEvent =
  | OrderEvent
  | BalanceChanged
  | FundingCharged
  | MarginChanged
  | PositionLiquidated
  | PositionFound
  | HealthChanged
  | TimerFired
  | RiskLatched
  | LatchReset
  | TradeStopped
  | ExitRefused;

/** Whether the event belongs to the life of one order. */
export function isOrderEvent(event: AccountEvent): event is OrderEvent {
  return 'clientOrderId' in event;
}
