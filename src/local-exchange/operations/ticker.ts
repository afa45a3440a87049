import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { PublicCall } from '../http/call.ts';
import { Refusal } from '../refusal.ts';
import { listed } from './listed.ts';
import { tickerRecord } from './ticker-record.ts';

/** Operation 3. @throws Refusal 40725 before the first price, when there is nothing to tell. */
export function ticker({ symbol }: RequestOf<'ticker'>, { exchange, now }: PublicCall): PayloadOf<'ticker'> {
  const record = tickerRecord(exchange.market.view(listed(exchange, 'spot', symbol)), now);
  if (record === undefined) throw new Refusal('40725', `no price of ${symbol} yet`);
  return record;
}
