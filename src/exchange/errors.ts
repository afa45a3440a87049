import { type ErrorCode, TidegateError } from '../model/errors.ts';
import type { OperationName } from './operations/operation-table.ts';

/**
 * The category of a code. `header`: sender and time of the request. `permission`: whether the key may do it. `barred`: the
 * account or the address is barred, which the exchange can lift at any time. `parameter`: the content. `business`: the
 * order itself. `limit`: too many requests. `server`: an error at the exchange, which proves nothing.
 */
type CodeCategory = 'header' | 'permission' | 'barred' | 'parameter' | 'business' | 'limit' | 'server';

export interface CodeRow {
  readonly meaning: string;
  /** The HTTP status of its reply. */
  readonly status: number;
  readonly category: CodeCategory;
}

/** The documented refusals: code, meaning, HTTP status (400 for most), category. */
export const EXCHANGE_CODES = {
  '40001': row('header ACCESS-KEY is required', 'header'),
  '40002': row('header ACCESS-SIGN is required', 'header'),
  '40003': row('header ACCESS-TIMESTAMP is required', 'header'),
  '40005': row('invalid ACCESS-TIMESTAMP', 'header'),
  '40006': row('invalid ACCESS-KEY', 'header', 401),
  '40007': row('content type must be application/json', 'header'),
  '40008': row('timestamp expired', 'header'),
  '40009': row('bad signature', 'header', 401),
  '40011': row('header ACCESS-PASSPHRASE is required', 'header'),
  '40012': row('wrong key or passphrase', 'header', 401),
  '40013': row('account frozen', 'barred'),
  '40014': row('no permission', 'permission', 403),
  '40015': row('system error', 'server'),
  '40017': row('parameter validation failed', 'parameter'),
  '40018': row('IP not allowed', 'barred', 521),
  '40019': row('parameter empty', 'parameter'),
  '40020': row('parameter invalid', 'parameter'),
  '40022': row('no permission for this operation', 'permission', 403),
  '40102': row('unknown trading pair', 'parameter'),
  '40200': row('server upgrading', 'server', 500),
  '40305': row('client id longer than 40 or malformed', 'parameter'),
  '40409': row('bad format', 'parameter'),
  '40704': row('time window too old', 'parameter'),
  '40707': row('start after end', 'parameter'),
  '40724': row('empty parameter', 'parameter'),
  '40725': row('server error', 'server', 500),
  '40912': row('batch too large', 'parameter'),
  '40913': row('one of the two ids is required', 'parameter'),
  '43001': row('order does not exist', 'business'),
  '43002': row('placing failed', 'business'),
  '43004': row('nothing to cancel', 'business'),
  '43005': row('quantity over the maximum', 'business'),
  '43006': row('amount under the minimum', 'business'),
  '43007': row('amount over the maximum', 'business'),
  '43009': row('price beyond the limit', 'business'),
  '43010': row('negative volume', 'business'),
  '43011': row('negative price', 'business'),
  '50003': row('no permission for the pair', 'permission'),
  '50004': row('no permission for the API', 'permission'),
  '50005': row('order does not exist', 'business'),
  '50007': row('leverage over the limit', 'business'),
  '429': row('too many requests', 'limit', 429),
} as const satisfies Record<string, CodeRow>;

export type ExchangeCode = keyof typeof EXCHANGE_CODES;

/** The row of a code; `undefined` for one that the document does not list. */
export function codeRow(code: string): CodeRow | undefined {
  return Object.hasOwn(EXCHANGE_CODES, code) ? EXCHANGE_CODES[code as ExchangeCode] : undefined;
}

function row(meaning: string, category: CodeCategory, status = 400): CodeRow {
  return { meaning, status, category };
}

/**
 * The known effect of a request that failed. `none`: it did not act and was not refused (it was never sent, or only
 * reads). `rejected`: the exchange refused it for good. `unknown`: it may have acted, which only proof can decide.
 */
export type Outcome = 'rejected' | 'unknown' | 'none';

/** Why a call failed: an error of the transport, or the exchange's code. */
export type Cause = (typeof OUTCOME_TABLE)[number]['cause'];

/** The effect that the request would have: read, or act on one thing (an order, a cancel, a transfer), or on several orders. */
export type Scope = 'read' | 'one' | 'several';

interface OutcomeRow extends Readonly<Record<Scope, Outcome>> {
  readonly cause: string;
  readonly code: ErrorCode;
  /** Whether a retry of the same request may succeed. */
  readonly passing: boolean;
}

/**
 * From cause and scope to outcome. A batch of several orders may have been executed partly, so only refusals that
 * concern the request as a whole (headers, parameters, limits) are final there.
 */
export const OUTCOME_TABLE = [
  // It never left this process.
  { cause: 'invalid', code: 'REQUEST_INVALID', passing: false, read: 'none', one: 'none', several: 'none' },
  { cause: 'overBudget', code: 'EXCHANGE_LIMITED', passing: true, read: 'none', one: 'none', several: 'none' },
  { cause: 'unconnected', code: 'EXCHANGE_UNREACHABLE', passing: true, read: 'none', one: 'none', several: 'none' },
  // It was sent, and no readable reply arrived.
  { cause: 'broken', code: 'EXCHANGE_UNREACHABLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  { cause: 'timedOut', code: 'EXCHANGE_TIMEOUT', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  { cause: 'unreadable', code: 'EXCHANGE_UNREADABLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  // A JSON body that is not the documented one.
  { cause: 'otherShape', code: 'EXCHANGE_UNREADABLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  { cause: 'oversized', code: 'EXCHANGE_UNREADABLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  { cause: 'redirected', code: 'EXCHANGE_UNREADABLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  // HTTP 5xx with any body; but 521 with a code is a refusal.
  { cause: 'status5xx', code: 'EXCHANGE_TROUBLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  // A code, by its category (`EXCHANGE_CODES`).
  { cause: 'limit', code: 'EXCHANGE_LIMITED', passing: true, read: 'rejected', one: 'rejected', several: 'rejected' },
  { cause: 'expired', code: 'EXCHANGE_REFUSED', passing: true, read: 'rejected', one: 'rejected', several: 'rejected' },
  { cause: 'header', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'rejected', several: 'rejected' },
  { cause: 'parameter', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'rejected', several: 'rejected' },
  { cause: 'permission', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'rejected', several: 'unknown' },
  { cause: 'barred', code: 'EXCHANGE_REFUSED', passing: true, read: 'rejected', one: 'rejected', several: 'unknown' },
  { cause: 'business', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'rejected', several: 'unknown' },
  // The client id is in use: possibly by a first copy of this very request.
  { cause: 'repeatedId', code: 'EXCHANGE_REFUSED', passing: false, read: 'rejected', one: 'unknown', several: 'unknown' },
  // 40015 and similar codes do not show whether anything was done.
  { cause: 'server', code: 'EXCHANGE_TROUBLE', passing: true, read: 'none', one: 'unknown', several: 'unknown' },
  // A code that is not documented: for example a gateway's, or that of an exchange in maintenance.
  { cause: 'unlisted', code: 'EXCHANGE_REFUSED', passing: true, read: 'rejected', one: 'unknown', several: 'unknown' },
] as const satisfies readonly OutcomeRow[];

/** The row of a cause. */
function outcomeRow(cause: Cause): OutcomeRow {
  return OUTCOME_TABLE.find((row) => row.cause === cause) as OutcomeRow;
}

/**
 * Whether a refusal with 40015 ("system error") says that the account is not in the state that the request needs, such as too few coins. The
 * values of the request itself are not refused then.
 */
export function isPrecondition(message: string): boolean {
  return /\bFAILED_PRECONDITION\b/.test(message);
}

/** Texts with which 40015 ("system error") refuses an order for a stated reason. */
const STATED = /\b(INVALID_ARGUMENT|FAILED_PRECONDITION)\b/;
/** The document has no code for a client id that is in use, so its text decides. */
const REPEATED_ID = /(duplicate|repeated|already (exists?|used)|exists already)/i;

/** A refusal: its HTTP status, and the code and text of its body if there is one. */
interface Refusal {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string;
}

/** The cause of a refusal; `undefined` if there is none: a good status and no code. */
export function causeOfReply({ status, code, message }: Refusal): Cause | undefined {
  if (status === 429) return 'limit';
  if (status >= 300 && status < 400) return 'redirected';
  // With 521 and a code this exchange refuses an IP; any other 5xx may come from a gateway that has passed the request on.
  if (status >= 500 && (status !== 521 || code === undefined)) return 'status5xx';
  if (code === undefined) return status >= 400 ? 'unreadable' : undefined;
  // The exchange refuses a timestamp that is far from its time with either code.
  if (code === '40008' || code === '40005') return 'expired';
  const category = codeRow(code)?.category;
  if (category === 'header' || category === 'parameter' || category === 'limit') return category;
  if (REPEATED_ID.test(message)) return 'repeatedId';
  if (code === '40015' && STATED.test(message)) return 'business';
  return category ?? 'unlisted';
}

export interface Failure {
  readonly operation: OperationName;
  readonly cause: Cause;
  readonly scope: Scope;
  /** The error, as a text after the operation's name. Never has a header or a secret. */
  readonly message: string;
  readonly httpStatus?: number | undefined;
  readonly exchangeCode?: string | undefined;
  readonly error?: unknown;
}

/** A call to the exchange that failed. `retryable` is never true if the request may have acted. */
export class ExchangeError extends TidegateError {
  readonly operation: OperationName;
  readonly reason: Cause;
  readonly outcome: Outcome;
  /** `undefined` if there was no reply. */
  readonly httpStatus: number | undefined;
  /** The exchange's own code, such as `43001`; see `EXCHANGE_CODES`. */
  readonly exchangeCode: string | undefined;

  constructor({ operation, cause, scope, message, httpStatus, exchangeCode, error }: Failure) {
    const row = outcomeRow(cause);
    const outcome = row[scope];
    super(row.code, `${operation}: ${message}`, {
      retryable: row.passing && outcome !== 'unknown',
      ...(error === undefined ? {} : { cause: error }),
    });
    this.operation = operation;
    this.reason = cause;
    this.outcome = outcome;
    this.httpStatus = httpStatus;
    this.exchangeCode = exchangeCode;
  }
}
