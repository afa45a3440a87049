import { CANDLE_PERIODS } from '../../exchange/candle-periods.ts';
import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { PublicCall } from '../http/call.ts';
import { candleRows } from './candle-rows.ts';
import { listed } from './listed.ts';

/** Beyond the twenty: candles of a spot pair; none before the first price. */
export function candles({ symbol, period, limit }: RequestOf<'candles'>, { exchange, now }: PublicCall): PayloadOf<'candles'> {
  const named = CANDLE_PERIODS.find(({ spot }) => spot === period)!;
  return candleRows(exchange.market.view(listed(exchange, 'spot', symbol)), named, limit!, now);
}
