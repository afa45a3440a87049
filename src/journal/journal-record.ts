import type { AccountEvent } from '../model/account-events.ts';
import type { Intent } from '../model/intents.ts';
import type { Bar, MarketEvent } from '../model/market-events.ts';
import type { Trip } from '../ports/journal.ts';
import type { Command, Stopping } from '../ports/market-feed.ts';

/**
 * What began a turn, written before anything that the turn did; a turn of one market event by itself has none, its record
 * stands for it. `events`: so many market events come with the turn, whatever it builds of them. `timer`: the callback that
 * the engine asked its clock for as the so-manyth of this run.
 */
export type TurnCause =
  | { readonly by: 'market'; readonly events: number }
  | { readonly by: 'venue' }
  | { readonly by: 'timer'; readonly timer: number }
  | { readonly by: 'command'; readonly command: Command | Stopping };

/**
 * Counts the changes to what the engine and risk decide of the same events. A bot's journal says by which it ran, so that a replay
 * decides as the bot did.
 *
 * - 0: a kill lets pass what reduces; whether an order reduces goes by the account's net position; nothing counts what waits to be
 *   sent; a halt refuses every order; a close that is larger than one order may be is refused.
 * - 1: a kill ends all orders of strategies; whether an order reduces goes by its strategy's own position; `maxQueuedOrders`; a halt
 *   lets pass what closes; a close that is larger than one order may be goes out in several.
 */
export const RULES = 1;

/** A process of the bot begins: what its engine was made of. */
export interface RunStarted {
  /** Of Tidegate, where a config was planned. */
  readonly version?: string | undefined;
  /** Epoch ms by the engine's clock while it was put together. */
  readonly now: number;
  readonly mode?: 'paper' | 'live' | undefined;
  /** Of its client ids, where that is not the journal's first opening: a start renews it whose journal may have lost its end. */
  readonly era?: string | undefined;
  /** See `RULES`; absent in journals of versions that did not count them: 0. */
  readonly rules?: number | undefined;
  /** The config as it took effect, keys left out, and the file that it was read from; absent where the bot had none. */
  readonly config?: { readonly text: string; readonly file: string } | undefined;
  readonly strategies: readonly { readonly id: string; readonly source?: string | undefined }[];
}

/** Hashes of where a run stands: hex of SHA-256. */
export interface StatePoint {
  /** Of all parts. */
  readonly state: string;
  /** By name, shortened: which part it is that differs. */
  readonly parts: Readonly<Record<string, string>>;
  /** Chained over all intents and denials of this run so far. */
  readonly decisions: string;
}

/** Bars from before the start, as a strategy was given them. */
export interface HistoryTold {
  readonly strategyId: string;
  readonly symbol: string;
  /** `null`: whatever the strategy needs. */
  readonly intervalMs: number | null;
  readonly bars: readonly Bar[];
}

/** What came of a request. Its trip is absent of what never left, and of journals of earlier versions. */
export interface ReplyTold extends Partial<Trip> {
  readonly operation: string;
  readonly clientOrderIds: readonly string[];
  readonly outcome: string;
  readonly body: unknown;
}

/** What a bot's journal keeps, by kind. */
export interface JournalValues {
  run: RunStarted;
  turn: TurnCause;
  history: HistoryTold;
  market: MarketEvent;
  /** `heard`: the venue told it, before its turn began or while that went on; absent of the engine's own. */
  event: { readonly sequence: number; readonly event: AccountEvent; readonly heard?: Heard | undefined };
  intent: { readonly sequence: number; readonly strategyId: string; readonly intent: Intent };
  request: { readonly operation: string; readonly clientOrderIds: readonly string[]; readonly body: unknown };
  reply: ReplyTold;
  /** What strategies gave to be kept. */
  save: unknown;
  /** The orders that the engine holds. */
  held: unknown;
  start: unknown;
  /** Earlier versions told no point. */
  stop: StatePoint | { readonly state?: undefined };
  /** Earlier versions, and bots that had not begun to run, told no point. */
  heartbeat: StatePoint | null;
  note: unknown;
}
export type RecordKind = keyof JournalValues;
export type Heard = 'before' | 'within';

/** One row: `id` counts from 1 without gaps, `time` is epoch ms as the bot saw it (of market data: when it took it in). */
export type JournalRecord<K extends RecordKind = RecordKind> = {
  [Kind in K]: { readonly id: number; readonly time: number; readonly kind: Kind; readonly value: JournalValues[Kind] };
}[K];

/** A note: what follows, up to the next run, was done by no engine, and is nothing that one could do again. */
export const OUTSIDE = { outside: true } as const;

export function isOutside(note: unknown): boolean {
  return typeof note === 'object' && note !== null && 'outside' in note && note.outside === true;
}
