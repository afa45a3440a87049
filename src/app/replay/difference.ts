import { batchEntry, triggerRequest } from '../../exchange/mapping/orders.ts';
import { encode } from '../../journal/codec.ts';
import type { JournalValues } from '../../journal/journal-record.ts';
import type { MarketEvent } from '../../model/market-events.ts';
import type { ApprovedOrder } from '../../model/order.ts';
import type { AccountEvent } from '../../model/order-events.ts';

/** What a record and its replay can differ in. */
export type DifferenceKind =
  | 'intent'
  | 'denial'
  | 'order'
  | 'event'
  | 'bar'
  | 'timer'
  | 'held orders'
  | 'saved state'
  | 'request'
  | 'state'
  | 'decisions'
  | 'error';

/** The first thing that a replay does otherwise than its record. */
export interface Difference {
  readonly what: DifferenceKind;
  /** Of the record; of the turn where the record has nothing there. */
  readonly id: number;
  /** Epoch ms of the turn. */
  readonly time: number;
  /** Of the newest market data then. */
  readonly sequence: number;
  /** Absent where the record (the replay) has nothing there. */
  readonly recorded?: unknown;
  readonly replayed?: unknown;
  /** The event before it: what the decision was made on. */
  readonly cause?: { readonly id: number; readonly event: MarketEvent | AccountEvent } | undefined;
}

/** Whether two texts of the journal's codec say the same: the order of an object's fields says nothing. */
export function sameText(one: string, other: string): boolean {
  return one === other || canonical(JSON.parse(one)) === canonical(JSON.parse(other));
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)))
      : field,
  );
}

/** What of the codec's tags stands for one value. */
const TAGS = ['$d', '$i', '$n', '$f', '$m', '$o'];

/** A value of the journal as plain JSON, for people and for --json: amounts and symbols as text, fields of market events in a list. */
export function plainValue(value: unknown): unknown {
  return value === undefined ? undefined : untagged(JSON.parse(encode(value)));
}

function untagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untagged);
  if (typeof value !== 'object' || value === null) return value;
  const [[tag, content] = [], ...others] = Object.entries(value);
  if (tag === '$u') return null;
  if (tag === '$e') return (content as readonly unknown[]).join(' ');
  if (tag === '$m')
    return Object.fromEntries((content as [unknown, unknown][]).map(([key, one]) => [String(untagged(key)), untagged(one)]));
  if (tag !== undefined && others.length === 0 && TAGS.includes(tag)) return untagged(content);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, untagged(field)]));
}

/**
 * What the replayed engine would have had sent in place of a request that is recorded; `undefined` where it is the same.
 * Cancels are compared as events: the venue sends some of its own, and of orders of an earlier run.
 */
export function requestDifference(
  { operation, clientOrderIds, body }: JournalValues['request'],
  placed: ReadonlyMap<string, ApprovedOrder>,
): { readonly replayed: unknown } | undefined {
  if (operation !== 'batchOrders' && operation !== 'triggerOrder') return undefined;
  const orders = clientOrderIds.map((id) => placed.get(id));
  const replayed = orders.map((order) => order && (operation === 'batchOrders' ? batchEntry(order) : triggerRequest(order)));
  const recorded = operation === 'batchOrders' ? (body as { readonly orderList: unknown }).orderList : [body];
  return sameText(encode(recorded), encode(replayed)) ? undefined : { replayed };
}
