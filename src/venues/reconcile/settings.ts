import type { VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { OrderRequest } from '../../model/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ResumedOrder } from '../../ports/execution-venue.ts';
import type { VenueMemory } from '../../ports/journal.ts';
import type { Log } from '../../ports/log.ts';

/** The state that the journal has of a run that is continued. */
export interface Resumed {
  /** False at the very first start: the exchange's state is then the baseline. */
  readonly again: boolean;
  /** Open orders and recently ended ones, of which fills may still arrive. */
  readonly orders: readonly ResumedOrder[];
  /** By asset, of the wallet of this half. */
  readonly balances: ReadonlyMap<string, Decimal>;
  /** The part of them that is frozen in the engine's state. */
  readonly frozen: ReadonlyMap<string, Decimal>;
  /** Fills that were reported to the engine, by client id. Fills that belong to no order are under an empty id. */
  readonly fillIds: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Reasons of halted instruments, by symbol. */
  readonly halts: ReadonlyMap<string, string>;
  /** Epoch ms of the last record in the journal. Older records of the exchange are not news. */
  readonly lastTime: number;
  /** Spot: total steps that strategies hold, by symbol. */
  readonly positions?: ReadonlyMap<string, number> | undefined;
  /** The next client ids, in batches. None of them may exist at the exchange. */
  readonly nextIds?: ((batch: number) => readonly string[]) | undefined;
}

/** A difference between exchange and journal, with its cause. */
export interface Difference {
  readonly what: 'order' | 'fill' | 'balance' | 'position';
  /** Client id, asset or symbol. */
  readonly subject: string;
  readonly journal: string;
  readonly exchange: string;
  /** A keyword (`filledWhileAway`, `transfer`, `unexplained`, ...), then details. */
  readonly cause: string;
}

/** Orders of this bot that exist at the exchange and not in the journal: the journal has lost its end. */
export interface LostIds {
  /**
   * Whether this bot created a client id that the journal lacks, in the era of its journal or later; and for which strategy, if that
   * is certain.
   * @param isOver the order has ended. The journal may have dropped it for that reason.
   */
  ownerOf(clientOrderId: string, symbol: string, isOver?: boolean): { readonly strategyId: string | undefined } | undefined;
  /** The order that the engine holds under this id and has not sent in this run; `undefined` if there is none. */
  heldUnder(clientOrderId: string): OrderRequest | undefined;
  /** An order missing in the journal was found. */
  found(clientOrderId: string): void;
}

export const NOTHING_LOST: LostIds = { ownerOf: () => undefined, heldUnder: () => undefined, found() {} };

/** Data and functions that every part of a reconciliation uses. */
export interface VenueContext {
  /** Real time, by which waits are measured. */
  readonly clock: Clock;
  readonly memory: VenueMemory;
  readonly log: Log;
  /** Reports an event to the engine, which takes its turn after `settled`. */
  report(event: VenueEvent): void;
  /** The events reported so far are a consistent state. The engine may act on it. */
  settled(): void;
  /** A record of the exchange is not taken: counts it by operation and reason. Both texts and what is wrong with it are for people. */
  refused?(operation: string, reason: string, said: string): void;
  /** Reports an error that is no failure of the exchange. The run stops. */
  fail(error: unknown): void;
}

/** How orders are followed. All times in ms. */
export interface ReconcileSettings {
  /** How long after its timestamp the exchange still accepts a request. */
  readonly windowMs: number;
  /** Largest error of our estimate of the exchange's clock. */
  readonly clockErrorMs: number;
  /** How late orders and fills may appear in the exchange's lists. */
  readonly visibilityLagMs: number;
  /** How often a resting order is looked up if nothing hints at a change. */
  readonly lookupMs: number;
  /** First pause between two look-ups of an order that is about to end; it doubles, up to `lookupMaxMs`. */
  readonly lookupMinMs: number;
  readonly lookupMaxMs: number;
  /** How often fills, balances and the futures account are polled while no order is open. */
  readonly idleMs: number;
  /** Minimum time between two polls of fills and balances, even if look-ups are due more often. */
  readonly detectMs: number;
  /** An order whose outcome stays unknown for longer halts its instrument. */
  readonly unknownLimitMs: number;
  /** If an order reports fills for longer than this and no fill record shows them, its instrument is halted. */
  readonly fillGapMs: number;
  /** A request waits at most this long for the reply to the one before it. */
  readonly queueWaitMs: number;
  /** An opening order that has waited longer than this is withdrawn from the queue. */
  readonly maxSendDelayMs: number;
  /** The same for every other order. Cancels have no limit. */
  readonly maxWaitMs: number;
  /** How long after the last activity balances are compared with the exchange's. */
  readonly calmMs: number;
  /** Foreign orders: `block` halts, `ignore` reports them, `adopt` takes them over where their id is known. */
  readonly foreign: 'ignore' | 'block' | 'adopt';
  /** A balance change that no record explains: `accept` moves the baseline, `halt` stops trading. */
  readonly unexplained: 'accept' | 'halt';
  /** Most orders in one batch. */
  readonly batchLimit: number;
}

export const RECONCILE_DEFAULTS: ReconcileSettings = {
  windowMs: 30_000,
  clockErrorMs: 1_000,
  visibilityLagMs: 5_000,
  lookupMs: 30_000,
  lookupMinMs: 250,
  lookupMaxMs: 5_000,
  idleMs: 5_000,
  detectMs: 900,
  unknownLimitMs: 180_000,
  fillGapMs: 30_000,
  queueWaitMs: 1_000,
  maxSendDelayMs: 5_000,
  maxWaitMs: 30_000,
  calmMs: 6_000,
  foreign: 'ignore',
  unexplained: 'accept',
  batchLimit: 10,
};
