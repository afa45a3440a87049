import { z } from 'zod';
import {
  clientId,
  clientIdOrEmpty,
  decimalOrEmptyParameter,
  decimalParameter,
  idLong,
  maybe,
  name,
  orderIdParameter,
  positiveParameter,
  timeLong,
  transferAmount,
  whole,
  word,
} from '../fields.ts';
import { CANDLE_PERIODS, MOST_CANDLES } from '../symbols.ts';

export const NoParameters = z.object({});

export const ExchangeInfoRequest = z.object({
  /** One pair. */
  symbol: maybe(name),
  /** Several, comma-separated. With neither, all pairs. */
  symbols: maybe(name),
});

export const SymbolRequest = z.object({ symbol: name });

export const OrderInfoRequest = z
  .object({ orderId: maybe(orderIdParameter), clientOrderId: maybe(clientId) })
  .refine(({ orderId, clientOrderId }) => (orderId ?? clientOrderId) !== undefined, oneOf('orderId', 'clientOrderId'));

/** For both hosts. */
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
    /** In base; for a market buy, an amount of quote. */
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
  // Zod would compare the length of an object, too, and the comparison can throw.
  orderList: z.array(BatchOrder).refine((list) => list.length > 0, { error: 'must not be empty' }),
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
    /** Epoch ms: records before it. The reverse of its meaning for fills, as in the document. */
    after: maybe(timeLong),
    /** Epoch ms: records after it. */
    before: maybe(timeLong),
    /** 1 to 500; default 100. */
    limit: maybe(whole(1, 500)),
  })
  .refine(({ after, before }) => inOrder(before, after), period('before', 'after'));

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
    /** The limit; without meaning for a market order, then 0 or empty. */
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

/** Epoch ms, UTC. */
const times = { startTime: maybe(timeLong), endTime: maybe(timeLong) };

const ordered = ({ startTime, endTime }: { startTime?: number | undefined; endTime?: number | undefined }) => inOrder(startTime, endTime);

/** `SPOT` is the spot wallet, `FUND` the funding wallet; default `SPOT`. */
const wallet = maybe(word('SPOT', 'FUND'));

/** From 1; default 1. */
const page = maybe(whole(1));

export const SubAffiliateDataRequest = z
  .object({
    subUid: maybe(idLong),
    ...times,
    productType: word('SPOT', 'FUTURES'),
    pageNum: page,
    /** Default 100. */
    pageSize: maybe(whole(1)),
  })
  .refine(ordered, period('startTime', 'endTime'));

export const InvitedUsersRequest = z
  .object({
    uid: maybe(idLong),
    ...times,
    page,
    /** Default 100. */
    pageSize: maybe(whole(1)),
  })
  .refine(ordered, period('startTime', 'endTime'));

export const InternalWithdrawalRequest = z.object({
  toUserId: idLong,
  coin: name,
  amount: transferAmount,
  fromAccountType: wallet,
  toAccountType: wallet,
});

export const WithdrawalStatusRequest = z
  .object({
    withdrawID: maybe(name),
    coin: maybe(name),
    /** Only the past month is available. */
    ...times,
    fromAccountType: wallet,
    toAccountType: wallet,
    page,
    /** 1 to 200; default 100. */
    pageSize: maybe(whole(1, 200)),
  })
  .refine(ordered, period('startTime', 'endTime'));

/** 1 to 1000; default 100. */
const limit = maybe(whole(1, MOST_CANDLES));

export const CandlesRequest = z.object({ symbol: name, period: word(...CANDLE_PERIODS.map(({ spot }) => spot)), limit });

export const FuturesCandlesRequest = z.object({ symbol: name, granularity: word(...CANDLE_PERIODS.map(({ futures }) => futures)), limit });

/** A rule between parameters; `code` is the error with which a server refuses its breach. */
interface Rule {
  readonly error: string;
  readonly path: string[];
  readonly params: { readonly code: string };
}

/** The rule that one of two ids is given. */
function oneOf(first: string, second: string): Rule {
  return { error: `or ${second} is required`, path: [first], params: { code: '40913' } };
}

/** The rule that a period does not end before it starts. */
export function period(start: string, end: string): Rule {
  return { error: `must not be after ${end}`, path: [start], params: { code: '40707' } };
}

/** True unless both are given and the start is later. */
export function inOrder(start: number | undefined, end: number | undefined): boolean {
  return start === undefined || end === undefined || start <= end;
}
