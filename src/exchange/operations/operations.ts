import { z } from 'zod';
import { flag, idLong, text, timeLong, count as total } from '../fields.ts';
import { OPERATION_TABLE, type Operation, type OperationName, type RequestSchema } from './operation-table.ts';
import {
  AssetRecord,
  CancelResult,
  CandleRow,
  Currency,
  FuturesAccountRecord,
  FuturesAssetRecord,
  FuturesOrderRecord,
  FuturesTickerRecord,
  InternalWithdrawalRecord,
  InvitedUserRecord,
  SinglePositionRecord,
  SpotFillRecord,
  SpotOrderRecord,
  SubAffiliateRecord,
  SymbolInformation,
  TickerRecord,
  TransferRecord,
  TriggerOrderResult,
} from './records.ts';
import {
  BatchOrdersRequest,
  CancelOrderRequest,
  CandlesRequest,
  ExchangeInfoRequest,
  FillsRequest,
  FuturesAccountRequest,
  FuturesCandlesRequest,
  FuturesOrdersRequest,
  InternalWithdrawalRequest,
  InvitedUsersRequest,
  NoParameters,
  OrderInfoRequest,
  SubAffiliateDataRequest,
  SymbolRequest,
  TransferRecordsRequest,
  TriggerOrderRequest,
  WithdrawalStatusRequest,
} from './requests.ts';

const BatchResult = z.object({ resultList: z.array(z.object({ orderId: idLong, clientOrderId: text })) });
const FillsPage = z.object({ fillsOrderResultList: z.array(SpotFillRecord), nextPage: flag, totals: total });
const SubAffiliatePage = z.object({ records: z.array(SubAffiliateRecord), total, size: total, current: total, pages: total });
const InvitedPage = z.object({ pages: total, pageSize: total, total, channelUserInfoItemList: z.array(InvitedUserRecord) });
const WithdrawalPage = z.object({ total, list: z.array(InternalWithdrawalRecord) });
const FuturesTime = z.object({ epoch: text, iso: text, timestamp: timeLong });

const WALLETS = { fromAccountType: 'SPOT', toAccountType: 'SPOT' };

/** Every operation by name: its row of the table, and its schemas in the wire's own names. */
export const OPERATIONS = {
  currencies: operation('currencies', NoParameters, z.array(Currency)),
  exchangeInfo: operation('exchangeInfo', ExchangeInfoRequest, z.array(SymbolInformation)),
  ticker: operation('ticker', SymbolRequest, TickerRecord),
  tickers: operation('tickers', NoParameters, z.array(TickerRecord)),
  orderInfo: operation('orderInfo', OrderInfoRequest, z.array(SpotOrderRecord)),
  cancelOrder: operation('cancelOrder', CancelOrderRequest, CancelResult),
  batchOrders: operation('batchOrders', BatchOrdersRequest, BatchResult),
  fills: operation('fills', FillsRequest, FillsPage, { pageIndex: 0, pageSize: 10 }),
  accountAssets: operation('accountAssets', NoParameters, z.array(AssetRecord)),
  futuresAssets: operation('futuresAssets', NoParameters, z.array(FuturesAssetRecord)),
  transferRecords: operation('transferRecords', TransferRecordsRequest, z.array(TransferRecord), { limit: 100 }),
  cancelFuturesOrder: operation('cancelFuturesOrder', CancelOrderRequest, CancelResult),
  triggerOrder: operation('triggerOrder', TriggerOrderRequest, TriggerOrderResult),
  futuresOrders: operation('futuresOrders', FuturesOrdersRequest, z.array(FuturesOrderRecord), { limit: 100, page: 0 }),
  singlePosition: operation('singlePosition', SymbolRequest, z.array(SinglePositionRecord)),
  futuresAccount: operation('futuresAccount', FuturesAccountRequest, FuturesAccountRecord),
  subAffiliateData: operation('subAffiliateData', SubAffiliateDataRequest, SubAffiliatePage, { pageNum: 1, pageSize: 100 }),
  invitedUsers: operation('invitedUsers', InvitedUsersRequest, InvitedPage, { page: 1, pageSize: 100 }),
  internalWithdrawal: operation('internalWithdrawal', InternalWithdrawalRequest, z.object({ id: text }), WALLETS),
  internalWithdrawalStatus: operation('internalWithdrawalStatus', WithdrawalStatusRequest, WithdrawalPage, {
    ...WALLETS,
    page: 1,
    pageSize: 100,
  }),
  spotTime: operation('spotTime', NoParameters, timeLong),
  futuresTime: operation('futuresTime', NoParameters, FuturesTime),
  futuresTicker: operation('futuresTicker', SymbolRequest, FuturesTickerRecord),
  candles: operation('candles', CandlesRequest, z.array(CandleRow), { limit: 100 }),
  futuresCandles: operation('futuresCandles', FuturesCandlesRequest, z.array(CandleRow), { limit: 100 }),
} as const satisfies Record<OperationName, Operation>;

function operation<Q extends RequestSchema, P extends z.ZodType>(
  name: OperationName,
  request: Q,
  payload: P,
  defaults: Operation['defaults'] = {},
): Operation<Q, P> {
  const row = OPERATION_TABLE[name];
  return { ...row, name, extra: row.number === undefined, request, payload, defaults };
}

/** A caller's request: ids as strings, times as epoch ms, decimals as text. Optional fields may be absent. */
export type RequestOf<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['request']>;
/** An unwrapped reply: the wire's own names; ids as strings, times as epoch ms, decimals as text. */
export type PayloadOf<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['payload']>;
