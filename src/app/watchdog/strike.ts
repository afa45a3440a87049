import type { ExchangeClient } from '../../exchange/client/exchange-client.ts';
import { ExchangeError } from '../../exchange/errors/exchange-error.ts';
import { statusOf } from '../../exchange/mapping/order-status.ts';
import { wireSymbol } from '../../exchange/symbols.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Log } from '../../ports/log.ts';
import type { Order } from '../../state/order.ts';

/** Records of one page of operation 14. */
const PAGE = 100;

export interface StrikeParts {
  readonly client: Pick<ExchangeClient, 'cancelOrder' | 'cancelFuturesOrder' | 'futuresOrders'>;
  readonly instruments: readonly Instrument[];
  readonly log: Log;
  /** Whether a client id is one of the bot's. */
  readonly isOwn: (clientOrderId: string) => boolean;
}

/** What a strike came to. */
export interface Struck {
  /** Cancels that the exchange took. */
  readonly canceled: number;
  /** Requests that failed: it is to be done again. */
  readonly failed: number;
  /** Orders that futures lists still show as the bot's. */
  readonly listed: number;
}

/**
 * The first and simplest thing: asks the exchange to cancel every order of the bot, those that its journal knows to be open and those
 * that the futures lists show, without asking how things stand before. What fails keeps nothing else from being tried.
 */
export async function strike(open: Iterable<Order>, { client, instruments, log, isOwn }: StrikeParts): Promise<Struck> {
  let canceled = 0;
  let failed = 0;
  let listed = 0;
  const trouble = (what: string, error: unknown) => {
    failed++;
    const isNoConcern = error instanceof ExchangeError && error.outcome === 'rejected' && !error.retryable;
    if (isNoConcern) failed--;
    log[isNoConcern ? 'info' : 'warn'](what, { error: (error as Error).message });
  };
  const cancel = async (symbol: string, isFutures: boolean, id: { orderId: string } | { clientOid: string }) => {
    try {
      const body = { symbol: wireSymbol(symbol), ...id };
      const { result } = isFutures ? await client.cancelFuturesOrder(body) : await client.cancelOrder(body);
      if (!result) return;
      canceled++;
      log.warn('canceled', { symbol, ...id });
    } catch (error) {
      trouble('a cancel failed', error);
    }
  };
  const known = [...open].filter(({ held }) => !held);
  const jobs = known.map(({ symbol, orderId, clientOrderId, instrument, adopted }) =>
    cancel(symbol, instrument.contract !== undefined, adopted || orderId !== '' ? { orderId } : { clientOid: clientOrderId }),
  );
  const struck = new Set(known.map(({ orderId }) => orderId));
  for (const { symbol } of instruments.filter(({ contract }) => contract !== undefined)) {
    try {
      for (let page = 0, more = true; more; page++) {
        const records = await client.futuresOrders({ symbol: wireSymbol(symbol), limit: PAGE, page });
        more = records.length === PAGE;
        for (const { client_oid: clientOid, order_id: orderId, status } of records) {
          const word = statusOf(status);
          if (!isOwn(clientOid) || word === 'filled' || word === 'canceled') continue;
          listed++;
          if (!struck.has(orderId)) jobs.push(cancel(symbol, true, { orderId }));
        }
      }
    } catch (error) {
      trouble(`the orders of ${symbol} cannot be listed`, error);
    }
  }
  await Promise.all(jobs);
  return { canceled, failed, listed };
}
