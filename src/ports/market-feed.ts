import type { Observable } from 'rxjs';
import type { HealthChanged, LatchRule } from '../model/account-events.ts';
import type { Instrument } from '../model/instrument.ts';
import type { MarketEvent, Quote, QuoteRows } from '../model/market-events.ts';

/**
 * The present price of matching inside a bar: its open, or a held trigger that the path reached. The
 * engine compares its held orders with it; strategies do not receive it (the bar is delivered at its close).
 */
export interface PriceInstant {
  readonly kind: 'priceInstant';
  readonly instrument: Instrument;
  readonly time: number;
  readonly sequence: number;
  readonly priceTicks: number;
}

/** Several events of one instant (or of one poll): the engine applies them all before it reviews an intent. */
export interface Together {
  readonly kind: 'together';
  readonly events: readonly MarketEvent[];
}

/**
 * Consecutive quotes of one instrument: each is an instant of its own, after which the engine
 * takes its turn. The engine requests each when it is done with the one before, so that a recording need not send them one by one.
 */
export interface QuoteRun extends QuoteRows {
  readonly kind: 'quotes';
  readonly instrument: Instrument;
  /** Advances to the next, which moves the clock. @returns its row; below zero when the run is over. */
  next(): number;
  /** The same, for a caller that needs the quote itself. */
  nextQuote(): Quote | undefined;
}

/** The quotes of one instrument in a merged run: only the columns of the newest are read as an event. */
export interface QuoteStream extends QuoteRows {
  readonly instrument: Instrument;
  /** The row of the next quote. */
  nextRow(): number;
}

/** Like a run, for several instruments: their quotes in the order of their times. */
export interface MergedQuoteRun {
  readonly kind: 'mergedRun';
  /** One for each instrument, in no order. */
  readonly streams: readonly QuoteStream[];
  /** Advances to the next, which moves the clock. @returns its stream; below zero when the run is over. */
  next(): number;
  /** The same, for a caller that needs the quote itself. */
  nextQuote(): Quote | undefined;
}

/** Something happened outside the market data (an arrival, a timer): the engine takes its turn. */
export interface Settled {
  readonly kind: 'settled';
}

/** The only settled item, which is reused. */
export const SETTLED: Settled = { kind: 'settled' };

/** The recording is over: strategies stop, and positions close at the last price if the config requires it. */
export interface Ending {
  readonly kind: 'ending';
}

/**
 * A running bot must stop: strategies receive `onStop`, the intents of that are still sent, and with
 * `cancelOrders` every resting order is canceled, held ones too. Positions stay open.
 */
export interface Stopping {
  readonly kind: 'stopping';
  readonly cancelOrders: boolean;
}

/**
 * Stops trading: latches the account to reducing until a reset, and cancels every order, held ones too. `flatten`
 * also closes every strategy's position; other positions of the account stay open.
 */
export interface KillCommand {
  readonly kind: 'command';
  readonly command: 'kill';
  readonly flatten: boolean;
  /** A text for people. */
  readonly reason: string;
}

/** Opens nothing new: latches the account, or one strategy, to reducing until a reset, and cancels orders that could open a position. */
export interface ReduceCommand {
  readonly kind: 'command';
  readonly command: 'reduce';
  readonly strategyId?: string | undefined;
  /** A text for people. */
  readonly reason: string;
}

/**
 * One strategy opens nothing until it is resumed: latches it by `paused`, and cancels its orders that could open a position. Its hooks
 * still run, and its exits pass.
 */
export interface PauseCommand {
  readonly kind: 'command';
  readonly command: 'pause';
  readonly strategyId: string;
  /** A text for people. */
  readonly reason: string;
}

/** Ends the pause of a strategy. */
export interface ResumeCommand {
  readonly kind: 'command';
  readonly command: 'resume';
  readonly strategyId: string;
}

/**
 * Closes the position in one symbol at market: of one strategy, or of all; of one side, or of both. The orders there are canceled. A
 * strategy may open again once all is closed. A reset ends a close that cannot be finished.
 */
export interface CloseCommand extends CommandedClose {
  readonly kind: 'command';
  readonly command: 'close';
  /** A text for people. */
  readonly reason: string;
}

/** The positions that a command closes. */
export interface CommandedClose {
  readonly symbol: string;
  /** Absent: of all strategies. */
  readonly strategyId?: string | undefined;
  /** Absent: both. */
  readonly side?: 'long' | 'short' | undefined;
}

/** Other limits from this turn on. */
export interface LimitCommand {
  readonly kind: 'command';
  readonly command: 'limit';
  readonly change: SettingChange;
  /** All limits with the change, in the form of the risk module. */
  readonly limits: object;
}

/** A setting that a person has changed while the bot runs. */
export interface SettingChange {
  /** Its path in the config, such as `risk.orders.maxNotional`. */
  readonly setting: string;
  /** Its new value, as text of YAML. */
  readonly value: string;
  /** Its value in the config, as JSON. If the config gets another one, the change is over. */
  readonly was: string;
}

/** Resets a latch, or all of them: the account's and every strategy's, or only those of one strategy. A pause stays. */
export interface ResetCommand {
  readonly kind: 'command';
  readonly command: 'reset';
  readonly rule?: LatchRule | undefined;
  readonly strategyId?: string | undefined;
}

/** Client ids begin this era: the journal lacks orders that may have used the next ids. The bot itself sends it. */
export interface RenewIds {
  readonly kind: 'command';
  readonly command: 'renewIds';
  readonly era: string;
}

/** The commands that steer a running bot. */
export type SteerCommand = PauseCommand | ResumeCommand | CloseCommand | LimitCommand;

/** The commands of a person, or of the bot itself, to a running engine. */
export type Command = KillCommand | ReduceCommand | ResetCommand | SteerCommand | RenewIds;

/**
 * A market event alone is an instant of its own; after each item the engine takes its turn. A feed reports the
 * health of its prices itself.
 */
export type FeedItem = MarketEvent | Together | PriceInstant | Settled | Ending | Stopping | Command | HealthChanged;

/** The items that the engine accepts: a recording also has runs. */
export type EngineItem = FeedItem | QuoteRun | MergedQuoteRun;

/** A source of market events. */
export interface MarketFeed<Item extends EngineItem = FeedItem> {
  /** Cold. For a recording the whole replay happens inside `subscribe`; completes at its end. */
  readonly events$: Observable<Item>;
}

/** After the start of a minute, ms: by then an exchange lists the funding payments of that moment. */
const LISTED_MS = 5_000;
const MINUTE_MS = 60_000;

/** The read of funding payments that is due by `time` (epoch ms), as a number: a poll reads them once a minute. */
export function fundingRead(time: number): number {
  return Math.floor((time - LISTED_MS) / MINUTE_MS);
}
