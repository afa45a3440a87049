import type { ExchangeClient } from '../../../exchange/client/exchange-client.ts';
import { causeOfReply, ExchangeError } from '../../../exchange/errors.ts';
import { futuresEntry, triggerRequest } from '../../../exchange/mapping.ts';
import { wireSymbol } from '../../../exchange/symbols.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { MarginSettings } from '../../../model/margin.ts';
import { FuturesMoney } from '../../reconcile/futures-money.ts';
import { Half, type HalfParts } from '../half.ts';
import { rejectionOf } from '../request-queue.ts';
import type { OrderWire, Placed } from '../sending.ts';
import { type ExpectedContract, marginModeOf, setLeverages } from './contract-settings.ts';
import { coinIdOf, FuturesReads } from './futures-reads.ts';

export interface FuturesParts extends HalfParts {
  /** The settings that the exchange must have. */
  readonly expected?: readonly ExpectedContract[] | undefined;
  /** The exchange's ids of quote coins. A coin that is left out has a built-in id, or is refused. */
  readonly coinIds?: ReadonlyMap<string, string> | undefined;
  /** The leverages of the config are set at the start. */
  readonly setsLeverage?: boolean | undefined;
}

/** The futures half of the exchange. */
export function futuresHalf(parts: FuturesParts): Half {
  const { client, instruments, settings, context, expected = [], coinIds, setsLeverage } = parts;
  const marginOf = (instrument: Instrument) => expected.find((one) => one.instrument === instrument)?.margin;
  const reads = new FuturesReads({ ...parts, now: () => context.clock.now() });
  return new Half('futures', parts, {
    reads,
    wire: futuresWire(client, settings.batchLimit, marginOf),
    money: new FuturesMoney({ instruments, settings, context, exchangeTime: () => client.serverTime(), marginOf }),
    changeOf: (instrument) => reads.settings.changeOf(instrument),
    prepare: async () => {
      if (!setsLeverage) return;
      for (const coin of new Set(expected.map(({ instrument }) => instrument.quote))) {
        const { account } = await client.futuresAccount({ coinId: coinIdOf(coin, coinIds) });
        const ofCoin = expected.filter(({ instrument }) => instrument.quote === coin);
        await setLeverages(ofCoin, account, { client, log: context.log });
      }
    },
  });
}

type FuturesClient = Pick<ExchangeClient, 'placeFuturesOrder' | 'futuresBatchOrders' | 'triggerOrder' | 'cancelFuturesOrder'>;

/** Most orders of one batch. */
const MOST_ORDERS = 20;
/** The exchange's code for an order that never existed. An ended order has another code. */
const NEVER_WAS = '43001';

/** Orders that wait for a trigger price leave one by one, as triggers. All others leave as orders: one alone, several in a batch. */
export function futuresWire(
  client: FuturesClient,
  batchLimit: number,
  marginOf: (instrument: Instrument) => Pick<MarginSettings, 'mode'> | undefined,
): OrderWire {
  const common = (instrument: Instrument) => {
    const margin = marginOf(instrument);
    return {
      symbol: wireSymbol(instrument.symbol),
      ...(margin !== undefined && { marginMode: marginModeOf(margin) }),
    };
  };
  return {
    placing: ({ triggerTicks }, together) => {
      if (triggerTicks !== undefined) return { operation: 'triggerOrder', most: 1 };
      const plain = together.filter((one) => one.triggerTicks === undefined);
      if (plain.length === 1) return { operation: 'placeFuturesOrder', most: 1 };
      return { operation: 'futuresBatchOrders', most: Math.min(batchLimit, MOST_ORDERS) };
    },
    place: (operation, orders) => {
      const [order] = orders as [(typeof orders)[number]];
      if (operation === 'triggerOrder') {
        const body = triggerRequest(order);
        return { body, send: async (leaves, permit) => alone(await client.triggerOrder(body, leaves, permit)) };
      }
      if (operation === 'placeFuturesOrder') {
        const body = { ...common(order.instrument), ...futuresEntry(order) };
        return { body, send: async (leaves, permit) => alone(await client.placeFuturesOrder(body, leaves, permit)) };
      }
      const body = { ...common(order.instrument), orderDataList: orders.map(futuresEntry) };
      return {
        body,
        send: async (leaves, permit) => {
          const { order_info: entries } = await client.futuresBatchOrders(body, leaves, permit);
          return { reply: entries, says: (id) => placedOf(entries.find(({ client_oid }) => client_oid === id)) };
        },
      };
    },
    cancelOperation: 'cancelFuturesOrder',
    cancel: ({ instrument, clientOrderId }, orderId) => {
      const body = { symbol: wireSymbol(instrument.symbol), ...(orderId === '' ? { clientOid: clientOrderId } : { orderId }) };
      return {
        body,
        send: async (leaves, permit) => {
          const reply = await client.cancelFuturesOrder(body, leaves, permit);
          const { result, order_id: id, err_code: code } = reply;
          return { reply, says: { isTaken: result, orderId: id !== '' && code !== NEVER_WAS ? id : undefined } };
        },
      };
    },
  };
}

/** The reply to an order that was placed alone. */
function alone(reply: { readonly order_id: string }) {
  return { reply, says: (): Placed => ({ orderId: reply.order_id }) };
}

type BatchEntry = Awaited<ReturnType<FuturesClient['futuresBatchOrders']>>['order_info'][number];

/** An entry that was refused says why, as the refusal of an order alone does. */
function placedOf(entry: BatchEntry | undefined): Placed {
  if (entry === undefined) return undefined;
  const { order_id: orderId = '', result, error_code: exchangeCode, error_message: message } = entry;
  if (result) return { orderId };
  const cause = causeOfReply({ status: 400, code: exchangeCode === '' ? undefined : exchangeCode, message }) ?? 'unlisted';
  const failure = new ExchangeError({ operation: 'futuresBatchOrders', cause, scope: 'one', message, exchangeCode });
  return failure.outcome === 'unknown' ? undefined : { refused: rejectionOf(failure) };
}
