import type { ErrorCode } from '../../model/errors.ts';

/**
 * What is known of a request that failed. `none`: it did not act and was not refused (it never left, or asked only
 * to read). `rejected`: the exchange refused it for good. `unknown`: it may have acted, and only proof will tell.
 */
export type Outcome = 'rejected' | 'unknown' | 'none';

/** Why a call failed: what the transport saw, or what the exchange's code says. */
export type Cause = (typeof OUTCOME_TABLE)[number]['cause'];

/** What the request would have done: read, or act on one thing (an order, a cancel, a transfer), or on several orders. */
export type Scope = 'read' | 'one' | 'several';

interface OutcomeRow extends Readonly<Record<Scope, Outcome>> {
  readonly cause: string;
  readonly code: ErrorCode;
  /** Whether the same request may fare better later. */
  readonly passing: boolean;
}

/**
 * From cause and scope to outcome. A batch of several orders may have been worked in part, so only refusals that
 * concern the request as a whole (headers, parameters, limits) are final there.
 */
export const OUTCOME_TABLE = [
  // It never left this process.
  { cause: 'invalid', code: 'REQUEST_INVALID', passing: false, read: 'none', one: 'none', several: 'none' },
  { cause: 'overBudget', code: 'EXCHANGE_LIMITED', passing: true, read: 'none', one: 'none', several: 'none' },
  { cause: 'unconnected', code: 'EXCHANGE_UNREACHABLE', passing: true, read: 'none', one: 'none', several: 'none' },
  // It left, and no answer came that can be read.
  { cause: 'broken', code: 'EXCHANGE_UNREACHABLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  { cause: 'timedOut', code: 'EXCHANGE_TIMEOUT', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  { cause: 'unreadable', code: 'EXCHANGE_UNREADABLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  { cause: 'oversized', code: 'EXCHANGE_UNREADABLE', passing: false, read: 'none', one: 'unknown', several: 'unknown' },
  { cause: 'redirected', code: 'EXCHANGE_UNREADABLE', passing: false, read: 'none', one: 'unknown', several: 'unknown' },
  // HTTP 5xx (but 521), whatever the body says.
  { cause: 'status5xx', code: 'EXCHANGE_TROUBLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  // A code, by its category (`error-codes.ts`).
  { cause: 'limit', code: 'EXCHANGE_LIMITED', passing: true, read: 'rejected', one: 'rejected', several: 'rejected' },
  { cause: 'expired', code: 'EXCHANGE_REFUSED', passing: true, read: 'rejected', one: 'rejected', several: 'rejected' },
  { cause: 'header', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'rejected', several: 'rejected' },
  { cause: 'parameter', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'rejected', several: 'rejected' },
  { cause: 'permission', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'rejected', several: 'unknown' },
  { cause: 'business', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'rejected', several: 'unknown' },
  // The client id is taken: by a twin of this very request, perhaps.
  { cause: 'repeatedId', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'unknown', several: 'unknown' },
  // 40015 and its like say nothing of what was done.
  { cause: 'server', code: 'EXCHANGE_TROUBLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  // A code that no document lists.
  { cause: 'unlisted', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'unknown', several: 'unknown' },
] as const satisfies readonly OutcomeRow[];

/** The row of a cause. */
export function outcomeRow(cause: Cause): OutcomeRow {
  return OUTCOME_TABLE.find((row) => row.cause === cause) as OutcomeRow;
}
