// Long because every event of an account is defined here.
import type { Decimal } from './decimal.ts';
import type { Fill } from './fill.ts';
import type { Instrument, ListedGrid, ListedLimits } from './instrument.ts';
import type { Balance, LedgerEntry } from './ledger.ts';
import type { LiquidationType, OrderRequest, OrderType, PositionSide, Side } from './order.ts';
import type { CancelReason, Denial, Disappearance, ExpiryReason, RefusalCode, Rejection } from './reasons.ts';
import type { SignalReceived } from './signal.ts';

/** Everything that concerns the account rather than the market. */
export type AccountEvent =
  | OrderEvent
  | BalanceChanged
  | FundingCharged
  | MarginChanged
  | ForcedClose
  | PositionFound
  | LimitsListed
  | HealthChanged
  | RequestsChanged
  | SignalReceived
  | TimerFired
  | RiskLatched
  | LatchReset
  | TradeStopped
  | ExitRefused
  | ExitDelayed
  | CloseOvershot;

/** The events of one order over its life. */
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
  | OrderUnknown
  | OrderVanished;

/** The state of its order that every order event has when a strategy receives it. */
export interface OrderNames {
  readonly strategyId: string;
  readonly symbol: string;
  /** Absent for the denial of an intent without a side. */
  readonly side: Side | undefined;
  /** Empty without one. */
  readonly tag: string;
  /** Empty without one. */
  readonly ref: string;
  /** Empty without one. */
  readonly group: string;
}

/** An order event as a strategy receives it. */
export type NamedOrderEvent = OrderEvent & OrderNames;

/** An account event as a strategy receives it. */
export type NamedAccountEvent = Exclude<AccountEvent, OrderEvent> | NamedOrderEvent;

/** Whether the venue closed a position by itself. */
export const isForcedClose = (event: AccountEvent): event is ForcedClose =>
  event.kind === 'positionLiquidated' || event.kind === 'positionDeleveraged';

/** Whether the event belongs to the life of one order. */
export const isOrderEvent = (event: AccountEvent): event is OrderEvent => 'clientOrderId' in event;

/** An event that a venue reports to the engine. */
export type VenueEvent =
  | Exclude<OrderEvent, CancelSubmitted | OrderDenied>
  | BalanceChanged
  | FundingCharged
  | MarginChanged
  | ForcedClose
  | PositionFound
  | LimitsListed
  | HealthChanged
  | RequestsChanged
  | SignalReceived;

/** The engine sent the order to its venue. */
export interface OrderSubmitted {
  readonly kind: 'orderSubmitted';
  readonly time: number;
  readonly clientOrderId: string;
  readonly request: OrderRequest;
  /** The requested type, or the one with which the venue liquidated; stops have their trigger price. */
  readonly type: OrderType | LiquidationType;
  readonly stopTicks: number | undefined;
  /** A known order in another form: a held one that was resized or is now sent, or one that was sized at its fill. */
  readonly again: boolean;
}

/**
 * The run takes over an order that it did not place. Its earlier fills belong to
 * no strategy and count as filled: the request has the size of the whole order.
 */
export interface OrderAdopted {
  readonly kind: 'orderAdopted';
  readonly time: number;
  /** Made from the venue's id: the order itself has another client id, or none. */
  readonly clientOrderId: string;
  readonly orderId: string;
  /** The terms that the venue shows, in the name of the strategy that adopts it. */
  readonly request: OrderRequest;
  /** Steps that were filled before, and their total value. */
  readonly filledSteps: number;
  readonly filledNotional: Decimal;
  /** Ids of the earlier fills, if the venue lists them: they are never reported. */
  readonly fillIds: readonly string[];
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
 * A held order reached its trigger at `priceTicks`, and now goes through risk to the venue; or a trigger order at the venue was triggered
 * and is a plain order from now on.
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
  /** The side of the requested order; absent if it has no side. */
  readonly side?: Side | undefined;
  readonly tag: string;
  /** Absent if the intent has none. */
  readonly ref?: string | undefined;
  /** Absent if the intent has none. */
  readonly group?: string | undefined;
  readonly reason: Denial;
}
/** The outcome of the request is unknown: its exposure stays reserved until there is proof. */
export interface OrderUnknown {
  readonly kind: 'orderUnknown';
  readonly time: number;
  readonly clientOrderId: string;
}

/** The venue had confirmed the order, and shows neither it nor a fill of it any more. A later `orderAccepted` opens it again. */
export interface OrderVanished {
  readonly kind: 'orderVanished';
  readonly time: number;
  readonly clientOrderId: string;
  readonly reason: Disappearance;
}

/** A balance changed: by a ledger entry, or (without one) because orders froze or released funds. */
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
  /** Steps held when it was charged, never negative. */
  readonly steps: number;
  /** Share of the position's value at the mark price: positive is paid by longs. */
  readonly rate: Decimal;
  readonly markPrice: Decimal;
  /** The gain of the account (negative: paid), in the contract's quote. */
  readonly amount: Decimal;
}

/** The isolated margin of a side changed (of all its separated positions together): by a fill, a transfer, a liquidation. */
export interface MarginChanged {
  readonly kind: 'marginChanged';
  readonly time: number;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** The new margin. */
  readonly margin: Decimal;
  /** The part of each separated position, by the id of the order that opened it. */
  readonly parts?: ReadonlyMap<string, Decimal>;
}

/** The venue closed a position (partly or completely) that lacked margin, or closed it by agreement. */
export type PositionLiquidated = ClosedByVenue & { readonly kind: 'positionLiquidated' };
/** The venue closed one that did not lack margin, as the counterpart of a bankrupt position. */
type PositionDeleveraged = ClosedByVenue & { readonly kind: 'positionDeleveraged' };
export type ForcedClose = PositionLiquidated | PositionDeleveraged;

/** The fill belongs to no strategy; the engine divides it among those that hold the side. */
interface ClosedByVenue {
  readonly time: number;
  readonly orderId: string;
  readonly type: LiquidationType;
  /** In separated mode: the id of the order that opened the position. */
  readonly positionId?: string | undefined;
  readonly fill: Fill;
}

/**
 * A position changed that no own order made: it existed at the start of the run, or others trade the
 * account. The account's position changes, and no strategy's.
 */
export interface PositionFound {
  readonly kind: 'positionFound';
  readonly time: number;
  readonly instrument: Instrument;
  readonly positionSide: 'long' | 'short';
  readonly action: 'opened' | 'closed';
  readonly steps: number;
  /** Total value of these steps in quote. */
  readonly notional: Decimal;
  /** The venue's id of the opening order if positions are separated, else empty. */
  readonly orderId: string;
}

/** Whether data is reliable. `stale`: nothing new for too long. `halted`: something is unexplained, or has changed. `fresh` ends both. */
export interface HealthChanged {
  readonly kind: 'healthChanged';
  readonly time: number;
  /** `market`: its prices. `account`: its fills and balances. `instrument`: for example an order with an unknown outcome. `clock`: that of the machine. */
  readonly subject: 'market' | 'account' | 'instrument' | 'clock';
  /** Empty: all instruments. */
  readonly symbol: string;
  readonly condition: 'fresh' | 'stale' | 'halted';
  /** The reason as text, for people. */
  readonly reason: string;
  /** The grid of an instrument at the exchange, if it is not the config's. */
  readonly grid?: ListedGrid | undefined;
}

/** The exchange lists other limits on the orders of an instrument than before. */
export interface LimitsListed {
  readonly kind: 'limitsListed';
  readonly time: number;
  readonly instrument: Instrument;
  readonly limits: ListedLimits;
}

/** State of the request queue. */
export interface RequestsState {
  /** Orders and cancels that wait for the venue's limits. */
  readonly queued: number;
  /** Epoch ms at which the oldest of them began to wait; absent if none waits. */
  readonly since?: number | undefined;
  /** Free share of the limits for orders, from 0 (the next one waits) to 1 (all of it). */
  readonly free: number;
}

/** Nothing waits, and all is free: the constant state of a venue without limits. */
export const NO_REQUESTS: RequestsState = { queued: 0, free: 1 };

/** The state of the request queue has changed considerably. Published before a turn, so that the whole turn sees the same state. */
export interface RequestsChanged extends RequestsState {
  readonly kind: 'requestsChanged';
  readonly time: number;
}

/** A timer of a strategy has fired. */
export interface TimerFired {
  readonly kind: 'timerFired';
  readonly time: number;
  readonly strategyId: string;
  readonly name: string;
}

/**
 * The cause of a latch for the account or one strategy: a limit of its equity (`maxDrawdown`, `dailyLoss`), too many errors of the
 * venue, consecutive losing trades (`cooldown`), or a command of a person (`reduce`, `kill`, and for one strategy `paused`, which no
 * reset lifts). Locks are latches that always end by their time, and may concern one symbol: after a trade (`symbolCooldown`), after
 * losing stops (`stopLossGuard`), or by a strategy (`lock`).
 */
export type LatchRule = 'maxDrawdown' | 'dailyLoss' | 'venueErrors' | 'cooldown' | 'reduce' | 'kill' | 'paused' | LockRule;
export type LockRule = 'symbolCooldown' | 'stopLossGuard' | 'lock';

/** Whether the end of a latch may move while it is set. Such a latch closes no positions. */
export function isLock(rule: LatchRule): rule is LockRule {
  return rule === 'symbolCooldown' || rule === 'stopLossGuard' || rule === 'lock';
}

/** A limit was reached and latched: only reducing intents pass, also after restarts, until it is reset. */
export interface RiskLatched {
  readonly kind: 'riskLatched';
  readonly time: number;
  readonly rule: LatchRule;
  /** Latched only for this strategy; absent: for the account. */
  readonly strategyId?: string | undefined;
  /** Latched only for this symbol; absent: for all. */
  readonly symbol?: string | undefined;
  /** The fall of equity as a share, from its peak or from the start of the day; 0 for other rules. */
  readonly drawdown: number;
  /** The limit: a share, or a number of errors, losses or stops; 0 for a command and a lock without a number. */
  readonly limit: number;
  /** Errors or stops in the window, or consecutive losing trades. */
  readonly count?: number | undefined;
  /** Epoch ms at which it ends by itself; absent: only by a reset. */
  readonly until?: number | undefined;
  /** For a command: its reason. */
  readonly reason?: string | undefined;
  /** For a kill: positions are closed at market, and so are later fills, until the reset. */
  readonly flatten?: boolean | undefined;
}

/** A latch ended, by a reset or by its time. The fall of equity is measured from now. */
export interface LatchReset {
  readonly kind: 'latchReset';
  readonly time: number;
  readonly rule: LatchRule;
  readonly strategyId?: string | undefined;
  readonly symbol?: string | undefined;
}

/** The open trade of a strategy has lost more than its limit: the engine closes it. */
export interface TradeStopped {
  readonly kind: 'tradeStopped';
  readonly time: number;
  readonly strategyId: string;
  readonly instrument: Instrument;
  /** Its loss and its limit, in the account's currency, as decimal text. */
  readonly loss: string;
  readonly limit: string;
}

/** A closing order was refused for good: the position stays open without it until a person acts. */
export interface ExitRefused {
  readonly kind: 'exitRefused';
  readonly time: number;
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** `stop`: nothing protects the position. `flatten`: a position that a kill or a limit should close stays open. */
  readonly exit: 'stop' | 'flatten';
  /** The code of the refusal. */
  readonly code: RefusalCode;
}

/** A closing order could not be sent, or was refused, for a reason that may pass: it is tried again. */
export interface ExitDelayed extends Omit<ExitRefused, 'kind'> {
  readonly kind: 'exitDelayed';
  /** Time of the next try, epoch ms. */
  readonly retryAt: number;
}

/**
 * A close in flight filled more than its strategy still held: the rest closed the position of another strategy. The engine reopens that
 * part in the strategy's name. Only a real venue does this, as it has only the account's position.
 */
export interface CloseOvershot {
  readonly kind: 'closeOvershot';
  readonly time: number;
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** The excess steps; above zero. */
  readonly steps: number;
}
