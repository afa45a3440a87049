import { CANDLE_PERIODS } from '../../exchange/candle-periods.ts';
import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { PublicCall } from '../http/call.ts';
import { candleRows } from './candle-rows.ts';
import { listed } from './listed.ts';

/** Beyond the twenty: candles of a contract; none before the first price. */
export function futuresCandles(
  { symbol, granularity, limit }: RequestOf<'futuresCandles'>,
  { exchange, now }: PublicCall,
): PayloadOf<'futuresCandles'> {
  const named = CANDLE_PERIODS.find(({ futures }) => futures === granularity)!;
  return candleRows(exchange.market.view(listed(exchange, 'futures', symbol)), named, limit!, now);
}
