import type { Observable } from 'rxjs';
import type { RequestsStanding, VenueEvent } from '../model/account-events.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarketEventKind } from '../model/market-events.ts';
import type { ApprovedOrder, CancelRequest, OrderRequest, Side } from '../model/order.ts';
import type { OrderStatus } from '../model/order-state.ts';
import type { Trail } from '../model/trail.ts';

/** What a venue can do; a config that asks for more is refused at start. */
export interface VenueCapabilities {
  readonly marketData: readonly MarketEventKind[];
  /** False where a spot market buy takes an amount of quote: the engine then sends an IOC limit order instead. */
  readonly marketBuyByQuantity: boolean;
  /** False where a spot market buy takes a quantity alone: an amount of quote counts at the last price. True if left out. */
  readonly marketBuyByQuote?: boolean | undefined;
  /** Whether futures orders may go out plain; where not, they go as triggers at the last price seen. */
  readonly plainFutures: boolean;
  /** Whether the venue keeps trigger orders of futures; where not, the engine holds them. */
  readonly futuresTriggers: boolean;
  /** Most orders in one submission of one symbol. */
  readonly batchLimit: number;
}

/** An exit that the engine looks after, held or at the venue, and may fill from here on. */
export interface HeldExit extends Trail {
  readonly side: Side;
  /** Of a take profit: its limit. */
  readonly triggerTicks: number;
  readonly steps: number;
  readonly isStop: boolean;
  /** The same of legs of which one ends the others. */
  readonly link: unknown;
  /** Whose position it closes, and how many steps of it there are. */
  readonly holder: string;
  readonly closable: number;
}

/**
 * The trigger prices that the engine holds orders at. A venue that walks a path inside a bar pauses at
 * each, so that the order released there meets that very price.
 */
export interface HeldLevels {
  /** A bar opens here, before anything else happens at it. @returns whether anything is held for this instrument. */
  opens(instrument: Instrument, time: number, priceTicks: number): boolean;
  /** Whether anything is held for this instrument. */
  any(instrument: Instrument): boolean;
  /** The first trigger after `from`, up to and including `to`, in the direction of travel. */
  next(instrument: Instrument, from: number, to: number): number | undefined;
  /** The price inside a bar has come here: triggers that trail go along. @returns whether the path pauses here, whatever is held. */
  follow(instrument: Instrument, priceTicks: number): boolean;
  /** Whether the path inside the newest bar has passed a stop that waits for the next open, and so closed nothing. */
  passedAsleep(instrument: Instrument): boolean;
  /** Whether a trigger follows the price. */
  moves(instrument: Instrument): boolean;
  /** What closes positions, in the order in which it was asked for. */
  exits(instrument: Instrument): readonly HeldExit[];
  /** Whether a trigger trails so closely that it is reached from the one extreme of a bar on the way to the other. */
  trails(instrument: Instrument, highTicks: number, lowTicks: number): boolean;
  /** Whether held entries wait on this side (what the worst-case path asks of a flat account). */
  hasEntry(instrument: Instrument, side: 'buy' | 'sell'): boolean;
}

/** An order that a restarted run knows to be open at its venue, or on its way there. */
export interface ResumedOrder {
  readonly request: OrderRequest;
  /** The venue's id; empty where it never told one. */
  readonly orderId: string;
  /** Told as fills so far. */
  readonly filledSteps: number;
  readonly status: OrderStatus;
  readonly triggered: boolean;
  readonly cancelRequested: boolean;
  /** Of an unknown order: epoch ms at which it was told to be. No request of it can have left after that. */
  readonly unknownSince?: number | undefined;
}

/** Carries out what risk approved. Outcomes come back as events, never as return values. */
export interface ExecutionVenue {
  readonly capabilities: VenueCapabilities;
  readonly events$: Observable<VenueEvent>;
  /** Orders of one symbol, at most `batchLimit`. */
  submit(orders: readonly ApprovedOrder[]): void;
  cancel(request: CancelRequest): void;
  /**
   * How its requests stand now, for a venue that decides nothing by chance; left out by others, which report it as events
   * (`requestsChanged`), so that a journal has what was read.
   */
  requests?(): RequestsStanding;
  /** Called once by the engine before the feed starts. */
  watchHeld?(levels: HeldLevels): void;
}

/** Nothing is held back by an engine: every order is at the venue. */
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
