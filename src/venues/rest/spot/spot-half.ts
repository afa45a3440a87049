import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { isPrecondition } from '../../../exchange/errors.ts';
import { batchEntry } from '../../../exchange/mapping.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import { Decimal } from '../../../model/decimal.ts';
import type { OrderRequest } from '../../../model/order.ts';
import type { Rejection } from '../../../model/reasons.ts';
import { SpotMoney } from '../../reconcile/spot-money.ts';
import { Half, type HalfParts } from '../half.ts';
import { exchangeError } from '../request-queue.ts';
import type { OrderWire } from '../sending.ts';
import { SpotReads } from './spot-reads.ts';

/** The spot half of the exchange. */
export function spotHalf(parts: HalfParts): Half {
  const { client, instruments, settings, context } = parts;
  return new Half('spot', parts, {
    reads: new SpotReads(client, instruments, context.log),
    wire: spotWire(client, settings.batchLimit),
    money: new SpotMoney({ instruments, settings, context, exchangeTime: () => client.serverTime() }),
  });
}

type SpotClient = Pick<ExchangeClient, 'batchOrders' | 'cancelOrder' | 'accountAssets'>;

/** Orders of one pair leave in one batch. */
export function spotWire(client: SpotClient, batchLimit: number): OrderWire {
  return {
    placing: () => ({ operation: 'batchOrders', most: batchLimit }),
    place: (_, orders) => {
      const body = { symbol: wireSymbol(orders[0]!.instrument.symbol), orderList: orders.map(batchEntry) };
      return {
        body,
        send: async (leaves, permit) => {
          const { resultList } = await client.batchOrders(body, leaves, permit);
          return { reply: resultList, says: (id) => resultList.find(({ clientOrderId }) => clientOrderId === id) };
        },
      };
    },
    cancelOperation: 'cancelOrder',
    cancel: ({ instrument, clientOrderId }, orderId) => {
      const body = { symbol: wireSymbol(instrument.symbol), ...(orderId === '' ? { clientOid: clientOrderId } : { orderId }) };
      return {
        body,
        send: async (leaves, permit) => {
          const { result, err_msg: message } = await client.cancelOrder(body, leaves, permit);
          return { reply: { result, message }, says: { isTaken: result } };
        },
      };
    },
    explain: (order, reason) => lackedCoins(client, order, reason),
  };
}

/** A refused close may lack coins that foreign orders freeze. The balance shows that, whatever the text of the refusal. */
async function lackedCoins(
  client: SpotClient,
  { reduceOnly, side, steps = 0, instrument: { base, step } }: OrderRequest,
  reason: Rejection,
): Promise<Rejection> {
  if (reason.code !== 'venueRefused' || !reduceOnly || side !== 'sell') return reason;
  try {
    const record = (await client.accountAssets()).find(({ coinName }) => coinName.toUpperCase() === base);
    const needed = step.toDecimal(steps);
    const available = new Decimal(record?.available ?? 0);
    const isFree = needed.lessThanOrEqualTo(available);
    if (isFree && !isPrecondition(reason.message)) return reason;
    const code = isFree ? 'coinsLacked' : 'coinsReserved';
    return { code, asset: base, needed: needed.toFixed(), available: available.toFixed() };
  } catch (error) {
    exchangeError(error);
    return reason;
  }
}
