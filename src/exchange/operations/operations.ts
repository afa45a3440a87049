import { z } from 'zod';
import { flag, idLong, ownId, text, timeLong, count as total } from '../fields.ts';
import {
  Acknowledgement,
  BillsPage,
  ClosedPositionRecord,
  ContractRecord,
  DepthRecord,
  DoneRecord,
  FundingRateRecord,
  FuturesBatchResult,
  FuturesCancelBatchResult,
  FuturesFillsPage,
  FuturesOrderInfoRecord,
  FuturesOrderResult,
  LeverageRecord,
  PastFundingRecord,
  PlainCancelResult,
  PositionRecord,
  TriggerHistoryPage,
  TriggerRecord,
} from './futures-records.ts';
import {
  CancelAllFuturesRequest,
  CancelFuturesBatchRequest,
  CancelTriggerRequest,
  ClosePositionsRequest,
  ContractSymbolRequest,
  FundingHistoryRequest,
  FuturesBatchRequest,
  FuturesBillsRequest,
  FuturesDepthRequest,
  FuturesFillsRequest,
  FuturesHistoryRequest,
  FuturesOrderInfoRequest,
  FuturesOrderRequest,
  LeverageRequest,
  ModifyTpSlRequest,
  TpSlRequest,
  TriggerHistoryRequest,
  TriggersRequest,
} from './futures-requests.ts';
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

const BatchResult = z.object({ resultList: z.array(z.object({ orderId: idLong, clientOrderId: ownId })) });
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
  placeFuturesOrder: operation('placeFuturesOrder', FuturesOrderRequest, FuturesOrderResult),
  futuresBatchOrders: operation('futuresBatchOrders', FuturesBatchRequest, FuturesBatchResult),
  cancelFuturesBatch: operation('cancelFuturesBatch', CancelFuturesBatchRequest, FuturesCancelBatchResult),
  cancelTrigger: operation('cancelTrigger', CancelTriggerRequest, PlainCancelResult),
  cancelAllFutures: operation('cancelAllFutures', CancelAllFuturesRequest, z.array(DoneRecord)),
  closePositions: operation('closePositions', ClosePositionsRequest, z.array(ClosedPositionRecord)),
  placeTpSl: operation('placeTpSl', TpSlRequest, z.array(DoneRecord)),
  modifyTpSl: operation('modifyTpSl', ModifyTpSlRequest, Acknowledgement),
  futuresFills: operation('futuresFills', FuturesFillsRequest, FuturesFillsPage, { limit: 100 }),
  futuresOrder: operation('futuresOrder', FuturesOrderInfoRequest, FuturesOrderInfoRecord),
  futuresHistory: operation('futuresHistory', FuturesHistoryRequest, z.array(FuturesOrderInfoRecord), { pageSize: 100 }),
  triggers: operation('triggers', TriggersRequest, z.array(TriggerRecord), { limit: 100, page: 0 }),
  triggerHistory: operation('triggerHistory', TriggerHistoryRequest, TriggerHistoryPage, { pageSize: 100 }),
  futuresBills: operation('futuresBills', FuturesBillsRequest, BillsPage, { limit: 20 }),
  allPositions: operation('allPositions', NoParameters, z.array(PositionRecord)),
  leverageSettings: operation('leverageSettings', ContractSymbolRequest, LeverageRecord),
  setLeverage: operation('setLeverage', LeverageRequest, Acknowledgement),
  contracts: operation('contracts', ContractSymbolRequest, z.array(ContractRecord)),
  futuresDepth: operation('futuresDepth', FuturesDepthRequest, DepthRecord, { limit: '15' }),
  fundingRate: operation('fundingRate', ContractSymbolRequest, z.array(FundingRateRecord)),
  fundingHistory: operation('fundingHistory', FundingHistoryRequest, z.array(PastFundingRecord), { limit: 10 }),
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
