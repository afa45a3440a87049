import type { AccountEvent } from '../model/account-events.ts';
import type { BarInterval } from '../model/bar-interval.ts';
import type { Intent } from '../model/intents.ts';
import type { Bar, MarketEvent } from '../model/market-events.ts';
import type { Trip } from '../ports/journal.ts';
import type { Command, Stopping } from '../ports/market-feed.ts';

/**
 * The cause of a turn, written before the records of the turn. A turn of one market event has none: the record of the event
 * shows it. `events`: how many market events belong to the turn, apart from bars built of them. `timer`: the number of the callback, in
 * the order in which the engine has scheduled callbacks in this run.
 */
export type TurnCause =
  | { readonly by: 'market'; readonly events: number }
  | { readonly by: 'venue' }
  | { readonly by: 'timer'; readonly timer: number }
  | { readonly by: 'command'; readonly command: Command | Stopping };

/**
 * The version of the rules by which the engine and risk decide. A bot's journal has the version of its runs, so that a replay
 * decides as the bot did.
 *
 * - 0: during a kill reducing orders pass; the account's net position decides whether an order reduces; orders that wait to be
 *   sent are not counted; a halt refuses every order; a close larger than one order may be is refused.
 * - 1: a kill ends all orders of strategies; its strategy's own position decides whether an order reduces; `maxQueuedOrders`; during a
 *   halt closes pass; a close larger than one order may be is sent as several.
 * - 2: a stop loss that the price is beyond is denied; of two exits of `protect` the good one remains.
 */
export const RULES_VERSION = 2;

/** A process of the bot begins: the parts of its engine. */
export interface RunStarted {
  /** Version of Tidegate, if a config was planned. */
  readonly version?: string | undefined;
  /** Epoch ms on the engine's clock while it was built. */
  readonly now: number;
  readonly mode?: 'paper' | 'live' | undefined;
  /** Era of its client ids, if it is not the journal's first opening: a start begins a new one if its journal may have lost its end. */
  readonly era?: string | undefined;
  /** See `RULES_VERSION`; absent in journals of versions that did not count them: 0. */
  readonly rules?: number | undefined;
  /** The effective config without keys, and the file that it was read from; absent if the bot had none. */
  readonly config?: { readonly text: string; readonly file: string } | undefined;
  readonly strategies: readonly { readonly id: string; readonly source?: string | undefined }[];
  /** Its strategies did not run, because the bot was killed before they had their history: the run only cancels and closes. */
  readonly closesOnly?: true | undefined;
}

/** Hashes of the state of a run: hex of SHA-256. */
export interface StatePoint {
  /** Over all parts. */
  readonly state: string;
  /** By name, shortened: show which part differs. */
  readonly parts: Readonly<Record<string, string>>;
  /** Chained over all intents and denials of this run so far. */
  readonly decisions: string;
}

/** Bars from before the start, as they were given to a strategy. */
export interface HistoryRecord {
  /** Empty for a week or month that is open at the start, with its prices so far. */
  readonly strategyId: string;
  readonly symbol: string;
  /** `null`: all that the strategy needs. */
  readonly intervalMs: BarInterval | null;
  readonly bars: readonly Bar[];
}

/** The outcome of a request. Its trip is absent if it was never sent, and in journals of earlier versions. */
export interface ReplyRecord extends Partial<Trip> {
  readonly operation: string;
  readonly clientOrderIds: readonly string[];
  readonly outcome: string;
  readonly body: unknown;
}

/** The values of a bot's journal, by kind. */
export interface JournalValues {
  run: RunStarted;
  turn: TurnCause;
  history: HistoryRecord;
  market: MarketEvent;
  /** `heard`: the venue reported it, before its turn began or during the turn; absent for events of the engine itself. */
  event: { readonly sequence: number; readonly event: AccountEvent; readonly heard?: ReceivedIn | undefined };
  intent: { readonly sequence: number; readonly strategyId: string; readonly intent: Intent };
  request: { readonly operation: string; readonly clientOrderIds: readonly string[]; readonly body: unknown };
  reply: ReplyRecord;
  /** The state that a strategy saves. */
  save: unknown;
  /** The orders that the engine holds. */
  held: unknown;
  start: unknown;
  /** Earlier versions wrote no point. */
  stop: StatePoint | { readonly state?: undefined };
  /** Earlier versions, and bots that had not begun to run, wrote no point. */
  heartbeat: StatePoint | null;
  note: unknown;
}
export type RecordKind = keyof JournalValues;
export type ReceivedIn = 'before' | 'within';

/** One row: `id` counts from 1 without gaps, `time` is epoch ms on the bot's clock (for market data: of its arrival). */
export type JournalRecord<K extends RecordKind = RecordKind> = {
  [Kind in K]: { readonly id: number; readonly time: number; readonly kind: Kind; readonly value: JournalValues[Kind] };
}[K];

/** A note: no engine made the records that follow, up to the next run. A replay cannot repeat them. */
export const OUTSIDE = { outside: true } as const;

export function isOutside(note: unknown): boolean {
  return typeof note === 'object' && note !== null && 'outside' in note && note.outside === true;
}
