import type { PayloadOf } from '../../exchange/operations/operations.ts';
import { Decimal, ZERO } from '../../model/decimal.ts';
import { unrealizedProfit } from '../../model/margin.ts';
import type { Call } from '../http/call.ts';

/**
 * Operation 10: the futures wallet. `equity` is the collateral and what positions have gained at the mark; `available`
 * what a new order may bind; `frozen` the margin of positions and opening orders.
 */
export function futuresAssets(_request: unknown, { exchange, account }: Call): PayloadOf<'futuresAssets'> {
  const { futures } = account;
  return exchange.coins.flatMap(({ id, name }) => {
    const { total, frozen } = futures.ledger.balance(name);
    if (total.isZero() && frozen.isZero()) return [];
    const profit = futures
      .positionRecords()
      .filter(({ instrument }) => instrument.quote === name)
      .reduce(
        (sum, position) =>
          sum.plus(position.steps === 0 ? ZERO : unrealizedProfit(position, exchange.market.view(position.instrument).markPrice)),
        ZERO,
      );
    return [
      {
        coinId: id,
        coinName: name,
        available: Decimal.max(ZERO, futures.margin(name).free).toFixed(),
        frozen: frozen.toFixed(),
        equity: total.plus(profit).toFixed(),
        unrealizePnl: profit.toFixed(),
      },
    ];
  });
}
