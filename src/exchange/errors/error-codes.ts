/**
 * What a code tells of the request. `header`: who asks, and when. `permission`: may he. `parameter`: what is asked.
 * `business`: the order itself. `limit`: too much at once. `server`: trouble on their side, of which nothing follows.
 */
export type CodeCategory = 'header' | 'permission' | 'parameter' | 'business' | 'limit' | 'server';

export interface CodeRow {
  readonly meaning: string;
  /** The HTTP status it comes with. */
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
  '40013': row('account frozen', 'permission'),
  '40014': row('no permission', 'permission', 403),
  '40015': row('system error', 'server'),
  '40017': row('parameter validation failed', 'parameter'),
  '40018': row('IP not allowed', 'header', 521),
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
