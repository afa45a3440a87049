import { randomUUID } from 'node:crypto';
import { ExchangeError } from '../../../exchange/errors/exchange-error.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { type Check, failed, ok } from '../check.ts';

const UNKNOWN = 'whether it may withdraw, which it should not, the API does not tell: look at its page at the exchange';

/** Canceling an order that never was harms nothing, and is refused in another way where the key may not trade. */
export const permissions: Check = {
  id: 'permissions',
  title: 'the key may trade',
  modes: ['live'],
  needs: ['accepted'],
  mend: 'see to the reason first, then ask again',
  async run({ exchange, instruments }) {
    const clientOid = `doctor-${randomUUID().slice(0, 8)}`;
    for (const kind of ['spot', 'futures'] as const) {
      const symbol = instruments.find((one) => one.kind === kind)?.symbol;
      if (symbol === undefined) continue;
      const body = { symbol: wireSymbol(symbol), clientOid };
      try {
        await (kind === 'spot' ? exchange.cancelOrder(body) : exchange.cancelFuturesOrder(body));
      } catch (error) {
        if (!(error instanceof ExchangeError) || error.outcome !== 'rejected') throw error;
        if (error.reason !== 'permission') continue;
        return failed(`it may not trade ${kind}: ${error.message}`, "let the key trade, at the exchange's page");
      }
    }
    return ok(`it may cancel, and so trade; ${UNKNOWN}`);
  },
};
