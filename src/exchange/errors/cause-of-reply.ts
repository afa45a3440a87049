import { codeRow } from './error-codes.ts';
import type { Cause } from './outcome-table.ts';

/** Texts with which 40015 ("system error") refuses an order for a stated reason. */
const STATED = /\b(INVALID_ARGUMENT|FAILED_PRECONDITION)\b/;
/** The document lists no code for a client id that is in use, so it is told by its text. */
const REPEATED_ID = /(duplicate|repeated|already (exists?|used)|exists already)/i;

/** What an answered refusal means: its HTTP status, and the code and text of its body where it had one. */
export interface Refusal {
  readonly status: number;
  readonly code: string | undefined;
  readonly message: string;
}

/** The cause of a refusal; `undefined` where there is none: a good status and no code. */
export function causeOfReply({ status, code, message }: Refusal): Cause | undefined {
  if (status === 429) return 'limit';
  if (status >= 300 && status < 400) return 'redirected';
  // 521 is how this exchange refuses an IP; any other 5xx may come from a gateway that has passed the request on.
  if (status >= 500 && status !== 521) return 'status5xx';
  if (code === undefined) return status === 521 ? 'header' : status >= 400 ? 'unreadable' : undefined;
  if (code === '40008') return 'expired';
  const category = codeRow(code)?.category;
  if (category === 'header' || category === 'parameter' || category === 'limit') return category;
  if (REPEATED_ID.test(message)) return 'repeatedId';
  if (code === '40015' && STATED.test(message)) return 'business';
  return category ?? 'unlisted';
}
