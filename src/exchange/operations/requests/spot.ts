import { z } from 'zod';
import { idLong, timeLong, whole } from '../../fields/integers.ts';
import { maybe } from '../../fields/maybe.ts';
import { clientId, decimalParameter, name, orderIdParameter, positiveParameter, word } from '../../fields/parameters.ts';
import { inOrder, oneOf, period } from './rules.ts';

export const OrderInfoRequest = z
  .object({ orderId: maybe(orderIdParameter), clientOrderId: maybe(clientId) })
  .refine(({ orderId, clientOrderId }) => (orderId ?? clientOrderId) !== undefined, oneOf('orderId', 'clientOrderId'));

/** Of both hosts. */
export const CancelOrderRequest = z
  .object({ symbol: name, orderId: maybe(orderIdParameter), clientOid: maybe(clientId) })
  .refine(({ orderId, clientOid }) => (orderId ?? clientOid) !== undefined, oneOf('orderId', 'clientOid'));

const BatchOrder = z
  .object({
    side: word('buy', 'sell'),
    orderType: word('limit', 'market'),
    /** `normal` is good till canceled; without effect on market orders, but sent all the same. */
    force: word('normal', 'postOnly', 'fok', 'ioc'),
    /** In quote; above 0 on limit orders, left out or 0 on market orders. */
    price: maybe(decimalParameter),
    /** In base; of a market buy, an amount of quote. */
    quantity: positiveParameter,
    clientOrderId: clientId,
  })
  .refine(({ orderType, price }) => orderType === 'market' || /[1-9]/.test(price ?? ''), {
    error: 'is required, above 0, where orderType is limit',
    path: ['price'],
    params: { code: '40019' },
  });

export const BatchOrdersRequest = z.object({
  symbol: name,
  orderList: z.array(BatchOrder).min(1, { error: 'must not be empty' }),
});

export const FillsRequest = z
  .object({
    symbol: name,
    orderId: maybe(idLong),
    /** Start, epoch ms. */
    after: maybe(timeLong),
    /** End, epoch ms. */
    before: maybe(timeLong),
    /** From 0; default 0. */
    pageIndex: maybe(whole()),
    /** 1 to 100; default 10. */
    pageSize: maybe(whole(1, 100)),
  })
  .refine(({ after, before }) => inOrder(after, before), period('after', 'before'));

export const TransferRecordsRequest = z
  .object({
    coinId: maybe(whole()),
    /** Account type of the sender. */
    fromType: maybe(name),
    /** Epoch ms: records before it. The reverse of the fills' meaning, as the document has it. */
    after: maybe(timeLong),
    /** Epoch ms: records after it. */
    before: maybe(timeLong),
    /** 1 to 500; default 100. */
    limit: maybe(whole(1, 500)),
  })
  .refine(({ after, before }) => inOrder(before, after), period('before', 'after'));
