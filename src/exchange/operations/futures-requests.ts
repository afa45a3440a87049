import { z } from 'zod';
import {
  clientId,
  clientIdOrEmpty,
  decimalOrEmptyParameter,
  idLong,
  maybe,
  name,
  orderIdParameter,
  positiveParameter,
  timeLong,
  whole,
  word,
} from '../fields.ts';
import { inOrder, period } from './requests.ts';

// Requests of the futures operations beyond the twenty, in the wire's own names.

/** 1 cross (the default), 3 isolated; it must be the mode of the account. */
const marginMode = maybe(whole(1, 3));

/** An order's terms: `placeOrder` has a symbol for each, a batch one for all. */
const terms = {
  /** Empty: the exchange assigns one. */
  client_oid: clientIdOrEmpty,
  /** In base coin, a multiple of the contract's step. */
  size: positiveParameter,
  /** 1 open long, 2 open short, 3 close long, 4 close short. */
  type: word('1', '2', '3', '4'),
  /** 0 normal (good till canceled), 1 post-only, 2 fill or kill, 3 immediate or cancel; without meaning for a market order. */
  order_type: word('0', '1', '2', '3'),
  /** 0 limit, 1 market. */
  match_price: word('0', '1'),
  /** In quote; above 0 on limit orders. */
  price: maybe(decimalOrEmptyParameter),
  /** Trigger prices of orders at market that close what this one has opened. */
  presetTakeProfitPrice: maybe(positiveParameter),
  presetStopLossPrice: maybe(positiveParameter),
};

const hasPrice = ({ match_price, price }: { match_price: string; price?: string | undefined }) =>
  match_price === '1' || /[1-9]/.test(price ?? '');
const priceRule = { error: 'is required, above 0, where match_price is 0', path: ['price'], params: { code: '40019' } };

export const FuturesOrderRequest = z.object({ symbol: name, ...terms, marginMode }).refine(hasPrice, priceRule);

export const FuturesBatchRequest = z.object({
  symbol: name,
  marginMode,
  orderDataList: z.array(z.object(terms).refine(hasPrice, priceRule)).min(1, { error: 'must not be empty' }),
});

/** One of both lists; the exchange's ids count if both are given. */
export const CancelFuturesBatchRequest = z
  .object({ ids: z.array(orderIdParameter).optional(), cids: z.array(clientId).optional() })
  .refine(({ ids, cids }) => (ids?.length ?? 0) + (cids?.length ?? 0) > 0, {
    error: 'or cids is required',
    path: ['ids'],
    params: { code: '40913' },
  });

export const CancelTriggerRequest = z.object({ orderId: orderIdParameter });

export const CancelAllFuturesRequest = z.object({
  /** Without it, all contracts. */
  symbol: maybe(name),
  /** Orders, or triggers that have not fired. */
  cancelOrderType: word('normal', 'plan'),
});

/** Without a symbol, all positions. */
export const ClosePositionsRequest = z.object({ symbol: maybe(name) });

export const TpSlRequest = z.object({
  symbol: name,
  clientOrderId: clientIdOrEmpty,
  planType: word('profit_plan', 'loss_plan'),
  triggerPrice: positiveParameter,
  /** The limit; left out or 0: at market. */
  executePrice: maybe(decimalOrEmptyParameter),
  /** In base coin. */
  size: positiveParameter,
  positionSide: word('long', 'short'),
  marginMode,
});

export const ModifyTpSlRequest = z.object({
  orderId: orderIdParameter,
  triggerPrice: positiveParameter,
  /** Left out or 0: at market. */
  executePrice: maybe(decimalOrEmptyParameter),
  /** 1 last price (the default), 3 mark price. */
  triggerPriceType: maybe(whole(1, 3)),
});

/** Epoch ms. */
const times = { startTime: maybe(timeLong), endTime: maybe(timeLong) };
const ordered = ({ startTime, endTime }: { startTime?: number | undefined; endTime?: number | undefined }) => inOrder(startTime, endTime);
const timeRule = period('startTime', 'endTime');

export const FuturesFillsRequest = z
  .object({
    symbol: maybe(name),
    orderId: maybe(idLong),
    ...times,
    /** 1 to 100; default 100. There are no pages: the next one ends where this one began. */
    limit: maybe(whole(1, 100)),
  })
  .refine(ordered, timeRule);

export const FuturesOrderInfoRequest = z.object({ orderId: orderIdParameter });

export const FuturesHistoryRequest = z.object({
  symbol: maybe(name),
  /** 1 to 100; default 100. */
  pageSize: maybe(whole(1, 100)),
  /** How far back: the documents say both days (at most 90) and epoch ms. */
  createDate: maybe(timeLong),
});

export const TriggersRequest = z
  .object({
    symbol: maybe(name),
    orderId: maybe(idLong),
    ...times,
    /** 1 to 100; default 100. */
    limit: maybe(whole(1, 100)),
    /** From 0; default 0. */
    page: maybe(whole()),
  })
  .refine(ordered, timeRule);

export const TriggerHistoryRequest = z
  .object({
    symbol: name,
    ...times,
    /** 1 open long, 2 open short, 3 close long, 4 close short. */
    delegateType: maybe(word('1', '2', '3', '4')),
    /** 1 to 100; default 100. */
    pageSize: maybe(whole(1, 100)),
  })
  .refine(ordered, timeRule);

export const FuturesBillsRequest = z
  .object({
    coin: maybe(name),
    symbol: maybe(name),
    businessType: maybe(name),
    ...times,
    /** 1 to 100; default 20. */
    limit: maybe(whole(1, 100)),
  })
  .refine(ordered, timeRule);

/** Without a symbol, all contracts. */
export const ContractSymbolRequest = z.object({ symbol: maybe(name) });

export const LeverageRequest = z.object({
  symbol: name,
  /** 1 cross, 3 isolated; it must be the mode of the account. */
  marginMode: whole(1, 3),
  /** Multiples; equal in cross mode. */
  longLeverage: positiveParameter,
  shortLeverage: positiveParameter,
});

export const FuturesDepthRequest = z.object({
  symbol: name,
  /** Levels of each side: 15 (the default) or 200. */
  limit: maybe(word('15', '200')),
});

export const FundingHistoryRequest = z.object({
  symbol: name,
  /** 1 to 100; default 10. */
  limit: maybe(whole(1, 100)),
});
