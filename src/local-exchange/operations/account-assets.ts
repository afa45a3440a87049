import type { PayloadOf } from '../../exchange/operations/operations.ts';
import type { Call } from '../http/call.ts';

/** Operation 9: the spot wallet. */
export function accountAssets(_request: unknown, { exchange, account }: Call): PayloadOf<'accountAssets'> {
  return exchange.coins.flatMap(({ id, name }) => {
    const { total, frozen } = account.spot.ledger.balance(name);
    if (total.isZero() && frozen.isZero()) return [];
    return [{ coinId: id, coinName: name, available: total.minus(frozen).toFixed(), frozen: frozen.toFixed(), equity: total.toFixed() }];
  });
}
