import { batchEntry, triggerRequest } from '../../exchange/mapping/order-requests.ts';
import { encode } from '../../journal/codec.ts';
import type { JournalValues } from '../../journal/journal-record.ts';
import type { ApprovedOrder } from '../../model/order.ts';
import { sameText } from './same-text.ts';

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
