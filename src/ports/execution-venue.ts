import type { Observable } from 'rxjs';
import type { RequestsState, VenueEvent } from '../model/account-events.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarketEventKind } from '../model/market-events.ts';
import type { ApprovedOrder, CancelRequest, OrderRequest, Side } from '../model/order.ts';
import type { OrderStatus } from '../model/order-state.ts';
import type { Trail } from '../model/trail.ts';

/** The capabilities of a venue; a start refuses a config that needs more. */
export interface VenueCapabilities {
  readonly marketData: readonly MarketEventKind[];
  /** False if a spot market buy takes an amount of quote: the engine then sends an IOC limit order instead. */
  readonly marketBuyByQuantity: boolean;
  /** False if a spot market buy takes only a quantity: an amount of quote is converted at the last price. True by default. */
  readonly marketBuyByQuote?: boolean | undefined;
  /** Whether a trigger may become an IOC, FOK or post-only order; true by default. */
  readonly triggerTerms?: boolean | undefined;
  /** Whether the venue has trigger orders for futures; if not, the engine holds them. */
  readonly futuresTriggers: boolean;
  /** Whether a market order may wait for its price, and is sized at it (`Sizing`): on bars, for the next open. */
  readonly sizesAtFill?: boolean | undefined;
  /** Most orders in one submission of one symbol. */
  readonly batchLimit: number;
}

/** An exit of the engine, held or at the venue, that may fill from now on. */
export interface HeldExit extends Trail {
  readonly side: Side;
  /** For a take profit: its limit. */
  readonly triggerTicks: number;
  readonly steps: number;
  readonly isStop: boolean;
  /** Equal for legs of which one ends the others. */
  readonly link: unknown;
  /** The owner of the position that it closes, and the steps of the position. */
  readonly holder: string;
  readonly closable: number;
}

/**
 * The trigger prices of held orders. A venue that walks a path inside a bar pauses at
 * each, so that the order released there is executed at that price.
 */
export interface HeldLevels {
  /** A bar opens, before anything else happens at it. @returns whether an order is held for this instrument. */
  opens(instrument: Instrument, time: number, priceTicks: number): boolean;
  /** Whether an order is held for this instrument. */
  any(instrument: Instrument): boolean;
  /** The first trigger after `from`, up to and including `to`, in the direction of travel. */
  next(instrument: Instrument, from: number, to: number): number | undefined;
  /** The price inside a bar has moved here: trailing triggers move with it. @returns whether the path must pause here. */
  follow(instrument: Instrument, priceTicks: number): boolean;
  /** Whether the path inside the newest bar has passed a stop that waits for the next open, and so was not triggered. */
  passedAsleep(instrument: Instrument): boolean;
  /** Whether a trigger follows the price. */
  moves(instrument: Instrument): boolean;
  /** Orders that close positions, in the order in which they were submitted. */
  exits(instrument: Instrument): readonly HeldExit[];
  /** Whether a trigger trails so closely that it is reached on the way from one extreme of a bar to the other. */
  trails(instrument: Instrument, highTicks: number, lowTicks: number): boolean;
  /** Whether held entries wait on this side (used by the worst-case path of a flat account). */
  hasEntry(instrument: Instrument, side: 'buy' | 'sell'): boolean;
}

/** An order that is open at its venue, or on its way there, in the state of a restarted run. */
export interface ResumedOrder {
  readonly request: OrderRequest;
  /** The venue's id; empty if the venue has never sent one. */
  readonly orderId: string;
  /** Steps reported as filled so far. */
  readonly filledSteps: number;
  readonly status: OrderStatus;
  readonly triggered: boolean;
  readonly cancelRequested: boolean;
  /**
   * For an order with an unknown outcome: epoch ms at which it became unknown; no request of it was sent after that. For a vanished order:
   * epoch ms at which it vanished.
   */
  readonly unknownSince?: number | undefined;
}

/** Executes orders that risk approved. Outcomes are events, never return values. */
export interface ExecutionVenue {
  readonly capabilities: VenueCapabilities;
  readonly events$: Observable<VenueEvent>;
  /**
   * Orders of one symbol, at most `batchLimit`. A venue over a network sends them after the turn, when they are durable in the journal
   * (`VenueMemory.request`).
   */
  submit(orders: readonly ApprovedOrder[]): void;
  cancel(request: CancelRequest): void;
  /**
   * The present state of its requests, for a venue that has no chance in it. Others leave it out and report it as events
   * (`requestsChanged`), so that a journal has the values that were used.
   */
  requests?(): RequestsState;
  /** Called once by the engine before the feed starts. */
  watchHeld?(levels: HeldLevels): void;
}

/** No engine holds orders: every order is at the venue. */
export const NOTHING_HELD: HeldLevels = {
  opens: () => false,
  any: () => false,
  next: () => undefined,
  follow: () => false,
  passedAsleep: () => false,
  moves: () => false,
  exits: () => [],
  trails: () => false,
  hasEntry: () => false,
};
