import type { Trip } from '../ports/journal.ts';
import { revive } from './codec.ts';
import { bytesOf, journalDamaged, journalFailed, openJournalToRead, rowChecksum, textOf } from './journal-file.ts';
import type { JournalValues, ReplyRecord } from './journal-record.ts';

/** A request of a bot with a reply. */
export interface RoundTrip extends Trip {
  readonly kind: 'order' | 'cancel';
}

type Row = [id: number, time: number, kind: Uint8Array, body: Uint8Array, checksum: number];
const QUERY = `SELECT CAST(id AS REAL), CAST(time AS REAL), ${bytesOf('kind')}, ${bytesOf('body')}, CAST(checksum AS REAL)
  FROM records WHERE kind IN ('request', 'reply') ORDER BY id`;

const KINDS: ReadonlyMap<string, RoundTrip['kind']> = new Map([
  ['batchOrders', 'order'],
  ['triggerOrder', 'order'],
  ['cancelOrder', 'cancel'],
  ['cancelFuturesOrder', 'cancel'],
]);

/**
 * Round-trip times of the orders and cancels of a journal, by the time they were sent. A request that was never sent or
 * never answered has none; a refused one has. Replies of earlier versions have no times: there the times of the records
 * are used, which are those of the bot's turns and include the wait before the send.
 * @throws TidegateError JOURNAL_FAILED, JOURNAL_DAMAGED
 */
export function roundTrips(path: string): RoundTrip[] {
  const database = openJournalToRead(path);
  try {
    const trips: RoundTrip[] = [];
    const underWay = new Map<string, number>();
    for (const row of database.prepare(QUERY).raw().iterate() as Iterable<Row>) {
      const { time, isReply, value } = requestOf(row, path);
      const { operation, clientOrderIds } = value;
      const key = [operation, ...clientOrderIds].join('/');
      const kind = KINDS.get(operation);
      if (kind === undefined) continue;
      const sentAt = underWay.get(key);
      if (!isReply) underWay.set(key, time);
      else if (sentAt !== undefined) {
        underWay.delete(key);
        const known = { sentAt: value.sentAt ?? sentAt, tookMs: value.tookMs ?? Math.max(0, time - sentAt) };
        if (value.outcome === 'answered' || value.outcome === 'rejected') trips.push({ ...known, kind });
      }
    }
    return trips.sort((a, b) => a.sentAt - b.sentAt);
  } catch (error) {
    throw journalFailed(path, 'read', error);
  } finally {
    database.close();
  }
}

/** Bodies of requests are plain text and numbers: no instruments are needed. */
function requestOf([id, time, kindBytes, bodyBytes, checksum]: Row, path: string) {
  const [kind, body] = [textOf(kindBytes), textOf(bodyBytes)];
  if (rowChecksum([time, kind, body]) !== checksum) throw journalDamaged(path, `record ${id} was changed`);
  return { time, isReply: kind === 'reply', value: revive(body, new Map()) as JournalValues['request'] & Partial<ReplyRecord> };
}
