import type { PayloadOf } from '../../exchange/operations/operations.ts';
import type { PublicCall } from '../http/call.ts';
import { listedOf } from './listed.ts';
import { tickerRecord } from './ticker-record.ts';

/** Operation 4: the tickers of all spot pairs that have a price. */
export function tickers(_request: unknown, { exchange, now }: PublicCall): PayloadOf<'tickers'> {
  const records = listedOf(exchange, 'spot').map((instrument) => tickerRecord(exchange.market.view(instrument), now));
  return records.filter((record) => record !== undefined);
}
