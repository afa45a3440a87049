import type { VenueEvent } from '../../model/account-events.ts';
import type { Decimal } from '../../model/decimal.ts';
import type { ApprovedOrder, CancelRequest, OrderRequest } from '../../model/order.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ResumedOrder } from '../../ports/execution-venue.ts';
import type { VenueMemory } from '../../ports/journal.ts';
import type { Log } from '../../ports/log.ts';

/** What the journal knows of a run that goes on. */
export interface Resumed {
  /** False at the very first start: what the exchange says is the baseline. */
  readonly again: boolean;
  /** Open orders, and those that ended lately: fills of theirs may still come. */
  readonly orders: readonly ResumedOrder[];
  /** By asset of this half's wallet. */
  readonly balances: ReadonlyMap<string, Decimal>;
  /** What the engine thinks is frozen of them. */
  readonly frozen: ReadonlyMap<string, Decimal>;
  /** Fills that the engine has been told of, by client id; those of nobody's order under an empty one. */
  readonly fillIds: ReadonlyMap<string, ReadonlySet<string>>;
  /** Instruments that were halted, by symbol, and why. */
  readonly halts: ReadonlyMap<string, string>;
  /** Epoch ms of the last thing in the journal: nothing older is news. */
  readonly lastTime: number;
  /** Spot: steps that strategies hold in all, by symbol. */
  readonly positions?: ReadonlyMap<string, number> | undefined;
  /** Client ids that come next, some at a time: none of them may be at the exchange. */
  readonly nextIds?: ((batch: number) => readonly string[]) | undefined;
}

/** Where exchange and journal disagreed, and why. */
export interface Difference {
  readonly what: 'order' | 'fill' | 'balance' | 'position';
  /** Client id, asset or symbol. */
  readonly subject: string;
  readonly journal: string;
  readonly exchange: string;
  /** `filledWhileAway`, `transfer`, `unexplained`, ...: a word, then what there is to say. */
  readonly cause: string;
}

/** One half of the exchange: spot, or futures. */
export interface Trading {
  /** Goes on from what the journal says. */
  resume(resumed: Resumed): void;
  /** Start-up: lays what the exchange says beside that. Tells events; sends nothing that acts; may be tried again. @throws ExchangeError, TidegateError START_REFUSED */
  open(): Promise<readonly Difference[]>;
  /** Tracks the orders (of one symbol) at once; they leave through the lane. */
  place(orders: readonly ApprovedOrder[]): void;
  cancel(request: CancelRequest): void;
  /** One look at fills, balances and whatever is due; `full`: at everything. @throws ExchangeError where the exchange cannot be asked. */
  round(full: boolean): Promise<void>;
  /** The journal may lack something: nothing opens a position on any instrument until a person resets it. Published with the next look. */
  doubt(reason: string): void;
  /** A person has said that trading may go on: lifts every halt. What is wrong still halts again, by what the exchange shows. */
  lift(): void;
  /** Epoch ms at which the next look-up is due; `Infinity` where none. */
  readonly nextDue: number;
  /** Nothing is on its way, in doubt or about to end. */
  readonly idle: boolean;
}

/** Orders of this bot that the exchange has and the journal lacks: the end of the journal is lost. */
export interface LostOrders {
  /**
   * Whether a client id that the journal does not know was given by this bot in the era of its journal, or later; and by which of its
   * strategies, where that is certain.
   */
  ownerOf(clientOrderId: string, symbol: string): { readonly strategyId: string | undefined } | undefined;
  /** One was found. */
  found(clientOrderId: string): void;
}

export const NOTHING_LOST: LostOrders = { ownerOf: () => undefined, found() {} };

/** What the two halves of the REST venue (spot, futures) have around them. */
export interface Outlets {
  /** Real time: what waits goes by it. */
  readonly clock: Clock;
  readonly memory: VenueMemory;
  readonly log: Log;
  /** Hands an event to the engine, which takes its turn after `settled`. */
  tell(event: VenueEvent): void;
  /** What was told is one picture: the engine may act on it. */
  settled(): void;
  /** Something that is no failure of the exchange: the run stops with it. */
  fail(error: unknown): void;
}

/** How the REST venue looks after orders; all in ms of its clock. */
export interface RestSettings {
  /** How long after its timestamp the exchange may still take a request: its own window. */
  readonly windowMs: number;
  /** Most that our idea of the exchange's clock may be wrong by. */
  readonly clockErrorMs: number;
  /** How late orders and fills may appear in what the exchange lists. */
  readonly visibilityLagMs: number;
  /** How often a resting order is looked up without a hint. */
  readonly lookupMs: number;
  /** First pause between two look-ups of an order that is about to end; it doubles, up to `lookupMaxMs`. */
  readonly lookupMinMs: number;
  readonly lookupMaxMs: number;
  /** How often fills, balances and the futures account are read while nothing is known to be open. */
  readonly idleMs: number;
  /** Fills and balances are read no more often than this, however often look-ups are due. */
  readonly detectMs: number;
  /** An order whose outcome stays unknown for longer halts its instrument. */
  readonly unknownLimitMs: number;
  /** Fills that an order reports and no record shows for longer halt its instrument. */
  readonly fillGapMs: number;
  /** A request waits for the one before it, at most so long. */
  readonly laneWaitMs: number;
  /** What opens something and waits longer than this to be sent is withdrawn. */
  readonly maxSendDelayMs: number;
  /** The same of every other order. Cancels wait for as long as it takes. */
  readonly maxWaitMs: number;
  /** How long after the last activity balances are compared with the exchange's. */
  readonly calmMs: number;
  /** Orders that are not ours: `block` halts, `ignore` reports them, `adopt` makes them ours where their id is known. */
  readonly foreign: 'ignore' | 'block' | 'adopt';
  /** A balance that no record explains: `accept` moves the baseline, `halt` stops trading. */
  readonly unexplained: 'accept' | 'halt';
  /** Most orders in one batch. */
  readonly batchLimit: number;
}

/**
 * Who leaves first where requests wait for weight: `protects` are the cancels of a kill or a limit and the closes that go out at once,
 * `reduces` other cancels and what can only reduce a position, `opens` the rest.
 */
export const URGENCIES = ['protects', 'reduces', 'opens'] as const;
export type Urgency = (typeof URGENCIES)[number];

/** What those go by who send orders. */
export interface SendingSettings extends Pick<RestSettings, 'batchLimit' | 'maxSendDelayMs' | 'maxWaitMs'> {
  /** How urgent an order is; left out: by its request alone. */
  readonly urgencyOf?: ((request: OrderRequest) => Urgency) | undefined;
}

export const REST_DEFAULTS: RestSettings = {
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
  laneWaitMs: 1_000,
  maxSendDelayMs: 5_000,
  maxWaitMs: 30_000,
  calmMs: 6_000,
  foreign: 'ignore',
  unexplained: 'accept',
  batchLimit: 10,
};
