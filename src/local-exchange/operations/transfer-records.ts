import type { PayloadOf, RequestOf } from '../../exchange/operations/operations.ts';
import type { WalletName } from '../accounts/wallet.ts';
import type { Call } from '../http/call.ts';
import { wireTime } from './page.ts';

/** Wallets as transfer records name them; of the real names only CONTRACT is known for certain. */
const TYPES: Readonly<Record<WalletName, string>> = { spot: 'SPOT', funding: 'FUND', futures: 'CONTRACT' };

/** Operation 11: the caller's transfers, newest first. `after` and `before` are turned round, as the document has them. */
export function transferRecords(request: RequestOf<'transferRecords'>, { exchange, account }: Call): PayloadOf<'transferRecords'> {
  const { coinId, fromType, after = Number.POSITIVE_INFINITY, before = Number.NEGATIVE_INFINITY, limit = 100 } = request;
  const coin = coinId === undefined ? undefined : exchange.coins.find(({ id }) => id === coinId)?.name;
  const found = [...account.transfers.values()].filter((entry) => {
    const time = wireTime(entry.time);
    const ofCoin = coinId === undefined || entry.coin === coin;
    const ofType = fromType === undefined || TYPES[entry.from] === fromType.toUpperCase();
    return ofCoin && ofType && time < after && time > before;
  });
  return found
    .reverse()
    .slice(0, limit)
    .map(({ coin: coinName, status, from, to, amount, time }) => ({
      coinName,
      status,
      toType: TYPES[to],
      toSymbol: '',
      fromType: TYPES[from],
      fromSymbol: '',
      amount: amount.toFixed(),
      tradeTime: wireTime(time),
    }));
}
