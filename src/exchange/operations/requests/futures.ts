import { z } from 'zod';
import { idLong, timeLong, whole } from '../../fields/integers.ts';
import { maybe } from '../../fields/maybe.ts';
import { clientIdOrEmpty, decimalOrEmptyParameter, name, positiveParameter, word } from '../../fields/parameters.ts';
import { inOrder, period } from './rules.ts';

export const TriggerOrderRequest = z
  .object({
    symbol: name,
    /** Empty: the exchange assigns one. */
    client_oid: clientIdOrEmpty,
    /** In base coin, a multiple of the contract's step. */
    size: positiveParameter,
    /** 1 open long, 2 open short, 3 close long, 4 close short. */
    type: word('1', '2', '3', '4'),
    /** 0 limit, 1 market. */
    match_type: word('0', '1'),
    /** The limit; of a market order without meaning, 0 or empty then. */
    execute_price: decimalOrEmptyParameter,
    trigger_price: positiveParameter,
  })
  .refine(({ match_type, execute_price }) => match_type === '1' || /[1-9]/.test(execute_price ?? ''), {
    error: 'must be above 0 where match_type is 0',
    path: ['execute_price'],
    params: { code: '40020' },
  });

export const FuturesOrdersRequest = z
  .object({
    symbol: maybe(name),
    orderId: maybe(idLong),
    /** Epoch ms. */
    startTime: maybe(timeLong),
    endTime: maybe(timeLong),
    /** 1 to 100; default 100. */
    limit: maybe(whole(1, 100)),
    /** From 0; default 0. */
    page: maybe(whole()),
  })
  .refine(({ startTime, endTime }) => inOrder(startTime, endTime), period('startTime', 'endTime'));

export const FuturesAccountRequest = z.object({ coinId: idLong });
