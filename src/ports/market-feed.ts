import type { Observable } from 'rxjs';
import type { HealthChanged, LatchRule } from '../model/account-events.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarketEvent, Quote, QuoteRows } from '../model/market-events.ts';

/**
 * A price that matching stands at inside a bar: its open, or a held trigger that the path reached. The
 * engine judges its held orders at it; strategies do not see it (the bar is delivered at its close).
 */
export interface PriceInstant {
  readonly kind: 'priceInstant';
  readonly instrument: Instrument;
  readonly time: number;
  readonly sequence: number;
  readonly priceTicks: number;
}

/** Several events of one instant (or of one poll): the engine sees them all before it reviews an intent. */
export interface Together {
  readonly kind: 'together';
  readonly events: readonly MarketEvent[];
}

/**
 * Quotes of one instrument that come one after another with nothing in between: each is an instant of its own, after which the engine
 * takes its turn. The engine asks for each once it is done with the one before, so that a recording need not send them one by one.
 */
export interface QuoteRun extends QuoteRows {
  readonly kind: 'quotes';
  readonly instrument: Instrument;
  /** Goes on to the next, which moves the clock. @returns its row; below zero when the run is over. */
  next(): number;
  /** The same, for who wants the quote itself. */
  nextQuote(): Quote | undefined;
}

/** Quotes of one instrument that are a part of a braid: of all of them but the newest only the columns are told. */
export interface QuoteStrand extends QuoteRows {
  readonly instrument: Instrument;
  /** The row of the next one. */
  nextRow(): number;
}

/** As a run, of several instruments: their quotes in the order of their times. */
export interface QuoteBraid {
  readonly kind: 'braid';
  /** One an instrument, in no order. */
  readonly strands: readonly QuoteStrand[];
  /** Goes on to the next, which moves the clock. @returns which strand it belongs to; below zero when the braid is over. */
  next(): number;
  /** The same, for who wants the quote itself. */
  nextQuote(): Quote | undefined;
}

/** Something happened outside the market data (an arrival, a timer): the engine takes its turn. */
export interface Settled {
  readonly kind: 'settled';
}

/** The one settled item: never allocated anew. */
export const SETTLED: Settled = { kind: 'settled' };

/** The recording is over: strategies stop, and positions close at the last price where the config says so. */
export interface Ending {
  readonly kind: 'ending';
}

/**
 * A running bot is to stop: strategies are told (`onStop`), what they ask for there still goes out, and with
 * `cancelOrders` every order that rests is canceled, held ones too. Positions stay.
 */
export interface Stopping {
  readonly kind: 'stopping';
  readonly cancelOrders: boolean;
}

/**
 * Stop trading: latches the account to reducing until a reset, and cancels every order, held ones too. `flatten`
 * closes every strategy's position besides; what the account holds beyond those is left.
 */
export interface KillCommand {
  readonly kind: 'command';
  readonly command: 'kill';
  readonly flatten: boolean;
  /** In words, for people. */
  readonly reason: string;
}

/** Open nothing new: latches the account, or one strategy, to reducing until a reset; what could still open something is canceled. */
export interface ReduceCommand {
  readonly kind: 'command';
  readonly command: 'reduce';
  readonly strategyId?: string | undefined;
  /** In words, for people. */
  readonly reason: string;
}

/** Takes a latch back, or all of them: the account's and every strategy's, or those of one strategy alone. */
export interface ResetCommand {
  readonly kind: 'command';
  readonly command: 'reset';
  readonly rule?: LatchRule | undefined;
  readonly strategyId?: string | undefined;
}

/** What a person may ask of a running engine. */
export type Command = KillCommand | ReduceCommand | ResetCommand;

/**
 * A market event by itself is an instant of its own; after each item the engine takes its turn. A feed tells of the
 * health of its prices itself.
 */
export type FeedItem = MarketEvent | Together | PriceInstant | Settled | Ending | Stopping | Command | HealthChanged;

/** What the engine takes: a recording also gives runs. */
export type EngineItem = FeedItem | QuoteRun | QuoteBraid;

/** Where market events come from. */
export interface MarketFeed<Item extends EngineItem = FeedItem> {
  /** Cold. For a recording the whole replay happens inside `subscribe`; completes at its end. */
  readonly events$: Observable<Item>;
}
