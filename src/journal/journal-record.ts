import type { Intent } from '../model/intents.ts';
import type { MarketEvent } from '../model/market-events.ts';
import type { AccountEvent } from '../model/order-events.ts';

/** What a bot's journal keeps, by kind. */
export interface JournalValues {
  market: MarketEvent;
  event: { readonly sequence: number; readonly event: AccountEvent };
  intent: { readonly sequence: number; readonly strategyId: string; readonly intent: Intent };
  request: { readonly operation: string; readonly clientOrderIds: readonly string[]; readonly body: unknown };
  reply: { readonly operation: string; readonly clientOrderIds: readonly string[]; readonly outcome: string; readonly body: unknown };
  /** What strategies gave to be kept. */
  save: unknown;
  /** The orders that the engine holds. */
  held: unknown;
  start: unknown;
  stop: unknown;
  heartbeat: null;
  note: unknown;
}
export type RecordKind = keyof JournalValues;

/** One row: `id` counts from 1 without gaps, `time` is epoch ms as the bot saw it. */
export type JournalRecord<K extends RecordKind = RecordKind> = {
  [Kind in K]: { readonly id: number; readonly time: number; readonly kind: Kind; readonly value: JournalValues[Kind] };
}[K];
