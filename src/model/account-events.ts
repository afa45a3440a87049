import type { Decimal } from './decimal.ts';
import type { Fill } from './fill.ts';
import type { Instrument } from './instrument.ts';
import type { Balance, LedgerEntry } from './ledger.ts';
import type { LiquidationType, OrderRequest, OrderType, PositionSide, Side } from './order.ts';
import type { CancelReason, Denial, ExpiryReason, RefusalCode, Rejection } from './reasons.ts';

/** Everything that concerns the account rather than the market. */
export type AccountEvent =
  | OrderEvent
  | BalanceChanged
  | FundingCharged
  | MarginChanged
  | PositionLiquidated
  | PositionFound
  | HealthChanged
  | RequestsChanged
  | TimerFired
  | RiskLatched
  | LatchReset
  | TradeStopped
  | ExitRefused
  | ExitDelayed
  | CloseOvershot;

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

/** Whether the event belongs to the life of one order. */
export function isOrderEvent(event: AccountEvent): event is OrderEvent {
  return 'clientOrderId' in event;
}

/** What a venue tells the engine. */
export type VenueEvent =
  | Exclude<OrderEvent, OrderSubmitted | CancelSubmitted | OrderDenied>
  | BalanceChanged
  | FundingCharged
  | MarginChanged
  | PositionLiquidated
  | PositionFound
  | HealthChanged
  | RequestsChanged;

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

/**
 * An order on the account that this run did not place is one of its own from here. What was filled of it before belongs to
 * nobody, and counts as filled all the same: the request bears the size of the whole order.
 */
export interface OrderAdopted {
  readonly kind: 'orderAdopted';
  readonly time: number;
  /** Ours, made of the venue's id: the order itself bears another, or none. */
  readonly clientOrderId: string;
  readonly orderId: string;
  /** As far as the venue tells it, in the name of the strategy that adopts it. */
  readonly request: OrderRequest;
  /** Steps that were filled before, and what was paid or received for them. */
  readonly filledSteps: number;
  readonly filledNotional: Decimal;
  /** Fills of before, by the venue's ids, where it tells them: never news. */
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
 * The condition of a held order was met at `priceTicks`, and it now goes through risk to the venue; or that of
 * a trigger order at the venue, which is a plain order from here.
 */
interface OrderTriggered {
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
interface CancelSubmitted {
  readonly kind: 'cancelSubmitted';
  readonly time: number;
  readonly clientOrderId: string;
}
interface OrderCanceled {
  readonly kind: 'orderCanceled';
  readonly time: number;
  readonly clientOrderId: string;
  readonly reason: CancelReason;
}
/** The venue had nothing to cancel: the order was filled, or gone, before the cancel arrived. */
interface CancelRejected {
  readonly kind: 'cancelRejected';
  readonly time: number;
  readonly clientOrderId: string;
}
interface OrderRejected {
  readonly kind: 'orderRejected';
  readonly time: number;
  readonly clientOrderId: string;
  readonly reason: Rejection;
}
interface OrderExpired {
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
interface OrderUnknown {
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

/** How requests to the venue stand. */
export interface RequestsStanding {
  /** Orders and cancels that wait for the venue's limits. */
  readonly queued: number;
  /** Epoch ms since when the oldest of them waits; absent where none does. */
  readonly since?: number | undefined;
  /** How much of what the limits leave to orders is free, from 0 (the next one waits) to 1 (all of it). */
  readonly free: number;
}

/** Nothing waits, and all is free: as it is where a venue has no limits. */
export const NO_REQUESTS: RequestsStanding = { queued: 0, free: 1 };

/** The pressure on requests has changed by much; published before a turn, so that all in it see the same. */
export interface RequestsChanged extends RequestsStanding {
  readonly kind: 'requestsChanged';
  readonly time: number;
}

/** A timer that a strategy set has come due. */
export interface TimerFired {
  readonly kind: 'timerFired';
  readonly time: number;
  readonly strategyId: string;
  readonly name: string;
}

/**
 * What latches the account, or one strategy: a limit of its equity (`maxDrawdown`, `dailyLoss`), too many errors of the
 * venue, losing trades in a row (`cooldown`), or a person's word (`reduce`, `kill`).
 */
export type LatchRule = 'maxDrawdown' | 'dailyLoss' | 'venueErrors' | 'cooldown' | 'reduce' | 'kill';

/** A limit was broken and latched: from here only reducing intents pass, over restarts too, until it is reset. */
export interface RiskLatched {
  readonly kind: 'riskLatched';
  readonly time: number;
  readonly rule: LatchRule;
  /** Latched for this strategy alone; absent: for the account. */
  readonly strategyId?: string | undefined;
  /** The fall of equity as a share, from its peak or from where it began the day; zero of other rules. */
  readonly drawdown: number;
  /** What was passed: a share, or a number of errors or losses; zero of a person's word. */
  readonly limit: number;
  /** Errors in the window, or losing trades in a row. */
  readonly count?: number | undefined;
  /** Epoch ms at which it is taken back by itself; absent: by a reset alone. */
  readonly until?: number | undefined;
  /** Of a person's word: why. */
  readonly reason?: string | undefined;
  /** Of a kill: positions are closed at market, and so is what fills later, until the reset. */
  readonly flatten?: boolean | undefined;
}

/** A latch was taken back, by a person or by its time; the fall of equity is measured from here. */
export interface LatchReset {
  readonly kind: 'latchReset';
  readonly time: number;
  readonly rule: LatchRule;
  readonly strategyId?: string | undefined;
}

/** The open trade of a strategy has lost more than it may: the engine closes it. */
export interface TradeStopped {
  readonly kind: 'tradeStopped';
  readonly time: number;
  readonly strategyId: string;
  readonly instrument: Instrument;
  /** What it has lost and what it may lose, in the account's currency, as decimal text. */
  readonly loss: string;
  readonly limit: string;
}

/** What was to close a position was refused for good: the position stands without it until somebody acts. */
export interface ExitRefused {
  readonly kind: 'exitRefused';
  readonly time: number;
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** `stop`: nothing guards the position. `flatten`: what a kill or a limit was to close goes on standing. */
  readonly exit: 'stop' | 'flatten';
  /** By what it was refused. */
  readonly code: RefusalCode;
}

/** What was to close a position could not be sent, or was refused, for something that may pass: it is tried again. */
export interface ExitDelayed extends Omit<ExitRefused, 'kind'> {
  readonly kind: 'exitDelayed';
  /** When it is tried again, epoch ms. */
  readonly retryAt: number;
}

/**
 * A close in flight filled more than its strategy still held: the rest closed what is another's. The engine opens as much anew
 * in the strategy's name. Only a real venue does this, as it knows the account alone.
 */
export interface CloseOvershot {
  readonly kind: 'closeOvershot';
  readonly time: number;
  readonly strategyId: string;
  readonly instrument: Instrument;
  readonly positionSide: PositionSide;
  /** What was closed too much; above zero. */
  readonly steps: number;
}
